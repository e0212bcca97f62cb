"""The canary: measures freshness with a test page view every 15 seconds that passes the whole data flow.

command -> `POST /track` -> topic `clicks` -> projection `events` -> table `duplicates`, which is never counted.
Its website (`schemas.canary`) belongs to no account: it has no row in any list, and its events none in `events`, so
that no number, rollup, live list or analyst ever sees them. A job of `infra.ops.scheduled_jobs`; the results are
in `operations.canary`.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from threading import Event
from time import monotonic
from typing import Any, Final
from uuid import UUID, uuid4

import httpx
import psycopg
from prometheus_client import Gauge, Histogram

from infra.kernel.clickhouse.reader import ClickHouseFailed, Reader
from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import connect
from infra.kernel.security.canary_key import key_text
from schemas.canary import WEBSITE_ID

WAIT_S: Final = 10.0
"""The time for which a run waits; what comes later is found by a later run."""
TIMEOUT_S: Final = 600
KEPT_HOURS: Final = 24
_POLL_S: Final = 0.2
_REQUEST_TIMEOUT_S: Final = 5.0
_ACCEPTED: Final = 202

_SECONDS: Final = Histogram(
    "pipeline_canary_seconds",
    "From the request to the row that can be read",
    buckets=(0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 300),
)
_AGE: Final = Gauge("pipeline_canary_age_seconds", "Age of the oldest canary that is not readable yet; 0: none waits")


class CanaryLost(Exception):
    """Ingest did not accept the event, or it did not become readable in time."""


def send(settings: Settings, stop: Event | None = None) -> str | None:
    """One run: sends, waits until `stop`, notes. Nothing where it is switched off. Raises `CanaryLost`."""
    if not settings.canary:
        return None
    with connect(settings) as postgres, Reader(settings) as clickhouse:
        postgres.autocommit = True
        _tidy(postgres)
        event_id, sent_at = uuid4(), datetime.now(UTC)
        # Before it is sent: an event that is lost counts as awaited.
        postgres.execute("INSERT INTO operations.canary (event_id, sent_at) VALUES (%s, %s)", (event_id, sent_at))
        try:
            _post(settings, event_id)
            seconds = _await(postgres, clickhouse, event_id, stop or Event())
        finally:
            _AGE.set(_waiting_for(postgres))
    if seconds is None:
        raise CanaryLost(f"{event_id} is not readable after {WAIT_S:.0f} seconds")
    return f"readable after {seconds:.2f} s"


def _post(settings: Settings, event_id: UUID) -> None:
    try:
        answer = httpx.post(
            f"{settings.tracking_base_url}/track",
            headers={"Authorization": f"Bearer {key_text(settings)}"},
            json={"type": "pageview", "id": str(event_id), "url": "https://canary.invalid/"},
            timeout=_REQUEST_TIMEOUT_S,
        )
    except httpx.HTTPError as error:
        raise CanaryLost(f"ingest did not accept it: {error!r}") from error
    if answer.status_code != _ACCEPTED:
        raise CanaryLost(f"ingest did not accept it: {answer.status_code} {answer.text[:200]}")


def _await(postgres: psycopg.Connection[Any], clickhouse: Reader, event_id: UUID, stop: Event) -> float | None:
    """Seconds until it could be read. Also records older ones that were still awaited."""
    deadline = monotonic() + WAIT_S
    while True:
        seconds = None
        with suppress(ClickHouseFailed):
            seconds = _note_seen(postgres, clickhouse, event_id)
        if seconds is not None or monotonic() > deadline or stop.wait(_POLL_S):
            return seconds


def _note_seen(postgres: psycopg.Connection[Any], clickhouse: Reader, event_id: UUID) -> float | None:
    waiting = postgres.execute("SELECT event_id FROM operations.canary WHERE seen_after_s IS NULL").fetchall()
    ids = ", ".join(f"'{each}'" for (each,) in waiting)
    if not ids:
        return None
    rows = clickhouse.rows(
        f"SELECT event_id FROM duplicates WHERE website_id = '{WEBSITE_ID}' AND event_id IN ({ids})"  # noqa: S608 - own text
        f" AND received_at > now64(3, 'UTC') - INTERVAL {2 * TIMEOUT_S} SECOND"
    )
    seconds = None
    for row in rows:
        done = postgres.execute(
            "UPDATE operations.canary SET seen_after_s = extract(epoch FROM clock_timestamp() - sent_at)"
            " WHERE event_id = %s AND seen_after_s IS NULL RETURNING seen_after_s",
            (row["event_id"],),
        ).fetchone()
        if done is not None:
            _SECONDS.observe(done[0])
            if row["event_id"] == str(event_id):
                seconds = float(done[0])
    return seconds


def _tidy(postgres: psycopg.Connection[Any]) -> None:
    """Records canaries that did not come in ten minutes as that late, so that they are no longer looked for, and
    deletes old ones."""
    postgres.execute(
        "UPDATE operations.canary SET seen_after_s = %s"
        " WHERE seen_after_s IS NULL AND sent_at < now() - make_interval(secs => %s)",
        (TIMEOUT_S, TIMEOUT_S),
    )
    postgres.execute("DELETE FROM operations.canary WHERE sent_at < now() - make_interval(hours => %s)", (KEPT_HOURS,))


def _waiting_for(postgres: psycopg.Connection[Any]) -> float:
    row = postgres.execute(
        "SELECT coalesce(max(extract(epoch FROM now() - sent_at)), 0)::float8 FROM operations.canary"
        " WHERE seen_after_s IS NULL"
    ).fetchone()
    return float(row[0]) if row else 0.0
