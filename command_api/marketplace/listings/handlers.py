"""Command handlers of listings."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict, invalid, not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.marketplace import timeouts
from command_api.marketplace.listings import commands, model
from command_api.marketplace.listings.details import ListingDetails, same_website
from command_api.marketplace.listings.model import Listing
from command_api.marketplace.listings.schemas import ListingState, ReviewInvite, details_of, edited, listing_state
from command_api.websites import model as websites
from schemas.base import DomainEvent

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.DraftListing, senders="accounts")
def draft_listing(command: commands.DraftListing, uow: UnitOfWork) -> ListingState:
    details = details_of(command.fields)
    _require_same_website(uow, details)
    return _advanced(uow, None, [model.draft(command.listing_id, details, uow.context)])


@HANDLERS.on(commands.EditListing, senders="accounts")
def edit_listing(command: commands.EditListing, uow: UnitOfWork) -> ListingState:
    listing = model.require_owned(uow.load(command.listing_id, model.evolve), uow.context)
    details = edited(listing.details, command.fields)
    _require_same_website(uow, details)
    return _advanced(uow, listing, model.edit(listing, details, command.fields.edition, uow.context))


@HANDLERS.on(commands.SubmitListing, senders="accounts")
def submit_listing(command: commands.SubmitListing, uow: UnitOfWork) -> ListingState:
    listing = model.require_owned(uow.load(command.listing_id, model.evolve), uow.context)
    _require_same_website(uow, listing.details)
    return _advanced(uow, listing, model.submit(listing, uow.context))


@HANDLERS.on(commands.WithdrawListing, senders="accounts")
def withdraw_listing(command: commands.WithdrawListing, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, model.evolve)
    return _advanced(uow, listing, model.withdraw(listing, uow.context))


@HANDLERS.on(commands.RequestVerification, senders="accounts")
def request_verification(command: commands.RequestVerification, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, model.evolve)
    return _advanced(uow, listing, model.ask_verification(listing, uow.context))


@HANDLERS.on(commands.AddImage, senders="accounts")
def add_image(command: commands.AddImage, uow: UnitOfWork) -> ListingState:
    picture = command.picture
    listing = model.require_owned(uow.load(command.listing_id, model.evolve), uow.context)
    events = model.change_images(listing, [*listing.images, picture.hash], uow.context)
    uow.lock()  # before the image's row, which its use refers to
    uow.cursor.execute(_SAVE_IMAGE, (picture.hash, picture.width, picture.height, picture.body))
    return _advanced(uow, listing, events)


@HANDLERS.on(commands.OrderImages, senders="accounts")
def order_images(command: commands.OrderImages, uow: UnitOfWork) -> ListingState:
    listing = model.require_owned(uow.load(command.listing_id, model.evolve), uow.context)
    if not set(command.images) <= set(listing.images):
        raise conflict("unknown_image", "An image no longer exists. Please reload the listing.", "images")
    return _advanced(uow, listing, model.change_images(listing, command.images, uow.context))


@HANDLERS.on(commands.ApproveListing, senders="admins")
def approve_listing(command: commands.ApproveListing, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, model.evolve)
    return _advanced(uow, listing, model.approve(listing, command.edition, uow.context))


@HANDLERS.on(commands.InviteReviewer, senders="accounts")
def invite_reviewer(command: commands.InviteReviewer, uow: UnitOfWork) -> ReviewInvite:
    listing = uow.load(command.listing_id, model.evolve)
    invited = model.invite_reviewer(listing, token_hash(command.token), uow.context)
    uow.append(invited)
    url = f"{uow.settings.app_url}/marketplace/review/{command.listing_id}#{command.token}"
    return ReviewInvite(id=command.listing_id, url=url, expires_at=invited.expires_at)


@HANDLERS.on(commands.JoinReview, senders="accounts")
def join_review(command: commands.JoinReview, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, model.evolve)
    return _advanced(uow, listing, model.join_review(listing, token_hash(command.token), uow.context))


@HANDLERS.on(commands.ApproveAsReviewer, senders="accounts")
def approve_as_reviewer(command: commands.ApproveAsReviewer, uow: UnitOfWork) -> ListingState:
    listing = model.require_reviewer(uow.load(command.listing_id, model.evolve), uow.context)
    return _advanced(uow, listing, model.approve(listing, command.edition, uow.context))


@HANDLERS.on(commands.RejectAsReviewer, senders="accounts")
def reject_as_reviewer(command: commands.RejectAsReviewer, uow: UnitOfWork) -> ListingState:
    listing = model.require_reviewer(uow.load(command.listing_id, model.evolve), uow.context)
    return _advanced(uow, listing, model.reject(listing, command.reason, uow.context))


@HANDLERS.on(commands.RejectListing, senders="admins")
def reject_listing(command: commands.RejectListing, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, model.evolve)
    return _advanced(uow, listing, model.reject(listing, command.reason, uow.context))


@HANDLERS.on(commands.SuspendListing, senders="admins")
def suspend_listing(command: commands.SuspendListing, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, model.evolve)
    return _advanced(uow, listing, model.suspend(listing, command.reason, uow.context))


@HANDLERS.on(commands.ResumeListing, senders="admins")
def resume_listing(command: commands.ResumeListing, uow: UnitOfWork) -> ListingState:
    listing = uow.load(command.listing_id, model.evolve)
    return _advanced(uow, listing, model.resume(listing, uow.context))


@HANDLERS.on(commands.ExpireListing, senders="system")
def expire_listing(command: commands.ExpireListing, uow: UnitOfWork) -> None:
    listing = uow.load(command.listing_id, model.evolve)
    events = model.expire(listing, uow.context)
    if events:
        uow.append(*events)
    elif listing is not None and listing.status == "active":  # the timeout is outdated
        uow.set_timeout(timeouts.LISTING_EXPIRY, listing.id, listing.expires_at)


def _advanced(uow: UnitOfWork, listing: Listing | None, events: Sequence[DomainEvent]) -> ListingState:
    return listing_state(uow.advance(model.evolve, listing, events))


def token_hash(token: str) -> str:
    """The hash of a review link's token, which is stored nowhere."""
    return sha256(token.encode()).hexdigest()


def _require_same_website(uow: UnitOfWork, details: ListingDetails) -> None:
    """Requires the connected website to be the sender's and the listed one. Raises `CommandRejected`."""
    website_id = details.figures.website_id
    if website_id is None:
        return
    website = uow.load(website_id, websites.evolve)
    if website is None or website.disconnected or website.account_id != uow.context.account_id:
        raise not_found("website")
    if not same_website(details.website_url, website.domain):
        message = f"The tracked website is {website.domain}. The listing must have the same address."
        raise invalid("another_website", message, "websiteUrl")


_SAVE_IMAGE: Final = (
    "INSERT INTO marketplace.listing_image (hash, width, height, body) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"
)
