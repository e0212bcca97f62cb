"""`/api/platform/conversions`: decisions of the website's owner, or an admin, on one conversion or many."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.conversions import commands, schemas
from command_api.kernel.http import Id, Runs
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/conversions", tags=["conversions"])


@router.post("/approve", response_model=schemas.BulkResult)
def approve_conversions(body: schemas.ApproveMany, run: Runs) -> Response:
    """Approves up to 500 conversions; each that cannot be approved gets its reason."""
    return run(commands.ApproveConversions(body), body, consistent_with=_consistent_with(body))


@router.post("/reject", response_model=schemas.BulkResult)
def reject_conversions(body: schemas.RejectMany, run: Runs) -> Response:
    """Rejects up to 500 conversions for one reason."""
    return run(commands.RejectConversions(body), body, consistent_with=_consistent_with(body))


@router.post("/decisions", status_code=201, response_model=schemas.ScheduledDecisionState)
def schedule_decision(body: schemas.DecideMany, run: Runs) -> Response:
    """Approves or rejects up to 500 conversions of a website. It is final after 10 seconds and can be undone before;
    until then nothing counts. Sales without a click are approved only if `unattributed` says so."""
    command = commands.ScheduleDecision(uuid7(), body)
    return run(command, body, status=201, consistent_with=("conversion_decisions",))


@router.post("/decisions/{id}/undo", response_model=schemas.DecisionState)
def undo_decision(decision_id: Id, run: Runs, body: schemas.Approve | None = None) -> Response:
    """Undoes a decision that is not final: no conversion has changed."""
    return run(commands.UndoDecision(decision_id), body, consistent_with=("conversion_decisions",))


@router.post("/{id}/approve", response_model=schemas.Conversion)
def approve_conversion(conversion_id: Id, run: Runs, body: schemas.Approve | None = None) -> Response:
    """The commission is earned."""
    return run(commands.ApproveConversion(conversion_id), body)


@router.post("/{id}/reject", response_model=schemas.Conversion)
def reject_conversion(conversion_id: Id, body: schemas.Reject, run: Runs) -> Response:
    """The conversion earns nothing."""
    return run(commands.RejectConversion(conversion_id, body.reason), body)


@router.post("/{id}/reverse", response_model=schemas.Conversion)
def reverse_conversion(conversion_id: Id, body: schemas.Reverse, run: Runs) -> Response:
    """Reverses the sale, wholly or in part; the commission follows in proportion."""
    return run(commands.ReverseConversion(conversion_id, body.reason, body.amount), body)


@router.post("/{id}/adjustment/accept", response_model=schemas.Conversion)
def accept_adjustment(conversion_id: Id, run: Runs, body: schemas.Approve | None = None) -> Response:
    """The click that came after the approval earns the conversion."""
    return run(commands.AcceptAdjustment(conversion_id), body)


@router.post("/{id}/adjustment/dismiss", response_model=schemas.Conversion)
def dismiss_adjustment(conversion_id: Id, run: Runs, body: schemas.Approve | None = None) -> Response:
    """The conversion stays as it was approved; the same click is not proposed again."""
    return run(commands.DismissAdjustment(conversion_id), body)


def _consistent_with(selection: schemas.Selection) -> tuple[str, ...]:
    """The same filter, sent again for the rest, must not find the conversions decided just now."""
    return ("conversions",) if selection.filter is not None else ()
