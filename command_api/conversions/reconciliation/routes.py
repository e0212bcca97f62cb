"""`/api/platform/reconciliation`: the website's owner accepts the differences of a partner's month, or no longer."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.conversions.reconciliation import commands, schemas
from command_api.kernel.http import Runs
from infra.kernel.http.route_costs import MONEY, routes_of

router = APIRouter(prefix="/api/platform/reconciliation", tags=["reconciliation"], route_class=routes_of(MONEY))


@router.post("/accept", response_model=schemas.MonthAcceptance)
def accept_reconciliation(body: schemas.AcceptMonth, run: Runs) -> Response:
    """Accepts the open differences of a month: it counts as agreed until its figures change."""
    return run(commands.AcceptReconciliation(body), body, is_consistent=True)


@router.post("/reopen", response_model=schemas.MonthAcceptance)
def reopen_reconciliation(body: schemas.MonthOfPartner, run: Runs) -> Response:
    """Accepts them no longer."""
    return run(commands.ReopenReconciliation(body), body, is_consistent=True)
