"""`/api/platform/networks/imports`: reports of networks; previewed, applied, cancelled and undone as a whole."""

from __future__ import annotations

from datetime import datetime, timedelta
from json import loads
from time import monotonic, sleep
from typing import Annotated, BinaryIO, Final
from uuid import UUID

from fastapi import APIRouter, File, Form, Response, UploadFile

from command_api.kernel.decision import invalid
from command_api.kernel.form_json import model_of
from command_api.kernel.http import CommandRunner, Id, Runs
from command_api.kernel.rate_limits import Limit, consume
from command_api.networks import commands, model, staging
from command_api.networks.handlers import state_of
from command_api.networks.model import NetworkImportAggregate
from command_api.networks.schemas import ChangeReportMapping, UploadedReport
from infra.domain.report_files import stored_files
from infra.kernel.http.route_costs import REPORT, costs
from schemas.events.networks import ReportMapping
from schemas.http.networks import NetworkImport
from schemas.http.report_imports import RejectedImportLine
from schemas.report_imports import ImportState, ReportFile
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/networks/imports", tags=["networks"])
UPLOADS: Final = Limit("network-report", timedelta(seconds=2), 200)
READ_WAIT_S: Final = 8.0
"""A short file is read while its sender waits; of a longer one the state is `reading`."""
POLL_INTERVAL_S: Final = 0.1


@router.post("", status_code=201, response_model=NetworkImport, openapi_extra=costs(REPORT))
def upload_network_report(
    run: Runs,
    file: Annotated[UploadFile, File(description="CSV, TSV, XLSX or JSON, also compressed by gzip")],
    network: Annotated[str, Form(max_length=32, description="Slug of the network, e.g. awin")],
    website_id: Annotated[UUID, Form(alias="websiteId")],
    mapping: Annotated[str | None, Form(max_length=50_000, description="JSON: how the file is read")] = None,
    partner_id: Annotated[
        UUID | None, Form(alias="partnerId", description="Who pays rows of no known advertiser")
    ] = None,
    as_of: Annotated[datetime | None, Form(alias="asOf", description="When the network made the report")] = None,
    dry_run: Annotated[bool, Form(alias="dryRun", description="false: apply it without a preview")] = True,
) -> Response:
    """Reads a report of a network and says what it would change. Nothing counts until it is applied."""
    given = model_of(ReportMapping, mapping, "mapping", "docs/conversions.md")
    consume(run.container.pool, UPLOADS, str(run.person.account_id))
    content, import_id = file.file, uuid7()
    described = _described(file.filename or "", content)
    parts = stored_files.sealed_parts(run.container.settings, import_id, content)
    command = commands.UploadNetworkReport(
        import_id, website_id, network, described, parts, given, partner_id, as_of, applies=not dry_run
    )
    identity = UploadedReport.model_construct(
        sha256=described.sha256,
        network=network,
        website_id=website_id,
        mapping=given,
        partner_id=partner_id,
        as_of=as_of,
        dry_run=dry_run,
    )
    return _once_read(run, run(command, identity, status=201, is_consistent=True))


@router.patch("/{id}", response_model=NetworkImport)
def change_report_mapping(import_id: Id, body: ChangeReportMapping, run: Runs) -> Response:
    """Corrects how the file is read, and reads it again. Of an applied import: undo it first."""
    return _once_read(run, run(commands.RemapNetworkImport(import_id, body.mapping), body, is_consistent=True))


@router.post("/{id}/apply", response_model=NetworkImport)
def apply_network_import(import_id: Id, run: Runs) -> Response:
    """Lets its rows count. It is `applied` once every sale is decided."""
    return run(commands.ApplyNetworkImport(import_id), is_consistent=True)


@router.post("/{id}/cancel", response_model=NetworkImport)
def cancel_network_import(import_id: Id, run: Runs) -> Response:
    """Gives it up; rows that count already are withdrawn."""
    return run(commands.CancelNetworkImport(import_id), is_consistent=True)


@router.post("/{id}/undo", response_model=NetworkImport)
def undo_network_import(import_id: Id, run: Runs) -> Response:
    """Takes the whole import back, as if it had never been."""
    return run(commands.UndoNetworkImport(import_id), is_consistent=True)


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
    body = state_of(held, rejected_lines(run, held)).model_dump_json(by_alias=True)
    headers = {name: value for name, value in response.headers.items() if name.lower() != "content-length"}
    return Response(body, response.status_code, headers, "application/json")


def rejected_lines(run: CommandRunner, held: NetworkImportAggregate) -> list[RejectedImportLine]:
    """The first lines that cannot count."""
    rows = run.container.select(staging.REJECTED_LINES, held.id, staging.MAX_REJECTED_SHOWN)
    return [RejectedImportLine(line=line, code=code, message=message) for line, code, message in rows]


def _described(name: str, content: BinaryIO) -> ReportFile:
    """Raises `CommandRejected` for an empty file."""
    try:
        return stored_files.described(name, content)
    except stored_files.EmptyReport as error:
        raise invalid("empty_file", "The file is empty.", "file") from error
