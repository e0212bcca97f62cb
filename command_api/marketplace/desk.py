"""What a decision about listings and deals brings along: what follows for others, and rows in the same transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import model as accounts
from command_api.core import Core
from command_api.decision import Asked, Refused, conflict, invalid, missing
from command_api.marketplace import escrow as escrows
from command_api.marketplace import listings, mails, offers
from command_api.marketplace.asking import Question
from command_api.marketplace.escrow import Call, Escrow
from command_api.marketplace.facts import Facts, same_website
from command_api.marketplace.listings import ON_MARKET, Listing
from command_api.marketplace.offers import Offer
from command_api.store import Also
from command_api.websites import model as websites
from infra.mail import Mail, queue
from schemas.base import DomainEvent
from schemas.events.deals import (
    EscrowCancelled,
    EscrowDecided,
    EscrowDelivered,
    EscrowDisputed,
    EscrowFunded,
    EscrowRefunded,
    EscrowReleased,
    OfferAccepted,
)
from schemas.events.marketplace import ListingSold, QuestionAsked

MOST_LISTINGS: Final = 100
MOST_OPEN_OFFERS: Final = 100
ASK_EVERY: Final = timedelta(minutes=10)
"""The escrow provider, about an escrow that waits for it (`reconciling`)."""


@dataclass(slots=True)
class Outcome:
    """Events and rows that are written together, gathered step by step."""

    events: list[DomainEvent] = field(default_factory=list)
    rows: list[Callable[[Cursor[dict[str, Any]]], None]] = field(default_factory=list)

    def also(self, cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        for write in self.rows:
            write(cursor)


class Desk:
    """Loads, and gathers what belongs together. Thread-safe; keeps nothing."""

    def __init__(self, core: Core) -> None:
        self.core = core

    def listing(self, listing_id: UUID) -> Listing | None:
        return self.core.store.load(listing_id, listings.evolve)

    def offer(self, offer_id: UUID) -> Offer | None:
        return self.core.store.load(offer_id, offers.evolve)

    def escrow(self, escrow_id: UUID | None) -> Escrow | None:
        return self.core.store.load(escrow_id, escrows.evolve) if escrow_id is not None else None

    def deal(self, offer_id: UUID) -> Escrow:
        """The escrow of an offer. Raises `Refused` (missing)."""
        offer = self.offer(offer_id)
        return escrows.there(self.escrow(offer.escrow_id if offer is not None else None))

    def check_website(self, facts: Facts, asked: Asked) -> None:
        """That the website here is the seller's, and the one that is for sale. Raises `Refused`."""
        website_id = facts.figures.website_id
        if website_id is None:
            return
        website = self.core.store.load(website_id, websites.evolve)
        if website is None or website.disconnected or website.account_id != asked.account_id:
            raise missing("website")
        if not same_website(facts.website_url, website.domain):
            message = f"The website that is measured here is {website.domain}: its address has to be the listing's."
            raise invalid("another_website", message, "websiteUrl")

    def after_listing(self, listing: Listing, events: Sequence[DomainEvent], *, is_new: bool = False) -> Outcome:
        """`listing`: before the events."""
        after = listing
        for event in events:
            after = listings.evolve(after, event)
        found = Outcome(list(events))
        was = ("", None, None) if is_new else (listing.status, listing.host, listing.website_id)
        is_another = was[1:] != (after.host, after.website_id)
        offers_again = after.status == "in_review" and listing.status != "in_review"
        is_asked = after.verification_asked_at != listing.verification_asked_at
        measure = after.website_id is not None and (is_another or offers_again or is_asked)
        enters = after.status in ON_MARKET and (listing.status not in ON_MARKET or is_another)
        counts_anew = was[0] in ("", "withdrawn") and after.status != "withdrawn"

        def write(cursor: Cursor[dict[str, Any]]) -> None:
            if enters or counts_anew:
                lock(cursor, after.seller_id)
            cursor.execute(_KEEP_LISTING, _kept(after, events, measure=measure))
            if counts_anew:
                count = cursor.execute(_LISTINGS_OF, (after.seller_id,)).fetchone()
                if count is not None and count["n"] > MOST_LISTINGS:
                    raise conflict("too_many_listings", f"An account has at most {MOST_LISTINGS} listings.")
            if enters:
                _once_at_a_time(cursor, after)
            if after.images != listing.images:
                keep_images(cursor, after)

        found.rows.append(write)
        for text in (mails.LISTING_NEWS[type(event)] for event in events if type(event) in mails.LISTING_NEWS):
            url = self._listing_url(after.id)
            self._tell(found, after.seller_id, partial(mails.listing_news, url=url, text=text))
        return found

    def ask(self, asked: QuestionAsked) -> Outcome:
        found = Outcome([asked])
        url = self._listing_url(asked.listing_id)
        self._tell(found, asked.seller_id, partial(mails.question_came, url=url))
        return found

    def answer(self, question: Question, events: Sequence[DomainEvent]) -> Outcome:
        """`question`: before the events. Its author hears of the first answer."""
        found = Outcome(list(events))
        if events and not question.answered:
            url = self._listing_url(question.listing_id)
            self._tell(found, question.author_id, partial(mails.question_answered, url=url))
        return found

    def send_offer(self, offer: Offer, events: Sequence[DomainEvent]) -> Outcome:
        found = Outcome(list(events))

        def write(cursor: Cursor[dict[str, Any]]) -> None:
            lock(cursor, offer.buyer_id)
            count = cursor.execute(_OFFERS_OF, (offer.buyer_id,)).fetchone()
            if count is not None and count["n"] >= MOST_OPEN_OFFERS:
                raise conflict("too_many_offers", f"An account has at most {MOST_OPEN_OFFERS} open offers.")
            cursor.execute(_KEEP_OFFER, (offer.id, offer.listing_id, offer.seller_id, offer.buyer_id, offer.expires_at))

        found.rows.append(write)
        self._tell(found, offer.seller_id, lambda to: mails.offer_came(to, self._url(offer)))
        return found

    def after_offer(self, offer: Offer, events: Sequence[DomainEvent], tell: UUID | None) -> Outcome:
        """`offer`: after the events. `tell`: whose mail says that there is news."""
        found = Outcome(list(events))

        def write(cursor: Cursor[dict[str, Any]]) -> None:
            if offer.is_open:
                cursor.execute("UPDATE policy.offer SET due_at = %s WHERE offer_id = %s", (offer.expires_at, offer.id))
            else:
                cursor.execute("DELETE FROM policy.offer WHERE offer_id = %s", (offer.id,))

        found.rows.append(write)
        if tell is not None:
            self._tell(found, tell, lambda to: mails.offer_news(to, self._url(offer), offer.status))
        return found

    def accept(self, offer: Offer | None, price: int, escrow_id: UUID, asked: Asked) -> Outcome:
        """An accepted offer keeps the listing and begins the escrow, all at once or not at all."""
        accepted: OfferAccepted = offers.accept(offer, price, escrow_id, asked)
        offer = offers.evolve(offer, accepted)
        listing = self.listing(offer.listing_id)
        reserved = listings.reserve(listing, offer.id, offer.buyer_id, asked)
        agreed, call = escrows.agree(escrow_id, offer, asked)
        other = offer.buyer_id if accepted.side == "seller" else offer.seller_id
        found = self.after_offer(offer, [accepted], other)
        assert listing is not None  # noqa: S101 - reserve refuses without one
        self._add(found, self.after_listing(listing, reserved))
        self._add(found, self.after_escrow(None, agreed, call, asked))
        return found

    def after_escrow(
        self, escrow: Escrow | None, events: Sequence[DomainEvent], call: Call | None, asked: Asked
    ) -> Outcome:
        """`escrow`: before the events. The listing follows; the provider and the two sides are told."""
        found = Outcome(list(events))
        before = escrow
        for event in events:
            escrow = escrows.evolve(escrow, event)
        if escrow is None:
            return found
        after = escrow
        for event in events:
            self._add(
                found, self._listing_follows(after, event, was_over=before is not None and before.is_over, asked=asked)
            )
            self._tell_sides(found, after, event)

        def write(cursor: Cursor[dict[str, Any]]) -> None:
            if after.is_over and not (after.money_came_late and after.status == "cancelled"):
                cursor.execute("DELETE FROM policy.escrow WHERE escrow_id = %s", (after.id,))
                if after.status != "cancelled":  # what the provider said and did not fit is settled as well
                    cursor.execute("DELETE FROM ops.escrow_call WHERE escrow_id = %s AND step = 'look'", (after.id,))
            else:
                ask_at = asked.at + ASK_EVERY if after.awaits_provider else None
                cursor.execute(_KEEP_ESCROW, (after.id, after.seller_id, after.buyer_id, after.due_at, ask_at))
            if call is not None:
                cursor.execute(_KEEP_CALL, (after.id, call.step, call.to_seller, call.to_buyer))

        if events:
            found.rows.append(write)
        return found

    def _listing_follows(self, escrow: Escrow, event: DomainEvent, *, was_over: bool, asked: Asked) -> Outcome:
        if was_over:
            return Outcome()
        match event:
            case EscrowFunded():
                decide: Callable[[Listing | None, UUID, Asked], list[DomainEvent]] = listings.put_in_escrow
            case EscrowReleased():
                decide = listings.sell
            case EscrowRefunded() | EscrowCancelled():
                decide = listings.free
            case _:
                return Outcome()
        listing = self.listing(escrow.listing_id)
        followed = decide(listing, escrow.offer_id, asked)
        assert listing is not None  # noqa: S101 - each of them refuses without one
        found = self.after_listing(listing, followed)
        if isinstance(event, EscrowReleased):  # offers of others end; the watch finds them due
            found.rows.append(lambda cursor: _end_others(cursor, escrow.listing_id))
        return found

    def _tell_sides(self, found: Outcome, escrow: Escrow, event: DomainEvent) -> None:
        offer_url = f"{self.core.settings.app_url}/marketplace/deals/{escrow.offer_id}"
        news = mails.DEAL_NEWS.get(type(event))
        if news is None:
            return
        sides = {
            EscrowFunded: (escrow.seller_id,),
            EscrowDelivered: (escrow.buyer_id,),
        }.get(type(event), (escrow.seller_id, escrow.buyer_id))
        if isinstance(event, EscrowFunded) and event.is_late:
            news, sides = mails.CAME_LATE, (escrow.buyer_id,)
        for account_id in sides:
            if account_id != event.actor_id or isinstance(event, EscrowDecided | EscrowDisputed):
                self._tell(found, account_id, partial(mails.deal_news, url=offer_url, text=news))

    def _tell(self, found: Outcome, account_id: UUID, write: Callable[[mails.To], Mail]) -> None:
        account = self.core.store.load(account_id, accounts.evolve)
        if account is None or account.erased:
            return
        mail = write(mails.To(account.email, account.id))
        found.rows.append(lambda cursor: _queue(cursor, self.core, mail))

    def _listing_url(self, listing_id: UUID) -> str:
        return f"{self.core.settings.app_url}/marketplace/listing/{listing_id}"

    def _url(self, offer: Offer) -> str:
        return f"{self.core.settings.app_url}/marketplace/deals/{offer.id}"

    def _add(self, found: Outcome, more: Outcome) -> None:
        found.events += more.events
        found.rows += more.rows


def leaving(core: Core, account_id: UUID, asked: Asked) -> tuple[Sequence[DomainEvent], Also | None]:
    """What ends with an account. Raises `Refused` while money of it lies in escrow, or is about to."""
    desk, found = Desk(core), Outcome()
    with core.pool.connection() as connection:
        of = {"account": account_id}
        deals = connection.execute(_DEALS_LEFT, of).fetchone()
        listing_ids = [row[0] for row in connection.execute(_LISTINGS_LEFT, of)]
        offer_ids = [row[0] for row in connection.execute(_OFFERS_LEFT, of)]
    if deals is not None:
        message = "A deal of yours in the marketplace is not over yet. Please end it first."
        raise Refused("conflict", "deal_open", message)
    system = Asked(asked.at)
    for listing_id in listing_ids:
        listing = desk.listing(listing_id)
        if listing is not None and listing.status not in ("withdrawn", "sold"):
            found.events += listings.withdraw(listing, system)
    for offer_id in offer_ids:
        offer = desk.offer(offer_id)
        found.events += offers.expire(offer, system, sold_to_another=True)
    found.rows.append(lambda cursor: _forget(cursor, account_id, set(listing_ids), set(offer_ids)))
    return found.events, found.also


def lock(cursor: Cursor[dict[str, Any]], account_id: UUID) -> None:
    """Until the transaction's end nobody else counts what this account has."""
    cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 91))", (str(account_id),))


def _kept(listing: Listing, events: Sequence[DomainEvent], *, measure: bool) -> dict[str, Any]:
    return {
        "id": listing.id,
        "seller": listing.seller_id,
        "status": listing.status,
        "host": listing.host,
        "due": listing.expires_at if listing.is_open else None,
        "verify": measure,
        "buyer": listing.buyer_id if listing.status == "sold" else None,
        "sold": next((event.timestamp for event in events if isinstance(event, ListingSold)), None),
    }


def _once_at_a_time(cursor: Cursor[dict[str, Any]], listing: Listing) -> None:
    """A website is for sale once, and not by who sold it here and did not buy it back. Raises `Refused`."""
    of = {"id": listing.id, "host": listing.host, "seller": listing.seller_id, "market": list(ON_MARKET)}
    if cursor.execute(_LISTED_ALREADY, of).fetchone() is not None:
        raise conflict("listed_already", "Another listing of yours is for this website already.", "websiteUrl")
    row = cursor.execute(_LAST_SALE, of).fetchone()
    if row is not None and row["seller_id"] == listing.seller_id:
        raise conflict("sold_already", "You sold this website here: it is not yours any more.", "websiteUrl")


def keep_images(cursor: Cursor[dict[str, Any]], listing: Listing) -> None:
    """Notes which images the listing has; those that none has any more go."""
    had = {row["hash"] for row in cursor.execute(_IMAGES_OF, (listing.id,))}
    for new in set(listing.images) - had:
        cursor.execute("INSERT INTO ops.listing_image_use (listing_id, hash) VALUES (%s, %s)", (listing.id, new))
    gone = list(had - set(listing.images))
    if gone:
        cursor.execute("DELETE FROM ops.listing_image_use WHERE listing_id = %s AND hash = ANY(%s)", (listing.id, gone))
        cursor.execute(_DROP_UNUSED, (gone,))


def _queue(cursor: Cursor[dict[str, Any]], core: Core, mail: Mail) -> None:
    queue(cursor, core.settings, mail)


def _end_others(cursor: Cursor[dict[str, Any]], listing_id: UUID) -> None:
    cursor.execute("UPDATE policy.offer SET due_at = now() WHERE listing_id = %s", (listing_id,))


def _forget(cursor: Cursor[dict[str, Any]], account_id: UUID, listing_ids: set[UUID], offer_ids: set[UUID]) -> None:
    of = {"account": account_id}
    if cursor.execute(_DEALS_LEFT, of).fetchone() is not None:
        raise Refused("conflict", "deal_open", "A deal of yours in the marketplace is not over yet.")
    left = {row["listing_id"] for row in cursor.execute(_DROP_LISTINGS, of)} - listing_ids
    left |= {row["offer_id"] for row in cursor.execute(_DROP_OFFERS, of)} - offer_ids
    if left:
        raise conflict("busy", "Something was added to this account at the same moment. Please try again.")
    images = [
        row["hash"]
        for row in cursor.execute(
            "DELETE FROM ops.listing_image_use WHERE listing_id = ANY(%s) RETURNING hash", (list(listing_ids),)
        )
    ]
    cursor.execute(_DROP_UNUSED, (images,))
    cursor.execute("DELETE FROM policy.saved_search WHERE account_id = %(account)s", of)
    cursor.execute("DELETE FROM policy.listing_watch WHERE account_id = %(account)s", of)


_LISTINGS_OF: Final = (
    "SELECT count(*) AS n FROM policy.listing WHERE seller_id = %s AND status NOT IN ('sold', 'withdrawn')"
)
_LISTED_ALREADY: Final = (
    "SELECT 1 FROM policy.listing WHERE seller_id = %(seller)s AND host = %(host)s AND listing_id <> %(id)s"
    " AND status = ANY(%(market)s) LIMIT 1"
)
_LAST_SALE: Final = (
    "SELECT seller_id FROM policy.listing WHERE host = %(host)s AND sold_at IS NOT NULL"
    " AND (seller_id = %(seller)s OR buyer_id = %(seller)s) ORDER BY sold_at DESC LIMIT 1"
)
_OFFERS_OF: Final = "SELECT count(*) AS n FROM policy.offer WHERE buyer_id = %s"
_KEEP_LISTING: Final = (
    "INSERT INTO policy.listing AS l (listing_id, seller_id, status, host, due_at, verify_at)"
    " VALUES (%(id)s, %(seller)s, %(status)s, %(host)s, %(due)s, CASE WHEN %(verify)s THEN now() END)"
    " ON CONFLICT (listing_id) DO UPDATE SET due_at = excluded.due_at, status = excluded.status, host = excluded.host,"
    " buyer_id = %(buyer)s, sold_at = coalesce(%(sold)s, l.sold_at),"
    " verify_at = coalesce(excluded.verify_at, l.verify_at),"
    " verify_failures = CASE WHEN %(verify)s THEN 0 ELSE l.verify_failures END"
)
_KEEP_OFFER: Final = (
    "INSERT INTO policy.offer (offer_id, listing_id, seller_id, buyer_id, due_at) VALUES (%s, %s, %s, %s, %s)"
)
_KEEP_ESCROW: Final = (
    "INSERT INTO policy.escrow (escrow_id, seller_id, buyer_id, due_at, ask_at) VALUES (%s, %s, %s, %s, %s)"
    " ON CONFLICT (escrow_id) DO UPDATE SET due_at = excluded.due_at, ask_at = excluded.ask_at"
)
_KEEP_CALL: Final = "INSERT INTO ops.escrow_call (escrow_id, step, to_seller, to_buyer) VALUES (%s, %s, %s, %s)"
_IMAGES_OF: Final = "SELECT hash FROM ops.listing_image_use WHERE listing_id = %s"
_DROP_UNUSED: Final = (
    "DELETE FROM ops.listing_image AS i WHERE hash = ANY(%s)"
    " AND NOT EXISTS (SELECT FROM ops.listing_image_use AS u WHERE u.hash = i.hash)"
)
_DEALS_LEFT: Final = "SELECT 1 FROM policy.escrow WHERE seller_id = %(account)s OR buyer_id = %(account)s LIMIT 1"
_LISTINGS_LEFT: Final = "SELECT listing_id FROM policy.listing WHERE seller_id = %(account)s"
_OFFERS_LEFT: Final = "SELECT offer_id FROM policy.offer WHERE seller_id = %(account)s OR buyer_id = %(account)s"
_DROP_LISTINGS: Final = "DELETE FROM policy.listing WHERE seller_id = %(account)s RETURNING listing_id"
_DROP_OFFERS: Final = (
    "DELETE FROM policy.offer WHERE seller_id = %(account)s OR buyer_id = %(account)s RETURNING offer_id"
)
