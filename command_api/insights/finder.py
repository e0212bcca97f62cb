"""Finds changes on a website by statistics alone: the same history gives the same findings. Pure.

Each test of a history gives a `Candidate` with its p-value. All p-values of a website are adjusted together
(`significance.holm`, level 5 %), so that an unchanged website has no finding in 19 of 20 runs. A significant candidate
is a finding if it is also large enough to matter, and no other finding explains it. `confidence` is 1 less the adjusted
p-value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from command_api.insights import significance
from command_api.insights.causes import ReadCells, independent
from command_api.insights.finding import Candidate, InsightFinding, InsightSubject
from command_api.insights.history import YOUNG_DAYS, History
from command_api.insights.questions import bots, bots_of_a_day, earnings, level, silence, week
from command_api.insights.ratios import RatioCandidate, ratios

SIGNIFICANCE_LEVEL: Final = 0.05
MAX_FINDINGS: Final = 8
MIN_EXPLAINED_SHARE: Final = 0.7


def find(history: History, read_cells: ReadCells | None = None) -> list[InsightFinding]:
    """The findings, the most important first, at most eight. With less than five weeks of history only bots are
    tested. `read_cells`: reads the events that subjects have in common; it is called if several changed."""
    candidates = list(_candidates(history) if len(history.total) >= YOUNG_DAYS else bots_of_a_day(history))
    adjusted = significance.holm([candidate.p_value for candidate in candidates])
    significant = [
        replace(candidate, finding=_with_confidence(candidate.finding, p))
        for candidate, p in zip(candidates, adjusted, strict=True)
        if p <= SIGNIFICANCE_LEVEL and candidate.matters
    ]
    changed = [candidate for candidate in significant if isinstance(candidate, RatioCandidate)]
    chosen = independent(changed, read_cells)
    findings = [one.finding for one in significant if not isinstance(one, RatioCandidate) or one in chosen]
    left = [finding for finding in findings if not _is_explained_by_another(finding, findings, history)]
    return sorted(left, key=lambda finding: (-finding.impact, finding.key))[:MAX_FINDINGS]


def _candidates(history: History) -> Iterator[Candidate]:
    for question in (silence, week, level, ratios, bots, earnings):
        yield from question(history)


def _is_explained_by_another(finding: InsightFinding, found: Sequence[InsightFinding], history: History) -> bool:
    """Returns whether another finding explains this one: a partner's silence a silent link or a lost share, the larger
    share of others, what happened to a partner the website's week."""
    subject = finding.subject
    if finding.topic == "week":
        return any(_explains(other.figures, finding) for other in found if other.subject is not None)
    if subject is None or finding.topic not in ("silence", "share"):
        return False
    silent = {other.subject: other for other in found if other.topic == "silence" and other.subject is not None}
    if finding.topic == "share" and finding.type == "growth":
        return _grew_by_silence(finding, subject, silent)
    if finding.topic == "share":
        partner = history.partner_of.get(subject.value) if subject.dimension == "link" else None
        return any(subject == other or (partner is not None and other.value == partner) for other in silent)
    if subject.dimension != "link":
        return False
    partner = history.partner_of.get(subject.value)
    return any(other.dimension == "partner" and other.value == partner for other in silent)


def _grew_by_silence(
    growth: InsightFinding, subject: InsightSubject, silent: Mapping[InsightSubject, InsightFinding]
) -> bool:
    """Returns whether most of a larger share is what others of its dimension no longer bring."""
    figures = growth.figures
    missing = sum(
        silence.figures["expected"] - silence.figures["current"]
        for other, silence in silent.items()
        if other.dimension == subject.dimension and other != subject and silence.metric == growth.metric
    )
    grown = figures["share"] - figures["usual_share"]
    left = figures["current"] / (figures["whole"] + missing) - figures["usual_share"]
    return left <= (1 - MIN_EXPLAINED_SHARE) * grown


def _explains(figures: Mapping[str, float], week: InsightFinding) -> bool:
    """Returns whether what happened to one value accounts for most of the website's deviation."""
    gap = week.figures["current"] - week.figures["usual"]
    usual = figures.get(f"usual_{week.metric}")
    return bool(gap) and usual is not None and (figures[week.metric] - usual) / gap >= MIN_EXPLAINED_SHARE


def _with_confidence(finding: InsightFinding, p: float) -> InsightFinding:
    return replace(finding, confidence=min(0.99, math.floor((1 - p) * 100) / 100))
