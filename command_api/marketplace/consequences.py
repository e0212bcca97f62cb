"""Stores events of listings, offers and escrows with their consequences: rows, mails, events of other aggregates.

Each function appends first. From then on the store's lock is held, so that what it counts or loads stays true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from psycopg import Cursor

from command_api.accounts import model as accounts
from command_api.kernel.aggregates import require_found, state_after
from command_api.kernel.decision import CommandContext, conflict
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace import direct_deals, listings, mails, offers, timeouts
from command_api.marketplace import escrow as escrows
from command_api.marketplace.direct_deals import DirectDeal
from command_api.marketplace.escrow import Call, Escrow
from command_api.marketplace.listings import ON_MARKET, Listing
from command_api.marketplace.offers import Offer
from infra.kernel.mail.outbox import Mail
from schemas.base import DomainEvent
from schemas.events import marketplace

MAX_LISTINGS: Final = 100
STATUS_CHECK_INTERVAL: Final = timedelta(minutes=10)
"""Interval of status checks of an escrow that awaits the provider (`escrow_reconciliation`)."""


def after_listing(uow: UnitOfWork, before: Listing | None, events: Sequence[DomainEvent]) -> Listing:
    """Stores events of a listing and returns its state after them. Raises `CommandRejected` when the account has too
    many listings, or another one of this website."""
    after = require_found(state_after(listings.evolve, before, events), "listing")
    if not events:
        return after
    news = list(_listing_news(uow, after, events))
    status = before.status if before is not None else None
    measured = (before.host, before.website_id) if before is not None else (None, None)
    is_another = measured != (after.host, after.website_id)
    offers_again = after.status == "in_review" and status != "in_review"
    asked_at = before.verification_asked_at if before is not None else None
    verification_pending = after.verification_asked_at != asked_at
    measure = after.website_id is not None and (is_another or offers_again or verification_pending)
    uow.append(*events)
    if after.host is not None:
        uow.cursor.execute(_SAVE_HOST, (after.id, after.host))
    uow.set_timeout(timeouts.LISTING_EXPIRY, after.id, after.expires_at if after.is_open else None)
    if measure:
        uow.set_timeout(timeouts.VERIFICATION, after.id, uow.context.at)
    if status in (None, "withdrawn") and after.status != "withdrawn":
        _require_listing_limit(uow.cursor, after)
    if after.status in ON_MARKET and (status not in ON_MARKET or is_another):
        _require_single_listing(uow.cursor, after)
    if after.images != (before.images if before is not None else ()):
        _save_image_uses(uow.cursor, after)
    for mail in news:
        uow.send(mail)
    return after


def after_offer(uow: UnitOfWork, before: Offer | None, events: Sequence[DomainEvent], notify: UUID) -> Offer:
    """Stores events of an offer that was sent before, and returns its state after them. `notify`: the account to
    mail."""
    after = require_found(state_after(offers.evolve, before, events), "offer")
    to = recipient(uow, notify)
    uow.append(*events)
    schedule_expiry(uow, after)
    if to is not None:
        uow.send(mails.offer_news(to, offer_url(uow, after.id), after.status))
    return after


def after_escrow(
    uow: UnitOfWork, before: Escrow | None, events: Sequence[DomainEvent], call: Call | None = None
) -> Escrow:
    """Stores events of an escrow, updates its listing, queues the call to the provider and notifies both sides;
    returns the escrow after them."""
    after = require_found(state_after(escrows.evolve, before, events), "offer")
    if not events:
        return after
    news = [mail for event in events for mail in _deal_news(uow, after, event)]
    uow.append(*events)
    if before is None or not before.is_over:
        for event in events:
            _update_listing(uow, after, event)
    if after.is_over and not (after.money_came_late and after.status == "cancelled"):
        uow.set_timeout(timeouts.ESCROW_DEADLINE, after.id, None)
        uow.set_timeout(timeouts.ESCROW_STATUS, after.id, None)
        if after.status != "cancelled":  # also removes inconsistent status checks
            uow.cursor.execute("DELETE FROM ops.escrow_call WHERE escrow_id = %s AND step = 'look'", (after.id,))
    else:
        ask_at = uow.context.at + STATUS_CHECK_INTERVAL if after.awaits_provider else None
        uow.set_timeout(timeouts.ESCROW_DEADLINE, after.id, after.due_at)
        uow.set_timeout(timeouts.ESCROW_STATUS, after.id, ask_at)
    if call is not None:
        uow.cursor.execute(_SAVE_CALL, (after.id, call.step, call.to_seller, call.to_buyer))
        uow.set_timeout(timeouts.ESCROW_CALLS, after.id, uow.context.at)
    for mail in news:
        uow.send(mail)
    return after


def after_direct_deal(uow: UnitOfWork, before: DirectDeal | None, events: Sequence[DomainEvent]) -> DirectDeal:
    """Stores events of a direct deal, updates its listing and notifies both sides; returns the deal after them."""
    after = require_found(state_after(direct_deals.evolve, before, events), "offer")
    if not events:
        return after
    news = [mail for event in events for mail in _deal_news(uow, after, event)]
    uow.append(*events)
    for event in events:
        _update_listing(uow, after, event)
    uow.set_timeout(timeouts.DIRECT_DEAL_DEADLINE, after.id, after.due_at)
    for mail in news:
        uow.send(mail)
    return after


def schedule_expiry(uow: UnitOfWork, offer: Offer) -> None:
    """Sets when an open offer expires."""
    uow.set_timeout(timeouts.OFFER_EXPIRY, offer.id, offer.expires_at if offer.is_open else None)


def recipient(uow: UnitOfWork, account_id: UUID) -> mails.Recipient | None:
    """Returns the address of an account; `None` if it was erased. Called before the append where possible: the store's
    lock is then held for less time."""
    account = uow.load(account_id, accounts.evolve)
    return mails.Recipient(account.email, account.id) if account is not None and not account.erased else None


def listing_url(uow: UnitOfWork, listing_id: UUID) -> str:
    return f"{uow.settings.app_url}/marketplace/listing/{listing_id}"


def offer_url(uow: UnitOfWork, offer_id: UUID) -> str:
    return f"{uow.settings.app_url}/marketplace/deals/{offer_id}"


def drop_unused_images(cursor: Cursor[dict[str, Any]], hashes: Sequence[str]) -> None:
    """Deletes those of the images that no listing uses."""
    cursor.execute(_DROP_UNUSED, (hashes,))


def _update_listing(uow: UnitOfWork, escrow: Escrow | DirectDeal, event: DomainEvent) -> None:
    decide = _LISTING_AFTER.get(type(event))
    if isinstance(event, marketplace.DirectDealClosed):
        decide = listings.sell if event.is_sold else listings.free
    if decide is None:
        return
    listing = require_found(uow.load(escrow.listing_id, listings.evolve), "listing")
    listing = after_listing(uow, listing, decide(listing, escrow.offer_id, uow.context))
    if listing.status == "sold":  # other offers expire in the next run
        for (offer_id,) in uow.select("SELECT offer_id FROM lookup.open_offer WHERE listing_id = %s", listing.id):
            uow.set_timeout(timeouts.OFFER_EXPIRY, offer_id, uow.context.at)


_LISTING_AFTER: Final[
    Mapping[type[DomainEvent], Callable[[Listing | None, UUID, CommandContext], list[DomainEvent]]]
] = {
    marketplace.EscrowFunded: listings.put_in_escrow,
    marketplace.EscrowReleased: listings.sell,
    marketplace.EscrowRefunded: listings.free,
    marketplace.EscrowCancelled: listings.free,
    marketplace.DirectDealCompleted: listings.sell,
    marketplace.DirectDealCancelled: listings.free,
}


_TOLD_TO_ALL: Final = (
    marketplace.EscrowDecided,
    marketplace.EscrowDisputed,
    marketplace.DirectDealDisputed,
    marketplace.DirectDealClosed,
    marketplace.DirectDealCompleted,
)
"""Events of deals that are mailed to both sides, also to who caused them."""


def _listing_news(uow: UnitOfWork, listing: Listing, events: Sequence[DomainEvent]) -> Iterator[Mail]:
    for text in (mails.LISTING_NEWS[type(event)] for event in events if type(event) in mails.LISTING_NEWS):
        to = recipient(uow, listing.seller_id)
        if to is not None:
            yield mails.listing_news(to, listing_url(uow, listing.id), text)


def _deal_news(uow: UnitOfWork, escrow: Escrow | DirectDeal, event: DomainEvent) -> Iterator[Mail]:
    text = mails.DEAL_NEWS.get(type(event))
    if text is None:
        return
    sides = {
        marketplace.EscrowFunded: (escrow.seller_id,),
        marketplace.EscrowDelivered: (escrow.buyer_id,),
    }.get(type(event), (escrow.seller_id, escrow.buyer_id))
    if isinstance(event, marketplace.EscrowFunded) and event.is_late:
        text, sides = mails.LATE_PAYMENT_NEWS, (escrow.buyer_id,)
    if isinstance(event, marketplace.DirectDealReminded):
        sides = (escrow.buyer_id if event.side == "buyer" else escrow.seller_id,)
    if isinstance(event, marketplace.DirectDealCompleted) and event.is_automatic:
        text = mails.COMPLETED_BY_TIME
    for account_id in sides:
        if account_id != event.actor_id or isinstance(event, _TOLD_TO_ALL):
            to = recipient(uow, account_id)
            if to is not None:
                yield mails.deal_news(to, offer_url(uow, escrow.offer_id), text)


def _require_listing_limit(cursor: Cursor[dict[str, Any]], listing: Listing) -> None:
    if cursor.execute(_LISTINGS_OF, (listing.seller_id,)).rowcount > MAX_LISTINGS:
        raise conflict("too_many_listings", f"An account has at most {MAX_LISTINGS} listings.")


def _require_single_listing(cursor: Cursor[dict[str, Any]], listing: Listing) -> None:
    """One open listing per website, and none by an account that has sold it."""
    of = {"id": listing.id, "host": listing.host, "seller": listing.seller_id, "market": list(ON_MARKET)}
    if cursor.execute(_LISTED_ALREADY, of).fetchone() is not None:
        raise conflict("listed_already", "You already have a listing for this website.", "websiteUrl")
    row = cursor.execute(_LAST_SALE, of).fetchone()
    if row is not None and row["seller_id"] == listing.seller_id:
        raise conflict("sold_already", "You sold this website here, so you can no longer list it.", "websiteUrl")


def _save_image_uses(cursor: Cursor[dict[str, Any]], listing: Listing) -> None:
    """Stores the images of the listing; deletes images that no listing uses."""
    had = {row["hash"] for row in cursor.execute(_IMAGES_OF, (listing.id,))}
    for new in set(listing.images) - had:
        cursor.execute("INSERT INTO ops.listing_image_use (listing_id, hash) VALUES (%s, %s)", (listing.id, new))
    gone = list(had - set(listing.images))
    if gone:
        cursor.execute("DELETE FROM ops.listing_image_use WHERE listing_id = %s AND hash = ANY(%s)", (listing.id, gone))
        drop_unused_images(cursor, gone)


_LISTINGS_OF: Final = "SELECT FROM lookup.listing WHERE seller_id = %s AND status NOT IN ('sold', 'withdrawn')"
_LISTED_ALREADY: Final = (
    "SELECT 1 FROM lookup.listing JOIN marketplace.listing_host USING (listing_id)"
    " WHERE seller_id = %(seller)s AND host = %(host)s AND listing_id <> %(id)s"
    " AND status = ANY(%(market)s) LIMIT 1"
)
_LAST_SALE: Final = (
    "SELECT seller_id FROM lookup.listing JOIN marketplace.listing_host USING (listing_id)"
    " WHERE host = %(host)s AND sold_at IS NOT NULL"
    " AND (seller_id = %(seller)s OR buyer_id = %(seller)s) ORDER BY sold_at DESC LIMIT 1"
)
_SAVE_HOST: Final = (
    "INSERT INTO marketplace.listing_host (listing_id, host) VALUES (%s, %s)"
    " ON CONFLICT (listing_id) DO UPDATE SET host = excluded.host"
)
_SAVE_CALL: Final = "INSERT INTO ops.escrow_call (escrow_id, step, to_seller, to_buyer) VALUES (%s, %s, %s, %s)"
_IMAGES_OF: Final = "SELECT hash FROM ops.listing_image_use WHERE listing_id = %s"
_DROP_UNUSED: Final = (
    "DELETE FROM ops.listing_image AS i WHERE hash = ANY(%s)"
    " AND NOT EXISTS (SELECT FROM ops.listing_image_use AS u WHERE u.hash = i.hash)"
)
