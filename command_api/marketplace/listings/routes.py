"""`/api/marketplace/listings/*`: commands of sellers about their listings, and of their reviewers."""

from __future__ import annotations

from datetime import timedelta
from secrets import token_urlsafe
from typing import Final

from fastapi import APIRouter, Response

from command_api.kernel.http import Id, Runs
from command_api.kernel.images.uploads import IMAGE_BODY, SentImage, UploadedImage, process
from command_api.kernel.rate_limits import Limit, consume
from command_api.marketplace.listings import commands, model, schemas
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/marketplace/listings", tags=["marketplace"])

DRAFTS: Final = Limit("listing", timedelta(minutes=5), 60)
IMAGES: Final = Limit("listing-image", timedelta(seconds=10), 40)
JOINS: Final = Limit("review-join", timedelta(seconds=30), 20)


@router.post("", status_code=201, response_model=schemas.ListingState)
def draft_listing(body: schemas.ListingFields, run: Runs) -> Response:
    """Creates a private draft; all fields are optional until it is submitted."""
    consume(run.container.pool, DRAFTS, str(run.person.account_id))
    return run(commands.DraftListing(uuid7(), body), body, status=201, is_consistent=True)


@router.patch("/{id}", response_model=schemas.ListingState)
def edit_listing(id_: Id, body: schemas.EditListing, run: Runs) -> Response:
    """Changes the given fields. A published listing goes back to review, unless only the price changes."""
    return run(commands.EditListing(id_, body), body, is_consistent=True)


@router.post("/{id}/submit", response_model=schemas.ListingState)
def submit_listing(id_: Id, run: Runs) -> Response:
    """Submits the listing for review."""
    return run(commands.SubmitListing(id_), is_consistent=True)


@router.post("/{id}/withdraw", response_model=schemas.ListingState)
def withdraw_listing(id_: Id, run: Runs) -> Response:
    """Withdraws the listing; it can be submitted again."""
    return run(commands.WithdrawListing(id_), is_consistent=True)


@router.post("/{id}/verify", response_model=schemas.ListingState)
def verify_listing(id_: Id, run: Runs) -> Response:
    """Requests a comparison of the claims with the measurements; the result follows within seconds."""
    return run(commands.RequestVerification(id_), is_consistent=True)


@router.post("/{id}/reviewer", status_code=201, response_model=schemas.ReviewInvite)
def invite_reviewer(id_: Id, run: Runs) -> Response:
    """For a seller who is an admin: a link that lets one other member review this listing, and nothing else. It
    replaces the previous link."""
    return run(commands.InviteReviewer(id_, token_urlsafe(32)), status=201, is_consistent=True)


@router.post("/{id}/review/join", response_model=schemas.ListingState)
def join_review(id_: Id, body: schemas.ReviewToken, run: Runs) -> Response:
    """Takes the link of a review: the listing is yours to review until the review ends. One member per link."""
    consume(run.container.pool, JOINS, str(run.person.account_id))
    return run(commands.JoinReview(id_, body.token), body, is_consistent=True)


@router.post("/{id}/review/approve", response_model=schemas.ListingState)
def approve_as_reviewer(id_: Id, body: schemas.Reviewed, run: Runs) -> Response:
    """For the invited reviewer: publishes the reviewed edition."""
    return run(commands.ApproveAsReviewer(id_, body.edition), body, is_consistent=True)


@router.post("/{id}/review/reject", response_model=schemas.ListingState)
def reject_as_reviewer(id_: Id, body: schemas.Because, run: Runs) -> Response:
    """For the invited reviewer: sends the listing back to its seller."""
    return run(commands.RejectAsReviewer(id_, body.reason), body, is_consistent=True)


@router.post(
    "/{id}/images",
    status_code=201,
    response_model=schemas.ListingState,
    openapi_extra=IMAGE_BODY,
)
def add_image(id_: Id, sent: SentImage, run: Runs) -> Response:
    """Adds an image, the file itself as the body: JPEG, PNG or WebP, at most 5 MB."""
    model.require_owned(run.container.load(id_, model.evolve), run.context)
    consume(run.container.pool, IMAGES, str(run.person.account_id))
    picture = process(sent)
    identity = UploadedImage(hash=picture.hash)
    return run(commands.AddImage(id_, picture), identity, status=201, is_consistent=True)


@router.put("/{id}/images", response_model=schemas.ListingState)
def order_images(id_: Id, body: schemas.ImageOrder, run: Runs) -> Response:
    """Sets the order of the images; omitted images are removed."""
    return run(commands.OrderImages(id_, tuple(body.images)), body, is_consistent=True)
