"""Command handlers of listings, and what the erasure of an account ends."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace import commands, listings, offers, timeouts
from command_api.marketplace.claims import ListingClaims, same_website
from command_api.marketplace.consequences import after_listing, drop_unused_images
from command_api.marketplace.schemas import ListingState, ReviewInvite, claims_after, claims_of, listing_state
from command_api.websites import model as websites
from schemas.events.accounts import AccountErased

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.DraftListing, senders="accounts")
def draft_listing(command: commands.DraftListing, uow: UnitOfWork) -> ListingState:
    claims = claims_of(command.fields)
    _require_same_website(uow, claims)
    return listing_state(after_listing(uow, None, [listings.draft(command.listing_id, claims, uow.context)]))


@HANDLERS.on(commands.EditListing, senders="accounts")
def edit_listing(command: commands.EditListing, uow: UnitOfWork) -> ListingState:
    listing = listings.require_owned(uow.load(command.listing_id, listings.evolve), uow.context)
    claims = claims_after(listing.claims, command.fields)
    _require_same_website(uow, claims)
    return listing_state(
        after_listing(uow, listing, listings.edit(listing, claims, command.fields.edition, uow.context))
    )


@HANDLERS.on(commands.SubmitListing, senders="accounts")
def submit_listing(command: commands.SubmitListing, uow: UnitOfWork) -> ListingState:
    listing = listings.require_owned(uow.load(command.listing_id, listings.evolve), uow.context)
    _require_same_website(uow, listing.claims)
    return listing_state(after_listing(uow, listing, listings.submit(listing, uow.context)))


@HANDLERS.on(commands.WithdrawListing, senders="accounts")
def withdraw_listing(command: commands.WithdrawListing, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, listings.evolve)
    return listing_state(after_listing(uow, listing, listings.withdraw(listing, uow.context)))


@HANDLERS.on(commands.RequestVerification, senders="accounts")
def request_verification(command: commands.RequestVerification, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, listings.evolve)
    return listing_state(after_listing(uow, listing, listings.ask_verification(listing, uow.context)))


@HANDLERS.on(commands.AddImage, senders="accounts")
def add_image(command: commands.AddImage, uow: UnitOfWork) -> ListingState:
    picture = command.picture
    listing = listings.require_owned(uow.load(command.listing_id, listings.evolve), uow.context)
    events = listings.change_images(listing, [*listing.images, picture.hash], uow.context)
    uow.lock()  # before the image's row, which its use refers to
    uow.cursor.execute(_SAVE_IMAGE, (picture.hash, picture.width, picture.height, picture.body))
    return listing_state(after_listing(uow, listing, events))


@HANDLERS.on(commands.OrderImages, senders="accounts")
def order_images(command: commands.OrderImages, uow: UnitOfWork) -> ListingState:
    listing = listings.require_owned(uow.load(command.listing_id, listings.evolve), uow.context)
    if not set(command.images) <= set(listing.images):
        raise conflict("unknown_image", "An image no longer exists. Please reload the listing.", "images")
    return listing_state(after_listing(uow, listing, listings.change_images(listing, command.images, uow.context)))


@HANDLERS.on(commands.ApproveListing, senders="admins")
def approve_listing(command: commands.ApproveListing, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, listings.evolve)
    return listing_state(after_listing(uow, listing, listings.approve(listing, command.edition, uow.context)))


@HANDLERS.on(commands.InviteReviewer, senders="accounts")
def invite_reviewer(command: commands.InviteReviewer, uow: UnitOfWork) -> ReviewInvite:
    listing = uow.load(command.listing_id, listings.evolve)
    invited = listings.invite_reviewer(listing, token_hash(command.token), uow.context)
    uow.append(invited)
    url = f"{uow.settings.app_url}/marketplace/review/{command.listing_id}#{command.token}"
    return ReviewInvite(id=command.listing_id, url=url, expires_at=invited.expires_at)


@HANDLERS.on(commands.JoinReview, senders="accounts")
def join_review(command: commands.JoinReview, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, listings.evolve)
    return listing_state(
        after_listing(uow, listing, listings.join_review(listing, token_hash(command.token), uow.context))
    )


@HANDLERS.on(commands.ApproveAsReviewer, senders="accounts")
def approve_as_reviewer(command: commands.ApproveAsReviewer, uow: UnitOfWork) -> ListingState:
    listing = listings.require_reviewer(uow.load(command.listing_id, listings.evolve), uow.context)
    return listing_state(after_listing(uow, listing, listings.approve(listing, command.edition, uow.context)))


@HANDLERS.on(commands.RejectAsReviewer, senders="accounts")
def reject_as_reviewer(command: commands.RejectAsReviewer, uow: UnitOfWork) -> ListingState:
    listing = listings.require_reviewer(uow.load(command.listing_id, listings.evolve), uow.context)
    return listing_state(after_listing(uow, listing, listings.reject(listing, command.reason, uow.context)))


@HANDLERS.on(commands.RejectListing, senders="admins")
def reject_listing(command: commands.RejectListing, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, listings.evolve)
    return listing_state(after_listing(uow, listing, listings.reject(listing, command.reason, uow.context)))


@HANDLERS.on(commands.SuspendListing, senders="admins")
def suspend_listing(command: commands.SuspendListing, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, listings.evolve)
    return listing_state(after_listing(uow, listing, listings.suspend(listing, command.reason, uow.context)))


@HANDLERS.on(commands.ResumeListing, senders="admins")
def resume_listing(command: commands.ResumeListing, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, listings.evolve)
    return listing_state(after_listing(uow, listing, listings.resume(listing, uow.context)))


@HANDLERS.on(commands.ExpireListing, senders="system")
def expire_listing(command: commands.ExpireListing, uow: UnitOfWork) -> None:
    listing = uow.load(command.listing_id, listings.evolve)
    events = listings.expire(listing, uow.context)
    if events:
        after_listing(uow, listing, events)
    elif listing is not None and listing.status == "active":  # the timeout is outdated
        uow.set_timeout(timeouts.LISTING_EXPIRY, listing.id, listing.expires_at)


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


def token_hash(token: str) -> str:
    """The hash of a review link's token, which is stored nowhere."""
    return sha256(token.encode()).hexdigest()


def _require_same_website(uow: UnitOfWork, claims: ListingClaims) -> None:
    """Requires the connected website to be the sender's and the listed one. Raises `CommandRejected`."""
    website_id = claims.figures.website_id
    if website_id is None:
        return
    website = uow.load(website_id, websites.evolve)
    if website is None or website.disconnected or website.account_id != uow.context.account_id:
        raise not_found("website")
    if not same_website(claims.website_url, website.domain):
        message = f"The tracked website is {website.domain}. The listing must have the same address."
        raise invalid("another_website", message, "websiteUrl")


_SAVE_IMAGE: Final = (
    "INSERT INTO ops.listing_image (hash, width, height, body) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"
)
_DEALS: Final = "SELECT 1 FROM lookup.escrow WHERE is_open AND (seller_id = %s OR buyer_id = %s) LIMIT 1"
_DIRECT_DEALS: Final = "SELECT 1 FROM lookup.direct_deal WHERE is_open AND (seller_id = %s OR buyer_id = %s) LIMIT 1"
_LISTINGS: Final = "SELECT listing_id FROM lookup.listing WHERE seller_id = %s"
_OFFERS: Final = "SELECT offer_id FROM lookup.open_offer WHERE seller_id = %s OR buyer_id = %s"
_DROP_HOSTS: Final = "DELETE FROM marketplace.listing_host WHERE listing_id = ANY(%s)"
_DROP_IMAGE_USES: Final = "DELETE FROM ops.listing_image_use WHERE listing_id = ANY(%s) RETURNING hash"
