"""The query service as a process over real engines, and rows put straight into the tables that it reads.

`query_service` (session fixture) is shared: every test makes its own account and websites, so none sees another's.
"""

from __future__ import annotations

import os
import sys
import threading
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import orjson
import psycopg
import pytest
from psycopg.types.json import Jsonb

from infra.domain.payout_files import PURPOSE
from infra.kernel.clickhouse.client import client
from infra.kernel.config.settings import Settings
from infra.kernel.log import open_log
from infra.kernel.mail.outbox import Mail, queue
from infra.kernel.security.encryption import derived_key, encrypt
from infra.kernel.security.sessions import Principal, open_session
from infra.ops.migrations.migrate import CREATORS
from tests.support.databases import MANY, create_clickhouse_tables, own_databases
from tests.support.engines import ROOT, Engine, engine_folder, free_port
from tests.support.readiness import answers

PERCENT_10 = {"kind": "percent", "rate_bp": 1000, "flat_amount": 0, "flat_currency": None}


@dataclass
class Person:
    """A person who is signed in, as a program is: with the token alone."""

    account_id: UUID
    session_id: UUID
    cookie: str
    headers: dict[str, str]

    def principal(self, *roles: str) -> Principal:
        """The person as the service knows them once they are signed in."""
        return Principal(self.account_id, self.session_id, "", "", frozenset(roles))


@dataclass
class QueryService:
    """A running query service; `get` asks it."""

    address: str
    settings: Settings
    process: Engine | None = None
    _http: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=60))

    def get(self, path: str, person: Person | None = None, **options: Any) -> httpx.Response:
        headers = {**(person.headers if person else {}), **options.pop("headers", {})}
        return self._http.get(self.address + path, headers=headers, **options)

    def stream(self, path: str, person: Person) -> Any:
        return self._http.stream("GET", self.address + path, headers=person.headers)

    @cached_property
    def postgres(self) -> psycopg.Connection[Any]:
        assert self.settings.postgres_url is not None
        return psycopg.connect(self.settings.postgres_url, autocommit=True)

    @cached_property
    def _clickhouse(self) -> Any:
        return client(self.settings)

    _lock: threading.Lock = field(default_factory=threading.Lock)

    def person(self, *roles: str, email: str | None = None) -> Person:
        account_id, session_id = uuid4(), uuid4()
        email = email or f"{account_id.hex}@example.com"
        roles = roles or ("member",)
        opened = open_session(
            self.postgres, account_id=account_id, session_id=session_id, email=email, name="Ada", roles=roles
        )
        self.insert(
            "accounts",
            {"id": account_id, "email": email, "name": "Ada", "roles": sorted(roles), "created_at": datetime.now(UTC)},
        )
        if held := sorted(set(roles) - {"member"}):
            self.postgres.execute("INSERT INTO lookup.role_holder VALUES (%s, %s)", (account_id, held))
        headers = {"Authorization": f"Bearer {opened.token}"}
        return Person(account_id, session_id, opened.cookie, headers)

    def website(
        self, owner: Person, timezone: str = "UTC", currency: str = "USD", domain: str = "shop.example"
    ) -> UUID:
        website_id = uuid4()
        values = {"domain": domain, "timezone": timezone, "currency": currency, "attribution_model": "last_click"}
        row = {"id": website_id, "account_id": owner.account_id, **values, "created_at": datetime.now(UTC)}
        self.insert("websites", row)
        return website_id

    def partner(
        self,
        name: str,
        slug: str | None = None,
        terms: Mapping[str, Any] = PERCENT_10,
        partner_id: UUID | None = None,
        owner: Person | None = None,
    ) -> UUID:
        """A partner of the directory, or of its owner alone."""
        partner_id, now = partner_id or uuid4(), datetime.now(UTC)
        values = {"name": name, "slug": slug or f"{name.lower()}-{partner_id.hex}", "description": ""}
        more = {"base_url": "https://partner.example", "terms": Jsonb(dict(terms)), "cookie_days": 30}
        row = {"id": partner_id, **values, **more, "is_active": True, "created_at": now, "updated_at": now}
        row["account_id"] = owner.account_id if owner else None
        self.insert("partners", row)
        return partner_id

    def insert(self, table: str, row: Mapping[str, Any]) -> None:
        """A row of a read model's first generation."""
        names = ", ".join(row)
        places = ", ".join(["%s"] * len(row))
        self.postgres.execute(f"INSERT INTO read.{table}__g1 ({names}) VALUES ({places})", list(row.values()))

    def events(self, rows: Sequence[Mapping[str, Any]], table: str = "events__g1") -> None:
        """Rows of the raw table; the rollups follow."""
        lines = b"\n".join(orjson.dumps(row) for row in rows)
        with self._lock:
            self._clickhouse.raw_insert(table, insert_block=lines, fmt="JSONEachRow")

    def rows(self, sql: str, **parameters: Any) -> list[tuple[Any, ...]]:
        with self._lock:
            found: list[tuple[Any, ...]] = self._clickhouse.query(sql, parameters=parameters).result_rows
            return found

    def named_rows(self, sql: str, **parameters: Any) -> list[dict[str, Any]]:
        """The same by name of the column, as the service reads them."""
        with self._lock:
            found = self._clickhouse.query(sql, parameters=parameters)
            return [dict(zip(found.column_names, row, strict=True)) for row in found.result_rows]

    def command(self, sql: str) -> None:
        with self._lock:
            self._clickhouse.command(sql)

    def advance(self, projection: str, topic: str, partition: int, next_offset: int, domain_position: int) -> None:
        """What a projector does after a batch: the position and its notification in one transaction."""
        with self.postgres.transaction():
            self.postgres.execute(
                "UPDATE engine.position SET next_offset = %s, domain_position = %s, updated_at = now()"
                " WHERE projection = %s AND generation = 1 AND topic = %s AND partition = %s",
                (next_offset, domain_position, projection, topic, partition),
            )
            payload = f"{projection}:{topic}:{partition}:{next_offset}:{domain_position}"
            self.postgres.execute("SELECT pg_notify('projection', %s)", (payload,))


class World:
    """A website of Ada's with something of each kind, and people who have nothing to do with it."""

    def __init__(self, service: QueryService) -> None:
        self._service = service
        self.ada, self.eve = service.person(), service.person()
        self.admin, self.analyst = service.person("admin"), service.person("analyst")
        self.website = service.website(self.ada, domain=f"{uuid4().hex}.example")
        self.partner = service.partner("Acme")
        now = this_moment()
        self.link, self.conversion, self.key = uuid4(), uuid4(), uuid4()
        service.insert("links", {
            "id": self.link, "slug": f"l{self.link.hex}", "code": self.link.int % 2**47, "website_id": self.website,
            "partner_id": self.partner, "destination": "https://partner.example/", "subs": "{}", "is_active": True,
            "created_at": now,
        })  # fmt: skip
        service.insert("conversions", {
            "id": self.conversion, "website_id": self.website, "kind": "sale", "event": "sale", "txid": "t-1",
            "status": "pending", "amount": 1000, "currency": "USD", "commission": 100, "commission_currency": "USD",
            "partner_id": self.partner, "reported_by": "sale", "occurred_at": now, "recorded_at": now,
        })  # fmt: skip
        key = {"key_hash": uuid4().bytes, "last4": "abcd", "public_key": f"pk_{uuid4().hex}", "allowed_origins": []}
        service.insert(
            "website_keys", {"id": self.key, "website_id": self.website, "kind": "site", **key, "created_at": now}
        )
        self.query = uuid4()
        service.insert("saved_queries", {
            "id": self.query, "account_id": uuid4(), "title": "Shared", "text": "SELECT 1", "number": 1,
            "is_shared": True, "author_name": "Ida", "created_at": now, "changed_at": now,
        })  # fmt: skip
        self.payout = uuid4()
        file = Jsonb({"name": "payout.pdf", "media_type": "application/pdf"})
        service.insert("payouts", {
            "id": self.payout, "website_id": self.website, "partner_id": self.partner, "amount": 100, "currency": "USD",
            "credited": 100, "credited_currency": "USD", "paid_on": now.date(), "reference": "", "allocations": "{}",
            "recorded_at": now, "file": file,
        })  # fmt: skip
        advice = b64encode(b"%PDF-1.7").decode()
        sealed = encrypt(derived_key(service.settings, PURPOSE), advice, f"{PURPOSE}:{self.payout}")
        service.postgres.execute(
            "INSERT INTO conversions.payout_file (payout_id, website_id, file_id, sealed) VALUES (%s, %s, %s, %s)",
            (self.payout, self.website, uuid4(), sealed),
        )
        self.link_bulk = uuid4()
        service.insert("link_bulks", {
            "id": self.link_bulk, "website_id": self.website, "change": Jsonb({"kind": "organize"}), "links": 1,
            "state": "running", "started_at": now,
        })  # fmt: skip
        rule = {"since": now - timedelta(days=2), "until": now - timedelta(days=1), "mark": "bot", "note": ""}
        place = {"id": uuid4(), "website_id": self.website, "position": 1, "created_at": now}
        service.insert("traffic_rules", {**place, **rule, "conditions": Jsonb({"country": "DE"})})
        terms = {"partner_id": self.partner, "effective_at": now, "terms": Jsonb(PERCENT_10)}
        service.insert("partner_terms", terms)
        service.events([event(self.website, now, visitor=1, link_id=self.link, partner_id=self.partner)])
        letter = Mail("ada@example.com", "Hello", "Hello\n", "password_reset", self.ada.account_id)
        self.mail = queue(service.postgres, service.settings, letter)

    @cached_property
    def letter(self) -> UUID:
        """A dead letter."""
        letter_id = uuid4()
        self._service.postgres.execute(
            'INSERT INTO engine.dead_letter (id, projection, generation, topic, partition, "offset", reason, value)'
            " VALUES (%s, 'world', 1, 'clicks', 0, 1, 'bad_json', '{')",
            (letter_id,),
        )
        return letter_id

    def address(self, path: str) -> str:
        ids: dict[str, UUID] = {
            "/api/admin/outbox/": self.mail,
            "/api/admin/partners/": self.partner,
            "/api/platform/links/": self.link,
            "/api/platform/links/changes/": self.link_bulk,
            "/api/platform/conversions/": self.conversion,
            "/api/platform/payouts/": self.payout,
            "/api/platform/sql/queries/": self.query,
            "/api/admin/dead-letters/": self.letter,
        }
        of = ids.get(path.partition("{id}")[0], self.website)
        path = (
            path.replace("{name}", "links")
            .replace("{websiteId}", str(self.website))
            .replace("{partnerId}", str(self.partner))
            .replace("{id}", str(of))
        )
        names_one = "/statements" in path or ("/analytics/" in path and "/admin/" not in path)
        whole = (
            "/conversions.csv",
            "/links.csv",
            "/links/labels",
            "/links/changes",
            "/annotations",
            "/social-channels",
            "/social-channels/connections",
            "/social-report",
            "/social-report.csv",
            "/views",
            "/totals",
            "/payouts",
            "/costs",
            "platform/alerts",
            "/awaiting-rate",
            "/accountant-file",
            "/websites/movers",
            "/reconciliation/partners",
        )
        names_one = names_one or path.endswith((*whole, "/payouts/balances"))
        month = "&month=2026-11" if "/statements" in path or path.endswith("/accountant-file") else ""
        if path == "/api/platform/reads":
            return f"{path}?read=/api/platform/user"
        if path.startswith("/api/platform/reconciliation") and not names_one:
            return f"{path}?websiteId={self.website}&partnerId={self.partner}&month=2026-11"
        if path.endswith("/exchange-rates/history"):
            return f"{path}?base=EUR&quote=USD"
        return f"{path}?websiteId={self.website}{month}" if names_one else path


def event(website_id: UUID, at: datetime, type: str = "click", **more: Any) -> dict[str, Any]:
    """A row of the raw table as the log holds it."""
    text = at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S.") + f"{at.microsecond // 1000:03d}"
    row = {"website_id": str(website_id), "event_id": str(uuid4()), "type": type, "occurred_at": text}
    place = {"_topic": "clicks", "_partition": 0, "_offset": 0}
    return {**row, "received_at": text, **place, **{name: _json(value) for name, value in more.items()}}


def conversion(website_id: UUID, at: datetime, **changes: Any) -> dict[str, Any]:
    """A conversion's row: by how much one of its steps moved the counters (`d_...`, `c_...`)."""
    values = {"event_name": "sale", "conversion_id": str(uuid4()), "origin": "decision", "_topic": "domain"}
    return event(website_id, at, "conversion", **{**values, **changes})


def this_moment() -> datetime:
    return datetime.now(UTC) - timedelta(seconds=1)


def _json(value: Any) -> Any:
    return str(value) if isinstance(value, UUID) else value


@contextmanager
def serving(settings: Settings) -> Iterator[QueryService]:
    """A query service of its own over these engines."""
    port = free_port()
    with engine_folder("query") as folder:
        process = _start(settings, port, folder)
        try:
            yield QueryService(f"http://127.0.0.1:{port}", settings, process)
        finally:
            process.stop()


def _start(settings: Settings, port: int, folder: Path) -> Engine:
    address = f"http://127.0.0.1:{port}"
    environment = {
        **{name: "" for name in os.environ if name.startswith("ALTHING_")},
        "PYTHONPATH": str(ROOT),
        "ALTHING_EXCHANGE_RATES": "none",
        "ALTHING_ADDRESS_REFUSALS": str(settings.address_refusals),
        "POSTGRES_URL": settings.postgres_url or "",
        "CLICKHOUSE_URL": settings.clickhouse_url or "",
        "ALTHING_LOG": "postgres",
        "ALTHING_DATA_DIR": str(settings.data_dir),
        "ALTHING_QUERY_PORT": str(port),
    }
    engine = Engine(
        "query",
        address,
        [sys.executable, "-m", "infra.ops.cli", "serve", "query"],
        folder / "query.log",
        lambda: answers(f"{address}/livez"),
        environment,
    )
    return engine.start()


@pytest.fixture(scope="session")
def query_settings(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Settings:
    """Both engines with every table."""
    settings = replace(embedded_postgres, clickhouse_url=embedded_clickhouse.clickhouse_url, address_refusals=MANY)
    create_tables(settings)
    return settings


def create_tables(settings: Settings) -> None:
    """Every table that no migration makes, and the topics. A maker."""
    for create in CREATORS:
        create(settings)
    with closing(open_log(settings)) as log:
        log.create_topics()


@contextmanager
def own_tables(postgres: Settings, clickhouse: Settings) -> Iterator[Settings]:
    """Every table in databases of its own, for what reads the rows of all websites: it would read those of all tests,
    and take longer with each."""
    with own_databases(postgres, clickhouse, create_tables) as settings:
        create_clickhouse_tables(settings)
        yield settings


@pytest.fixture(scope="session")
def query_service(query_settings: Settings) -> Iterator[QueryService]:
    """The service that most tests share."""
    with serving(query_settings) as service:
        yield service
