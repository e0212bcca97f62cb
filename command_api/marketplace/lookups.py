"""Inline projections `watchlists`, the listings that each account watches, `deal_lookup`, which listings, open offers
and escrows there are, and whose, and `direct_deals`, deals without escrow."""

from __future__ import annotations

from typing import Final

from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from command_api.kernel.unit_of_work import Appended
from command_api.marketplace.listings.model import STATUS_AFTER
from schemas.base import DomainEvent
from schemas.events import marketplace
from schemas.events.accounts import AccountErased

MAX_WATCHED: Final = 500

LISTING_WATCH_TABLE: Final = Table(
    "listing_watch",
    columns=("watch_id uuid not null", "account_id uuid not null", "listing_id uuid not null"),
    key=("watch_id",),
    indexes=("account_id",),
)
WATCHLISTS: Final = InlineProjection("watchlists", version=1, tables=(LISTING_WATCH_TABLE,))


LISTING_TABLE: Final = Table(
    "listing",
    columns=(
        "listing_id uuid not null",
        "seller_id uuid not null",
        "status text not null",
        "buyer_id uuid",
        "sold_at timestamptz",
    ),
    key=("listing_id",),
    indexes=("seller_id",),
)
OPEN_OFFER_TABLE: Final = Table(
    "open_offer",
    columns=(
        "offer_id uuid not null",
        "listing_id uuid not null",
        "seller_id uuid not null",
        "buyer_id uuid not null",
    ),
    key=("offer_id",),
    indexes=("listing_id", "seller_id", "buyer_id"),
)
ESCROW_TABLE: Final = Table(
    "escrow",
    columns=(
        "escrow_id uuid not null",
        "seller_id uuid not null",
        "buyer_id uuid not null",
        "is_open boolean not null",
    ),
    key=("escrow_id",),
    indexes=("seller_id", "buyer_id"),
)
DEAL_LOOKUP: Final = InlineProjection(
    "deal_lookup",
    version=1,
    tables=(
        LISTING_TABLE,
        OPEN_OFFER_TABLE,
        ESCROW_TABLE,
    ),
)
"""Hosts are not here: they are personal (`marketplace.listing_host`)."""

DIRECT_DEAL_TABLE: Final = Table(
    "direct_deal",
    columns=(
        "deal_id uuid not null",
        "seller_id uuid not null",
        "buyer_id uuid not null",
        "is_open boolean not null",
    ),
    key=("deal_id",),
    indexes=("seller_id", "buyer_id"),
)
DIRECT_DEALS: Final = InlineProjection("direct_deals", version=1, tables=(DIRECT_DEAL_TABLE,))
"""Deals without escrow."""


LISTING_TABLE.begins(marketplace.ListingDrafted, status="draft", buyer_id=None, sold_at=None)


@DEAL_LOOKUP.on(*STATUS_AFTER)
def _listing_changed(tables: Tables, event: DomainEvent) -> None:
    changes: dict[str, object] = {"status": STATUS_AFTER[type(event)]}
    if isinstance(event, marketplace.ListingReserved):
        changes["buyer_id"] = event.buyer_id
    elif isinstance(event, marketplace.ListingFreed):
        changes["buyer_id"] = None
    elif isinstance(event, marketplace.ListingSold):
        changes["sold_at"] = event.timestamp
    tables["listing"].update({"listing_id": event.originator_id}, **changes)


OPEN_OFFER_TABLE.begins(marketplace.OfferSent)
OPEN_OFFER_TABLE.ends(marketplace.OfferAccepted)
OPEN_OFFER_TABLE.ends(marketplace.OfferDeclined)
OPEN_OFFER_TABLE.ends(marketplace.OfferWithdrawn)
OPEN_OFFER_TABLE.ends(marketplace.OfferExpired)


ESCROW_TABLE.begins(marketplace.EscrowAgreed, is_open=True)
ESCROW_TABLE.follows(marketplace.EscrowReleased, is_open=False)
ESCROW_TABLE.follows(marketplace.EscrowRefunded, is_open=False)
ESCROW_TABLE.follows(marketplace.EscrowCancelled, is_open=False)
ESCROW_TABLE.follows(marketplace.EscrowFunded, is_open=True)
"""Money that came after the cancellation opens the escrow again until it is returned."""


DIRECT_DEAL_TABLE.begins(marketplace.DirectDealAgreed, is_open=True)
DIRECT_DEAL_TABLE.follows(marketplace.DirectDealCompleted, is_open=False)
DIRECT_DEAL_TABLE.follows(marketplace.DirectDealClosed, is_open=False)
DIRECT_DEAL_TABLE.follows(marketplace.DirectDealCancelled, is_open=False)


LISTING_WATCH_TABLE.begins(marketplace.WatchBegan)
LISTING_WATCH_TABLE.ends(marketplace.WatchEnded)
LISTING_WATCH_TABLE.ends(AccountErased, by="account_id")


def require_watchlist_limit(uow: Appended) -> None:
    """Raises `CommandRejected` when the sender watches too many listings. Listings that are off the
    market are not on the list, and return to it only if they return to the market."""
    if len(uow.select(_WATCHED, uow.context.account_id)) > MAX_WATCHED:
        raise conflict("too_many_watched", f"At most {MAX_WATCHED} listings can be watched.")


_WATCHED: Final = (
    "SELECT FROM lookup.listing_watch AS w JOIN lookup.listing AS l USING (listing_id)"
    " WHERE w.account_id = %s AND l.status IN ('active', 'under_offer')"
)
