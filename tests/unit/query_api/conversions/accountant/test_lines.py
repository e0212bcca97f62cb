"""The lines and totals of the accountant's file add up, in each currency and in one, with and without rates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from fractions import Fraction
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from infra.domain.exchange_rates import RateBook, RecordedRate
from query_api.conversions.accountant.lines import FileLine, lines, totals
from query_api.conversions.accountant.partner_months import Booked, PartnerMonth, Received
from query_api.kernel.authorization import Website

TODAY = date(2026, 11, 24)
MONTHS = ("2026-07", "2026-08", "2026-09")


def website(number: int, currency: str) -> Website:
    return Website(UUID(int=number), f"{number}.example", "UTC", currency, datetime(2026, 1, 1, tzinfo=UTC))


def book(**recorded: str) -> RateBook:
    """What one of a currency is worth in EUR from a day on: `USD_0710="0.9"`."""
    found = [
        ((name[:3], "EUR"), RecordedRate(rate, date(2026, int(name[4:6]), int(name[6:]))))
        for name, rate in sorted(recorded.items())
    ]
    return RateBook.of("EUR", found)


def month(
    name: str = "2026-07", *, opening: int = 0, bookings: Sequence[Booked] = (), payouts: Sequence[Received] = ()
) -> PartnerMonth:
    return PartnerMonth(
        website(1, "USD"), name, UUID(int=9), "Acme", opening=opening, bookings=list(bookings), payouts=list(payouts)
    )


def booked(day: str, amount: int, kind: str = "approved") -> Booked:
    return Booked(date.fromisoformat(day), kind, amount, 1)


def test_bookings_convert_at_their_day_and_balances_at_the_month_s_last_one() -> None:
    rates = book(USD_0630="0.5", USD_0710="0.8", USD_0731="0.9")
    found = month(opening=1000, bookings=[booked("2026-07-09", 200), booked("2026-07-10", 200)])
    [line] = lines([found], rates, TODAY)
    assert (line.currency, line.sums.approved) == ("EUR", 100 + 160)
    assert (line.sums.opening, line.sums.closing) == (500, 1260)
    assert line.sums.exchange_difference == 1260 - 500 - 260


def test_a_running_month_s_balance_converts_at_today_s_rate() -> None:
    rates = book(USD_1101="0.5", USD_1124="0.6", USD_1130="0.9")
    [line] = lines([month("2026-11", opening=1000)], rates, TODAY)
    assert (line.sums.opening, line.sums.closing) == (0, 600) or line.lacking == date(2026, 10, 31)
    [line] = lines([month("2026-11", bookings=[booked("2026-11-02", 1000)])], rates, TODAY)
    assert (line.sums.approved, line.sums.closing) == (500, 600)


def test_each_day_is_rounded_once_half_to_even() -> None:
    rates = book(USD_0601="0.5")
    halves = [booked("2026-07-01", 1), booked("2026-07-02", 3), booked("2026-07-03", 5)]
    [line] = lines([month(bookings=halves)], rates, TODAY)
    assert line.sums.approved == 0 + 2 + 2


def test_a_payout_in_the_wanted_currency_is_what_was_paid() -> None:
    rates = book(USD_0601="0.5")
    paid = [Received(date(2026, 7, 5), 1000, 480, "EUR"), Received(date(2026, 7, 6), 1000, 1000, "USD")]
    [line] = lines([month(payouts=paid)], rates, TODAY)
    assert (line.sums.paid, line.sums.paid_in_total) == (480 + 500, 1000)


def test_a_line_without_a_rate_stays_in_its_currency_and_says_which_day() -> None:
    rates = book(USD_0715="0.5")
    [line] = lines([month(bookings=[booked("2026-07-14", 100), booked("2026-07-20", 100)])], rates, TODAY)
    assert (line.currency, line.sums.approved, line.lacking) == ("USD", 200, date(2026, 7, 14))
    [later] = lines([month(bookings=[booked("2026-07-20", 100)])], rates, TODAY)
    assert (later.currency, later.sums.approved, later.lacking) == ("EUR", 50, None)


AMOUNTS = st.integers(min_value=-(10**6), max_value=10**6)
BOOKINGS = st.lists(
    st.builds(
        Booked,
        st.integers(min_value=1, max_value=28).map(lambda day: date(2026, 7, day)),
        st.sampled_from(["approved", "reversed", "adjustment"]),
        AMOUNTS,
        st.just(1),
    ),
    max_size=4,
)


@st.composite
def histories(draw: st.DrawFn) -> list[PartnerMonth]:
    """Two websites with two partners each, for three months."""
    found = []
    for number, currency in ((1, "USD"), (2, "JPY")):
        for partner in (1, 2):
            balance, paid = draw(AMOUNTS), 0
            for name in MONTHS:
                day = date.fromisoformat(f"{name}-01")
                bookings = [replace(one, day=one.day.replace(month=day.month)) for one in draw(BOOKINGS)]
                payouts = [Received(day, draw(AMOUNTS), draw(AMOUNTS), draw(st.sampled_from([currency, "EUR"])))]
                one = PartnerMonth(
                    website(number, currency), name, UUID(int=partner), "P", opening=balance, paid_before=paid,
                    bookings=bookings, payouts=payouts,
                )  # fmt: skip
                balance, paid = one.closing, one.paid_in_total
                found.append(one)
    return found


RATES = st.dictionaries(
    st.sampled_from(["USD_0601", "USD_0710", "USD_0820", "JPY_0601", "JPY_0701", "JPY_0915"]),
    st.decimals(min_value="0.001", max_value="2", places=4).map(str),
)


@given(histories(), RATES)
def test_everything_adds_up_whatever_rates_are_known(history: list[PartnerMonth], rates: dict[str, str]) -> None:
    found = list(lines(history, book(**rates), TODAY))
    assert [line.of for line in found] == history
    for sums in [line.sums for line in found] + [total.sums for total in totals(found)]:
        moved = sums.approved - sums.reversed - sums.adjustments + sums.exchange_difference
        assert sums.closing == sums.opening + moved
        assert sums.open == sums.closing - sums.held - sums.paid_in_total
    assert sum(total.lines for total in totals(found)) == len(history)
    assert sum(total.sums.entries for total in totals(found)) == sum(line.sums.entries for line in found)
    whole, parts = _flows(found), Counter[str]()
    for name in MONTHS:
        parts.update(_flows([line for line in found if line.of.month == name]))
    assert whole == parts, "months add up to the range"


@given(histories())
def test_without_a_currency_every_amount_is_the_website_s_own(history: list[PartnerMonth]) -> None:
    for line in lines(history, None, TODAY):
        assert (line.currency, line.sums.exchange_difference) == (line.of.website.currency, 0)
        assert line.sums.closing == line.of.closing
        assert line.sums.paid == sum(one.credited for one in line.of.payouts)


@given(BOOKINGS, st.decimals(min_value="0.0001", max_value="9", places=4))
def test_conversion_is_exact_but_for_one_rounding_a_day(bookings: list[Booked], rate: object) -> None:
    [line] = lines([month(bookings=bookings)], book(USD_0601=str(rate)), TODAY)
    expected = sum(round(one.amount * Fraction(str(rate))) for one in bookings if one.kind == "approved")
    assert line.sums.approved == expected


def _flows(of: Sequence[FileLine]) -> Counter[str]:
    found: Counter[str] = Counter()
    for total in totals(of):
        for name in ("approved", "reversed", "adjustments", "paid"):
            found[f"{total.currency} {name}"] += getattr(total.sums, name)
    return found
