"""`/api/platform/conversions`: decisions of the website's owner, or an admin, on one conversion or many."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Path, Request, Response

from command_api.conversions import commands, model, schemas
from command_api.conversions.attribution.assignment import read_click
from command_api.conversions.attribution.click_reader import Clicks, FoundClick
from command_api.conversions.attribution.correction import Corrected
from command_api.kernel.http import Id, Runs
from command_api.websites import model as websites
from infra.kernel.http.route_costs import MONEY, routes_of
from infra.kernel.http.worker_slots import release_worker_slot
from infra.kernel.security.encryption import derived_key
from schemas.base import Money
from schemas.http.conversions import Conversion
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/conversions", tags=["conversions"], route_class=routes_of(MONEY))


@router.post("/approve", response_model=schemas.BulkResult)
def approve_conversions(body: schemas.ApproveMany, run: Runs) -> Response:
    """Approves up to 500 conversions; each that cannot be approved gets its reason."""
    # The same filter, sent again for the rest, must not find the conversions decided just now.
    return run(commands.ApproveConversions(body), body, is_consistent=body.filter is not None)


@router.post("/reject", response_model=schemas.BulkResult)
def reject_conversions(body: schemas.RejectMany, run: Runs) -> Response:
    """Rejects up to 500 conversions for one reason."""
    return run(commands.RejectConversions(body), body, is_consistent=body.filter is not None)


@router.post("/decisions", status_code=201, response_model=schemas.ScheduledDecisionState)
def schedule_decision(body: schemas.DecideMany, run: Runs) -> Response:
    """Approves or rejects up to 500 conversions of a website. It is final after 10 seconds and can be undone before;
    until then nothing counts. Sales without a click are approved only if `unattributed` says so."""
    command = commands.ScheduleDecision(uuid7(), body)
    return run(command, body, status=201, is_consistent=True)


@router.post("/decisions/{id}/undo", response_model=schemas.DecisionState)
def undo_decision(decision_id: Id, run: Runs, body: schemas.Approve | None = None) -> Response:
    """Undoes a decision that is not final: no conversion has changed."""
    return run(commands.UndoDecision(decision_id), body, is_consistent=True)


@router.post("/{id}/approve", response_model=Conversion)
def approve_conversion(conversion_id: Id, run: Runs, body: schemas.Approve | None = None) -> Response:
    """Approves the conversion: its commission is earned."""
    return run(commands.ApproveConversion(conversion_id), body)


@router.post("/{id}/reject", response_model=Conversion)
def reject_conversion(conversion_id: Id, body: schemas.Reject, run: Runs) -> Response:
    """Rejects the conversion: it earns nothing."""
    return run(commands.RejectConversion(conversion_id, body.reason), body)


@router.post("/{id}/reverse", response_model=Conversion)
def reverse_conversion(conversion_id: Id, body: schemas.Reverse, run: Runs) -> Response:
    """Reverses the sale, wholly or in part; the commission follows in proportion."""
    return run(commands.ReverseConversion(conversion_id, body.reason, body.amount), body)


@router.post("/{id}/assign", response_model=Conversion)
def assign_conversion(conversion_id: Id, body: schemas.AssignConversion, request: Request, run: Runs) -> Response:
    """Credits a conversion without a click to a click or a link of its website. The commission follows from the terms
    at the time of the click, or of the sale for a link. A later click does not replace it.
    """

    def prepared() -> commands.AssignConversion:
        return commands.AssignConversion(
            conversion_id, body.reason, body.click_id or "", body.link_id, _found(conversion_id, body, request, run)
        )

    return run.prepared(prepared, body)


@router.post("/{id}/reports/{reportId}/correct", response_model=Conversion)
def correct_report(
    conversion_id: Id, report_id: Annotated[UUID, Path(alias="reportId")], body: schemas.CorrectReport, run: Runs
) -> Response:
    """Says what a report means whose amount, payout or status could not be read. It counts as if the report had said
    so; the report stays as it was sent."""
    says = Corrected(_money(body.amount), _money(body.payout), body.status)
    return run(commands.CorrectReport(conversion_id, report_id, says), body)


@router.post("/{id}/read-again", response_model=Conversion)
def read_reports_again(conversion_id: Id, run: Runs, body: schemas.ReadAgain | None = None) -> Response:
    """Reads the values again that could not be read, for example after the partner's network was corrected."""
    return run(commands.ReadReportsAgain(conversion_id, body.preset if body is not None else None), body)


@router.post("/{id}/adjustment/accept", response_model=Conversion)
def accept_adjustment(conversion_id: Id, run: Runs, body: schemas.Approve | None = None) -> Response:
    """Accepts the proposed click, which arrived after the approval."""
    return run(commands.AcceptAdjustment(conversion_id), body)


@router.post("/{id}/adjustment/dismiss", response_model=Conversion)
def dismiss_adjustment(conversion_id: Id, run: Runs, body: schemas.Approve | None = None) -> Response:
    """Keeps the approved commission; the same click is not proposed again."""
    return run(commands.DismissAdjustment(conversion_id), body)


def _money(said: schemas.SaidAmount | None) -> Money | None:
    return None if said is None else Money(amount=said.amount, currency=said.currency)


def _found(conversion_id: UUID, body: schemas.AssignConversion, request: Request, run: Runs) -> FoundClick | None:
    conversion = run.container.load(conversion_id, model.evolve)
    website = run.container.load(conversion.facts.website_id, websites.evolve) if conversion else None
    website_id = model.require_owned(conversion, website, run.context).facts.website_id
    if body.click_id is None:
        return None
    clicks: Clicks = request.app.state.clicks
    with release_worker_slot():
        return read_click(clicks, derived_key(run.container.settings, "click-id"), website_id, body.click_id)
