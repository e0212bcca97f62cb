"""Bounds of amounts, and currencies."""

import pytest

from ingest.errors import EventRejected
from ingest.reports.money import MAX_AMOUNT, check_minor_units, exponent_of


def test_an_amount_is_neither_negative_nor_too_large() -> None:
    assert check_minor_units(MAX_AMOUNT) == MAX_AMOUNT
    for amount, code in ((-1, "negative_amount"), (MAX_AMOUNT + 1, "amount_too_large")):
        with pytest.raises(EventRejected) as caught:
            check_minor_units(amount)
        assert caught.value.code == code


# XXX is ISO 4217's own code for "no currency", and the last one has a Cyrillic letter: no sale is in either.
@pytest.mark.parametrize("code", ["usd", "US", "XXX", "EURO", "", "UЅD"])
def test_an_unknown_currency_is_refused(code: str) -> None:
    with pytest.raises(EventRejected) as caught:
        exponent_of(code)
    assert caught.value.code == "unknown_currency"
