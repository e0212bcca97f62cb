"""Dates and times of report files."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from infra.domain.report_files.dates import BadDate, DateReader, OrderEvidence
from infra.domain.report_files.source import Exact
from schemas.zones import ZoneInfo
from tests.unit.command_api.networks.reading.support import TODAY, at


def reader(order: str = "ymd", zone: str = "UTC") -> DateReader:
    return DateReader(order, ZoneInfo(zone), TODAY)


@pytest.mark.parametrize(
    ("text", "order", "instant"),
    [
        ("2026-06-03T10:42:38Z", "ymd", at(6, 3, 10, 42, 38)),
        ("2026-06-03T10:42:38.5+02:00", "ymd", at(6, 3, 8, 42, 38).replace(microsecond=500_000)),
        ("2024-09-10T10:42:38-07:00", "ymd", datetime(2024, 9, 10, 17, 42, 38, tzinfo=UTC)),
        ("2026-06-03 10:42:38.0", "ymd", at(6, 3, 10, 42, 38)),
        ("2026/06/03 10:42", "ymd", at(6, 3, 10, 42)),
        ("20260603 10:42", "ymd", at(6, 3, 10, 42)),
        ("06/03/2026 02:05:06 PM", "mdy", at(6, 3, 14, 5, 6)),
        ("06/03/2026 12:05:06 AM", "mdy", at(6, 3, 0, 5, 6)),
        ("6/3/26 9:00", "mdy", at(6, 3, 9)),
        ("03.06.2026 10:00", "dmy", at(6, 3, 10)),
        ("3.6.26, 10:00 Uhr", "dmy", at(6, 3, 10)),
        ("26/06/03 10:00", "ymd", at(6, 3, 10)),
        ("3. Juni 2026 10:00", "ymd", at(6, 3, 10)),
        ("3 March 2026 10:00", "ymd", at(3, 3, 10)),
        ("03-Mär-2026 10:00", "ymd", at(3, 3, 10)),
        ("Jun 3, 2026 10:00 AM", "ymd", at(6, 3, 10)),
        ("Wed, 03 Jun 2026 10:00:00 GMT", "ymd", at(6, 3, 10)),
        ("1780480800", "ymd", at(6, 3, 10)),
        ("1780480800500", "ymd", at(6, 3, 10).replace(microsecond=500_000)),
    ],
)
def test_a_time_is_read_in_the_forms_that_reports_have(text: str, order: str, instant: datetime) -> None:
    assert reader(order).read(text) == instant


def test_a_date_without_a_time_stays_a_date() -> None:
    assert reader("mdy").read("6/3/26") == date(2026, 6, 3)
    assert reader().read("3. Dez. 2025") == date(2025, 12, 3)


def test_a_days_number_of_a_workbook_is_a_date_and_of_a_text_is_none() -> None:
    assert reader().read(Exact("46176")) == date(2026, 6, 3)
    assert reader().read(Exact("46176.5")) == at(6, 3, 12)
    with pytest.raises(BadDate):
        reader().read("46176")


@pytest.mark.parametrize("text", ["", "-", "N/A", "0000-00-00 00:00:00", "00/00/0000"])
def test_what_reports_write_for_no_date_is_none(text: str) -> None:
    assert reader().read(text) is None


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("31.04.2026", "dmy"),
        ("2026-02-29", "ymd"),
        ("2026-06-03 25:00", "ymd"),
        ("06/03/2026 13:00 PM", "mdy"),
        ("13/13/2026", "dmy"),
        ("03/06/2026", "ymd"),
        ("3 Vendémiaire 2026", "ymd"),
        ("tomorrow", "ymd"),
        ("2026-06-03 10:00" + " " * 100_000 + "x", "ymd"),
        ("2026-06-03 10:00" + " " * 45 + "x", "ymd"),
        ("Jun" + " " * 55 + "x", "ymd"),
        ("2026-06-03T10:00:00+99:00", "ymd"),
    ],
)
def test_a_date_that_does_not_exist_is_refused(text: str, order: str) -> None:
    with pytest.raises(BadDate):
        reader(order).read(text)


def test_a_clock_in_a_column_of_its_own_makes_the_date_a_time() -> None:
    assert reader("mdy").read("6/3/26", "23:59:58") == at(6, 3, 23, 59, 58)
    assert reader("mdy").read("6/3/26", "11:59 pm") == at(6, 3, 23, 59)
    assert reader("mdy").read("6/3/26", "?") == date(2026, 6, 3)


def test_a_local_time_that_the_clock_change_skips_is_shifted_ahead() -> None:
    skipped = reader(zone="Europe/Berlin").read("2026-03-29 02:30:00")
    assert skipped == at(3, 29, 1, 30)


def test_of_a_local_time_that_stands_twice_the_first_is_taken() -> None:
    doubled = reader(zone="Europe/Berlin").read("2026-10-25 02:30:00")
    assert doubled == at(10, 25, 0, 30)


@pytest.mark.parametrize(
    ("texts", "default", "order"),
    [
        (["03/04/26"], "", ""),
        (["03/04/26", "13/04/26"], "", "dmy"),
        (["03/04/26", "03/14/26"], "", "mdy"),
        (["26/06/03"], "", "ymd"),
        (["11/10/2026"], "", ""),
        (["12/12/2026"], "", "dmy"),
        (["05/05/2026"], "", "dmy"),
        (["13/04/26", "04/13/26"], "", ""),
        (["24/04/26"], "", ""),
        (["24.04.26"], "", "dmy"),
        (["09/12/2026"], "", "mdy"),
        (["2026-03-04", "2026-05-04"], "", "ymd"),
        (["03/04/26"], "mdy", "mdy"),
        (["13/04/26"], "mdy", "dmy"),
        (["31/01/26", "03/04/26", "05/06/26", "99/99/26"], "", "dmy"),
    ],
)
def test_the_order_is_decided_by_all_dates_or_asked(texts: list[str], default: str, order: str) -> None:
    """9 December 2026 and 12 December 2026 lie in the future."""
    evidence = OrderEvidence(TODAY)
    for text in texts:
        evidence.add(text)
    assert evidence.order(default) == order


def test_a_date_more_than_a_day_ahead_is_the_future() -> None:
    assert not reader().is_future(date(2026, 12, 1))
    assert reader().is_future(date(2026, 12, 2))
    assert not reader().is_future(at(12, 1, 23))
