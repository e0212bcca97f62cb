"""ClickHouse with the analysts' endpoint, a query service over it, and analysts with tokens.

`analyst_world` (a fixture of `tests/api/sql`) is two analysts and an admin with a website each, and rows of everybody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from secrets import token_urlsafe
from typing import Any
from uuid import UUID, uuid4

import httpx

from infra.domain.sql_access.analyst_accounts import TOKEN_PREFIX, token_hash
from infra.kernel.config.settings import Settings
from infra.ops.migrations.migrate import CREATORS
from tests.support.clickhouse import ClickHouse, start_clickhouse
from tests.support.engines import engine_folder
from tests.support.query import Person, QueryService, conversion, event, serving, this_moment


@dataclass
class Asker:
    """A person with an email address and a token for ClickHouse clients."""

    person: Person
    email: str
    token: str
    token_id: UUID

    @property
    def auth(self) -> tuple[str, str]:
        return self.email, self.token


class AnalystWorld:
    """Ada and Eve are analysts, and with an admin have a website each, with clicks, a view and a sale."""

    def __init__(self, service: QueryService, clickhouse: ClickHouse) -> None:
        self.service, self.clickhouse = service, clickhouse
        self.ada, self.eve = self.asker("analyst"), self.asker("analyst")
        self.admin, self.member = self.asker("admin"), self.asker("member")
        self.partner = service.partner(f"Acme's \\ {uuid4().hex[:6]}")
        self.ada_site, self.eve_site = self.website(self.ada, "ada.example"), self.website(self.eve, "eve.example")
        self.admin_site = self.website(self.admin, "admin.example")
        self.http = httpx.Client(base_url=clickhouse.address, timeout=90)
        self._pages = httpx.Client(base_url=service.address, timeout=90)

    def asker(self, *roles: str) -> Asker:
        email = f"{uuid4().hex}@example.com"
        person = self.service.person(*roles, email=email)
        token, token_id = TOKEN_PREFIX + token_urlsafe(30), uuid4()
        self.service.postgres.execute(
            "INSERT INTO sql.token (id, account_id, name, token_hash, last4) VALUES (%s, %s, 'test', %s, %s)",
            (token_id, person.account_id, token_hash(token), token[-4:]),
        )
        return Asker(person, email, token, token_id)

    def ask(self, asker: Asker, sql: str, **parameters: Any) -> httpx.Response:
        """One statement through the ClickHouse port."""
        return self.http.post("/", content=sql, params=parameters, auth=asker.auth)

    def post(
        self, asker: Asker, question: Mapping[str, Any], headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        """One statement through the SQL page's call."""
        sent = {**asker.person.headers, **(headers or {})}
        return self._pages.post("/api/platform/sql", json=dict(question), headers=sent)

    def cancel(self, asker: Asker, query_id: object) -> httpx.Response:
        headers = {**asker.person.headers, "X-Requested-With": "test"}
        return self._pages.delete(f"/api/platform/sql/{query_id}", headers=headers)

    def audited(self, asker: Asker) -> list[tuple[Any, ...]]:
        """Endpoint, outcome, text and rows of what the person ran, oldest first."""
        return self.service.postgres.execute(
            "SELECT door, outcome, text, result_rows FROM sql.statement WHERE account_id = %s ORDER BY started_at, id",
            (asker.person.account_id,),
        ).fetchall()

    def website(self, owner: Asker, domain: str) -> UUID:
        website, at = self.service.website(owner.person, domain=domain), this_moment()
        named: dict[str, Any] = {"partner_id": self.partner, "country": "DE", "click_id": f"click-{domain}"}
        sale, approved = uuid4(), {"d_pending": -1, "d_approved": 1, "c_pending": -250, "c_approved": 250}
        self.service.events(
            [
                *(event(website, at - timedelta(minutes=n), visitor=n + 1, **named) for n in range(3)),
                event(website, at, "pageview", visitor=1, path=f"/secret-of-{domain}"),
                conversion(website, at, conversion_id=sale, d_pending=1, c_pending=250, value=5000, **named),
                conversion(website, at, conversion_id=sale, **approved, **named),
            ]
        )
        entered = {"cost_id": str(uuid4()), "first": "2026-11-01", "last": "2026-11-03", "currency": "USD"}
        place = {"changed_at": "2026-11-04 10:00:00.000", "_topic": "domain", "_partition": 0, "_offset": 0}
        spent = {**entered, "website_id": str(website), "campaign": "spring", "amount": 1_000, **place}
        self.service.events([spent], "cost_changes__g1")
        return website


@contextmanager
def analyst_world(postgres: Settings) -> Iterator[AnalystWorld]:
    """Engines and service of its own; Postgres is shared."""
    with engine_folder("analysts") as folder:
        clickhouse = start_clickhouse(folder, "--analysts", POSTGRES_URL=postgres.postgres_url or "")
        try:
            settings = replace(postgres, clickhouse_url=clickhouse.settings.clickhouse_url)
            for create in CREATORS:
                create(settings)
            with serving(settings) as service:
                yield AnalystWorld(service, clickhouse)
        finally:
            clickhouse.stop()
