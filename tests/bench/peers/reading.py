"""Millions of the same events in each system, and the questions of a dashboard to each.

Postgres makes the events. Each system gets them by the fastest way that it has: `COPY` into tables whose indexes are
built afterwards, and for Althing rows into the raw table, whose rollups follow as they do in production.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from typing import Final

import httpx
import psycopg

from infra.kernel.clickhouse.client import client
from projectors.engine.clickhouse import BACKFILL_TIMEOUT_S, HttpClickHouse
from projectors.engine.ownership import Ownership
from projectors.visits.builder import VisitBuilder
from tests.bench.peers import plain, questions, umami
from tests.bench.peers.events import DOMAIN
from tests.bench.peers.postgres import postgres
from tests.bench.peers.questions import DAYS, QUESTIONS, Answer, Call
from tests.bench.peers.systems import KEY, plain_service, umami_service
from tests.bench.query_world import query_world
from tests.support.engines import engine_folder, wait_until
from tests.support.query import QueryService

CHUNK: Final = 250_000
MIN_REPEATS, MAX_REPEATS, QUESTION_S = 3, 30, 6.0
MERGED_WITHIN_S: Final = 240
BUILD_ROUNDS: Final = 4
TIMEOUT_S: Final = 300.0


@dataclass(frozen=True)
class Source:
    """A filled system. `moved`: what happens before each question, so that no answer is one that was kept."""

    http: httpx.Client
    call: Callable[[str], Call]
    moved: Callable[[], None]
    bytes_of_event: float


@dataclass(frozen=True)
class Reading:
    """What one system answered, in how many milliseconds each time, and the bytes of an event in its tables."""

    answers: dict[str, Answer]
    times: dict[str, list[float]]
    bytes_of_event: float


def read(events: int) -> dict[str, Reading]:
    """Asks every system. `events`: of the website that is asked about; two others have a tenth of them together."""
    with _filled(events) as sources:
        return {name: _reading(source) for name, source in sources.items()}


def _reading(source: Source) -> Reading:
    answers, times = {}, {}
    for question in QUESTIONS:
        call = source.call(question)
        answers[question] = call.read(_get(source, call).json())
        times[question] = list(_times(source, call))
    return Reading(answers, times, source.bytes_of_event)


def _times(source: Source, call: Call) -> Iterator[float]:
    deadline = time.monotonic() + QUESTION_S
    for number in range(MAX_REPEATS):
        if number >= MIN_REPEATS and time.monotonic() > deadline:
            return
        source.moved()
        began = time.perf_counter()
        _get(source, call)
        yield 1000 * (time.perf_counter() - began)


def _get(source: Source, call: Call) -> httpx.Response:
    return source.http.get(call.path, params=dict(call.params)).raise_for_status()


@contextmanager
def _filled(events: int) -> Iterator[dict[str, Source]]:
    end = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    with ExitStack() as opened:
        server, folder = opened.enter_context(postgres()), opened.enter_context(engine_folder("peers"))
        service = opened.enter_context(query_world()).service
        owner = service.person()
        websites = [
            str(service.website(owner, domain=domain)) for domain in (DOMAIN, "second.example", "third.example")
        ]
        of_plain = opened.enter_context(plain_service(server, folder, websites[0]))
        of_umami = opened.enter_context(umami_service(server, folder, websites[0]))
        rows = events * 11 // 10
        _make(of_plain.url, rows, websites, end)
        _copy_to_umami(of_plain.url, of_umami.url)
        _copy_to_althing(of_plain.url, service)
        http = partial(httpx.Client, timeout=TIMEOUT_S)
        plains = http(base_url=of_plain.service.address, headers={"Authorization": f"Bearer {KEY}"})
        althings = http(base_url=service.address, headers=owner.headers)
        numbers = count(1)
        yield {
            "plain": Source(plains, partial(questions.plain, end=end), _nothing, _size(of_plain.url, "events") / rows),
            "Umami": Source(
                umami.sign_in(of_umami.service.address),
                partial(questions.umami, end=end, website=websites[0]),
                _nothing,
                _size(of_umami.url, "website_event", "session") / rows,
            ),
            "Althing": Source(
                althings,
                partial(questions.althing, end=end, website=websites[0]),
                lambda: service.advance("events", "clicks", 1, next(numbers), 0),
                service.rows("SELECT sum(bytes_on_disk) FROM system.parts WHERE active")[0][0] / rows,
            ),
        }


def _nothing() -> None:
    """Nothing is kept."""


# A visit is four page views within minutes; 400 pages, 20 referrers, 40 countries, 3 devices.
_MAKE: Final = """
INSERT INTO events SELECT
  ('{websites}'::uuid[])[CASE WHEN (h / 7) % 11 > 0 THEN 1 ELSE 2 + ((h / 77) % 2)::int END], md5(n::text)::uuid,
  '{start}'::timestamptz + n * interval '{gap_us} microseconds', 'pageview', v,
  '/p/' || page, 'Page ' || page,
  CASE v % 20 WHEN 0 THEN '' ELSE 'host' || v % 20 || '.example' END,
  (ARRAY['DE','FR','US','GB','ES','IT','NL','PL','SE','CH','AT','BE','DK','NO','FI','IE','PT','CZ','HU','RO','BG','GR',
    'HR','SK','SI','EE','LV','LT','CA','BR','MX','JP','KR','IN','AU','NZ','ZA','TR','IL',
    'AR'])[1 + ((v / 20) % 40)::int],
  (ARRAY['desktop','mobile','tablet'])[1 + ((v / 800) % 3)::int],
  (ARRAY['Chrome','Safari','Firefox'])[1 + ((v / 2400) % 3)::int],
  (ARRAY['Windows','iOS','Android'])[1 + ((v / 800) % 3)::int]
FROM (SELECT n, h, floor(400 * ((h / 100) % 10007 / 10007::float8) ^ 3)::int AS page,
    hashint8extended(n / 400 * 100 + h % 100, 1) & 9223372036854775807 AS v
  FROM (SELECT n, hashint8extended(n, 0) & 9223372036854775807 AS h FROM generate_series(0, {rows} - 1::bigint) n) a) b
"""

_SESSION: Final = "md5(site_id::text || visitor)::uuid"
_UMAMI: Final = {
    "session (session_id, website_id, hostname, browser, os, device, screen, language, country, created_at)": (
        f"SELECT {_SESSION}, site_id, '{DOMAIN}', browser, os, device, '1920x1080', 'en-US', country, min(occurred_at)"
        " FROM events GROUP BY site_id, visitor, browser, os, device, country"
    ),
    "website_event (event_id, website_id, session_id, created_at, url_path, referrer_path, referrer_domain,"
    " page_title)": (
        f"SELECT id, site_id, {_SESSION}, occurred_at, path, '/', nullif(referrer_host, ''), title FROM events"
    ),
}
_TIME: Final = "to_char(occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS.MS')"
_ALTHING: Final = {
    **{"website_id": "site_id", "event_id": "id", "type": "type", "occurred_at": _TIME, "received_at": _TIME},
    **{"visitor": "visitor", "session": "visitor", "hostname": f"'{DOMAIN}'", "path": "path", "title": "title"},
    **{name: name for name in ("referrer_host", "country", "device", "browser", "os")},
    **{"source": "referrer_host", "channel": "CASE referrer_host WHEN '' THEN 'direct' ELSE 'referral' END"},
    **{"_topic": "'clicks'", "_partition": "0", "_offset": "row_number() OVER ()"},
}


def _make(url: str, rows: int, websites: Sequence[str], end: datetime) -> None:
    span = timedelta(days=DAYS)
    values = {"websites": f"{{{','.join(websites)}}}", "start": (end - span).isoformat(), "rows": rows}
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_MAKE.format(**values, gap_us=span // timedelta(microseconds=1) // rows).encode())
        connection.execute(plain.INDEXES.encode())
        connection.execute("VACUUM ANALYZE events")


def _copy_to_umami(source: str, target: str) -> None:
    """Its secondary indexes are built afterwards, as Umami defines them."""
    with psycopg.connect(source) as reading, psycopg.connect(target, autocommit=True) as writing:
        indexes = writing.execute(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN ('session', 'website_event')"
            " AND indexname NOT LIKE '%_pkey'"
        ).fetchall()
        for name, _ in indexes:
            writing.execute(f'DROP INDEX "{name}"'.encode())
        for table, select in _UMAMI.items():
            with (
                reading.cursor().copy(f"COPY ({select}) TO STDOUT".encode()) as found,
                writing.cursor().copy(f"COPY {table} FROM STDIN".encode()) as kept,
            ):
                for data in found:
                    kept.write(data)
        for _, definition in indexes:
            writing.execute(definition.encode())
        writing.execute("VACUUM ANALYZE")


def _copy_to_althing(source: str, service: QueryService) -> None:
    """Into the raw table in the order of time; then every day's visits are built, as the projectors do at rest."""
    url = service.settings.postgres_url
    assert url is not None
    house = client(service.settings, read_timeout_s=int(TIMEOUT_S))
    try:
        for chunk in _csv(source):
            house.raw_insert("events__g1", list(_ALTHING), b"".join(chunk), fmt="CSV")
    finally:
        house.close()
    builder = VisitBuilder(HttpClickHouse(service.settings, answer_timeout_s=BACKFILL_TIMEOUT_S), Ownership(url))
    for _ in range(BUILD_ROUNDS):
        builder.build()
    wait_until(lambda: service.rows("SELECT count() FROM system.merges") == [(0,)], MERGED_WITHIN_S, "the merges")


def _csv(source: str) -> Iterator[list[bytes]]:
    select = f"SELECT {', '.join(_ALTHING.values())} FROM events"
    rows: list[bytes] = []
    with (
        psycopg.connect(source) as reading,
        reading.cursor().copy(f"COPY ({select}) TO STDOUT (FORMAT csv)".encode()) as found,
    ):
        for data in found:
            rows.append(bytes(data))
            if len(rows) == CHUNK:
                yield rows
                rows = []
    yield rows


def _size(url: str, *tables: str) -> int:
    """Bytes with all indexes."""
    with psycopg.connect(url) as connection:
        found = [connection.execute("SELECT pg_total_relation_size(%s)", (table,)).fetchone() for table in tables]
    return sum(int(row[0]) for row in found if row is not None)
