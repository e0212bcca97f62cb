"""What shops and networks write is read exactly, or not at all."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.domain.report_reading import (
    MinorUnits,
    currency_of,
    is_placeholder,
    read_currency,
    read_decimal,
    read_event,
    read_status,
    read_txid,
    to_minor,
)
from schemas.currencies import MINOR_DIGITS

NARROW, HARD = "\u202f", "\u00a0"
GROUPS = {"point": (",", "."), "comma": (".", ","), "space": (" ", ","), "narrow": (NARROW, "."), "swiss": ("'", ".")}


def grouped(whole: int, sign: str) -> str:
    return f"{whole:,}".replace(",", sign)


@given(st.integers(0, 10**13), st.integers(0, 99), st.sampled_from(sorted(GROUPS)), st.sampled_from(["", "€", "USD "]))
def test_an_amount_with_groups_and_decimals_is_that_amount(whole: int, cents: int, form: str, label: str) -> None:
    group, point = GROUPS[form]
    read = read_decimal(f" +{label}{grouped(whole, group)}{point}{cents:02d}{HARD}")
    assert read is not None and read.value == Fraction(whole * 100 + cents, 100)


@given(st.sampled_from(sorted(MINOR_DIGITS)), st.integers(0, 10**12))
def test_every_amount_comes_through_exactly(currency: str, amount: int) -> None:
    read = read_decimal(format(Decimal(amount).scaleb(-MINOR_DIGITS[currency]), "f"))
    assert read is not None and to_minor(read.value, currency) == MinorUnits(amount)


@given(st.decimals(0, 10**6, places=6), st.sampled_from(["JPY", "EUR", "KWD"]))
def test_an_amount_between_two_minor_units_is_rounded_once_and_kept(amount: Decimal, currency: str) -> None:
    read = read_decimal(format(amount, "f"))
    assert read is not None
    booked, exact = to_minor(read.value, currency), amount.scaleb(MINOR_DIGITS[currency])
    assert booked is not None and booked.amount == int(exact.quantize(Decimal(1), ROUND_HALF_EVEN))
    assert Fraction(booked.exact or booked.amount) == Fraction(exact)


@given(st.text(max_size=24))
def test_no_text_is_a_crash_and_none_is_below_zero(text: str) -> None:
    read = read_decimal(text)
    assert read is None or read.value >= 0
    assert is_placeholder(text) in (True, False)


FORMS = (
    " 12.00 =12|+12.00=12|.5=0.5|12,50=12.5|,5=0.5|12.=12|12,=12|1.234,56=1234.56|1,234.56=1234.56|1 234,56=1234.56"
    "|1\u202f234\u00a0567,5=1234567.5|1'234.50=1234.5|1,23,456.78=123456.78|1.234.567=1234567|1,234,567=1234567"
    "|0.035=0.035|0,125=0.125|1234,567=1234.567|1,2345=1.2345|12.500=12.5|1.234=1.234|٣=3|１２．５=12.5|-0.00=0"
)
UNCLEAR = "1,234|12,500|-5|- 5|$-5|NaN|inf|1e3|0x10|12 50|| |abc|12..3|1.2.3|12²|12,345,6|(5)|1_000|€5$|{amount}|null|½"


@pytest.mark.parametrize(("text", "value"), [form.split("=") for form in FORMS.split("|")])
def test_forms_of_amounts(text: str, value: str) -> None:
    read = read_decimal(text)
    assert read is not None and read.value == Fraction(value) and read.currencies is None


@pytest.mark.parametrize("text", [*UNCLEAR.split("|"), "9" * 41, "5 apples", "+-5", "1.23,4.5"])
def test_what_could_be_two_amounts_or_none_is_not_guessed(text: str) -> None:
    assert read_decimal(text) is None


def test_a_currency_beside_the_amount() -> None:
    euros, dollars, crowns = read_decimal("12,50 €"), read_decimal("US$ 3"), read_decimal("kr 5")
    assert euros is not None and euros.currencies == frozenset({"EUR"}) and currency_of(euros, "USD") is None
    assert dollars is not None and currency_of(dollars, "USD") == "USD"
    assert crowns is not None and currency_of(crowns, "SEK") == "SEK" and currency_of(crowns, "EUR") is None
    assert [read_currency(text, "CAD") for text in ("usd", " Eur ", "€", "$", "¥", "XXX", "EURO", "{currency}")] == [
        "USD", "EUR", "EUR", "CAD", None, None, "EUR", None
    ]  # fmt: skip


def test_words_of_statuses_and_events() -> None:
    words = (
        "Confirmed",
        " PAID ",
        "on_hold",
        "Charge-Back",
        "1",
        "3",
        "Bonus",
        "DECLINED ",
        "{status}",
        "Storniert",
        "4",
    )
    found = [read_status(word, {"bonus": "approved"}) for word in words]
    assert found == [
        "approved", "approved", "hold", "reversed", "approved", "rejected", "approved", "rejected", None, None, None
    ]  # fmt: skip
    assert read_status("Sale", {"sale": "approved"}) == "approved" and read_status("sale", {}) is None
    names = ("First Deposit", " SALE ", "first_deposit", "регистрация", "a" * 65, "{goal}")
    assert [read_event(name) for name in names] == ["first_deposit", "sale", "first_deposit", None, None, None]


PLACEHOLDERS = (
    "{transaction_id} [TID] %7Btransaction_id%7D %257Btid%257D {{x}} ${x} <x> #x# %x% !!!id!!! null NULL undefined None"
    " NaN 0 00 - n/a (null) [=_TransID=] __CLICKID__ {{order.id|escape}} order-{id} #s2# {sub_id_10} %%tid%% <%=id%>"
)
IDS = (
    "1 A1 #1001 #1001# {3F2504E0-4F89-11D3-9A0C-0305E82C3301} order-1001 [ABC-1234] 100% ORDER-0 10%20 null-1 a_b 1_2 x"
    " $100 tid1 5f3a9c 2024/001 0a"
)


@pytest.mark.parametrize("text", [*PLACEHOLDERS.split(), "", "\u00a0", "(not set)", "{{a | b: 100.0}}"])
def test_an_unfilled_placeholder_is_one(text: str) -> None:
    assert is_placeholder(text) and is_placeholder(f" {text} ")


@pytest.mark.parametrize("text", IDS.split())
def test_a_genuine_id_is_no_placeholder(text: str) -> None:
    assert not is_placeholder(text) and not is_placeholder(f" {text}\u200b")


def test_blanks_around_an_id_are_no_part_of_it() -> None:
    assert {read_txid(text) for text in ("A 1", " A 1", "A 1\u00a0", "\ufeffA 1\u200b\t")} == {"A 1"}
