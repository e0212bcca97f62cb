"""`/api/platform/links/import`: import a CSV file of links, and see before what that would do."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.kernel.http import CommandRunner, Runs
from command_api.links.importing import commands
from command_api.links.importing.files import LinkFile, parse
from command_api.links.importing.schemas import ImportedLinks, ImportLinks, LinkImportPlan
from command_api.websites import model as websites
from infra.kernel.http.route_costs import DOCUMENT, costs

router = APIRouter(prefix="/api/platform/links/import", tags=["links"])


@router.post("/plan", response_model=LinkImportPlan, openapi_extra=costs(DOCUMENT))
def plan_link_import(body: ImportLinks, run: Runs) -> Response:
    """Returns the outcome of each line, and names each conflict by its line and column; changes nothing."""
    return run(commands.PlanLinkImport(body.website_id, _read(body, run), body.updates_existing), body)


@router.post("", response_model=ImportedLinks, openapi_extra=costs(DOCUMENT))
def import_links(body: ImportLinks, run: Runs) -> Response:
    """Creates the links of a file, and changes existing ones where that is wished: all lines or none. Errors name each
    refused line and column (`lines.3.slug`)."""
    command = commands.ImportLinkFile(body.website_id, _read(body, run), body.updates_existing)
    return run(command, body, is_consistent=True)


def _read(body: ImportLinks, run: CommandRunner) -> LinkFile:
    """The file, read once: a command may be decided several times. Of another account's website nothing is read."""
    websites.require_owned(run.container.load(body.website_id, websites.evolve), run.context)
    return parse(body.csv)
