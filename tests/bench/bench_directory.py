"""Measures what 100,000 links of one member cost everybody else, while links change ten times a second.

`python -m tests.bench directory`
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import uuid4

import psycopg

from ingest.directory.changes import READ_MODELS
from tests.bench import Figure
from tests.support.engines import wait_until
from tests.support.hostile_requests import Honest, percentile
from tests.support.ingest_service import IngestService, Site, running_ingest

COMMAND = "python -m tests.bench directory"
LINKS = 100_000
CHANGE_EVERY_S = 0.1
_MAKE = """
INSERT INTO read.links (id, slug, code, website_id, partner_id, destination, subs, is_active)
SELECT gen_random_uuid(), 'many-' || n, n, %s, %s, 'https://shop.example/' || n, '{}', true
FROM generate_series(1, %s) AS n
"""
_EVENT = "INSERT INTO events.stored_events (originator_id, topic) VALUES (%s, %s)"
_CAUGHT_UP = (
    "UPDATE engine.position SET domain_position = (SELECT coalesce(max(notification_id), 0) FROM events.stored_events)"
)
_NOTIFY = "SELECT pg_notify('projection', 'links:domain:0:1:1')"


def run(seconds: float = 15.0) -> list[Figure]:
    with running_ingest() as ingest_service:
        _prepare(ingest_service)
        site, other, partner = (
            ingest_service.add_site(),
            ingest_service.add_site("many.example"),
            ingest_service.add_partner("acme"),
        )
        honest = Honest(
            ("127.0.0.1", ingest_service.port),
            site.site_key,
            ingest_service.add_link(site, partner, "https://shop.example/"),
        )
        _whole(ingest_service, other)
        honest.measure(1)
        with _changing(ingest_service, other, partner):
            few = honest.measure(seconds)
        ingest_service.execute(_MAKE, other.id, partner, LINKS)
        _whole(ingest_service, other)
        copy = ingest_service.folder / "data" / "ingest-directory.json"
        wait_until(lambda: f'"many-{LINKS}"' in copy.read_text(), 120, "all links to be known")
        time.sleep(2)
        with _changing(ingest_service, other, partner):
            many = honest.measure(seconds)
    return [
        Figure(
            name=f"{call} beside {LINKS:,} links of another member, p95",
            value=percentile(many[call], 0.95) * 1000,
            unit="ms",
            baseline=percentile(few[call], 0.95) * 1000,
            baseline_name="without them",
            aim="within 10 %",
            command=COMMAND,
            note="links change ten times a second in both",
        )
        for call in many
    ]


def _prepare(ingest_service: IngestService) -> None:
    ingest_service.execute("CREATE SCHEMA IF NOT EXISTS events")
    ingest_service.execute(
        "CREATE TABLE events.stored_events (notification_id bigserial UNIQUE, originator_id uuid, topic text)"
    )
    for name in READ_MODELS:
        ingest_service.execute(
            "INSERT INTO engine.projection (name, kind, version, live_generation) VALUES (%s, 'postgres', 1, 1)", name
        )
        ingest_service.execute(
            "INSERT INTO engine.position (projection, generation, topic, partition) VALUES (%s, 1, 'domain', 0)", name
        )


def _whole(ingest_service: IngestService, site: Site) -> None:
    """Makes ingest read everything."""
    ingest_service.execute(_EVENT, site.id, "website.updated.v1")
    ingest_service.execute(_CAUGHT_UP)
    ingest_service.execute(_NOTIFY)


@contextmanager
def _changing(ingest_service: IngestService, site: Site, partner: object) -> Iterator[None]:
    """One link after the other is made, as the links' projection would write it."""
    ending = threading.Event()

    def change() -> None:
        with psycopg.connect(ingest_service.postgres.address, autocommit=True) as connection:
            while not ending.wait(CHANGE_EVERY_S):
                link = uuid4()
                with connection.transaction():
                    connection.execute(
                        "INSERT INTO read.links (id, slug, code, website_id, partner_id, destination, subs, is_active)"
                        " VALUES (%s, %s, %s, %s, %s, 'https://shop.example/', '{}', true)",
                        (link, f"new-{link}", link.int % 2**48, site.id, partner),
                    )
                    connection.execute(_EVENT.encode(), (link, "link.created.v1"))
                    connection.execute(_CAUGHT_UP.encode())
                    connection.execute(_NOTIFY.encode())

    thread = threading.Thread(target=change)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()
