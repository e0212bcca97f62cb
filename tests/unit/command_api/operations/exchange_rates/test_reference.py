"""The European Central Bank's files: what is read from them, what is refused, and when they are read."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from command_api.operations.exchange_rates.reference import BadRateFile, ReferenceRate, parse
from command_api.operations.exchange_rates.source import next_check
from tests.support.rate_server import rate_file

TODAY = date(2026, 11, 26)


def test_every_day_of_a_file_is_read() -> None:
    body = rate_file({"2026-11-26": {"USD": "1.0825", "JPY": "161.37"}, "2026-11-25": {"USD": "1.08"}})
    found = parse(body, TODAY)
    assert found.rates == [
        ReferenceRate(date(2026, 11, 26), "USD", "1.0825"),
        ReferenceRate(date(2026, 11, 26), "JPY", "161.37"),
        ReferenceRate(date(2026, 11, 25), "USD", "1.08"),
    ]
    assert (found.newest_day, found.skipped) == (TODAY, [])


def test_unknown_currencies_and_bad_rates_are_left_out_and_named() -> None:
    rates = {"USD": "1.0825", "XXQ": "2", "SEK": "N/A", "NOK": "0", "DKK": "1e3", "EUR": "1", "usd": "1"}
    found = parse(rate_file({"2026-11-26": rates}), TODAY)
    assert [one.currency for one in found.rates] == ["USD"]
    assert found.skipped == ["XXQ", "SEK", "NOK", "DKK", "EUR", "usd"]


GOOD = rate_file({"2026-11-26": {"USD": "1.0825"}})
ENTITY = GOOD.replace(b"?>", b'?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>', 1)
OUTSIDE = GOOD.replace(b"?>", b'?><!DOCTYPE x SYSTEM "file:///etc/passwd">', 1)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (GOOD[:-30], "not complete XML"),
        (b"", "not complete XML"),
        (b"<html><body>Maintenance</body></html>", "no reference rates"),
        (rate_file({"2026-11-26": {}}), "no reference rates"),
        (ENTITY, "document type"),
        (OUTSIDE, "document type"),
        (rate_file({"2026-11-31": {"USD": "1"}}), "a day that is none"),
        (rate_file({"2027-11-26": {"USD": "1"}}), "a future day"),
        (
            rate_file({f"2025-{m:02d}-{d:02d}": {"USD": "1"} for m in range(1, 6) for d in range(1, 29)}),
            "more than 100",
        ),
        (GOOD.replace(b"UTF-8", b"KLINGON"), "encoding"),
    ],
)
def test_a_file_that_is_none_is_refused_with_the_reason(body: bytes, why: str) -> None:
    with pytest.raises(BadRateFile, match=why):
        parse(body, TODAY)


@pytest.mark.parametrize(
    ("now", "newest", "failures", "then"),
    [
        # Thursday in winter: published at 16:15 in Frankfurt, 15:15 UTC.
        ("2026-11-26T08:00", "2026-11-25", 0, "2026-11-26T15:15"),
        ("2026-11-26T15:20", "2026-11-25", 0, "2026-11-26T15:50"),
        ("2026-11-26T15:50", "2026-11-26", 0, "2026-11-27T15:15"),
        ("2026-11-26T19:30", "2026-11-25", 0, "2026-11-27T15:15"),  # a holiday: not today any more
        ("2026-11-27T15:20", "2026-11-27", 0, "2026-11-30T15:15"),  # Friday to Monday
        ("2026-11-28T10:00", "2026-11-27", 0, "2026-11-30T15:15"),
        ("2026-07-01T12:00", "2026-06-30", 0, "2026-07-01T14:15"),  # in summer an hour earlier
        ("2026-11-26T15:20", "2026-11-25", 1, "2026-11-26T15:21"),
        ("2026-11-26T15:20", None, 9, "2026-11-26T18:20"),
    ],
)
def test_the_next_check_follows_the_bank_s_working_days(now: str, newest: str | None, failures: int, then: str) -> None:
    moment = datetime.fromisoformat(now).replace(tzinfo=UTC)
    found = next_check(moment, date.fromisoformat(newest) if newest else None, failures)
    assert found == datetime.fromisoformat(then).replace(tzinfo=UTC)
