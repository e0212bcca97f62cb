"""The marketplace over both services and an escrow sandbox: people who sell and buy, and read models that follow.

No projector runs: `Market.sync` hands what was decided since then to the handlers of its read models.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import Any, Final, cast
from uuid import UUID, uuid4

import httpx
import psycopg
from PIL import Image

from command_api.accounts import model as accounts
from command_api.kernel.decision import system_context
from command_api.kernel.process_manager import ProcessManager, ProcessWorker
from command_api.marketplace.escrow import model as escrows
from command_api.marketplace.escrow.outbox import escrow_calls
from command_api.marketplace.listings.measurement import MonthlyCounts
from command_api.marketplace.process import process_managers
from infra.domain.escrow_provider import EscrowProvider, Provider
from infra.domain.escrow_provider.sandbox import Sandbox
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import decrypt_mail, subject_of
from infra.kernel.postgres.rows import PostgresRows
from projectors.engine.read_model import ReadModel
from projectors.read_models.conversions.payouts import PAYOUTS
from projectors.read_models.domains.custom_domains import CUSTOM_DOMAINS
from projectors.read_models.links.links import LINKS
from projectors.read_models.marketplace.listings import LISTINGS
from projectors.read_models.marketplace.market import (
    LISTING_QUESTIONS,
    LISTING_WATCHES,
    MARKET_STEPS,
    SAVED_SEARCHES,
    SELLERS,
)
from projectors.read_models.marketplace.offers import DEAL_SETTINGS, ESCROWS, OFFER_MESSAGES, OFFERS
from projectors.read_models.partners.partners import PARTNERS
from projectors.read_models.publishing.sites import SITES
from projectors.read_models.websites.website_keys import WEBSITE_KEYS
from projectors.read_models.websites.websites import WEBSITES
from schemas.base import DomainEvent
from schemas.events.accounts import Role
from schemas.identity import email_id
from tests.support.full_api import Api, serve_full_api_over
from tests.support.query import Person, QueryService
from tests.support.stack import wait_for
from tests.support.subscriptions import notify

KEY, SECRET = "key of this installation", "whsec_c2VjcmV0IG9mIHRoZSBzYW5kYm94"
MODELS: Final[Sequence[ReadModel]] = (
    LISTINGS,
    MARKET_STEPS,
    SELLERS,
    LISTING_QUESTIONS,
    LISTING_WATCHES,
    SAVED_SEARCHES,
    OFFERS,
    OFFER_MESSAGES,
    ESCROWS,
    DEAL_SETTINGS,
)
OF_WEBSITES: Final[Sequence[ReadModel]] = (WEBSITES, WEBSITE_KEYS, LINKS, PARTNERS, CUSTOM_DOMAINS, PAYOUTS, SITES)
"""What belongs to a website and can be sold with it."""
LIST: Final = "marketplace/listings"
FIELDS: Final[Mapping[str, Any]] = {
    "title": "Reviews of VPN services",
    "websiteUrl": "https://vpn-reviews.com",
    "description": "Twelve years of honest reviews, all of them written by us.",
    "niche": "vpn",
    "askingPrice": 45_000,
    "monthlyRevenue": 1_500,
    "monthlyProfit": 1_200,
    "monthlyTraffic": 30_000,
    "yearsEstablished": 4.5,
}


class NoMeasurements:
    """Nothing was ever measured."""

    def by_month(self, _website_id: UUID, edges: Sequence[datetime]) -> Sequence[MonthlyCounts]:
        return [MonthlyCounts(0, 0, 0) for _ in edges[1:]]


@dataclass(frozen=True)
class SentMail:
    """What of an email decides in which conversation a mail program shows it."""

    subject: str
    thread: UUID | None


@dataclass
class Market:
    api: Api
    sandbox: Sandbox
    later: timedelta = timedelta()
    models: Sequence[ReadModel] = MODELS
    """What follows the decisions."""
    _seen: int = 0
    _http: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=60, trust_env=False))

    @property
    def settings(self) -> Settings:
        return self.api.core.settings

    @property
    def postgres(self) -> psycopg.Connection[Any]:
        return self.api.query.postgres

    @cached_property
    def process(self) -> ProcessWorker:
        provider = EscrowProvider.over_http(self.settings)
        return self.worker(*process_managers(self.api.core, NoMeasurements(), provider))

    def worker(self, *managers: ProcessManager) -> ProcessWorker:
        """Runs these process managers by the market's clock."""
        return ProcessWorker(self.api.core, managers, now=self.now)

    def now(self) -> datetime:
        return datetime.now(UTC) + self.later

    def run_due(self, process: ProcessWorker | None = None) -> None:
        """Runs everything that is due, also of other tests, and waits for the read models."""
        while (process or self.process).run_once():
            pass
        self.sync()

    def person(self, name: str, *roles: str) -> Person:
        """A person with a session and an account of that name."""
        person = self.api.query.person(*(roles or ("member",)))
        email = f"{person.account_id.hex}@example.com"
        events = accounts.register(
            None,
            account_id=person.account_id,
            email_id=email_id(self.api.accounts.email_hash(email)),
            email=email,
            name=name,
            roles=tuple(Role(role) for role in roles) or (Role.MEMBER,),
            way="invite",
            context=system_context(),
        )
        self.api.core.store.append(events)
        return person

    def post(self, person: Person, path: str, status: int = 200, method: str = "POST", **body: Any) -> dict[str, Any]:
        """A command; then the read models know of it."""
        answer = self.api.call(method, f"/api/{path}", person, json=body)
        assert answer.status_code == status, f"{method} {path}: {answer.status_code} {answer.text}"
        self.sync()
        found: dict[str, Any] = answer.json() if answer.content else {}
        return found

    def get(self, person: Person | None, path: str, status: int = 200) -> Any:
        answer = self.api.call("GET", f"/api/{path}", person)
        assert answer.status_code == status, f"{path}: {answer.status_code} {answer.text}"
        return answer.json()

    def draft(self, seller: Person, **changes: Any) -> str:
        """Of a website of its own, unless `changes` name one."""
        fields = {**FIELDS, "websiteUrl": f"https://{uuid4().hex[:12]}.com", **changes}
        return str(self.post(seller, "marketplace/listings", 201, **fields)["id"])

    def online(self, seller: Person, admin: Person, **changes: Any) -> str:
        """A listing that an admin let go live."""
        listing = self.draft(seller, **changes)
        self.post(seller, f"marketplace/listings/{listing}/submit")
        self.post(admin, f"admin/marketplace/listings/{listing}/approve", edition=1)
        return listing

    def offer(self, buyer: Person, listing: str, price: int = 40_000, text: str = "Hello") -> str:
        return str(self.post(buyer, f"marketplace/listings/{listing}/offers", 201, price=price, text=text)["id"])

    def agreed(self, seller: Person, buyer: Person, listing: str, price: int = 40_000) -> str:
        """An accepted offer whose escrow is open at the provider."""
        offer = self.offer(buyer, listing, price)
        self.post(seller, f"marketplace/offers/{offer}/accept", price=price)
        self.run_due()
        return offer

    def pay(self, buyer: Person, offer: str) -> None:
        """As the buyer does at the provider; waits until its message was taken."""
        url = self.get(buyer, f"marketplace/offers/{offer}")["escrow"]["paymentUrl"]
        assert self._http.post(url).status_code == 200
        self.until(offer, "funded")

    def funded(self, seller: Person, buyer: Person, listing: str) -> str:
        offer = self.agreed(seller, buyer, listing)
        self.pay(buyer, offer)
        return offer

    def escrow(self, offer: str) -> escrows.Escrow:
        row = self.postgres.execute("SELECT escrow_id FROM read.offers WHERE id = %s", (offer,)).fetchone()
        assert row is not None
        found = self.api.core.store.load(row[0], escrows.evolve)
        assert found is not None
        return found

    def until(self, offer: str, status: str) -> None:
        """Waits for the provider's message."""
        wait_for(lambda: self.escrow(offer).status == status, f"escrow to be {status}")
        self.sync()

    def events(self, aggregate: str | UUID) -> list[str]:
        sql = "SELECT topic FROM events.stored_events WHERE originator_id = %s ORDER BY originator_version"
        return [row[0].removesuffix(".v1") for row in self.postgres.execute(sql, (aggregate,))]

    def last_event(self) -> int:
        """The position of what was decided last."""
        row = self.postgres.execute("SELECT max(notification_id) FROM events.stored_events").fetchone()
        return int(row[0]) if row is not None else 0

    def mails(self, kind: str, person: Person) -> list[str]:
        rows = self.postgres.execute(
            "SELECT id, recipient_sealed, text_sealed FROM kernel.mail WHERE kind = %s AND account_id = %s ORDER BY id",
            (kind, person.account_id),
        )
        return [decrypt_mail(self.settings, *row)[1] or "" for row in rows]

    def news(self, kind: str, person: Person) -> list[SentMail]:
        """The emails of one kind to the person as they are sent, oldest first."""
        rows = self.postgres.execute(
            "SELECT id, subject, title_sealed, thread FROM kernel.mail WHERE kind = %s AND account_id = %s ORDER BY id",
            (kind, person.account_id),
        ).fetchall()
        named = [dict(zip(("id", "subject", "title_sealed", "thread"), row, strict=True)) for row in rows]
        return [SentMail(subject_of(self.settings, row), row["thread"]) for row in named]

    def told(self, person: Person) -> list[str]:
        """The person's notifications of deals, oldest first, after all events are handled."""
        notify(self.api.core, self.postgres)
        found = reversed(self.get(person, "platform/notifications?limit=100"))
        return [one["title"] for one in found if one["kind"] in ("offer", "offer_message", "deal")]

    def sync(self) -> None:
        """Brings the read models up to what is decided."""
        with psycopg.connect(self.settings.postgres_url or "") as connection:
            connection.execute("SELECT pg_advisory_xact_lock(91)")
            rows = connection.execute(_NEW, (self._seen,)).fetchall()
            for notification_id, aggregate_id, version in rows:
                self._seen = notification_id
                for event in self.api.core.store.events.get(aggregate_id, gt=version - 1, lte=version):
                    for model in self.models:
                        handler = model.handlers.get(cast(type[DomainEvent], type(event)))
                        if handler is not None:
                            to = PostgresRows(connection, model.table(1), model.key)
                            handler(to, event)
                            to.flush()

    def outbox(self, provider: Provider) -> ProcessWorker:
        """Sends calls to that provider."""
        return self.worker(escrow_calls(self.api.core, provider))


@contextmanager
def market(query: QueryService, folder: Path, *, provider: bool = True) -> Iterator[Market]:
    """Over that query service, with a sandbox of its own; without `provider` as a new installation, which has none."""
    sandbox = Sandbox(folder / "escrow.sqlite", 0, KEY, SECRET, "").start()
    settings = query.settings
    if provider:
        settings = replace(
            settings,
            escrow_url=sandbox.address,
            escrow_key=KEY,
            escrow_webhook_secrets=("whsec_YW4gb2xkZXIgc2VjcmV0IG9mIGl0", SECRET),
        )
    try:
        with serve_full_api_over(query, folder, settings) as api:
            sandbox.webhook_url = f"{api.address}/api/public/escrow/messages"
            found = Market(api, sandbox)
            row = found.postgres.execute(
                "SELECT coalesce(max(notification_id), 0) FROM events.stored_events"
            ).fetchone()
            found._seen = row[0] if row is not None else 0
            yield found
    finally:
        sandbox.stop()


def listed(there: Market, query: str = "limit=200") -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in there.get(None, f"{LIST}?{query}")}


def picture(size: tuple[int, int] = (60, 40), colour: str = "red") -> bytes:
    made = BytesIO()
    Image.new("RGB", size, colour).save(made, "JPEG")
    return made.getvalue()


_NEW: Final = (
    "SELECT notification_id, originator_id, originator_version FROM events.stored_events WHERE notification_id > %s"
    " ORDER BY notification_id"
)
