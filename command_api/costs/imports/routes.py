"""`/api/platform/costs/imports`: costs of ad platforms; previewed, applied, cancelled and undone as a whole."""

from __future__ import annotations

from datetime import timedelta
from json import loads
from time import monotonic, sleep
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, File, Form, Response, UploadFile

from command_api.costs.imports import commands, model, staging
from command_api.costs.imports.handlers import state_of
from command_api.costs.imports.schemas import ChangeCostMapping, UploadedCosts
from command_api.kernel.decision import invalid
from command_api.kernel.form_json import model_of
from command_api.kernel.http import CommandRunner, Id, Runs
from command_api.kernel.rate_limits import Limit, consume
from infra.domain.report_files import stored_files
from infra.kernel.http.route_costs import REPORT, costs
from schemas.events.costs import CostMapping
from schemas.http.costs import CostImport
from schemas.http.report_imports import RejectedImportLine
from schemas.report_imports import ImportState
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/costs/imports", tags=["costs"])
UPLOADS: Final = Limit("cost-import", timedelta(seconds=2), 200)
READ_WAIT_S: Final = 8.0
"""A short file is read while its sender waits; of a longer one the state is `reading`."""
POLL_INTERVAL_S: Final = 0.1


@router.post("", status_code=201, response_model=CostImport, openapi_extra=costs(REPORT))
def upload_costs(
    run: Runs,
    file: Annotated[UploadFile, File(description="CSV, TSV, XLSX or JSON, also compressed by gzip")],
    platform: Annotated[str, Form(max_length=32, description="google_ads, microsoft, meta, tiktok or generic")],
    website_id: Annotated[UUID, Form(alias="websiteId")],
    mapping: Annotated[str | None, Form(max_length=50_000, description="JSON: how the file is read")] = None,
    dry_run: Annotated[bool, Form(alias="dryRun", description="false: apply it without a preview")] = True,
) -> Response:
    """Reads a platform's costs by day and says what they would change. Nothing counts until it is applied."""
    given = model_of(CostMapping, mapping, "mapping", "docs/costs.md")
    consume(run.container.pool, UPLOADS, str(run.person.account_id))
    content, import_id = file.file, uuid7()
    try:
        described = stored_files.described(file.filename or "", content)
    except stored_files.EmptyReport as error:
        raise invalid("empty_file", "The file is empty.", "file") from error
    parts = stored_files.sealed_parts(run.container.settings, import_id, content)
    command = commands.UploadCosts(import_id, website_id, platform, described, parts, given, applies=not dry_run)
    identity = UploadedCosts.model_construct(
        sha256=described.sha256, platform=platform, website_id=website_id, mapping=given, dry_run=dry_run
    )
    return _once_read(run, run(command, identity, status=201, is_consistent=True))


@router.patch("/{id}", response_model=CostImport)
def change_cost_mapping(import_id: Id, body: ChangeCostMapping, run: Runs) -> Response:
    """Corrects how the file is read, and reads it again. Of an applied import: undo it first."""
    return _once_read(run, run(commands.RemapCostImport(import_id, body.mapping), body, is_consistent=True))


@router.post("/{id}/apply", response_model=CostImport)
def apply_cost_import(import_id: Id, run: Runs) -> Response:
    """Lets its costs count, all of them at once."""
    return run(commands.ApplyCostImport(import_id), is_consistent=True)


@router.post("/{id}/cancel", response_model=CostImport)
def cancel_cost_import(import_id: Id, run: Runs) -> Response:
    """Gives it up."""
    return run(commands.CancelCostImport(import_id), is_consistent=True)


@router.post("/{id}/undo", response_model=CostImport)
def undo_cost_import(import_id: Id, run: Runs) -> Response:
    """Takes the whole import back: the amounts that it replaced count again."""
    return run(commands.UndoCostImport(import_id), is_consistent=True)


def _once_read(run: CommandRunner, response: Response) -> Response:
    """The import once it is read, if that is soon."""
    import_id = UUID(loads(bytes(response.body))["importId"])
    deadline = monotonic() + READ_WAIT_S
    held = run.container.load(import_id, model.evolve)
    while held is not None and held.state is ImportState.READING and monotonic() < deadline:
        sleep(POLL_INTERVAL_S)
        held = run.container.load(import_id, model.evolve)
    if held is None:
        return response
    rows = run.container.select(staging.REJECTED_LINES, import_id, staging.MAX_REJECTED_SHOWN)
    rejected = [RejectedImportLine(line=line, code=code, message=message) for line, code, message in rows]
    body = state_of(held, rejected).model_dump_json(by_alias=True)
    headers = {name: value for name, value in response.headers.items() if name.lower() != "content-length"}
    return Response(body, response.status_code, headers, "application/json")
