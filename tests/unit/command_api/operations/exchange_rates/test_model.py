"""What is decided about exchange rates, and how a CSV file of them is read."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from command_api.kernel.decision import CommandContext
from command_api.operations.exchange_rates import model
from command_api.operations.exchange_rates.files import MAX_LINES, RateLine, parse
from schemas.events.operations import RateSource
from tests.support.given_when_then import given, rejected

CONTEXT = CommandContext(datetime(2026, 11, 26, 12, tzinfo=UTC))
DAY = date(2026, 11, 1)


def recorded(*given: tuple[str, RateSource]) -> model.ExchangeRates:
    """The state after rates of one day."""
    state: model.ExchangeRates | None = None
    for rate, source in given:
        for event in model.record_rate(
            state, base="EUR", quote="USD", rate=rate, on=DAY, context=CONTEXT, source=source
        ):
            state = model.evolve(state, event)
    assert state is not None
    return state


def test_the_same_rate_again_is_nothing_new_and_another_replaces_it() -> None:
    state = recorded(("1.10", RateSource.HAND), ("1.10", RateSource.HAND), ("1.11", RateSource.IMPORT))
    assert (state.version, state.by_day[DAY].rate) == (2, "1.11")


def test_a_revised_reference_rate_replaces_its_own_but_none_of_a_person() -> None:
    revised = recorded(("1.10", RateSource.ECB), ("1.12", RateSource.ECB))
    assert (revised.version, revised.by_day[DAY].rate) == (2, "1.12")
    corrected = recorded(("1.10", RateSource.ECB), ("1.15", RateSource.HAND), ("1.10", RateSource.ECB))
    assert corrected.by_day[DAY] == model.KnownRate("1.15", RateSource.HAND)


def test_a_reference_rate_that_a_person_records_as_it_is_stays_when_the_bank_revises_it() -> None:
    confirmed = recorded(("1.10", RateSource.ECB), ("1.10", RateSource.HAND), ("1.12", RateSource.ECB))
    assert (confirmed.version, confirmed.by_day[DAY]) == (2, model.KnownRate("1.10", RateSource.HAND))
    imported = recorded(("1.10", RateSource.ECB), ("1.10", RateSource.IMPORT))
    assert (imported.version, imported.by_day[DAY].source) == (1, RateSource.ECB)


@pytest.mark.parametrize(
    ("base", "quote", "rate"),
    [
        ("EUR", "EUR", "1"),
        ("EUR", "USD", "0"),
        ("EUR", "USD", "-1"),
        ("EUR", "USD", "1e3"),
        ("EUR", "USD", "NaN"),
        ("EUR", "USD", "١"),
        ("eur", "USD", "1"),
        ("EUR", "ZZZ", "1"),
        ("EUR", "USD", "1." + "0" * 13),
    ],
)
def test_bad_rates_are_refused(base: str, quote: str, rate: str) -> None:
    given().when(model.record_rate, None, base=base, quote=quote, rate=rate, on=DAY, context=CONTEXT).then(rejected())


def test_a_file_is_read_line_by_line_and_each_fault_is_named() -> None:
    text = (
        "\ufeffOn,base, quote ,rate\r\n2026-11-01,eur,usd,1.0825\r\n\r\n"
        "2026-11-01,EUR,USD,1.1\r\n2026-11-31,EUR,USD,1\r\n"
        '2026-11-02,EUR,ZZZ,1\r\n2026-11-02,EUR,USD,"1,08"\r\n2026-11-02,EUR,EUR,1\r\n2026-11-02,EUR\r\n'
    )
    found = parse(text)
    assert found.lines == (RateLine(2, "EUR", "USD", "1.0825", DAY),)
    assert [(fault.line, fault.message) for fault in found.faults] == [
        (4, "Line 2 has a rate for this pair and day."),
        (5, "2026-11-31 is not a day, such as 2026-11-26."),
        (6, "ZZZ is not an ISO 4217 currency."),
        (7, "1,08 is not a decimal number above 0, such as 1.0825."),
        (8, "A rate is between two different currencies."),
        (9, "This line has 2 fields instead of 4."),
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "empty_file"),
        ("base,quote,rate\nEUR,USD,1", "bad_header"),
        ('base,quote,rate,on\n"EUR', "bad_csv"),
        ("base,quote,rate,on\n" + "EUR,USD,1,2026-11-01\n" * (MAX_LINES + 1), "too_many_lines"),
        ("x" * 100_001, "file_too_long"),
    ],
)
def test_what_is_no_file_of_rates_is_refused(text: str, code: str) -> None:
    given().when(parse, text).then(rejected(code, field="csv"))
