"""Reads the rows of a website's export, page by page, and writes them as CSV and JSON."""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

import orjson

from query_api.kernel.authorization import Website
from query_api.kernel.clickhouse_reader import ClickHouseReader, Query, live_table
from query_api.kernel.csv import cell
from query_api.kernel.postgres_reader import PostgresReader
from query_api.kernel.sections import pages
from query_api.websites.export.archive import File
from query_api.websites.export.files import EVENT_COLUMNS, SETTINGS, TABLES, ExportTable

EVENTS_PAGE: Final = 5_000
_NAMES: Final = tuple(column.name for column in EVENT_COLUMNS)
_EVENTS: Final = live_table("events")
_DAYS: Final = (
    f"SELECT DISTINCT toDate(occurred_at) AS day FROM {_EVENTS} WHERE website_id = {{website:UUID}} ORDER BY day"
)
_OF_DAY: Final = (
    f"SELECT {', '.join(_NAMES)} FROM {_EVENTS}"
    " WHERE website_id = {website:UUID} AND toDate(occurred_at) = {day:Date}"
)
# In the order of the primary key: each page is read where the one before ended.
_AFTER: Final = " AND (type, visitor, event_id) > ({type:String}, {visitor:UInt64}, {event_id:UUID})"
_PAGE: Final = " ORDER BY type, visitor, event_id LIMIT {limit:UInt32}"


def files(
    postgres: PostgresReader, clickhouse: ClickHouseReader, website: Website, made_at: datetime
) -> Iterator[File]:
    """Every file, read when it is written; the last one says how many rows the others have."""
    counts: dict[str, int] = {}
    bound = {"website": website.id}
    yield "settings.json", [_settings(postgres, bound)]
    for table in TABLES:
        rows = (row for page in pages(postgres, table.section, bound) for row in page)
        yield f"{table.name}.csv", _counted(table.name, _table(table.columns, rows), counts)
    days: list[date] = []
    yield "events.csv", _counted("events", _table(_NAMES, _events(clickhouse, website, days)), counts)
    manifest = {
        "website": website.domain,
        "websiteId": website.id,
        "exportedAt": made_at,
        "rows": counts,
        "eventsFrom": min(days, default=None),
        "eventsTo": max(days, default=None),
    }
    yield "manifest.json", [orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)]


def _settings(reader: PostgresReader, bound: Mapping[str, Any]) -> bytes:
    def rows(table: ExportTable) -> list[dict[str, Any]]:
        return [row for page in pages(reader, table.section, bound) for row in page]

    found = {table.name: rows(table) for table in SETTINGS}
    return orjson.dumps(found, default=str, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z)


def _events(reader: ClickHouseReader, website: Website, days: list[date]) -> Iterator[Mapping[str, Any]]:
    """Single events, day by day. `days` gets each day that has some."""
    of_website = {"website": str(website.id)}
    for row in reader.rows(Query(_DAYS, of_website)):
        days.append(row["day"])
        after: dict[str, Any] = {}
        while True:
            sql = _OF_DAY + (_AFTER if after else "") + _PAGE
            bound = {**of_website, "day": row["day"].isoformat(), "limit": EVENTS_PAGE, **after}
            page = reader.rows(Query(sql, bound))
            yield from page
            if len(page) < EVENTS_PAGE:
                break
            last = page[-1]
            after = {"type": last["type"], "visitor": last["visitor"], "event_id": str(last["event_id"])}


_Lines = Iterator[tuple[bytes, int]]
"""A chunk, and the rows in it."""


def _table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> _Lines:
    body = io.StringIO()
    writer = csv.writer(body, lineterminator="\r\n")
    writer.writerow(columns)
    count = 0
    for row in rows:
        writer.writerow([cell(_plain(row[column])) for column in columns])
        count += 1
        if body.tell() > _CHUNK:
            yield body.getvalue().encode(), count
            body, count = io.StringIO(), 0
            writer = csv.writer(body, lineterminator="\r\n")
    yield body.getvalue().encode(), count


_CHUNK: Final = 64 * 1024


def _counted(name: str, lines: _Lines, counts: dict[str, int]) -> Iterator[bytes]:
    counts[name] = 0
    for chunk, count in lines:
        counts[name] += count
        yield chunk


def _plain(value: Any) -> Any:
    """A value as text of a cell: times in UTC, JSON for lists and objects."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        aware = value if value.tzinfo else value.replace(tzinfo=UTC)
        return aware.astimezone(UTC).isoformat().replace("+00:00", "Z")
    if isinstance(value, dict | list | tuple):
        return orjson.dumps(value, default=str, option=orjson.OPT_UTC_Z).decode()
    return value if value is None or isinstance(value, int | str) else str(value)
