"""Where ClickHouse's own time-zone database and the pinned one part: analysts' SQL alone goes by the former."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import httpx
import pytest

from infra.kernel.config.paths import ROOT
from schemas.zones import ZoneInfo, available_timezones
from tests.support.clickhouse import ask

PAGE = ROOT / "docs" / "analysts.md"
MONTHS = [datetime(2024 + number // 12, number % 12 + 1, 15, 12, tzinfo=UTC) for number in range(60)]


@pytest.mark.slow  # it changes with the pinned versions alone
def test_zones_in_which_sql_and_dashboards_differ_are_the_documented_ones(http: httpx.Client) -> None:
    """Every zone, monthly from 2024 to 2028. After an upgrade of either: write into docs/analysts.md what this says."""
    known = set(ask(http, "SELECT time_zone FROM system.time_zones FORMAT TSV").text.split())
    names = sorted(available_timezones())
    moments = ", ".join(f"toDateTime({int(month.timestamp())}, 'UTC')" for month in MONTHS)
    columns = ", ".join(
        f"arrayMap(t -> timeZoneOffset(toTimeZone(t, '{name}')), months)" for name in names if name in known
    )
    answer = ask(http, f"WITH [{moments}] AS months SELECT {columns} FORMAT JSONCompactEachRow")
    answer.raise_for_status()
    of_engine = dict(zip((name for name in names if name in known), answer.json(), strict=True))
    different = [name for name in names if of_engine.get(name) != [_offset(name, month) for month in MONTHS]]
    documented = re.search(r"<!-- zones -->(.*?)<!-- end -->", PAGE.read_text(), re.DOTALL)
    assert documented is not None
    assert re.findall(r"`([^`]+)`", documented[1]) == different, ", ".join(f"`{name}`" for name in different)


def _offset(name: str, month: datetime) -> int:
    offset = month.astimezone(ZoneInfo(name)).utcoffset()
    assert offset is not None
    return int(offset.total_seconds())
