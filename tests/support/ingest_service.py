"""Ingest as a real process on a real log, with read models that the test fills by hand (their projections are tested
elsewhere): the smallest thing on which every documented answer of the tracking API can be seen.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import psycopg
from psycopg.types.json import Jsonb

from infra.kernel.config.settings import Settings
from infra.kernel.log import Log, LogUnavailable, StoredRecord, open_log
from infra.ops.migrations import migrate
from schemas import topics
from tests.support.engines import ROOT, Engine, engine_folder, free_port, start_postgres, wait_until
from tests.support.readiness import answers
from tests.support.user_agents import BROWSER

MASTER_KEY = "5a" * 32

READ_MODELS = """
CREATE SCHEMA IF NOT EXISTS read;
CREATE TABLE read.websites (id uuid PRIMARY KEY, account_id uuid, domain text, timezone text, currency text,
  attribution_model text, created_at timestamptz, deleted_at timestamptz, link_click_ids boolean DEFAULT false,
  link_impressions_every int DEFAULT 0, txid_scope text DEFAULT 'website', keep_ad_click_ids boolean DEFAULT false,
  ad_click_id_days int DEFAULT 90, ad_click_ids_need_consent boolean DEFAULT false);
CREATE TABLE read.event_expiries (website_id uuid, before date, expired_at timestamptz);
CREATE TABLE read.website_keys (id uuid PRIMARY KEY, website_id uuid, kind text, key_hash bytea, last4 text,
  public_key text, allowed_origins text[], created_at timestamptz, revoked_at timestamptz);
CREATE TABLE read.partners (id uuid PRIMARY KEY, name text, slug text, base_url text, description text, terms jsonb,
  cookie_days int, postback_preset text, is_active boolean, created_at timestamptz, updated_at timestamptz,
  click_id_parameter text, account_id uuid);
CREATE TABLE read.links (id uuid PRIMARY KEY, slug text UNIQUE, code bigint UNIQUE, website_id uuid, partner_id uuid,
  destination text, subs jsonb, coupon text, routing jsonb, is_active boolean, created_at timestamptz,
  deleted_at timestamptz, utm jsonb DEFAULT '{}', former_partners uuid[] DEFAULT '{}',
  led_until timestamptz[] DEFAULT '{}', variant_partners uuid[] DEFAULT '{}');
CREATE TABLE read.custom_domains (id uuid PRIMARY KEY, account_id uuid, website_id uuid, domain text, token text,
  is_verified boolean, ssl_enabled boolean, added_at timestamptz, expires_at timestamptz, verified_at timestamptz,
  lost_at timestamptz, removed_at timestamptz);
CREATE TABLE read.exchange_rates (base text, quote text, on_day date, rate text);
CREATE TABLE read.conversions (id uuid PRIMARY KEY, website_id uuid, kind text, event text, txid text, status text,
  amount bigint, currency text, commission bigint, commission_currency text, reversed_amount bigint,
  reversed_commission bigint, partner_id uuid, link_id uuid, click_id text, attributed_by text, clicked_at timestamptz,
  reason text, reported_by text, occurred_at timestamptz, recorded_at timestamptz, decided_at timestamptz,
  customer text);
"""


@dataclass
class Site:
    """A connected website with one key of each kind."""

    id: UUID
    domain: str
    site_key: str
    secret_key: str
    token: str


@dataclass
class IngestService:
    """The process and what it stands on."""

    postgres: Engine
    folder: Path
    settings: dict[str, str]
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def output(self) -> Path:
        return self.folder / "ingest.log"

    def environment(self, **more: str) -> dict[str, str]:
        ours = ("ALTHING_", "KAFKA_BOOTSTRAP", "POSTGRES_URL", "CLICKHOUSE_", "TRUSTED_PROXIES")
        return {
            **{name: value for name, value in os.environ.items() if not name.startswith(ours)},
            "PYTHONPATH": str(ROOT),
            "ALTHING_TRACKING_PORT": str(self.port),
            "ALTHING_DATA_DIR": str(self.folder / "data"),
            "ALTHING_MASTER_KEY": MASTER_KEY,
            "ALTHING_LOG": "postgres",
            # Tests of odd input are refused thousands of times from one address.
            "ALTHING_ADDRESS_REFUSALS": "1000000",
            "POSTGRES_URL": self.postgres.address,
            **self.settings,
            **more,
        }

    def start(self, *, ready: bool = True, **more: str) -> IngestService:
        with self.output.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "ingest.service"],
                cwd=self.folder,
                env=self.environment(**more),
                stdout=log,
                stderr=log,
            )
        wait_until(lambda: self._answers("/readyz" if ready else "/livez"), 60, f"ingest to start ({self.output})")
        return self

    def stop(self, number: signal.Signals = signal.SIGTERM, timeout_s: float = 60) -> int:
        """Ends the process and gives its exit code."""
        assert self.process is not None
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout_s)

    def _answers(self, path: str) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, self.output.read_text()[-3000:]
        return answers(self.url + path)

    def client(self, **options: Any) -> httpx.Client:
        options.setdefault("headers", {"user-agent": BROWSER})
        return httpx.Client(base_url=self.url, timeout=60, **options)

    def log(self) -> Log:
        return open_log(
            Settings(
                postgres_url=self.postgres.address,
                log=self.settings.get("ALTHING_LOG", "postgres"),
                kafka_bootstrap_servers=self.settings.get("KAFKA_BOOTSTRAP_SERVERS"),
            )
        )

    @contextmanager
    def tail(self, topic: topics.Topic) -> Iterator[Tail]:
        """What is added to the topic from now on."""
        tail = Tail(self._read, topic)
        try:
            yield tail
        finally:
            tail.close()

    @cached_property
    def _read(self) -> Log:
        """Shared by all tails: to open and to close a log takes longer than most tests."""
        return self.log()

    def close(self) -> None:
        if "_read" in self.__dict__:
            self._read.close()

    def execute(self, sql: str, *params: Any) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.postgres.address, autocommit=True) as connection:
            cursor = connection.execute(sql.encode(), params)
            return cursor.fetchall() if cursor.description else []

    def metric(self, name: str) -> float:
        """One figure of `/metrics`; 0 when it is not there yet."""
        for line in httpx.get(self.url + "/metrics", timeout=60).text.splitlines():
            if line.startswith(name + " "):
                return float(line.rpartition(" ")[2])
        return 0.0

    def add_site(
        self,
        domain: str = "example.com",
        currency: str = "USD",
        origins: list[str] | None = None,
        *,
        link_click_ids: bool = False,
        link_impressions_every: int = 0,
        account_id: UUID | None = None,
        txid_scope: str = "website",
        keep_ad_click_ids: bool = False,
        ad_click_ids_need_consent: bool = False,
        kept_from: date | None = None,
    ) -> Site:
        """Connects a website; known to ingest at once, by the look-up of an unknown key."""
        site = Site(uuid4(), domain, f"pk_{uuid4().hex}", f"sk_{uuid4().hex}", f"pb_{uuid4().hex}")
        self.execute(
            "INSERT INTO read.websites"
            " (id, account_id, domain, currency, link_click_ids, link_impressions_every, txid_scope, keep_ad_click_ids,"
            " ad_click_ids_need_consent) VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s)",
            site.id,
            account_id,
            domain,
            currency,
            link_click_ids,
            link_impressions_every,
            txid_scope,
            keep_ad_click_ids,
            ad_click_ids_need_consent,
        )
        if kept_from is not None:
            self.execute("INSERT INTO read.event_expiries VALUES (%s, %s, now())", site.id, kept_from)
        for kind, key in (("site", site.site_key), ("secret", site.secret_key), ("postback", site.token)):
            self.execute(
                "INSERT INTO read.website_keys (id, website_id, kind, key_hash, allowed_origins)"
                " VALUES (%s, %s, %s, %s, %s)",
                uuid4(),
                site.id,
                kind,
                sha256(key.encode()).digest(),
                origins if kind == "site" else None,
            )
        return site

    def add_partner(
        self, slug: str, preset: str = "", is_active: bool = True, *, account_id: UUID | None = None
    ) -> UUID:
        partner = uuid4()
        self.execute(
            "INSERT INTO read.partners (id, slug, name, postback_preset, cookie_days, is_active, account_id)"
            " VALUES (%s, %s, %s, %s, 7, %s, %s)",
            partner,
            slug,
            slug.title(),
            preset,
            is_active,
            account_id,
        )
        self.execute("SELECT pg_notify('projection', 'partners:domain:0:1:1')")
        return partner

    def add_domain(self, site: Site, host: str, *, is_verified: bool = True) -> UUID:
        """A custom domain that is verified, or was."""
        domain = uuid4()
        self.execute(
            "INSERT INTO read.custom_domains (id, website_id, domain, is_verified, verified_at)"
            " VALUES (%s, %s, %s, %s, now())",
            domain,
            site.id,
            host,
            is_verified,
        )
        self.execute("SELECT pg_notify('projection', 'custom_domains:domain:0:1:1')")
        return domain

    def add_link(
        self,
        site: Site,
        partner: UUID,
        destination: str,
        *,
        subs: Mapping[str, str] | None = None,
        is_active: bool = True,
        variants: Sequence[tuple[str, UUID | None]] = (),
    ) -> str:
        """Makes a tracked link and gives its slug. `variants`: of a split, destination and partner."""
        link = uuid4()
        slug = link.hex[:10]
        self.execute(
            "INSERT INTO read.links (id, slug, code, website_id, partner_id, destination, subs, is_active, routing,"
            " variant_partners) VALUES (%s,%s,%s,%s,%s,%s,%s,%s,%s,%s)",
            link,
            slug,
            link.int % 2**48,
            site.id,
            partner,
            destination,
            Jsonb(dict(subs or {})),
            is_active,
            Jsonb({"variants": [_variant(number, *each) for number, each in enumerate(variants, 1)]}),
            [partner for _, partner in variants if partner is not None],
        )
        return slug


def _variant(number: int, destination: str, partner: UUID | None) -> dict[str, Any]:
    return {"number": number, "destination": destination, "weight": 1, "partner_id": partner and str(partner)}


class Tail:
    """Everything that is added to one topic from now on."""

    def __init__(self, log: Log, topic: topics.Topic) -> None:
        self._sources = [
            log.source(topic.name, partition, log.end_offset(topic.name, partition))
            for partition in range(topic.partitions)
        ]
        self.records: list[StoredRecord] = []

    def take(self, count: int, timeout_s: float = 60) -> list[dict[str, Any]]:
        """The next `count` values, as JSON; fails when they do not come."""
        fresh: list[StoredRecord] = []

        def enough() -> bool:
            fresh.extend(self._fresh())
            return len(fresh) >= count

        wait_until(enough, timeout_s, f"{count} records")
        self.records = fresh
        return [json.loads(record.value) for record in fresh]

    def find(self, timeout_s: float = 60, **fields: Any) -> dict[str, Any]:
        """The next value that has these fields, whatever else other tests leave in the topic."""
        found: list[StoredRecord] = []

        def seen() -> bool:
            found.extend(record for record in self._fresh() if fields.items() <= json.loads(record.value).items())
            return bool(found)

        wait_until(seen, timeout_s, f"a record with {fields}")
        self.records = found
        value: dict[str, Any] = json.loads(found[0].value)
        return value

    def now(self) -> list[dict[str, Any]]:
        """The records that exist now, from one read."""
        self.records = [record for source in self._sources for record in source.read(10_000, 0.1)]
        return [json.loads(record.value) for record in self.records]

    def close(self) -> None:
        for source in self._sources:
            source.close()

    def _fresh(self) -> Iterator[StoredRecord]:
        """What has come in since the last look. A log that is away, or coming back, is looked at again."""
        for source in self._sources:
            with suppress(LogUnavailable):
                yield from source.read(10_000, 0.02)


def bearer(key: str) -> dict[str, str]:
    """Headers of a request with a website's secret key."""
    return {"authorization": f"Bearer {key}"}


@contextmanager
def running_ingest(**settings: str) -> Iterator[IngestService]:
    """Ingest on a Postgres of its own, which is also its log."""
    with engine_folder("edge") as folder:
        postgres = start_postgres(folder)
        try:
            migrate.apply(postgres.address, migrate.read_folder(migrate.FOLDER))
            with psycopg.connect(postgres.address, autocommit=True) as connection:
                connection.execute(READ_MODELS.encode())
            ingest_service = IngestService(postgres, folder, settings)
            log = ingest_service.log()
            log.create_topics()
            log.close()
            try:
                yield ingest_service.start()
            finally:
                ingest_service.close()
                if ingest_service.process is not None and ingest_service.process.poll() is None:
                    ingest_service.stop(signal.SIGKILL)
        finally:
            postgres.stop()
