"""`POST /api/admin/exchange-rates` and `/import`: dated rates that commissions are converted at. Admins only.

`POST /api/admin/projections/{name}/{action}`: requests something of the running projectors. The request is a row of
`engine.request`, written in the command's own transaction; `projectors.engine` carries it out exactly once and says in
the row what came of it, and `operation_recorder` makes the event with the admin's account and reason. So an event never
tells what did not happen. `GET /api/admin/projections/{name}` shows the row meanwhile. A rebuild run
(`POST /api/admin/rebuild-runs`) is a list of such rows, carried out one after the other.
"""

from __future__ import annotations

from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Path, Response

from command_api.kernel.decision import invalid
from command_api.kernel.http import Admin, Runs
from command_api.operations import commands, schemas
from command_api.operations.exchange_rates import commands as rate_commands
from command_api.operations.exchange_rates import files as rate_files
from command_api.operations.exchange_rates import schemas as rate_schemas
from command_api.operations.schemas import Action, ProjectionRequest, RebuildRun, StopComparing
from infra.kernel.http.route_costs import DOCUMENT, costs
from schemas.http.operations import ExchangeRate

router = APIRouter(prefix="/api/admin", tags=["operations"])

Name = Annotated[str, Path(max_length=100)]


@router.post("/exchange-rates", status_code=201, response_model=ExchangeRate)
def record_exchange_rate(body: rate_schemas.RecordRate, _: Admin, run: Runs) -> Response:
    """Records a rate. Decided conversions keep the rate of their decision; those awaiting a rate are decided now."""
    return run(rate_commands.RecordExchangeRate(body), body, status=201)


@router.post("/exchange-rates/import", response_model=rate_schemas.ImportedRates, openapi_extra=costs(DOCUMENT))
def import_exchange_rates(body: rate_schemas.ImportRates, _: Admin, run: Runs) -> Response:
    """Checks a CSV file of rates line by line, or stores its valid lines. Send a long file in parts of 1,000 lines."""
    return run(rate_commands.ImportExchangeRates(rate_files.parse(body.csv), body.dry_run), body)


@router.post("/projections/{name}/verify/cancel", status_code=202, response_model=ProjectionRequest)
def cancel_projection_comparison(name: Name, _: Admin, run: Runs, body: StopComparing | None = None) -> Response:
    """Stops a comparison that is under way, before its next table."""
    return run(commands.CancelComparison(name, body.reason if body else ""), body, status=202)


@router.post("/projections/{name}/{action}", status_code=202, response_model=ProjectionRequest)
def ask_projection(name: Name, action: Action, body: schemas.RequestProjectionAction, _: Admin, run: Runs) -> Response:
    """Requests an operation of a projection: done within a second or two; a rebuild and a comparison start then.

    pause, resume: all its generations. rebuild: a new generation beside the live one. verify: compares that one with
    the live one. promote, cancel: of that one. rollback: back to the generation before.
    """
    reason, client = _reason(body.reason), run.client
    command = commands.RequestProjectionAction(uuid4(), name, action, reason, body.force, client.network, client.device)
    return run(command, body, status=202)


@router.post("/rebuild-runs", status_code=202, response_model=RebuildRun)
def rebuild_projections(body: schemas.RebuildProjections, _: Admin, run: Runs) -> Response:
    """Rebuilds projections one after the other. A failure is named, and the next one begins. One run at a time."""
    names = tuple(dict.fromkeys(body.names))
    command = commands.RebuildProjections(uuid4(), names, _reason(body.reason), body.promotes, run.client)
    return run(command, body, status=202)


@router.post("/rebuild-runs/cancel", status_code=202, response_model=RebuildRun)
def cancel_rebuild_run(_: Admin, run: Runs, body: StopComparing | None = None) -> Response:
    """Ends the rebuild run in progress: cancels its current build; completed rebuilds stay."""
    return run(commands.CancelRebuildRun(body.reason if body else "", run.client), body, status=202)


def _reason(text: str) -> str:
    reason = text.strip()
    if not reason:
        raise invalid("no_reason", "Enter a reason.", "reason")
    return reason
