"""Given numbers and labels, what do the texts, the HTML and the pictures of a report look like?"""

from __future__ import annotations

import io
from datetime import date
from decimal import Decimal

import pytest
from PIL import Image

from infra.domain.reports import figures
from infra.domain.reports.charts import HEIGHT, WIDTH, Chart, shown_labels, ticks_for
from infra.domain.reports.letter import Kpi, LetterChart, LetterTable, ReportLetter


@pytest.mark.parametrize(
    ("first", "last", "text"),
    [
        (date(2026, 11, 16), date(2026, 11, 22), "Nov 16–22"),
        (date(2026, 10, 28), date(2026, 11, 3), "Oct 28–Nov 3"),
        (date(2026, 12, 29), date(2027, 1, 4), "Dec 29, 2026–Jan 4, 2027"),
        (date(2026, 2, 1), date(2026, 2, 28), "February 2026"),
    ],
)
def test_days_are_short(first: date, last: date, text: str) -> None:
    assert figures.days_text(first, last) == text


def test_money_and_changes_are_as_the_page_writes_them() -> None:
    assert figures.money_text(Decimal("1284.3"), "USD") == "$1,284.30"
    assert figures.money_text(Decimal(-1284), "JPY") == "-¥1,284"
    assert figures.money_text(Decimal("1.5"), "SEK") == "SEK\u00a01.50"
    assert figures.change_text(figures.change_of(Decimal(112), Decimal(100))) == "+12%"
    assert figures.change_text(figures.change_of(97, 100)) == "-3%"
    assert figures.change_text(figures.change_of(5, 0)) == ""
    assert figures.change_text(figures.change_of(5, 5)) == "no change"


def test_a_label_from_a_visitor_is_text_in_the_html() -> None:
    evil = '<img src=x onerror="alert(1)">'
    letter = ReportLetter(
        title="shop.example: Revenue",
        period="Nov 16–22",
        lead="",
        kpis=[Kpi("Clicks", "12", "+20%")],
        pictures=[LetterChart("Clicks per day", "clicks@1", f"Line chart. {evil}")],
        tables=[LetterTable("Pages", ["Page", "Clicks"], [[evil, "12"]])],
        notes=[evil],
        link_label="Open in Analytics",
        link="https://app.example/analytics?a=1&b=2",
        footer="You get this because you scheduled it.",
        stop_url="https://app.example/reports/unsubscribe#code=x",
    )
    html = letter.html()
    assert "<img src=x" not in html
    assert html.count("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;") == 3
    assert '<img src="cid:clicks@1" alt="Line chart.' in html
    assert "Clicks: 12 (+20%)" in letter.text()
    assert f"- {evil} · 12" in letter.text()


def test_a_chart_is_a_small_picture_whatever_the_numbers_are() -> None:
    for values, before in (([3.0, 0.0, 7.5], [1.0, 2.0]), ([0.0] * 31, []), ([-5.0], []), ([1e9, 1e-9], [0.0])):
        png = Chart([f"Nov {day + 1}" for day in range(len(values))], values, before).png(lambda value: f"{value:g}")
        picture = Image.open(io.BytesIO(png))
        assert (picture.format, picture.size) == ("PNG", (2 * WIDTH, 2 * HEIGHT))
        assert len(png) < 60_000


def test_axes_are_round_and_labels_do_not_touch() -> None:
    assert ticks_for(0, 1_234) == [0, 500, 1_000, 1_500]
    assert ticks_for(0, 0) == [0, 1]
    assert shown_labels(7) == list(range(7))
    assert shown_labels(30) == [0, 5, 10, 15, 20, 29]
