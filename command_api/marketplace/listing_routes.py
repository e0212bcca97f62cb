"""`/api/marketplace/listings/*`: what sellers do with their listings, and what members do about those of others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from threading import BoundedSemaphore
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from psycopg import Cursor

from command_api.accounts.limits import Limit, charge
from command_api.commands import Decided
from command_api.decision import conflict
from command_api.http import Body, Id, Nothing, Run, Runs
from command_api.marketplace import asking, listings
from command_api.marketplace.desk import Desk, lock
from command_api.marketplace.facts import Facts
from command_api.marketplace.images import redrawn
from command_api.marketplace.listings import CURRENCY, Listing
from command_api.marketplace.shapes import (
    EditListing,
    ImageOrder,
    ListingFields,
    ListingState,
    QuestionState,
    Write,
)
from infra.problems import Problem
from infra.threads import only_waiting
from schemas.base import DomainEvent, Money
from schemas.currencies import digits
from schemas.events.marketplace import ListingFigures
from schemas.identity import listing_watch_id
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/marketplace/listings", tags=["marketplace"])

SEEN_BY: Final = ("listings", "market_steps")
MOST_WATCHED: Final = 500
DRAFTS: Final = Limit("listing", timedelta(minutes=5), 60)
WATCHES: Final = Limit("listing-watch", timedelta(seconds=5), 200)
IMAGES: Final = Limit("listing-image", timedelta(seconds=10), 40)
QUESTIONS: Final = Limit("listing-question", timedelta(minutes=2), 10)
_DRAWING: Final = BoundedSemaphore(2)
"""Images that are drawn at one time: each takes memory for all its pixels."""
DRAW_WITHIN_S: Final = 30
"""How long an image waits for its turn: 30 photographs that are sent at once are drawn in less."""

ListingDecision = Callable[[Listing | None], list[DomainEvent]]


@router.post("", status_code=201, response_model=ListingState)
def draft_listing(body: ListingFields, run: Runs) -> Response:
    """Begins a draft, which nobody else sees; anything may be left out until it is submitted."""
    charge(run.core.pool, DRAFTS, str(run.person.account_id))
    listing_id = uuid7()

    def decide() -> Decided[ListingState]:
        facts = facts_of(body)
        desk = Desk(run.core)
        desk.check_website(facts, run.asked)
        drafted = listings.draft(listing_id, facts, run.asked)
        listing = listings.evolve(None, drafted)
        found = desk.after_listing(listing, [], is_new=True)
        return Decided([drafted], state_of(listing), found.also)

    return run(decide, body, status=201, seen_by=SEEN_BY)


@router.patch("/{id}", response_model=ListingState)
def edit_listing(id_: Id, body: EditListing, run: Runs) -> Response:
    """Changes what is named. What others can see already goes back into the review, but for the price."""

    def decide(listing: Listing | None) -> list[DomainEvent]:
        facts = _with(listings.owned(listing, run.asked).facts, body)
        Desk(run.core).check_website(facts, run.asked)
        return listings.edit(listing, facts, body.edition, run.asked)

    return change(run, id_, decide, body)


@router.post("/{id}/submit", response_model=ListingState)
def submit_listing(id_: Id, run: Runs) -> Response:
    """Asks for the review."""

    def decide(listing: Listing | None) -> list[DomainEvent]:
        found = listings.owned(listing, run.asked)
        Desk(run.core).check_website(found.facts, run.asked)
        return listings.submit(found, run.asked)

    return change(run, id_, decide)


@router.post("/{id}/withdraw", response_model=ListingState)
def withdraw_listing(id_: Id, run: Runs) -> Response:
    """Takes it back; it can be submitted again."""
    return change(run, id_, lambda listing: listings.withdraw(listing, run.asked))


@router.post("/{id}/verify", response_model=ListingState)
def verify_listing(id_: Id, run: Runs) -> Response:
    """Has the claims compared with what was measured here; the result comes within moments."""
    return change(run, id_, lambda listing: listings.ask_verification(listing, run.asked))


class Sent(Body):
    """What makes two uploads the same one."""

    hash: str


async def _sent(request: Request) -> bytes:
    return await request.body()


@router.post(
    "/{id}/images",
    status_code=201,
    response_model=ListingState,
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {
                kind: {"schema": {"type": "string", "format": "binary"}}
                for kind in ("image/jpeg", "image/png", "image/webp")
            },
        }
    },
)
def add_image(id_: Id, sent: Annotated[bytes, Depends(_sent)], run: Runs) -> Response:
    """Adds an image, the file itself as the body: JPEG, PNG or WebP, at most 5 MB."""
    desk = Desk(run.core)
    listings.owned(desk.listing(id_), run.asked)
    charge(run.core.pool, IMAGES, str(run.person.account_id))
    with only_waiting():
        if not _DRAWING.acquire(timeout=DRAW_WITHIN_S):
            raise Problem(503, "busy", "Many images are being worked on right now. Please try again in a moment.")
        try:
            picture = redrawn(sent)
        finally:
            _DRAWING.release()

    def decide() -> Decided[ListingState]:
        listing = listings.owned(desk.listing(id_), run.asked)
        events = listings.change_images(listing, [*listing.images, picture.hash], run.asked)
        found = desk.after_listing(listing, events)

        def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
            cursor.execute(_KEEP_IMAGE, (picture.hash, picture.width, picture.height, picture.body))
            found.also(cursor, position)

        return Decided(events, state_of(_after(listing, events)), also)

    return run(decide, Sent(hash=picture.hash), status=201, seen_by=SEEN_BY)


@router.put("/{id}/images", response_model=ListingState)
def order_images(id_: Id, body: ImageOrder, run: Runs) -> Response:
    """Puts the images into this order; those that are left out go."""

    def decide(listing: Listing | None) -> list[DomainEvent]:
        found = listings.owned(listing, run.asked)
        if not set(body.images) <= set(found.images):
            raise conflict("unknown_image", "An image is not there any more. Please load the listing again.", "images")
        return listings.change_images(found, body.images, run.asked)

    return change(run, id_, decide, body)


@router.post("/{id}/questions", status_code=201, response_model=QuestionState)
def ask_question(id_: Id, body: Write, run: Runs) -> Response:
    """Asks the seller, for everybody to read."""
    charge(run.core.pool, QUESTIONS, str(run.person.account_id))
    question_id = uuid7()

    def decide() -> Decided[QuestionState]:
        desk = Desk(run.core)
        found = desk.ask(asking.ask(question_id, desk.listing(id_), body.text, run.asked))
        return Decided(found.events, QuestionState(id=question_id), found.also)

    return run(decide, body, status=201, seen_by=("listing_questions",))


@router.put("/{id}/watch", status_code=204)
def watch_listing(id_: Id, run: Runs) -> Response:
    """Keeps an eye on it."""
    account_id = run.person.account_id
    charge(run.core.pool, WATCHES, str(account_id))

    def decide() -> Decided[Nothing]:
        listing = listings.offered(Desk(run.core).listing(id_))
        before = run.core.store.load(listing_watch_id(account_id, id_), asking.evolve_watch)
        events = asking.watch(before, account_id, listing.id, run.asked)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            lock(cursor, account_id)
            cursor.execute(
                "INSERT INTO policy.listing_watch (account_id, listing_id) VALUES (%s, %s) ON CONFLICT DO NOTHING",
                (account_id, id_),
            )
            row = cursor.execute(_WATCHED, (account_id,)).fetchone()
            if row is not None and row["n"] > MOST_WATCHED:
                raise conflict("too_many_watched", f"At most {MOST_WATCHED} listings can be watched.")

        return Decided(events, Nothing(), also)

    return run(decide, status=204, seen_by=("listing_watches",))


@router.delete("/{id}/watch", status_code=204)
def unwatch_listing(id_: Id, run: Runs) -> Response:
    """Takes it off the list; also when it is not there any more."""
    account_id = run.person.account_id
    charge(run.core.pool, WATCHES, str(account_id))

    def decide() -> Decided[Nothing]:
        before = run.core.store.load(listing_watch_id(account_id, id_), asking.evolve_watch)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            cursor.execute(
                "DELETE FROM policy.listing_watch WHERE account_id = %s AND listing_id = %s", (account_id, id_)
            )

        return Decided(asking.unwatch(before, run.asked), Nothing(), also)

    return run(decide, status=204, seen_by=("listing_watches",))


def change(run: Run, listing_id: UUID, decision: ListingDecision, body: Any = None) -> Response:
    """Runs one decision about a listing, by its seller or an admin."""

    def decide() -> Decided[ListingState]:
        desk = Desk(run.core)
        listing = desk.listing(listing_id)
        events = decision(listing)
        found = listings.there(listing)
        return Decided(events, state_of(_after(found, events)), desk.after_listing(found, events).also)

    return run(decide, body, seen_by=SEEN_BY)


def facts_of(body: ListingFields) -> Facts:
    return Facts(
        title=" ".join(body.title.split()),
        website_url=body.website_url.strip(),
        description=body.description.strip(),
        figures=ListingFigures(
            niche=body.niche,
            asking_price=money(body.asking_price),
            monthly_revenue=money(body.monthly_revenue),
            monthly_profit=money(body.monthly_profit),
            monthly_traffic=body.monthly_traffic,
            years_established=round(body.years_established, 1) if body.years_established is not None else None,
            website_id=body.website_id,
        ),
    )


def _with(facts: Facts, body: EditListing) -> Facts:
    """The facts with those that the body names, be it to empty them."""
    named, said = body.model_fields_set, facts_of(body)
    texts = {name: getattr(said, name) for name in ("title", "website_url", "description") if name in named}
    figures = {name: getattr(said.figures, name) for name in named & set(ListingFigures.model_fields)}
    return replace(facts, **texts, figures=facts.figures.model_copy(update=figures))


def money(dollars: int | None) -> Money | None:
    """Whole major units as money."""
    return Money(amount=dollars * 10 ** digits(CURRENCY), currency=CURRENCY) if dollars is not None else None


def state_of(listing: Listing) -> ListingState:
    return ListingState(id=listing.id, status=listing.status, edition=listing.edition, images=list(listing.images))


def _after(listing: Listing, events: Sequence[DomainEvent]) -> Listing:
    for event in events:
        listing = listings.evolve(listing, event)
    return listing


# Those that are off the market are not on the member's list any more, and come back to it only if they do.
_WATCHED: Final = (
    "SELECT count(*) AS n FROM policy.listing_watch AS w JOIN policy.listing AS l USING (listing_id)"
    " WHERE w.account_id = %s AND l.status IN ('active', 'under_offer')"
)
_KEEP_IMAGE: Final = (
    "INSERT INTO ops.listing_image (hash, width, height, body) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING"
)
