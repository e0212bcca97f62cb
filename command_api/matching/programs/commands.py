"""Commands of the program directory."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.matching.programs.files import ParsedFile
from command_api.matching.programs.schemas import Added, Imported
from schemas.events.matching import Program


class ProgramCommand(Command[None]):
    """About one program of the directory."""

    program_id: UUID


class AddProgram(Command[Added]):
    """Adds a program whose page the sender has just read: it counts as checked today."""

    program: Program


class AddStarterPrograms(Command[int]):
    """Adds those programs of the starter set that the directory never had; returns their number."""

    programs: tuple[Program, ...]
    recorded_on: date


class ChangeProgram(ProgramCommand):
    """Changes the details of a program. A review confirms that they match its page."""

    program: Program


class ReviewProgram(ProgramCommand):
    """Confirms that the facts match the program's page today. `review_on`: the next review; none: in 180 days."""

    review_on: date | None


class RetireProgram(ProgramCommand):
    """Removes a program from recommendations; applications stay."""


class RestoreProgram(ProgramCommand):
    """Returns a retired program to the directory."""


class ImportPrograms(Command[Imported]):
    """Adds and changes the programs of a file, by company name; with a single fault, or in a dry run, none."""

    file: ParsedFile
    dry_run: bool
