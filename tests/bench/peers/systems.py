"""The three systems as they run: each with how events get in, what it costs, and what of it can be killed."""

from __future__ import annotations

import sys
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import httpx
import psycopg

from infra.kernel.clickhouse.client import client
from infra.kernel.config.loading import load
from infra.kernel.net.geoip import country_database
from tests.bench.peers import events, plain, umami
from tests.bench.peers.events import DOMAIN, PageView
from tests.bench.peers.postgres import database, postgres
from tests.bench.processor_time import of_family
from tests.bench.stack_client import EMAIL, PASSWORD, Owner
from tests.support.engines import ROOT, Engine, engine_folder, free_port
from tests.support.stack import Stack, stack, wait_for

STACK_SETTINGS: Final = {
    "ALTHING_ADMIN_EMAIL": EMAIL,
    "ALTHING_ADMIN_PASSWORD": PASSWORD,
    "ALTHING_SITE_RATE": "10000000",
    "TRUSTED_PROXIES": "127.0.0.1",
}
KEY: Final = "the key of the plain service"


@dataclass(frozen=True)
class System:
    """One system that takes events.

    `accepted`: the status of an acknowledgement; `single`, `batch`: the request for one event, and for many where there
    is one; `used`: processor seconds of all its processes so far; `stored`: events that can be read; `pages`: how often
    each page was viewed; `settle`: does what was put off; `log_bytes`: of a log that is kept beside the tables;
    `kills`: by name of a part, what kills it and returns when it answers again.
    """

    name: str
    url: str
    accepted: int
    single: Callable[[PageView], bytes]
    batch: Callable[[Sequence[PageView]], bytes] | None
    used: Callable[[], float]
    stored: Callable[[], int]
    pages: Callable[[], Mapping[str, int]]
    settle: Callable[[], None]
    log_bytes: Callable[[], int]
    kills: Mapping[str, Callable[[], None]]


@dataclass(frozen=True)
class OverPostgres:
    """A service and its database."""

    service: Engine
    url: str


@contextmanager
def plain_service(server: Engine, folder: Path, website: str) -> Iterator[OverPostgres]:
    """The plain service over a database of its own, without indexes yet."""
    url, port = database(server, "plain"), free_port()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(plain.TABLES.encode())
        connection.execute("INSERT INTO sites VALUES (%s, %s, %s)", (website, KEY, DOMAIN))
    command = [sys.executable, "-m", "uvicorn", "tests.bench.peers.plain:app", "--port", str(port)]
    service = Engine(
        "the plain service",
        f"http://127.0.0.1:{port}",
        [*command, "--no-access-log", "--log-level", "warning"],
        folder / "plain.log",
        lambda: _answers(f"http://127.0.0.1:{port}/docs"),
        {"DATABASE_URL": url, "COUNTRY_DATABASE": str(country_database() or ""), "PYTHONPATH": str(ROOT)},
    ).start()
    try:
        yield OverPostgres(service, url)
    finally:
        service.stop()


@contextmanager
def umami_service(server: Engine, folder: Path, website: str) -> Iterator[OverPostgres]:
    """Umami over a database of its own."""
    url = database(server, "umami")
    umami.migrate(url)
    with psycopg.connect(url, autocommit=True) as connection:
        made = 'INSERT INTO website (website_id, name, domain, user_id) SELECT %s, %s, %s, user_id FROM "user"'
        connection.execute(made, (website, DOMAIN, DOMAIN))
    service = umami.service(url, folder / "umami.log").start()
    try:
        yield OverPostgres(service, url)
    finally:
        service.stop()


@contextmanager
def plain_system() -> Iterator[System]:
    with postgres() as server, engine_folder("plain") as folder, plain_service(server, folder, _website()) as running:
        _execute(running.url, plain.INDEXES)
        address = f"{running.service.address}/events"
        yield System(
            "plain",
            address,
            202,
            partial(events.plain_request, address, KEY),
            partial(events.plain_batch, address, KEY),
            **_over_postgres(server, running, "events", "path"),
        )


@contextmanager
def umami_system() -> Iterator[System]:
    website = _website()
    with postgres() as server, engine_folder("umami") as folder, umami_service(server, folder, website) as running:
        address = f"{running.service.address}/api/send"
        yield System(
            "Umami",
            address,
            200,
            partial(events.umami_request, address, website),
            None,
            **_over_postgres(server, running, "website_event", "url_path"),
        )


@contextmanager
def althing_system() -> Iterator[System]:
    """The whole stack with its default settings, but for the rate limit of one website."""
    with stack(STACK_SETTINGS) as made:
        site = Owner(made).website(DOMAIN)
        address = f"{made.tracking}/track"
        key = {"Authorization": f"Bearer {site.site_key}"}
        wait_for(lambda: httpx.post(address, json={}, headers=key).status_code == 400, "ingest to know the website")
        restarts: Counter[str] = Counter()

        def kill(part: str) -> None:
            made.kill(part)
            restarts[part] += 1
            made.wait_restarted(part, restarts[part])

        yield System(
            "Althing",
            address,
            202,
            partial(events.althing_request, address, site.site_key),
            partial(events.althing_batch, address, site.secret_key),
            used=lambda: of_family(_pid(made)),
            stored=lambda: _from_clickhouse(made, "SELECT count() FROM events")[0][0],
            pages=lambda: dict(_from_clickhouse(made, "SELECT path, count() FROM events GROUP BY path")),
            settle=lambda: None,
            log_bytes=lambda: sum(path.stat().st_size for path in made.data_dir.glob("kafka/clicks-*/*.log")),
            kills={part: partial(kill, part) for part in ("ingest", "kafka", "projectors", "clickhouse")},
        )


def _over_postgres(server: Engine, running: OverPostgres, table: str, path: str) -> dict[str, Any]:
    service, url = running.service, running.url

    def kill(part: Engine) -> None:
        part.kill()
        part.start()

    return {
        "used": lambda: of_family(_pid(server)) + of_family(_pid(service)),
        "stored": lambda: _rows(url, f"SELECT count(*) FROM {table}")[0][0],
        "pages": lambda: dict(_rows(url, f"SELECT {path}, count(*) FROM {table} GROUP BY 1")),
        "settle": lambda: _execute(url, "CHECKPOINT"),
        "log_bytes": lambda: 0,
        "kills": {"service": partial(kill, service), "Postgres": partial(kill, server)},
    }


def _website() -> str:
    return str(uuid.uuid4())


def _pid(part: Engine | Stack) -> int:
    assert part.process is not None
    return part.process.pid


def _rows(url: str, sql: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(sql.encode()).fetchall()


def _from_clickhouse(made: Stack, sql: str) -> list[tuple[Any, ...]]:
    house = client(load(made.environment, None), read_timeout_s=120)
    try:
        return [tuple(row) for row in house.query(sql).result_rows]
    finally:
        house.close()


def _execute(url: str, sql: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql.encode())


def _answers(url: str) -> bool:
    try:
        return httpx.get(url).status_code < 500
    except httpx.HTTPError:
        return False
