"""Consequences of a listing's events: rows, limits, timeouts, mails."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from psycopg import Cursor

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict
from command_api.kernel.unit_of_work import Appended, StateChange
from command_api.marketplace import mails, timeouts
from command_api.marketplace.listings import model
from command_api.marketplace.listings.model import ON_MARKET, Listing
from command_api.marketplace.recipients import listing_news, recipient
from schemas.events.marketplace import ListingDrafted

MAX_LISTINGS: Final = 100

HANDLERS: Final = CommandHandlers()


@HANDLERS.after_change(ListingDrafted, model.evolve)
def follow_listing(change: StateChange[Listing], uow: Appended) -> None:
    """Stores the rows of a listing, sets its timeouts and notifies the seller. Raises `CommandRejected` when the
    account has too many listings, or another one of this website."""
    before, after, events = change
    status = before.status if before is not None else None
    measured = (before.host, before.website_id) if before is not None else (None, None)
    is_another = measured != (after.host, after.website_id)
    offers_again = after.status == "in_review" and status != "in_review"
    asked_at = before.verification_asked_at if before is not None else None
    verification_pending = after.verification_asked_at != asked_at
    measure = after.website_id is not None and (is_another or offers_again or verification_pending)
    if after.host is not None:
        uow.cursor.execute(_SAVE_HOST, (after.id, after.host))
    uow.set_timeout(timeouts.LISTING_EXPIRY, after.id, after.expires_at if after.is_open else None)
    if measure:
        uow.set_timeout(timeouts.VERIFICATION, after.id, uow.context.at)
    if status in (None, "withdrawn") and after.status != "withdrawn":
        _require_listing_limit(uow, after)
    if after.status in ON_MARKET and (status not in ON_MARKET or is_another):
        _require_single_listing(uow, after)
    if after.images != (before.images if before is not None else ()):
        _save_image_uses(uow.cursor, after)
    for event in (event for event in events if type(event) in mails.LISTING_NEWS):
        to = recipient(uow, after.seller_id)
        if to is not None:
            uow.send(mails.listing_news(to, listing_news(uow, event, after.id, model.title_of(after))))


def drop_unused_images(cursor: Cursor[dict[str, Any]], hashes: Sequence[str]) -> None:
    """Deletes those of the images that no listing uses."""
    cursor.execute(_DROP_UNUSED, (hashes,))


def _require_listing_limit(uow: Appended, listing: Listing) -> None:
    if uow.cursor.execute(_LISTINGS_OF, (listing.seller_id,)).rowcount > MAX_LISTINGS:
        raise conflict("too_many_listings", f"An account has at most {MAX_LISTINGS} listings.")


def _require_single_listing(uow: Appended, listing: Listing) -> None:
    """Allows one open listing per website, and none by an account that has sold it."""
    of = {"id": listing.id, "host": listing.host, "seller": listing.seller_id, "market": list(ON_MARKET)}
    if uow.cursor.execute(_LISTED_ALREADY, of).fetchone() is not None:
        raise conflict("listed_already", "You already have a listing for this website.", "websiteUrl")
    row = uow.cursor.execute(_LAST_SALE, of).fetchone()
    if row is not None and row["seller_id"] == listing.seller_id:
        raise conflict("sold_already", "You sold this website here, so you can no longer list it.", "websiteUrl")


def _save_image_uses(cursor: Cursor[dict[str, Any]], listing: Listing) -> None:
    """Stores the images of the listing; deletes images that no listing uses."""
    had = {row["hash"] for row in cursor.execute(_IMAGES_OF, (listing.id,))}
    for new in set(listing.images) - had:
        cursor.execute(
            "INSERT INTO marketplace.listing_image_use (listing_id, hash) VALUES (%s, %s)", (listing.id, new)
        )
    gone = list(had - set(listing.images))
    if gone:
        cursor.execute(
            "DELETE FROM marketplace.listing_image_use WHERE listing_id = %s AND hash = ANY(%s)", (listing.id, gone)
        )
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
_IMAGES_OF: Final = "SELECT hash FROM marketplace.listing_image_use WHERE listing_id = %s"
_DROP_UNUSED: Final = (
    "DELETE FROM marketplace.listing_image AS i WHERE hash = ANY(%s)"
    " AND NOT EXISTS (SELECT FROM marketplace.listing_image_use AS u WHERE u.hash = i.hash)"
)
