"""Decimals become minor units exactly, or not at all."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import EventRejected
from ingest.money import MAX_AMOUNT, check_minor_units, exponent_of, minor_units

CURRENCIES = {"JPY": 0, "KRW": 0, "USD": 2, "EUR": 2, "KWD": 3, "BHD": 3}


@given(st.sampled_from(sorted(CURRENCIES)), st.integers(0, 10**13))
def test_every_amount_comes_through_exactly(currency: str, amount: int) -> None:
    digits = CURRENCIES[currency]
    text = format(Decimal(amount).scaleb(-digits), "f")
    assert minor_units(text, currency) == amount


@given(st.text(max_size=12))
def test_anything_else_is_refused_never_a_crash(text: str) -> None:
    outcome = amount_or_code(text)
    if isinstance(outcome, str):
        assert outcome in ("bad_amount", "amount_too_large")
    else:
        assert outcome == int(Decimal(text) * 100)


def amount_or_code(text: str) -> int | str:
    try:
        return minor_units(text, "USD")
    except EventRejected as error:
        return error.code


@pytest.mark.parametrize(
    ("text", "currency", "amount"),
    [("12.5", "USD", 1250), ("12.", "USD", 1200), ("12.500", "USD", 1250), ("7", "JPY", 7), ("1.234", "KWD", 1234)],
)
def test_examples(text: str, currency: str, amount: int) -> None:
    assert minor_units(text, currency) == amount


@pytest.mark.parametrize(
    "text", ["", "-1", "+1", "1e3", "NaN", "inf", "1,50", " 1", "0x10", ".5", "12.345", "٣", "1_000", "9" * 25]
)
def test_refused(text: str) -> None:
    with pytest.raises(EventRejected):
        minor_units(text, "USD")


def test_bounds() -> None:
    assert check_minor_units(MAX_AMOUNT) == MAX_AMOUNT
    for amount, code in ((-1, "negative_amount"), (MAX_AMOUNT + 1, "amount_too_large")):
        with pytest.raises(EventRejected) as caught:
            check_minor_units(amount)
        assert caught.value.code == code
    assert minor_units("10000000000000.00", "USD") == minor_units("1000000000000000", "VND") == MAX_AMOUNT
    for text, currency in (("10000000000000.01", "USD"), ("1000000000000001", "VND"), ("9" * 24, "KWD")):
        with pytest.raises(EventRejected) as caught:
            minor_units(text, currency)
        assert caught.value.code == "amount_too_large"


# XXX is ISO 4217's own code for "no currency", and the last one has a Cyrillic letter: no sale is in either.
@pytest.mark.parametrize("code", ["usd", "US", "XXX", "EURO", "", "UЅD"])
def test_unknown_currencies(code: str) -> None:
    with pytest.raises(EventRejected) as caught:
        exponent_of(code)
    assert caught.value.code == "unknown_currency"
