"""Erasure of accounts: the end of their listings and offers in the marketplace."""

from __future__ import annotations

from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext, conflict
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace import offers, timeouts
from command_api.marketplace.listings import model as listings
from command_api.marketplace.listings.consequences import drop_unused_images
from schemas.events.accounts import AccountErased

HANDLERS: Final = CommandHandlers()


@HANDLERS.before(AccountErased)
def end_deals(event: AccountErased, uow: UnitOfWork) -> None:
    """Withdraws the account's listings, expires the offers that it sent or received, and deletes its rows. Raises
    `CommandRejected` while the account has an open deal."""
    account_id = event.originator_id
    if uow.select(_DEALS, account_id, account_id) or uow.select(_DIRECT_DEALS, account_id, account_id):
        raise conflict("deal_open", "You have an open deal in the marketplace. Please complete it first.")
    system, listing_ids = CommandContext(uow.context.at), [row[0] for row in uow.select(_LISTINGS, account_id)]
    for listing_id in listing_ids:
        listing = uow.load(listing_id, listings.evolve)
        if listing is not None and listing.status not in ("withdrawn", "sold"):
            uow.append(*listings.withdraw(listing, system))
        uow.set_timeout(timeouts.VERIFICATION, listing_id, None)
    for (offer_id,) in uow.select(_OFFERS, account_id, account_id):
        uow.append(*offers.expire(uow.load(offer_id, offers.evolve), system, sold_to_another=True))
    uow.cursor.execute(_DROP_HOSTS, (listing_ids,))
    uses = uow.cursor.execute(_DROP_IMAGE_USES, (listing_ids,)).fetchall()
    drop_unused_images(uow.cursor, [row["hash"] for row in uses])
    uow.cursor.execute("DELETE FROM marketplace.saved_search WHERE account_id = %s", (account_id,))


_DEALS: Final = "SELECT 1 FROM lookup.escrow WHERE is_open AND (seller_id = %s OR buyer_id = %s) LIMIT 1"
_DIRECT_DEALS: Final = "SELECT 1 FROM lookup.direct_deal WHERE is_open AND (seller_id = %s OR buyer_id = %s) LIMIT 1"
_LISTINGS: Final = "SELECT listing_id FROM lookup.listing WHERE seller_id = %s"
_OFFERS: Final = "SELECT offer_id FROM lookup.open_offer WHERE seller_id = %s OR buyer_id = %s"
_DROP_HOSTS: Final = "DELETE FROM marketplace.listing_host WHERE listing_id = ANY(%s)"
_DROP_IMAGE_USES: Final = "DELETE FROM marketplace.listing_image_use WHERE listing_id = ANY(%s) RETURNING hash"
