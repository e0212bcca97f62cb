"""`/api/admin/programs/*`: admins maintain the program directory, one by one or with a file."""

from __future__ import annotations

from fastapi import APIRouter, Response

from command_api.kernel.http import Admin, Id, Runs
from command_api.matching.programs import commands
from command_api.matching.programs import files as program_files
from command_api.matching.programs.schemas import Added, Imported, ImportPrograms, ProgramGiven, Review
from infra.kernel.http.route_costs import DOCUMENT, costs

router = APIRouter(prefix="/api/admin/programs", tags=["matching"])


@router.post("", status_code=201, response_model=Added)
def add_program(body: ProgramGiven, _: Admin, run: Runs) -> Response:
    """Adds a program that the admin has just verified against its page."""
    return run(commands.AddProgram(body.program()), body, status=201, is_consistent=True)


@router.put("/{id}", status_code=204)
def change_program(program: Id, body: ProgramGiven, _: Admin, run: Runs) -> Response:
    """Changes the details of a program. A review confirms that they match its page."""
    command = commands.ChangeProgram(program, body.program())
    return run(command, body, status=204, is_consistent=True)


@router.post("/{id}/review", status_code=204)
def review_program(program: Id, body: Review, _: Admin, run: Runs) -> Response:
    """Records that the details were compared with the program's page today."""
    command = commands.ReviewProgram(program, body.review_on)
    return run(command, body, status=204, is_consistent=True)


@router.post("/{id}/retire", status_code=204)
def retire_program(program: Id, _: Admin, run: Runs) -> Response:
    """Removes the program from recommendations; applications are kept."""
    return run(commands.RetireProgram(program), status=204, is_consistent=True)


@router.post("/{id}/restore", status_code=204)
def restore_program(program: Id, _: Admin, run: Runs) -> Response:
    return run(commands.RestoreProgram(program), status=204, is_consistent=True)


@router.post("/import", response_model=Imported, openapi_extra=costs(DOCUMENT))
def import_programs(body: ImportPrograms, _: Admin, run: Runs) -> Response:
    """Adds and changes programs by a CSV file, by company name; nothing is retired. First line: the names of columns
    (see `docs/matching.md`). A dry run returns the result without storing it. With errors nothing is imported."""
    command = commands.ImportPrograms(program_files.parse(body.csv), body.dry_run)
    return run(command, body, is_consistent=True)
