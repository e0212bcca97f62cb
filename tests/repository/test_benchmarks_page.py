"""`docs/benchmarks.md` begins with twenty figures and says what `docs/benchmarks.json` says."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from typing import Any

import pytest

from tests.bench import DOCS, KEPT, Figure, growth, page
from tests.bench.headlines import HEADLINES, Headline

KEPT_FIGURES: dict[str, dict[str, Any]] = json.loads(KEPT.read_text())
MAX_LINES = 30
"""About what a screen shows."""


def test_the_page_and_its_pictures_are_what_the_figures_make() -> None:
    again = "`python -m tests.bench page` writes it"
    assert page.PAGE.read_text() == page.text(KEPT_FIGURES), again
    for path, picture in page.pictures(KEPT_FIGURES).items():
        assert (DOCS / path).read_text() == picture, again
        ElementTree.fromstring(picture)  # noqa: S314 - our own text


def test_twenty_figures_stand_on_the_first_screen() -> None:
    first = page.PAGE.read_text().partition("\n## ")[0].strip().splitlines()
    rows = [line for line in first if line.startswith("| [")]
    assert len(rows) == len(HEADLINES) == 20
    assert len(first) <= MAX_LINES


@pytest.mark.parametrize("headline", HEADLINES, ids=lambda headline: headline.title)
def test_each_was_measured_and_has_one_aim(headline: Headline) -> None:
    assert headline.find(KEPT_FIGURES)["value"] >= 0
    assert (headline.at_most is None) is not (headline.at_least is None)


def test_what_limits_a_figure_that_misses_its_aim_is_said() -> None:
    for headline in HEADLINES:
        if not headline.is_met(headline.find(KEPT_FIGURES)["value"]):
            assert headline.limit and headline.limit in page.PAGE.read_text()


def test_a_figure_of_the_largest_size_is_shown() -> None:
    headline = next(each for each in HEADLINES if each.figure.startswith("*: "))
    name = headline.figure.removeprefix("*: ")
    figures = [_figure(f"{size} M events: {name}", size) for size in (10, 100, 1)]
    assert headline.find({headline.subject: {"figures": figures}})["value"] == 100
    with pytest.raises(LookupError):
        headline.find({})


def test_whether_an_aim_is_met() -> None:
    assert Headline("a", "b", "c", at_most=5).is_met(5) and not Headline("a", "b", "c", at_most=5).is_met(5.1)
    assert Headline("a", "b", "c", at_least=5).is_met(5) and not Headline("a", "b", "c", at_least=5).is_met(4.9)


def test_what_breaks_first_is_where_the_power_of_the_two_largest_sizes_meets_the_limit() -> None:
    name = growth.ALL_ROLLUPS
    figures = [
        _figure(f"1 M events: {name}", 7.0),
        _figure(f"10 M events: {name}", 10),
        _figure(f"100 M events: {name}", 100),
    ]
    text = "\n\n".join(growth.section({"large": {"figures": figures}}))
    assert "the first limit is: rebuild of all rollups" in text
    # In proportion: 100 s for 100 M are a day for 86.4 billion, and 10,000 s for 10 billion.
    assert "| rebuild of all rollups | 86,400 s, a day | 1.00 | 86 billion events | 10,000 s |" in text


def test_a_limit_that_a_measured_size_exceeds_is_reached_there_and_nothing_gets_faster_with_more_events() -> None:
    name = growth.ALL_ROLLUPS
    figures = [
        _figure(f"1 M events: {name}", 7.0),
        _figure(f"10 M events: {name}", 100_000),
        _figure(f"100 M events: {name}", 90_000),
    ]
    text = "\n\n".join(growth.section({"large": {"figures": figures}}))
    assert "| rebuild of all rollups | 86,400 s, a day | 0.00 | 10 M events | 90,000 s |" in text


def _figure(name: str, value: float) -> Figure:
    return Figure(name=name, value=value, unit="s", command="python -m tests.bench large")
