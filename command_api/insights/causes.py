"""Chooses among significant ratios those that others do not explain: a partner that brings fewer clicks makes the share
of every other one larger, and its pages, links and countries change with it.

The strongest is a finding. The others are tested again without its events; those that are still significant are
findings, too. Pure: the events that subjects have in common come as `Cell`s.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from command_api.insights import significance
from command_api.insights.finding import InsightSubject, Topic
from command_api.insights.history import Day, Dimension
from command_api.insights.ratios import BASELINE_DAYS, Ratio, RatioCandidate
from command_api.insights.significance import WEEK

PERIODS: Final = (WEEK, BASELINE_DAYS, BASELINE_DAYS + WEEK, 2 * BASELINE_DAYS)
"""Days before today that each period of a cell goes back to, from the end of the one before it."""
MAX_SUBJECTS: Final = 10
"""Whose events in common are read: the strongest; what they have in common takes 2^10 rows a period at most."""
RESIDUAL_LEVEL: Final = 0.01
"""Of a second test, without the events of another finding: several questions of few tests are asked."""
_PREFERRED: Final[tuple[Dimension, ...]] = ("partner", "link", "page", "source", "country", "device")
_ORDER: Final[tuple[Topic, ...]] = ("share", "rate", "value", "rejections")


@dataclass(frozen=True, slots=True)
class Cell:
    """The events of a period that belong to exactly these of the subjects."""

    subjects: frozenset[InsightSubject]
    period: int
    counts: Day


ReadCells = Callable[[Sequence[InsightSubject]], Sequence[Cell] | None]


def independent(candidates: Sequence[RatioCandidate], read_cells: ReadCells | None) -> list[RatioCandidate]:
    """Returns the candidates that no stronger one explains. Without `read_cells`, or its answer, the events in
    common are unknown, which gives the strongest of each topic."""
    subjects = _subjects(candidates)
    if len(candidates) <= 1:
        return list(candidates)
    cells = read_cells(subjects) if read_cells is not None else None
    if cells is None:
        return [min(of, key=lambda one: one.p_value) for topic in _ORDER if (of := _of_topic(candidates, topic))]
    tables = _tables(candidates, subjects, cells)
    chosen: list[RatioCandidate] = []
    for topic in _ORDER:
        left = [one for one in _of_topic(candidates, topic) if one.finding.subject in (None, *subjects)]
        while left:
            taken = [one for one in chosen if one.finding.topic == topic]
            away = [_away(one, *_compared(tables[one.ratio], one, taken, subjects)) for one in left]
            strongest = max(range(len(left)), key=away.__getitem__)
            if significance.two_sided(away[strongest], left[strongest].around.freedom) > RESIDUAL_LEVEL:
                break
            equals = [one for one, far in zip(left, away, strict=True) if math.isclose(far, away[strongest])]
            best = min(equals, key=_preference)
            chosen.append(best)
            left.remove(best)
    return chosen


def _subjects(candidates: Sequence[RatioCandidate]) -> list[InsightSubject]:
    """The subjects of the strongest candidates."""
    ranked = sorted(candidates, key=lambda one: (one.p_value, one.finding.key))
    subjects = dict.fromkeys(one.finding.subject for one in ranked if one.finding.subject is not None)
    return list(subjects)[:MAX_SUBJECTS]


def _of_topic(candidates: Sequence[RatioCandidate], topic: Topic) -> list[RatioCandidate]:
    return [one for one in candidates if one.finding.topic == topic]


def _preference(candidate: RatioCandidate) -> tuple[float, int]:
    """Of equally strong candidates the first one is reported: of two shares that make up the whole, the one whose own
    number changed, and a partner rather than its only link."""
    subject, figures = candidate.finding.subject, candidate.finding.figures
    changed = abs(math.log((figures["current"] + 0.5) / (figures["usual"] + 0.5)))
    return -round(changed, 9), _PREFERRED.index(subject.dimension) if subject is not None else len(_PREFERRED)


_Counts = tuple[int, int]
"""Part and whole."""
_Table = Mapping[int, tuple[int, int, int, int]]
"""Part and whole of both periods, of the events that belong to the subjects whose bits are set."""


def _tables(
    candidates: Sequence[RatioCandidate], subjects: Sequence[InsightSubject], cells: Sequence[Cell]
) -> dict[Ratio, _Table]:
    bits = {subject: 1 << bit for bit, subject in enumerate(subjects)}
    groups = [(sum(bits[subject] for subject in cell.subjects), cell) for cell in cells]
    tables: dict[Ratio, _Table] = {}
    for ratio in dict.fromkeys(one.ratio for one in candidates):
        table: dict[int, list[int]] = {}
        periods = _periods(ratio)
        for group, cell in groups:
            counted = table.setdefault(group, [0, 0, 0, 0])
            for at, period in enumerate(periods):
                if cell.period in period:
                    counted[2 * at] += ratio.part(cell.counts)
                    counted[2 * at + 1] += ratio.whole(cell.counts)
        tables[ratio] = {group: (a, b, c, d) for group, (a, b, c, d) in table.items()}
    return tables


def _compared(
    table: _Table, candidate: RatioCandidate, chosen: Sequence[RatioCandidate], subjects: Sequence[InsightSubject]
) -> tuple[_Counts, _Counts]:
    """Part and whole of a candidate, now and before, without the events of what was chosen for another subject."""
    subject = candidate.finding.subject
    others = {one.finding.subject for one in chosen if one.finding.subject not in (None, subject)}
    excluded = sum(1 << bit for bit, other in enumerate(subjects) if other in others)
    own = 0 if subject is None else 1 << subjects.index(subject)
    left = [(group & own == own, counts) for group, counts in table.items() if not group & excluded]
    parts = [counts for is_own, counts in left if is_own]
    wholes = [counts for _, counts in left] if candidate.ratio.of_website else parts
    return (
        (sum(counts[0] for counts in parts), sum(counts[1] for counts in wholes)),
        (sum(counts[2] for counts in parts), sum(counts[3] for counts in wholes)),
    )


def _away(candidate: RatioCandidate, now: _Counts, earlier: _Counts) -> float:
    """How far a candidate is from no change, in units of its spread."""
    if not candidate.ratio.is_enough(now, earlier):
        return 0.0
    return abs(significance.deviance(now, earlier, candidate.ratio.law)) / math.sqrt(candidate.around.phi)


def _periods(ratio: Ratio) -> tuple[range, range]:
    """The numbers of the cells' periods that a ratio compares."""
    first = PERIODS.index(ratio.days) + 1
    return range(first), range(first, PERIODS.index(ratio.days + BASELINE_DAYS) + 1)
