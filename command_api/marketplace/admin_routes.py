"""`/api/admin/marketplace/*`: the review of listings, disputes, flagged questions, and calls that the escrow provider
refused. Admins only."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Depends, Path, Response
from psycopg import Cursor

from command_api.commands import Decided
from command_api.decision import missing
from command_api.http import Id, Nothing, Run, Runs
from command_api.marketplace import asking, listings
from command_api.marketplace import escrow as escrows
from command_api.marketplace.deal_routes import move_escrow
from command_api.marketplace.listing_routes import change, money
from command_api.marketplace.member_routes import change_question
from command_api.marketplace.shapes import Because, Decide, EscrowState, ListingState, QuestionState, Reviewed
from infra.identity import require_admin

router = APIRouter(prefix="/api/admin/marketplace", tags=["marketplace"])


def _as_admin(run: Runs) -> Run:
    require_admin(run.person)
    return run


AsAdmin = Annotated[Run, Depends(_as_admin)]


@router.post("/listings/{id}/approve", response_model=ListingState)
def approve_listing(id_: Id, body: Reviewed, run: AsAdmin) -> Response:
    """Lets it go live, as it was looked at."""
    return change(run, id_, lambda listing: listings.approve(listing, body.edition, run.asked), body)


@router.post("/listings/{id}/reject", response_model=ListingState)
def reject_listing(id_: Id, body: Because, run: AsAdmin) -> Response:
    return change(run, id_, lambda listing: listings.reject(listing, body.reason, run.asked), body)


@router.post("/listings/{id}/suspend", response_model=ListingState)
def suspend_listing(id_: Id, body: Because, run: AsAdmin) -> Response:
    """Takes it offline."""
    return change(run, id_, lambda listing: listings.suspend(listing, body.reason, run.asked), body)


@router.post("/listings/{id}/resume", response_model=ListingState)
def resume_listing(id_: Id, run: AsAdmin) -> Response:
    """Puts it online again."""
    return change(run, id_, lambda listing: listings.resume(listing, run.asked))


@router.post("/offers/{id}/decide", response_model=EscrowState)
def decide_dispute(id_: Id, body: Decide, run: AsAdmin) -> Response:
    """Ends a dispute: release, refund, or a split of the price. The provider is asked to pay."""
    part = money(body.to_seller)
    to_seller = part.amount if part is not None else None
    return move_escrow(
        run, id_, lambda escrow: escrows.decide(escrow, body.outcome, to_seller, body.reason, run.asked), body
    )


@router.post("/questions/{id}/hide", response_model=QuestionState)
def hide_question(id_: Id, body: Because, run: AsAdmin) -> Response:
    return change_question(run, id_, lambda question: asking.hide(question, body.reason, run.asked), body)


@router.post("/questions/{id}/restore", response_model=QuestionState)
def restore_question(id_: Id, run: AsAdmin) -> Response:
    """It is in order: shown, and its flags are forgotten."""
    return change_question(run, id_, lambda question: asking.restore(question, run.asked))


@router.post("/escrow-calls/{escrowId}/retry", status_code=204)
def retry_escrow_call(escrow: Annotated[UUID, Path(alias="escrowId")], run: AsAdmin) -> Response:
    """Has what the escrow provider refused tried again."""

    def decide() -> Decided[Nothing]:
        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            again = "UPDATE ops.escrow_call SET state = 'waiting', next_at = now(), attempts = 0 WHERE escrow_id = %s"
            if cursor.execute(again, (escrow,)).rowcount == 0:
                raise missing("call")

        return Decided([], Nothing(), also)

    return run(decide, status=204)
