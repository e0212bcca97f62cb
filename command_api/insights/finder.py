"""Finds changes on a website by statistics alone: the same history gives the same findings. Pure.

Each test of a history gives a `Candidate` with its p-value. All p-values of a website are adjusted together
(`significance.holm`, level 5 %), so that an unchanged website has no finding in 19 of 20 runs. A significant candidate
is a finding if it is also large enough to matter. `confidence` is 1 less the adjusted p-value.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from command_api.insights import significance
from command_api.insights.finding import Candidate, InsightFinding
from command_api.insights.history import YOUNG_DAYS, Dimension, History
from command_api.insights.partner_questions import earnings, rates, rejections
from command_api.insights.questions import bots, bots_of_a_day, level, shares, silence, week

SIGNIFICANCE_LEVEL: Final = 0.05
MAX_FINDINGS: Final = 8
MIN_EXPLAINED_SHARE: Final = 0.7


def find(history: History) -> list[InsightFinding]:
    """The findings, the most important first, at most eight. With less than five weeks of history only bots are
    tested."""
    candidates = list(_candidates(history) if len(history.total) >= YOUNG_DAYS else bots_of_a_day(history))
    adjusted = significance.holm([candidate.p_value for candidate in candidates])
    findings = [
        _with_confidence(candidate.finding, p)
        for candidate, p in zip(candidates, adjusted, strict=True)
        if p <= SIGNIFICANCE_LEVEL and candidate.matters
    ]
    independent = [finding for finding in findings if not _is_explained_by_another(finding, findings, history)]
    ranked = sorted(independent, key=lambda finding: (-finding.impact, finding.key))
    return list(_one_shift_per_dimension(ranked))[:MAX_FINDINGS]


def _candidates(history: History) -> Iterator[Candidate]:
    for question in (silence, week, level, shares, rates, rejections, bots, earnings):
        yield from question(history)


def _is_explained_by_another(finding: InsightFinding, found: list[InsightFinding], history: History) -> bool:
    """Returns whether another finding explains this one: a partner's silence a silent link or a lost share, a partner's
    rate the website's."""
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


def _one_shift_per_dimension(ranked: Iterable[InsightFinding]) -> Iterator[InsightFinding]:
    """Keeps the largest shift per dimension: the other shares follow from it."""
    shifted: set[Dimension] = set()
    for finding in ranked:
        if finding.topic == "share" and finding.subject is not None:
            if finding.subject.dimension in shifted:
                continue
            shifted.add(finding.subject.dimension)
        yield finding


def _explains(partners: InsightFinding, all_: InsightFinding) -> bool:
    """Returns whether one partner accounts for most of the website's deviation."""
    if partners.topic != "rate" or partners.subject is None:
        return False
    gap = all_.figures["current"] - all_.figures["expected"]
    return (partners.figures["current"] - partners.figures["expected"]) / gap >= MIN_EXPLAINED_SHARE if gap else False


def _with_confidence(finding: InsightFinding, p: float) -> InsightFinding:
    return replace(finding, confidence=min(0.99, math.floor((1 - p) * 100) / 100))
