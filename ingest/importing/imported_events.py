"""The state that an import reads: the website, and the events that ClickHouse has already."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import psycopg

from infra.kernel.clickhouse import client
from infra.kernel.config.settings import Settings
from infra.kernel.log import Log, LogUnavailable, partitions
from infra.kernel.postgres.pool import required_url
from infra.kernel.security.text_keys import TextKey, TextKeys
from ingest.directory.directory import WebsiteRow
from schemas import topics

CATCH_UP_S: Final = 120.0
REPORT_INTERVAL_S: Final = 5.0
PROJECTION: Final = "events"
_POSITIONS: Final = """
SELECT p.partition, p.next_offset FROM engine.position p
JOIN engine.projection e ON e.name = p.projection AND e.live_generation = p.generation
WHERE p.projection = %s AND p.topic = %s
"""
_WEBSITE: Final = (
    "SELECT id, domain, currency, coalesce((SELECT extract(epoch FROM max(e.before)::timestamp)::bigint * 1000"
    " FROM read.event_expiries AS e WHERE e.website_id = w.id), 0)"
    " FROM read.websites AS w WHERE domain = %s AND deleted_at IS NULL"
)
_PROGRESS: Final = "SELECT reached, written FROM ingest.directory_progress(%s)"
_HAVE: Final = """
SELECT toString(event_id) FROM events
WHERE website_id = {website:UUID} AND toDate(occurred_at) BETWEEN {first:Date} AND {last:Date}
  AND type = 'pageview' AND event_id IN {ids:Array(UUID)}
"""


class ImportFailed(Exception):
    """The import failed; the message is one sentence for the operator."""


def find_website(url: str, domain: str, *, quiet: bool = False) -> WebsiteRow:
    """Returns the connected website of that domain. While the read models are behind, waits for one that is not there
    yet. Raises `ImportFailed`."""
    try:
        with psycopg.connect(url, connect_timeout=3, autocommit=True) as connection:
            rows = _when_known(connection, domain.lower(), quiet)
    except psycopg.Error as error:
        raise ImportFailed(f"Postgres cannot be queried for the website: {str(error).strip()}") from error
    if not rows:
        raise ImportFailed(f"No website with the domain {domain} is connected.")
    if len(rows) > 1:
        raise ImportFailed(f"Several websites have the domain {domain}; an import needs one.")
    website_id, name, currency, kept_from_ms = rows[0]
    return WebsiteRow(website_id, name, currency, kept_from_ms=kept_from_ms)


def text_key(settings: Settings) -> TextKey | None:
    """The key that seals the events' texts. Raises `ImportFailed`."""
    try:
        with psycopg.connect(required_url(settings), connect_timeout=3, autocommit=True) as connection:
            return TextKeys(settings).newest(connection)
    except psycopg.Error as error:
        raise ImportFailed(f"Postgres cannot be queried for the key of texts: {str(error).strip()}") from error


def _when_known(connection: psycopg.Connection[Any], domain: str, quiet: bool) -> list[Any]:
    """The websites of that name, as soon as there is one, or nothing outstanding that could be one."""
    deadline, told_at, needed = time.monotonic() + CATCH_UP_S, -math.inf, None
    while True:
        row = connection.execute(_PROGRESS, (["websites"],)).fetchone()
        reached, written = row if row is not None else (0, 0)
        needed = written if needed is None else needed
        rows = connection.execute(_WEBSITE, (domain,)).fetchall()
        if rows or reached >= needed:
            return rows
        if time.monotonic() > deadline:
            raise ImportFailed(
                f"No website with the domain {domain} is known, and the projection websites is "
                f"{needed - reached:,} events behind. Try again later."
            )
        if not quiet and time.monotonic() - told_at >= REPORT_INTERVAL_S:
            told_at = time.monotonic()
            sys.stderr.write(f"waiting for the projection websites, {needed - reached:,} events behind\n")
        time.sleep(0.1)


class ImportedEvents:
    """The events of one website that ClickHouse has."""

    def __init__(self, settings: Settings, website: WebsiteRow) -> None:
        self._website = website
        try:
            self._client = client.client(settings)
        except (client.ClickHouseError, client.NotConfiguredError) as error:
            raise ImportFailed(f"ClickHouse cannot be queried for imported events: {error}") from error

    def existing(self, ids: Sequence[UUID], first: datetime, last: datetime) -> set[UUID]:
        """Returns those of `ids`, which occurred from `first` to `last`, that are stored. Raises `ImportFailed`."""
        parameters: dict[str, Any] = {
            "website": str(self._website.id),
            "first": first.date(),
            "last": last.date(),
            "ids": [str(identity) for identity in ids],
        }
        try:
            return {UUID(row[0]) for row in self._client.query(_HAVE, parameters=parameters).result_rows}
        except client.ClickHouseError as error:
            raise ImportFailed(f"ClickHouse cannot be queried for imported events: {error}") from error

    def close(self) -> None:
        self._client.close()


def wait_for_projection(url: str, log: Log) -> None:
    """Returns when ClickHouse has everything that is in topic `clicks` now. Raises `ImportFailed`."""
    deadline = time.monotonic() + CATCH_UP_S
    try:
        with psycopg.connect(url, connect_timeout=3, autocommit=True) as connection:
            ends = log.end_offsets(partitions.places(connection, topics.CLICKS))
            while True:
                positions: dict[int, int] = dict(
                    connection.execute(_POSITIONS, (PROJECTION, topics.CLICKS.name)).fetchall()
                )
                if all(positions.get(partition, 0) >= end for (_, partition), end in ends.items()):
                    return
                if time.monotonic() > deadline:
                    raise ImportFailed(
                        "The projection events is behind; an import needs to know what is counted. Try again later."
                    )
                time.sleep(0.1)
    except (psycopg.Error, LogUnavailable) as error:
        raise ImportFailed(f"The position of the projection events is unavailable: {str(error).strip()}") from error
