"""`/api/admin/marketplace/*`: the review of listings, disputes, flagged questions, and calls that the escrow provider
refused. Admins only."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Response

from command_api.kernel.http import AdminRuns, Id
from command_api.marketplace import commands
from command_api.marketplace.escrow import commands as escrow_commands
from command_api.marketplace.escrow.schemas import Decide
from command_api.marketplace.listings import commands as listing_commands
from command_api.marketplace.listings.schemas import Because, ListingState, Reviewed
from command_api.marketplace.schemas import CloseDeal, DirectDeals, DirectDealsState, EscrowState, QuestionState

router = APIRouter(prefix="/api/admin/marketplace", tags=["marketplace"])


@router.post("/listings/{id}/approve", response_model=ListingState)
def approve_listing(id_: Id, body: Reviewed, run: AdminRuns) -> Response:
    """Publishes the reviewed edition."""
    command = listing_commands.ApproveListing(id_, body.edition)
    return run(command, body, is_consistent=True)


@router.post("/listings/{id}/reject", response_model=ListingState)
def reject_listing(id_: Id, body: Because, run: AdminRuns) -> Response:
    return run(listing_commands.RejectListing(id_, body.reason), body, is_consistent=True)


@router.post("/listings/{id}/suspend", response_model=ListingState)
def suspend_listing(id_: Id, body: Because, run: AdminRuns) -> Response:
    """Takes it offline."""
    return run(listing_commands.SuspendListing(id_, body.reason), body, is_consistent=True)


@router.post("/listings/{id}/resume", response_model=ListingState)
def resume_listing(id_: Id, run: AdminRuns) -> Response:
    """Puts it online again."""
    return run(listing_commands.ResumeListing(id_), is_consistent=True)


@router.post("/offers/{id}/decide", response_model=EscrowState)
def decide_dispute(id_: Id, body: Decide, run: AdminRuns) -> Response:
    """Ends a dispute: release, refund, or a split of the price. The provider is instructed to pay."""
    return run(escrow_commands.DecideDispute(id_, body), body, is_consistent=True)


@router.post("/offers/{id}/close", response_model=EscrowState)
def close_direct_deal(id_: Id, body: CloseDeal, run: AdminRuns) -> Response:
    """Records how a disputed direct deal ended. No money is moved."""
    return run(commands.CloseDirectDeal(id_, body), body, is_consistent=True)


@router.put("/direct-deals", response_model=DirectDealsState)
def switch_direct_deals(body: DirectDeals, run: AdminRuns) -> Response:
    """Allows or ends deals without escrow. Deals that were agreed before continue."""
    return run(commands.SwitchDirectDeals(body.direct_deals), body, is_consistent=True)


@router.post("/questions/{id}/hide", response_model=QuestionState)
def hide_question(id_: Id, body: Because, run: AdminRuns) -> Response:
    return run(commands.HideQuestion(id_, body.reason), body, is_consistent=True)


@router.post("/questions/{id}/restore", response_model=QuestionState)
def restore_question(id_: Id, run: AdminRuns) -> Response:
    """Shows the question again and clears its flags."""
    return run(commands.RestoreQuestion(id_), is_consistent=True)


@router.post("/escrow-calls/{escrowId}/retry", status_code=204)
def retry_escrow_call(escrow: Annotated[UUID, Path(alias="escrowId")], run: AdminRuns) -> Response:
    """Retries calls that the escrow provider rejected."""
    return run(escrow_commands.RetryEscrowCalls(escrow), status=204)
