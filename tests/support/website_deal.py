"""A deal about a website with all that can belong to one, from its sale to its move to the buyer; and a check that a
replay of the events gives what the tables show of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, cast
from uuid import UUID, uuid4

from psycopg import sql
from psycopg.rows import dict_row

from command_api.domains.commands import RecordDomainCheck
from command_api.domains.dns_check import DnsResult, DnsVerdict
from command_api.inline_projections import INLINE_PROJECTIONS
from command_api.kernel import inline_rebuild
from command_api.kernel.decision import system_context
from infra.kernel.postgres.memory_rows import MemoryRows, column_defaults, compare
from infra.kernel.postgres.rows import Row
from schemas.base import DomainEvent
from tests.support.marketplace import Market
from tests.support.query import Person


@dataclass
class Deal:
    """A website with all that can belong to one, and the offer for it."""

    there: Market
    admin: Person
    seller: Person
    buyer: Person
    since: int = field(init=False)
    """The event before its first one."""
    sites: list[UUID] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.since = self.there.last_event()

    @cached_property
    def made(self) -> dict[str, Any]:
        return self.there.post(self.seller, "platform/websites", 201, domain=f"{uuid4().hex[:12]}.com")

    @property
    def website(self) -> str:
        return str(self.made["id"])

    @cached_property
    def partner(self) -> str:
        fields: dict[str, Any] = {
            "name": "Direct deal with Nordic Shoes",
            "baseUrl": "https://partner.example/",
            "commission": 10,
        }
        return str(self.there.post(self.seller, "platform/partners", 201, **fields)["id"])

    @cached_property
    def link(self) -> dict[str, Any]:
        named = {"websiteId": self.website, "partnerId": self.partner}
        return self.there.post(self.seller, "platform/links", 201, **named)

    @cached_property
    def listing(self) -> str:
        address = f"https://{self.made['domain']}"
        return self.there.online(self.seller, self.admin, websiteUrl=address, websiteId=self.website)

    @cached_property
    def offer(self) -> str:
        offer = self.there.offer(self.buyer, self.listing)
        self.there.post(self.seller, f"marketplace/offers/{offer}/accept", price=40_000, withoutEscrow=True)
        return offer

    def domain(self, name: str, *, is_verified: bool) -> str:
        fields = {"domain": f"{name}.{self.made['domain']}", "websiteId": self.website}
        made = self.there.post(self.seller, "platform/custom-domains", 201, **fields)
        if is_verified:
            proven = DnsResult(made["verificationToken"], DnsVerdict.PROVEN, None, None)
            self.there.api.core.commands.dispatch(RecordDomainCheck(UUID(made["id"]), proven), system_context())
            self.there.sync()
        return str(made["domain"])

    def site(self) -> tuple[str, str]:
        """A published site of the builder, and the id of its page."""
        name, page = f"s-{uuid4().hex[:12]}", str(uuid4())
        made = self.there.post(self.seller, "platform/sites", 201, websiteId=self.website, name="Shoes", slug=name)
        self.sites.append(UUID(made["id"]))
        path = f"platform/sites/{made['id']}"
        document = {"name": "Shoes", "pages": [{"id": page, "path": "", "title": "Home"}]}
        blocks = [{"id": str(uuid4()), "type": "article", "markdown": "Reviewed by us."}]
        self.there.post(self.seller, f"{path}/document", 200, "PUT", document=document, basedOn=1)
        self.there.post(self.seller, f"{path}/pages/{page}", 200, "PUT", document={"blocks": blocks}, basedOn=0)
        self.there.post(self.seller, f"{path}/publish")
        return str(made["id"]), page

    def sold(self) -> Deal:
        for side in (self.seller, self.buyer):
            self.there.post(side, f"marketplace/offers/{self.offer}/direct/confirm")
        return self

    def step(self, who: Person, step: str, status: int = 200) -> dict[str, Any]:
        return self.there.post(who, f"marketplace/offers/{self.offer}/transfer/{step}", status)

    def refusal(self, who: Person, step: str) -> str:
        return str(self.step(who, step, 409)["code"])

    def shown(self, who: Person) -> dict[str, Any]:
        found: dict[str, Any] = self.there.get(who, f"marketplace/offers/{self.offer}/transfer")
        return found

    def accepted(self) -> Deal:
        self.step(self.seller, "propose")
        self.step(self.buyer, "accept")
        return self

    def assert_as_replayed(self) -> None:
        """What a replay of the events gives of the website is in the tables: those that decide, and the market's read
        models."""
        with inline_rebuild.open_connection(self.there.settings) as connection:
            for projection in INLINE_PROJECTIONS.projections:
                found = inline_rebuild.verify(self.there.settings, connection, projection).differences
                differences = [one for one in found if self._is_of_website(one.expected or one.actual or {})]
                assert differences == [], projection.name
        for model in self.there.models:
            rows = MemoryRows(model.key, column_defaults(self.there.postgres, "read", model.table(1)))
            for event in self._events():
                handler = model.handlers.get(type(event))
                if handler is not None:
                    handler(rows, event)
            expected = {key: row for key, row in rows.rows.items() if self._is_of_website(row)}
            with self.there.postgres.cursor(row_factory=dict_row) as cursor:
                cursor.execute(rows.select(sql.Identifier("read", model.table(1))))
                actual = [row for row in cursor if self._is_of_website(row)]
            assert list(compare(model.name, model.key, expected, actual)) == [], model.name

    def _events(self) -> Iterator[DomainEvent]:
        events = (
            "SELECT originator_id, originator_version FROM events.stored_events WHERE notification_id > %s"
            " ORDER BY notification_id"
        )
        for aggregate_id, version in self.there.postgres.execute(events, (self.since,)).fetchall():
            for event in self.there.api.core.store.events.get(aggregate_id, gt=version - 1, lte=version):
                yield cast(DomainEvent, event)

    def _is_of_website(self, row: Row) -> bool:
        ids = {UUID(self.website), UUID(self.partner), *self.sites}
        return any(row.get(column) in ids for column in ("id", "website_id", "partner_id", "site_id"))
