"""Commands of listings."""

from __future__ import annotations

from dataclasses import field
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.kernel.images.model import WebpImage
from command_api.marketplace.listings import schemas
from command_api.marketplace.listings.measurement import Measurement
from command_api.marketplace.listings.schemas import ListingState, ReviewInvite


class ListingCommand(Command[ListingState]):
    """About one listing."""

    listing_id: UUID


class DraftListing(ListingCommand):
    """Creates a private draft of the sender."""

    fields: schemas.ListingFields


class EditListing(ListingCommand):
    """Changes the given details. A published listing goes back into the review, unless only its price changes."""

    fields: schemas.EditListing


class SubmitListing(ListingCommand):
    """Submits a listing for review."""


class WithdrawListing(ListingCommand):
    """Withdraws a listing; it can be submitted again."""


class RequestVerification(ListingCommand):
    """Requests a comparison of the figures with the measurements."""


class AddImage(ListingCommand):
    """Appends an image to a listing."""

    picture: WebpImage = field(repr=False)


class OrderImages(ListingCommand):
    """Sets the order of the images; omitted images are removed."""

    images: tuple[str, ...]


class ApproveListing(ListingCommand):
    """Publishes the reviewed edition."""

    edition: int


class InviteReviewer(Command[ReviewInvite]):
    """An admin who sells invites one other person to review this listing; the previous link ends."""

    listing_id: UUID
    token: str = field(repr=False)


class JoinReview(ListingCommand):
    """The sender opened the link of a review."""

    token: str = field(repr=False)


class ApproveAsReviewer(ListingCommand):
    """The invited reviewer publishes the reviewed edition."""

    edition: int


class RejectAsReviewer(ListingCommand):
    """The invited reviewer sends a listing back to its seller."""

    reason: str


class RejectListing(ListingCommand):
    """Sends a listing back to its seller."""

    reason: str


class SuspendListing(ListingCommand):
    """Takes a published listing offline."""

    reason: str


class ResumeListing(ListingCommand):
    """Publishes a suspended listing again."""


class ExpireListing(Command[None]):
    """Expires a listing whose time online is over."""

    listing_id: UUID


class RecordVerification(Command[None]):
    """Compares the figures with a measurement; if the website has changed since, the listing stays due."""

    listing_id: UUID
    measurement: Measurement | None
