"""Transfer of a sold website to its buyer: the seller agrees first, then the buyer; each may say no until then. Pure.

The website moves with the buyer's consent, in the transaction of that event: it is never half moved.
"""

from __future__ import annotations

from command_api.kernel.aggregates import next_event, require_found
from command_api.kernel.decision import CommandContext, conflict
from command_api.marketplace.listings.model import Listing
from command_api.marketplace.offers import Offer, require_party
from command_api.websites.model import Website
from schemas.base import DomainEvent
from schemas.events import marketplace
from schemas.events.marketplace import Side


def propose(
    offer: Offer | None, listing: Listing | None, website: Website | None, context: CommandContext
) -> list[DomainEvent]:
    """Records that the seller agrees, once the website is sold; idempotent. Raises `CommandRejected`."""
    offer = _require_side(offer, "seller", context)
    if offer.transfer == "proposed":
        return []
    _require_not_moved(offer)
    website = _require_movable(offer, listing, website)
    return [marketplace.TransferProposed(**next_event(offer, context), website_id=website.id)]


def withdraw(offer: Offer | None, context: CommandContext) -> list[DomainEvent]:
    """Records that the seller no longer agrees; idempotent. Raises `CommandRejected` once the website has moved."""
    offer = _require_side(offer, "seller", context)
    _require_not_moved(offer)
    return [marketplace.TransferWithdrawn(**next_event(offer, context))] if offer.transfer == "proposed" else []


def decline(offer: Offer | None, context: CommandContext) -> list[DomainEvent]:
    """Records that the buyer does not agree. The seller may propose it again."""
    offer = _require_proposed(_require_side(offer, "buyer", context))
    return [marketplace.TransferDeclined(**next_event(offer, context))]


def accept(
    offer: Offer | None, listing: Listing | None, website: Website | None, context: CommandContext
) -> marketplace.TransferAccepted:
    """Records that the buyer agrees. Raises `CommandRejected` unless the seller still has the website that was sold."""
    offer = _require_proposed(_require_side(offer, "buyer", context))
    website = _require_movable(offer, listing, website)
    return marketplace.TransferAccepted(**next_event(offer, context), website_id=website.id)


def _require_side(offer: Offer | None, side: Side, context: CommandContext) -> Offer:
    offer, actual = require_party(offer, context)
    if actual != side:
        raise conflict("not_yours", f"Only the {side} can do this.")
    return offer


def _require_not_moved(offer: Offer) -> None:
    if offer.transfer == "accepted":
        raise conflict("transferred", "The website has moved to the buyer. This is final.")


def _require_proposed(offer: Offer) -> Offer:
    _require_not_moved(offer)
    if offer.transfer != "proposed":
        raise conflict("not_proposed", "The seller does not offer the transfer now. Please reload the deal.")
    return offer


def _require_movable(offer: Offer, listing: Listing | None, website: Website | None) -> Website:
    """The sold website. Raises `CommandRejected` unless the seller still has it, under the address that was sold."""
    listing = require_found(listing, "listing")
    if listing.status != "sold" or listing.offer_id != offer.id:
        raise conflict("not_sold", "A website can move once the deal is complete.")
    if listing.website_id is None:
        raise conflict("no_website", "The listing names no connected website, so there is nothing to move.")
    if website is None or website.disconnected or website.account_id != offer.seller_id:
        raise conflict("website_gone", "The seller no longer has this website here, so it cannot move.")
    if listing.host is None or website.domain.removeprefix("www.") != listing.host.removeprefix("www."):
        raise conflict("website_changed", "The website has another address now than the one that was sold.")
    return website
