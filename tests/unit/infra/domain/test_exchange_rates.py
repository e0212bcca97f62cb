"""The rate of a pair follows from its own rates, those of the pair the other way round, and those against the euro."""

from __future__ import annotations

from datetime import date
from decimal import ROUND_HALF_EVEN, Decimal, localcontext

import pytest

from infra.domain.exchange_rates import DatedRate, Derivation, Pair, RateBook, RecordedRate, rate_of

OLD, NEW = date(2026, 11, 2), date(2026, 11, 5)


def rates(**given: tuple[str, date]) -> dict[Pair, RecordedRate]:
    return {(name[:3], name[3:]): RecordedRate(*rate) for name, rate in given.items()}


def test_a_pair_s_own_rate_is_taken_as_it_was_recorded() -> None:
    assert rate_of("EUR", "USD", rates(EURUSD=("1.0820", NEW))) == DatedRate("1.0820", NEW)


def test_a_rate_of_the_other_way_round_is_one_division_of_twelve_digits() -> None:
    assert rate_of("USD", "EUR", rates(EURUSD=("1.0825", NEW))) == DatedRate("0.923787528868", NEW, Derivation.INVERSE)
    assert rate_of("JPY", "EUR", rates(EURJPY=("160", NEW))) == DatedRate("0.00625", NEW, Derivation.INVERSE)


@pytest.mark.parametrize(
    ("base", "quote", "first", "second"),
    [("USD", "JPY", "1.0825", "161.37"), ("IDR", "KWD", "18123.45", "0.3321"), ("HUF", "IDR", "388.12", "18123.45")],
)
def test_a_cross_rate_is_exact_and_rounded_once(base: str, quote: str, first: str, second: str) -> None:
    found = rate_of(base, quote, {("EUR", base): RecordedRate(first, NEW), ("EUR", quote): RecordedRate(second, OLD)})
    with localcontext(prec=12, rounding=ROUND_HALF_EVEN):
        expected = Decimal(second) / Decimal(first)
    assert found is not None and Decimal(found.rate) == expected
    assert (found.on, found.derivation) == (OLD, Derivation.CROSS), "as old as the older of the two"
    assert "E" not in found.rate


def test_a_cross_rate_takes_either_way_round_of_each_leg() -> None:
    found = rate_of("GBP", "USD", rates(GBPEUR=("1.2", NEW), EURUSD=("1.1", NEW)))
    assert found == DatedRate("1.32", NEW, Derivation.CROSS)


def test_the_newest_day_holds_and_of_one_day_the_pair_s_own_rate() -> None:
    assert rate_of("USD", "EUR", rates(USDEUR=("0.9", OLD), EURUSD=("1.25", NEW))) == DatedRate(
        "0.8", NEW, Derivation.INVERSE
    )
    same = rates(USDEUR=("0.9", NEW), EURUSD=("1.25", NEW))
    assert rate_of("USD", "EUR", same) == DatedRate("0.9", NEW)
    by_hand = rates(USDGBP=("0.75", NEW), EURUSD=("1", NEW), EURGBP=("0.8", NEW))
    assert rate_of("USD", "GBP", by_hand) == DatedRate("0.75", NEW)


def test_without_both_legs_there_is_no_rate() -> None:
    assert rate_of("USD", "JPY", rates(EURUSD=("1.1", NEW))) is None
    assert rate_of("USD", "JPY", {}) is None


def test_a_book_of_rates_has_on_each_day_the_newest_rate_until_then() -> None:
    friday, monday = date(2026, 11, 6), date(2026, 11, 9)
    recorded = [(("EUR", "USD"), RecordedRate("1.25", friday)), (("EUR", "USD"), RecordedRate("1.6", monday))]
    book = RateBook.of("EUR", recorded)
    assert book.converted(1_000, "USD", date(2026, 11, 5)) is None, "no rate is made up for days before the first"
    assert [book.converted(1_000, "USD", date(2026, 11, day)) for day in (6, 7, 8, 9, 30)] == [800, 800, 800, 625, 625]
    assert (book.converted(5, "EUR", friday), book.converted(0, "ISK", friday)) == (5, 0)


def test_a_book_of_rates_rounds_half_to_even_in_the_decimals_of_both_currencies() -> None:
    book = RateBook.of("USD", [(("JPY", "USD"), RecordedRate("0.005", OLD)), (("KWD", "USD"), RecordedRate("3", OLD))])
    assert [book.converted(yen, "JPY", NEW) for yen in (1, 3, 5)] == [0, 2, 2]
    assert book.converted(1_005, "KWD", NEW) == 302
