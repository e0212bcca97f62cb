"""Given the largest history, names and answer of a model, then an analysis on request costs no more than a command."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import cache, partial
from typing import Final

import pytest

from command_api.insights.causes import PERIODS, Cell
from command_api.insights.finder import MAX_FINDINGS, find
from command_api.insights.finding import InsightFinding, InsightSubject
from command_api.insights.history import DAYS, Day, Dimension, History
from command_api.insights.narration import InsightWording, Wordings, validate_answer
from command_api.insights.service import MAX_NAME_LENGTH
from infra.kernel.http.route_costs import COMMAND
from tests.support.reference_work import REFERENCE_MS, reference_ms

VALUES: Final[Mapping[Dimension, int]] = {
    "partner": 50, "page": 20, "country": 10, "device": 10, "source": 10, "link": 20,
}  # fmt: skip
"""As many as are read of each dimension."""
NAME: Final = "S1 1,111,111.1% " * 4
HARD: Final = ("1,111", "S1", "tripl", "w.aa", "1.1%", "Nov 1", "-1", "double", " 7 days")
"""What the patterns of the validation begin with."""


def history(chance: random.Random) -> History:
    """Each series is up or down in its last week, so that there is much to find."""

    def days(scale: int) -> list[Day]:
        factor = chance.choice([0.1, 1, 10])
        return [_day(chance, scale * (factor if number >= DAYS - 7 else 1)) for number in range(DAYS)]

    by = {
        dimension: {str(number): days(chance.randrange(10**3, 10**9)) for number in range(count)}
        for dimension, count in VALUES.items()
    }
    return History(date(2026, 11, 22), "USD", days(10**10), by)


def _day(chance: random.Random, scale: float) -> Day:
    parts = (1, 3, 0.05, 0.01, 40, 0.4, 0.6)
    return Day(*(int(scale * part * chance.uniform(0.9, 1.1)) for part in parts))


def cells(subjects: Sequence[InsightSubject]) -> list[Cell]:
    """As many as there can be: no two events belong to the same subjects."""
    chance = random.Random(2)
    groups = (
        frozenset(subject for bit, subject in enumerate(subjects) if group >> bit & 1)
        for group in range(2 ** len(subjects))
    )
    scales = (10**8, 10**9, 10**10)
    return [
        Cell(group, period, _day(chance, chance.choice(scales) if period == 0 else 10**9))
        for group in groups
        for period in range(len(PERIODS))
    ]


def found_in(history: History) -> tuple[list[InsightFinding], Mapping[InsightSubject, str]]:
    findings = find(history)
    names = {finding.subject: NAME[:MAX_NAME_LENGTH] for finding in findings if finding.subject is not None}
    return findings, names


def least_ms(work: Callable[[], object]) -> float:
    """Processor time of the best of three, as where the bounds were set."""
    spent = []
    for _ in range(3):
        began = time.process_time()
        work()
        spent.append((time.process_time() - began) * 1000)
    return min(spent) * REFERENCE_MS / reference_ms()


@pytest.mark.parametrize("seed", [0, 1])
def test_the_largest_history_is_searched_within_the_bound_of_a_command(seed: int) -> None:
    of = history(random.Random(seed))
    read = cache(lambda subjects: cells(subjects))

    def search() -> list[InsightFinding]:
        return find(of, lambda subjects: read(tuple(subjects)))

    assert 0 < len(search()) <= MAX_FINDINGS
    assert least_ms(search) < COMMAND.processor_ms


def test_the_longest_answer_of_a_model_is_validated_within_the_bound_of_a_command() -> None:
    chance = random.Random(1)
    findings, names = found_in(history(chance))

    def text(length: int) -> str:
        return "".join(chance.choice(HARD) + chance.choice((" ", "")) for _ in range(length))[:length]

    for length in (90, 400):
        insights = [
            InsightWording(
                number=number % len(findings) + 1, title=text(min(length, 400)), content=text(length * 5)[:2_000]
            )
            for number in range(50)
        ]
        answer = Wordings(insights=insights)
        validate = partial(validate_answer, answer, findings, names, "USD")
        assert least_ms(validate) < COMMAND.processor_ms
    [*told] = validate_answer(answer, findings, names, "USD").found
    assert len(told) == len(findings)
    assert max(len(narrative.words.content) for _, narrative in told) < 1_000
