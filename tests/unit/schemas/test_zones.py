"""One time-zone database: the pinned package is what Python reads, and no engine turns a time into a local one."""

from __future__ import annotations

import io
import re
import zoneinfo  # noqa: TID251 - to see what it reads
from datetime import UTC, datetime, timedelta
from importlib import resources
from pathlib import Path

import pytest

from infra.kernel.config.paths import ROOT
from schemas.zones import ZoneInfo, available_timezones

CODE = ("schemas", "infra", "ingest", "projectors", "command_api", "query_api")
MONTHS = [datetime(2024 + number // 12, number % 12 + 1, 15, 12, tzinfo=UTC) for number in range(60)]


def test_the_systems_files_are_not_read() -> None:
    assert zoneinfo.TZPATH == ()
    assert "localtime" not in available_timezones()


def test_every_zone_says_each_month_what_the_pinned_package_says() -> None:
    """2024 to 2028; a zone that was read from other files before would say otherwise."""
    for name in sorted(available_timezones()):
        package, _, file = name.rpartition("/")
        folder = ".".join(["tzdata.zoneinfo", *filter(None, package.split("/"))])
        pinned = ZoneInfo.from_file(io.BytesIO((resources.files(folder) / file).read_bytes()))
        for month in MONTHS:
            assert month.astimezone(ZoneInfo(name)).utcoffset() == month.astimezone(pinned).utcoffset(), name


def test_vancouver_keeps_summer_time() -> None:
    """British Columbia's decision of 2026 tells which database is read: older ones set the clock back in November."""
    winter = datetime(2027, 1, 15, 12, tzinfo=UTC).astimezone(ZoneInfo("America/Vancouver"))
    assert winter.utcoffset() == timedelta(hours=-7)


LOCAL = re.compile(
    r"AT TIME ZONE (?!'UTC')"
    r"|\b(?:toTimeZone|toDate(?:Time)?|toHour|toDayOfWeek|toStartOf\w+|date_trunc)\([^()]*, *(?:%\(|\{|'(?!UTC|minute))"
    r"|\bcurrent_date\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("package", CODE)
def test_no_statement_leaves_a_zone_to_an_engine(package: str) -> None:
    """Postgres and ClickHouse have databases of their own; `schemas.days` gives them instants."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if LOCAL.search(line)
    ]
    assert found == []


WHOLE_SECONDS = re.compile(
    r"\b(?:occurred_at|received_at|changed_at|at)\s*(?:<|>|<=|>=|=)\s*(?:\{\w+:DateTime\b(?!64)|toDateTime\(|now\(\)|fromUnixTimestamp\()"
)


@pytest.mark.parametrize("package", CODE)
def test_no_statement_compares_milliseconds_with_whole_seconds(package: str) -> None:
    """ClickHouse prunes such comparisons wrongly: `schemas.instants` writes both kinds of instants."""
    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if WHOLE_SECONDS.search(line)
        and _is_of_clickhouse(path)
        and path.parent.name != "sql_access"  # their statements run with `limits.EXACT`
    ]
    assert found == []


def _is_of_clickhouse(path: Path) -> bool:
    text = path.read_text()
    return "toDateTime(" in text or ":DateTime" in text or "FROM events" in text or "recent_events" in text
