"""What the insights find on simulated websites: how many planted changes, how many findings are the planted change, and
how many websites without a change have a finding. `docs/insights.md` states the figures of the slow round."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice, product

import pytest

from command_api.insights.finder import find
from command_api.insights.finding import InsightFinding, InsightSubject
from tests.support.website_histories import DIMENSIONS, Changed, SimulatedWebsite, simulated

CHANGES: tuple[tuple[Changed, float], ...] = (
    *(("rate", factor) for factor in (0.0, 0.3, 0.5, 2.0)),
    *(("value", factor) for factor in (0.25, 0.5, 2.0)),
    *(("clicks", factor) for factor in (0.0, 0.3, 0.5, 2.0)),
    ("rejections", 4.0),
)
MIN_USUAL_CONVERSIONS = 20
"""Conversions of a week, from which on a change of rate or revenue is large enough to be found."""
TOPICS = {"clicks": "share", "rate": "rate", "value": "value", "rejections": "rejections"}
STANDING = "earnings"
"""A partner that earns more than the others: no change, and always true of some of these websites."""


def planted() -> Iterator[SimulatedWebsite]:
    for seed, (rank, dimension, (changed, factor)) in enumerate(product((0, 1, 0, 1), DIMENSIONS, CHANGES), 10_000):
        yield simulated(seed, dimension, changed, factor, rank)


def changes(website: SimulatedWebsite) -> list[InsightFinding]:
    """What the finder says has changed."""
    return [one for one in find(website.history, website.read_cells) if one.topic != STANDING]


def is_about(website: SimulatedWebsite, finding: InsightFinding, subject: InsightSubject) -> bool:
    """Returns whether a finding is about the subject, a part of it, or what it is a part of."""
    other = finding.subject
    return other is None or website.is_part(other, subject) or website.is_part(subject, other)


@pytest.mark.parametrize("websites", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_websites_without_a_change_have_no_finding_in_19_of_20_analyses(
    websites: int, record_property: Callable[[str, object], None]
) -> None:
    alarms = [website for website in map(simulated, range(websites)) if changes(website)]
    record_property("websites with a false finding", f"{len(alarms)} of {websites}")
    assert len(alarms) <= websites * 0.05 + 1


@pytest.mark.parametrize("websites", [72, pytest.param(200, marks=pytest.mark.slow)])
def test_planted_changes_are_found_and_findings_are_planted_changes(
    websites: int, record_property: Callable[[str, object], None]
) -> None:
    every, hits = Counter[tuple[str, bool]](), Counter[tuple[str, bool]]()
    findings = right = 0
    for website in islice(planted(), websites):
        assert website.planted is not None
        subject, changed = website.planted.subject, website.planted.changed
        found = changes(website)
        same = [one for one in found if one.subject is not None and website.is_same(one.subject, subject)]
        ours = [one for one in found if is_about(website, one, subject)]
        findings, right = findings + len(found), right + len(ours)
        kind = changed, website.usual_conversions(subject) >= MIN_USUAL_CONVERSIONS
        every[kind] += 1
        hits[kind] += any(one.topic in (TOPICS[changed], "silence") for one in same)
    recall = {kind: hits[kind] / every[kind] for kind in every}
    record_property("precision", f"{right} of {findings} findings")
    record_property("recall", {kind: f"{hits[kind]} of {every[kind]}" for kind in sorted(every)})
    assert right / findings >= 0.85
    assert recall["clicks", True] >= 0.95
    assert recall["clicks", False] >= 0.9
    assert recall["rate", True] >= 0.65
    assert recall["value", True] >= 0.75
