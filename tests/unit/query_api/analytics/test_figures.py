"""Money, filters, which table answers, CSV cells, positions and cursors: the pure parts of the query service."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from uuid import UUID, uuid4

import pytest
from fastapi import Request, Response
from hypothesis import example, given
from hypothesis import strategies as st

from infra.domain.exchange_rates import convert
from infra.kernel.http.problems import Problem
from query_api.analytics.filters import InvalidFilter, ValueFilter, condition, parse
from query_api.analytics.geographic import CountryPerformance, country_name
from query_api.analytics.metrics import MetricCounts
from query_api.kernel import money, pagination, positions
from query_api.kernel.csv import cell, csv_response
from query_api.kernel.positions import InvalidToken, PositionToken
from schemas.currencies import digits
from schemas.filters import named
from schemas.http.analytics import Bots
from schemas.http.money import Amount

currencies = st.sampled_from(["USD", "EUR", "JPY", "KWD", "CLF"])
sums = st.integers(-(10**24), 10**24)


@given(st.lists(sums, max_size=50), currencies)
def test_parts_of_money_add_up_to_their_total_in_json_and_csv(minors: list[int], currency: str) -> None:
    points = [
        CountryPerformance(
            country="DE", country_name="Germany", clicks=1, conversions=1, revenue=money.major(minor, currency)
        )
        for minor in minors
    ]
    answer = money.exact_json(points, Response())
    sent = json.loads(bytes(answer.body), parse_float=Decimal, parse_int=Decimal)
    rows = csv.DictReader(io.StringIO(bytes(csv_response("x", ["revenue"], points).body).decode()))
    assert sum((one["revenue"] for one in sent), Decimal(0)) == money.major(sum(minors), currency)
    assert [Decimal(row["revenue"]) for row in rows] == [one["revenue"] for one in sent]
    assert all(-point.revenue.as_tuple().exponent == digits(currency) for point in points)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("minor", "currency", "shown"),
    [(1099, "USD", "10.99"), (-5, "USD", "-0.05"), (1099, "JPY", "1099"), (1085, "KWD", "1.085"), (0, "KWD", "0.000")],
)
def test_money_is_shown_with_the_decimals_of_its_currency(minor: int, currency: str, shown: str) -> None:
    assert str(money.major(minor, currency)) == shown


def test_every_digit_of_a_sum_is_sent() -> None:
    found = money.exact_json(Amount(amount=10**24 + 1, currency="USD"), Response(headers={"X-As-Of": "now"}))
    assert found.body == b'{"amount":1000000000000000000000001,"currency":"USD"}'
    assert (found.headers["X-As-Of"], found.media_type) == ("now", "application/json")


def test_ratios_have_two_decimals_and_no_division_by_zero() -> None:
    counts = MetricCounts(clicks=3, pending=1, approved=1, c_pending=500, c_approved=501)
    assert counts.conversion_rate == 66.67
    assert [str(counts.average_commission("USD")), str(counts.epc("USD"))] == ["5.00", "3.34"]
    assert [MetricCounts().conversion_rate, MetricCounts().average_commission("USD"), MetricCounts().epc("USD")] == [
        0,
        0,
        0,
    ]


@given(sums, st.integers(1, 10**12), currencies)
def test_a_ratio_is_the_nearest_decimal_whatever_its_size(minor: int, count: int, currency: str) -> None:
    shown = money.per(minor, count, currency)
    step = Fraction(1, 10 ** max(2, digits(currency)))
    assert abs(Fraction(shown) - Fraction(minor, count * 10 ** digits(currency))) <= step / 2
    assert Fraction(shown) % step == 0


@given(sums, st.integers(-(10**12), 10**12).filter(bool))
@example(1, 32)
@example(-3, 32)
def test_percentages_are_rounded_half_to_even(part: int, whole: int) -> None:
    assert money.percent(part, whole) == round(Fraction(10_000 * part, whole)) / 100


def test_conversion_between_currencies() -> None:
    assert convert(1000, "JPY", "USD", Decimal("0.0065")) == 650
    assert convert(1000, "EUR", "USD", Decimal("1.1")) == 1100
    assert convert(10**30 + 1, "USD", "KWD", Fraction(1, 3)) == round(Fraction(10**31 + 10, 3))


def test_filters_are_any_of_and_not() -> None:
    assert parse("country", "de, FR,-us,de") == ValueFilter("country", ("DE", "FR"), ("US",))
    assert parse("source", "") is None and parse("source", " , -,") is None
    assert parse("country", "(none)") == ValueFilter("country", ("ZZ",), ())
    assert parse("sub1", "-(none)") == ValueFilter("sub1", (), ("",))
    for name, text in (("country", "Germany"), ("sub1", "x" * 300), ("source", ",".join(map(str, range(200))))):
        with pytest.raises(InvalidFilter):
            parse(name, text)


@given(st.lists(st.text(max_size=12) | st.text("a,-\\ ()\t", max_size=6), min_size=1, max_size=4))
@example(["(none)", "", "-", " "])
def test_every_value_can_be_named(wanted: list[str]) -> None:
    distinct = tuple(dict.fromkeys(wanted))
    assert parse("sub1", ",".join(map(named, wanted))) == ValueFilter("sub1", distinct, ())
    assert parse("sub1", ", ".join(f"-{named(value)}" for value in wanted)) == ValueFilter("sub1", (), distinct)


@pytest.mark.parametrize("text", ["C:\\ads", "a-b", "a(b)", "\\n", "x\\"])
def test_what_needed_no_escape_still_means_itself(text: str) -> None:
    assert parse("sub1", text) == ValueFilter("sub1", (text,), ())


@given(st.text(max_size=40))
def test_values_never_become_sql(text: str) -> None:
    found = parse("sub1", text)
    if found is not None:
        made = condition([found], Bots.EXCLUDE)
        assert made.sql in (
            "t.sub1 IN {sub1_in:Array(String)} AND NOT t.is_bot",
            "t.sub1 NOT IN {sub1_out:Array(String)} AND NOT t.is_bot",
            "t.sub1 IN {sub1_in:Array(String)} AND t.sub1 NOT IN {sub1_out:Array(String)} AND NOT t.is_bot",
        )


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1+1", "@x", "\tx", "\rx", "\nx", "＝1"])
def test_cells_cannot_be_formulas(text: str) -> None:
    assert cell(text) == f"'{text}"


def test_other_cells_stay() -> None:
    assert [cell(value) for value in ("Acme, Inc", -1.5, 0, None)] == ["Acme, Inc", -1.5, 0, ""]
    assert [cell(text) for text in ("-0.88", "-2", "-1+1", "-", "-1.", "+2")] == [
        "-0.88",
        "-2",
        "'-1+1",
        "'-",
        "'-1.",
        "'+2",
    ]


def test_positions_are_understood() -> None:
    assert positions.parse("domain@12, clicks[3]@98765") == (
        PositionToken("domain", 0, 12),
        PositionToken("clicks", 3, 98765),
    )
    assert positions.parse("domain[0]@1") == (PositionToken("domain", 0, 1),)


@pytest.mark.parametrize(
    "text", ["domain", "domain@", "domain@x", "clicks[1024]@1", "conversions[0]@1", "x@1", ",".join(["domain@1"] * 9)]
)
def test_other_positions_are_refused(text: str) -> None:
    with pytest.raises(InvalidToken):
        positions.parse(text)


def test_cursors_come_back_as_they_were() -> None:
    moment, id_ = datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC), uuid4()
    assert pagination.decode(pagination.encode(moment, id_), datetime, UUID) == (moment, id_)


@given(st.text(max_size=60))
def test_made_up_cursors_are_refused(text: str) -> None:
    with pytest.raises(Problem) as refused:
        pagination.decode(text, datetime, UUID)
    assert refused.value.status == 400


def test_the_next_page_keeps_the_query() -> None:
    scope = {"type": "http", "path": "/api/x", "query_string": b"a=1&cursor=old&b=%26", "headers": [], "method": "GET"}
    response = Response()
    pagination.link_next(Request({**scope, "server": ("h", 80), "scheme": "http"}), response, "new")
    assert response.headers["Link"] == '</api/x?a=1&b=%26&cursor=new>; rel="next"'


def test_countries_have_names_or_their_code() -> None:
    assert [country_name(code) for code in ("DE", "ZZ", "XK")] == ["Germany", "Unknown", "XK"]
