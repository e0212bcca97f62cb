"""What changed on a website, found by arithmetic alone: the same history gives the same findings. Pure.

Each question asked of a history is a `Candidate` with its p-value. All of a website's questions are judged together
(`significance.holm`, level 5 %), so that a website where nothing happens gets no finding in 19 of 20 looks; what is
left is a finding if it is also large enough to matter. `confidence` is 1 less the adjusted p-value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from command_api.insights import significance
from command_api.insights.finding import Candidate, Finding
from command_api.insights.history import YOUNG_DAYS, Dimension, History
from command_api.insights.partner_questions import earnings, rates, rejections
from command_api.insights.questions import bots, bots_of_a_day, level, shares, silence, week

LEVEL: Final = 0.05
MOST_FINDINGS: Final = 8
MOST_OF_IT: Final = 0.7


def find(history: History) -> list[Finding]:
    """What is worth telling, the weightiest first, at most eight. With less than five weeks of history nothing is known
    of what is usual in a week; robots are told of all the same."""
    asked = list(_asked(history) if len(history.total) >= YOUNG_DAYS else bots_of_a_day(history))
    adjusted = significance.holm([candidate.p_value for candidate in asked])
    found = [
        _confident(candidate.finding, p)
        for candidate, p in zip(asked, adjusted, strict=True)
        if p <= LEVEL and candidate.matters
    ]
    told = [finding for finding in found if not _is_said_by_another(finding, found, history)]
    ranked = sorted(told, key=lambda finding: (-finding.impact, finding.key))
    return list(_one_shift_a_dimension(ranked))[:MOST_FINDINGS]


def _asked(history: History) -> Iterator[Candidate]:
    yield from silence(history)
    yield from week(history)
    yield from level(history)
    yield from shares(history)
    yield from rates(history)
    yield from rejections(history)
    yield from bots(history)
    yield from earnings(history)


def _is_said_by_another(finding: Finding, found: list[Finding], history: History) -> bool:
    """A link is silent because its partner's links all are; what fell silent has, of course, lost its share too."""
    subject = finding.subject
    if finding.topic == "rate" and subject is None:
        return any(_explains(other, finding) for other in found)
    if subject is None or finding.topic not in ("silence", "share"):
        return False
    silent = {other.subject for other in found if other.topic == "silence" and other.subject is not None}
    if finding.topic == "share":
        partner = history.partner_of.get(subject.value) if subject.dimension == "link" else None
        return finding.type == "decline" and any(
            subject == other or (partner is not None and other.value == partner) for other in silent
        )
    if subject.dimension != "link":
        return False
    partner = history.partner_of.get(subject.value)
    return any(other.dimension == "partner" and other.value == partner for other in silent)


def _one_shift_a_dimension(ranked: Iterable[Finding]) -> Iterator[Finding]:
    """Where one value brings more of the clicks, all others bring less: the largest shift says it."""
    shifted: set[Dimension] = set()
    for finding in ranked:
        if finding.topic == "share" and finding.subject is not None:
            if finding.subject.dimension in shifted:
                continue
            shifted.add(finding.subject.dimension)
        yield finding


def _explains(partners: Finding, all_: Finding) -> bool:
    """Whether one partner's conversions make most of what the whole website has too few or too many of."""
    if partners.topic != "rate" or partners.subject is None:
        return False
    gap = all_.figures["current"] - all_.figures["expected"]
    return (partners.figures["current"] - partners.figures["expected"]) / gap >= MOST_OF_IT if gap else False


def _confident(finding: Finding, p: float) -> Finding:
    return replace(finding, confidence=min(0.99, math.floor((1 - p) * 100) / 100))
