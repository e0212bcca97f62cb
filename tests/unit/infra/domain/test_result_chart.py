"""Given the columns and first rows of a statement's result, then the chart that the SQL page shows first, or none."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from infra.domain.reports.charts import HEIGHT, WIDTH
from infra.domain.reports.figures import compact_text
from infra.domain.reports.result_chart import MAX_POINTS, chart_of


def test_days_and_numbers_are_lines_with_gaps_where_there_is_no_number() -> None:
    rows = [["2026-11-01", "3", "1.5"], ["2026-11-02", "", "nan"], ["2026-11-03", "4", "2"]]
    chart = chart_of(["day", "clicks", "epc"], ["Date", "UInt64", "Nullable(Float64)"], rows)
    assert chart is not None and chart.is_line
    assert chart.series == [[3, None, 4], [1.5, None, 2]]
    assert chart.described() == "Line chart of clicks (blue), epc (green) by day."


def test_categories_and_numbers_are_bars() -> None:
    chart = chart_of(["n", "country"], ["Int32", "LowCardinality(String)"], [["-5", "DE"], ["7", "FR"]])
    assert chart is not None and not chart.is_line
    assert (chart.labels, chart.series) == (["DE", "FR"], [[-5, 7]])


@pytest.mark.parametrize(
    ("types", "rows"),
    [(["String", "UUID"], [["a", "b"]]), (["UInt8"], [["1"]]), (["Date", "UInt8"], []), ([], [])],
)
def test_without_rows_or_numbers_there_is_no_chart(types: list[str], rows: list[list[str]]) -> None:
    assert chart_of([f"c{index}" for index in range(len(types))], types, rows) is None


def test_the_picture_is_small_whatever_the_numbers_are() -> None:
    columns, one = ["name", *"abcdefgh"], ["x" * 300, "1e300", "-1", "0", "inf", "1", "2", "3", "4"]
    for kind in ("String", "DateTime"):
        for rows in ([one], [one] * (MAX_POINTS + 1), [["", *[""] * 8]]):
            chart = chart_of(columns, [kind, *["Float64"] * 8], rows)
            assert chart is not None and len(chart.series) == 6
            picture = Image.open(io.BytesIO(chart.png(compact_text)))
            assert picture.size == (2 * WIDTH, 2 * HEIGHT)


@pytest.mark.parametrize("numbers", [("1e308", "-1e308"), ("1.7e308",), ("1e-320",), ("-0", "1e30")])
def test_there_is_a_picture_of_numbers_at_the_limits(numbers: tuple[str, ...]) -> None:
    chart = chart_of(["name", "n"], ["String", "Float64"], [["two\nlines", number] for number in numbers])
    assert chart is not None and Image.open(io.BytesIO(chart.png(compact_text))).size == (2 * WIDTH, 2 * HEIGHT)


def test_numbers_of_an_axis_are_short() -> None:
    assert [compact_text(number) for number in (0, 0.25, 999, 12_500, -2e6, 3e9)] == [
        *("0", "0.25", "999", "12.5k", "-2M", "3B"),
    ]
