"""Inline projections `watchlists`, the listings that each account watches, `deal_lookup`, which listings, open offers
and escrows there are, and whose, and `direct_deals`, deals without escrow."""

from __future__ import annotations

from typing import Final

from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace.listings import STATUS_AFTER
from schemas.base import DomainEvent
from schemas.events import marketplace
from schemas.events.accounts import AccountErased

MAX_WATCHED: Final = 500

WATCHLISTS: Final = InlineProjection(
    "watchlists",
    version=1,
    tables=(
        Table(
            "listing_watch",
            columns=("watch_id uuid not null", "account_id uuid not null", "listing_id uuid not null"),
            key=("watch_id",),
            indexes=("account_id",),
        ),
    ),
)


DEAL_LOOKUP: Final = InlineProjection(
    "deal_lookup",
    version=1,
    tables=(
        Table(
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
        ),
        Table(
            "open_offer",
            columns=(
                "offer_id uuid not null",
                "listing_id uuid not null",
                "seller_id uuid not null",
                "buyer_id uuid not null",
            ),
            key=("offer_id",),
            indexes=("listing_id", "seller_id", "buyer_id"),
        ),
        Table(
            "escrow",
            columns=(
                "escrow_id uuid not null",
                "seller_id uuid not null",
                "buyer_id uuid not null",
                "is_open boolean not null",
            ),
            key=("escrow_id",),
            indexes=("seller_id", "buyer_id"),
        ),
    ),
)
"""Hosts are not here: they are personal (`marketplace.listing_host`)."""

DIRECT_DEALS: Final = InlineProjection(
    "direct_deals",
    version=1,
    tables=(
        Table(
            "direct_deal",
            columns=(
                "deal_id uuid not null",
                "seller_id uuid not null",
                "buyer_id uuid not null",
                "is_open boolean not null",
            ),
            key=("deal_id",),
            indexes=("seller_id", "buyer_id"),
        ),
    ),
)
"""Deals without escrow."""


@DEAL_LOOKUP.on(marketplace.ListingDrafted)
def _drafted(tables: Tables, event: marketplace.ListingDrafted) -> None:
    tables["listing"].insert(
        listing_id=event.originator_id, seller_id=event.seller_id, status="draft", buyer_id=None, sold_at=None
    )


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


@DEAL_LOOKUP.on(marketplace.OfferSent)
def _sent(tables: Tables, event: marketplace.OfferSent) -> None:
    tables["open_offer"].insert(
        offer_id=event.originator_id,
        listing_id=event.listing_id,
        seller_id=event.seller_id,
        buyer_id=event.buyer_id,
    )


@DEAL_LOOKUP.on(
    marketplace.OfferAccepted, marketplace.OfferDeclined, marketplace.OfferWithdrawn, marketplace.OfferExpired
)
def _offer_over(tables: Tables, event: DomainEvent) -> None:
    tables["open_offer"].delete(offer_id=event.originator_id)


@DEAL_LOOKUP.on(marketplace.EscrowAgreed)
def _agreed(tables: Tables, event: marketplace.EscrowAgreed) -> None:
    tables["escrow"].insert(
        escrow_id=event.originator_id, seller_id=event.seller_id, buyer_id=event.buyer_id, is_open=True
    )


@DEAL_LOOKUP.on(marketplace.EscrowReleased, marketplace.EscrowRefunded, marketplace.EscrowCancelled)
def _escrow_over(tables: Tables, event: DomainEvent) -> None:
    tables["escrow"].update({"escrow_id": event.originator_id}, is_open=False)


@DEAL_LOOKUP.on(marketplace.EscrowFunded)
def _funded(tables: Tables, event: marketplace.EscrowFunded) -> None:
    """Money that came after the cancellation opens the escrow again until it is returned."""
    tables["escrow"].update({"escrow_id": event.originator_id}, is_open=True)


@DIRECT_DEALS.on(marketplace.DirectDealAgreed)
def _direct_deal_agreed(tables: Tables, event: marketplace.DirectDealAgreed) -> None:
    tables["direct_deal"].insert(
        deal_id=event.originator_id, seller_id=event.seller_id, buyer_id=event.buyer_id, is_open=True
    )


@DIRECT_DEALS.on(marketplace.DirectDealCompleted, marketplace.DirectDealClosed, marketplace.DirectDealCancelled)
def _direct_deal_over(tables: Tables, event: DomainEvent) -> None:
    tables["direct_deal"].update({"deal_id": event.originator_id}, is_open=False)


@WATCHLISTS.on(marketplace.WatchBegan)
def _began(tables: Tables, event: marketplace.WatchBegan) -> None:
    tables["listing_watch"].insert(
        watch_id=event.originator_id, account_id=event.account_id, listing_id=event.listing_id
    )


@WATCHLISTS.on(marketplace.WatchEnded)
def _ended(tables: Tables, event: marketplace.WatchEnded) -> None:
    tables["listing_watch"].delete(watch_id=event.originator_id)


@WATCHLISTS.on(AccountErased)
def _erased(tables: Tables, event: AccountErased) -> None:
    tables["listing_watch"].delete(account_id=event.originator_id)


def require_watchlist_limit(uow: UnitOfWork) -> None:
    """Raises `CommandRejected` when the sender watches too many listings. Called after the append. Listings that are
    off the market are not on the list, and return to it only if they return to the market."""
    if len(uow.select(_WATCHED, uow.context.account_id)) > MAX_WATCHED:
        raise conflict("too_many_watched", f"At most {MAX_WATCHED} listings can be watched.")


_WATCHED: Final = (
    "SELECT FROM lookup.listing_watch AS w JOIN lookup.listing AS l USING (listing_id)"
    " WHERE w.account_id = %s AND l.status IN ('active', 'under_offer')"
)
