"""Rows of the marketplace: hosts and pictures of listings, saved searches, calls to the escrow provider."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

from command_api.marketplace.listings.details import host_of
from infra.ops.audit.beside_events.fold import ANYTHING, KeptTable, TableFold, Tables, same
from schemas.base import ERASED
from schemas.events import marketplace as events
from schemas.events.accounts import AccountErased


def _pictures(tables: Tables) -> None:
    """A picture is kept once for all listings that use it."""
    for _, hash_ in tables["marketplace.listing_image_use"].rows:
        tables["marketplace.listing_image"].put(hash=hash_, is_whole=True)


PICTURE: Final = "encode(sha256(body), 'hex') = hash"
"""The condition that a picture is the one that its name says."""

MARKETPLACE: Final = TableFold(
    (
        KeptTable("marketplace.listing_host", ("listing_id",), same("listing_id", "host"), personal=("host",)),
        KeptTable("marketplace.listing_image_use", ("listing_id", "hash"), same("listing_id", "hash")),
        KeptTable("marketplace.listing_image", ("hash",), {**same("hash"), "is_whole": PICTURE}),
        KeptTable("marketplace.saved_search", ("search_id",), same("search_id", "account_id")),
        KeptTable(
            "marketplace.escrow_call",
            ("escrow_id", "step"),
            same("escrow_id", "step", "to_seller", "to_buyer"),
            source="marketplace.escrow_call WHERE step <> 'look'",
            is_complete=False,  # what the provider has accepted is deleted
        ),
    ),
    memory={"listing": ("listing_id",), "escrow": ("escrow_id",)},
    at_end=_pictures,
)


@MARKETPLACE.on(events.ListingDrafted, events.ListingEdited)
def _written(tables: Tables, event: Any) -> None:
    listing_id, seller_id = event.originator_id, event.seller_id
    tables["listing"].put(listing_id=listing_id, seller_id=seller_id)
    host = ANYTHING if event.website_url == ERASED else host_of(event.website_url)
    if host is not None:
        tables["marketplace.listing_host"].put(listing_id=listing_id, host=host, seller_id=seller_id)


@MARKETPLACE.on(events.ListingImagesChanged)
def _pictures_changed(tables: Tables, event: events.ListingImagesChanged) -> None:
    listing = tables["listing"].get(listing_id=event.originator_id) or {}
    uses = tables["marketplace.listing_image_use"]
    uses.delete(listing_id=event.originator_id)
    for hash_ in event.images:
        uses.put(listing_id=event.originator_id, hash=hash_, seller_id=listing.get("seller_id"))


@MARKETPLACE.on(AccountErased)
def _erased(tables: Tables, event: AccountErased) -> None:
    for name in ("marketplace.listing_host", "marketplace.listing_image_use"):
        tables[name].delete(seller_id=event.originator_id)
    tables["marketplace.saved_search"].delete(account_id=event.originator_id)


@MARKETPLACE.on(events.SearchSaved)
def _search_saved(tables: Tables, event: events.SearchSaved) -> None:
    tables["marketplace.saved_search"].put(search_id=event.originator_id, account_id=event.account_id)


@MARKETPLACE.on(events.SavedSearchEnded)
def _search_ended(tables: Tables, event: events.SavedSearchEnded) -> None:
    tables["marketplace.saved_search"].delete(search_id=event.originator_id)


@MARKETPLACE.on(events.EscrowAgreed)
def _agreed(tables: Tables, event: events.EscrowAgreed) -> None:
    tables["escrow"].put(escrow_id=event.originator_id, price=event.price.amount)
    _call(tables, event.originator_id, "open")


@MARKETPLACE.on(events.EscrowCancelled)
def _cancelled(tables: Tables, event: events.EscrowCancelled) -> None:
    _call(tables, event.originator_id, "cancel")


@MARKETPLACE.on(events.EscrowFunded)
def _funded(tables: Tables, event: events.EscrowFunded) -> None:
    if event.is_late:
        _call(tables, event.originator_id, "settle", to_buyer=_price(tables, event.originator_id))


@MARKETPLACE.on(events.EscrowAccepted)
def _accepted(tables: Tables, event: events.EscrowAccepted) -> None:
    _call(tables, event.originator_id, "settle", to_seller=_price(tables, event.originator_id))


@MARKETPLACE.on(events.EscrowDecided)
def _decided(tables: Tables, event: events.EscrowDecided) -> None:
    to_seller, to_buyer = event.to_seller.amount, event.to_buyer.amount
    _call(tables, event.originator_id, "settle", to_seller=to_seller, to_buyer=to_buyer)


def _call(tables: Tables, escrow_id: UUID, step: str, *, to_seller: int = 0, to_buyer: int = 0) -> None:
    tables["marketplace.escrow_call"].put(escrow_id=escrow_id, step=step, to_seller=to_seller, to_buyer=to_buyer)


def _price(tables: Tables, escrow_id: UUID) -> int:
    escrow = tables["escrow"].get(escrow_id=escrow_id)
    return int(escrow["price"]) if escrow is not None else 0
