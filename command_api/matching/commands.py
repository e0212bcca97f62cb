"""Commands of matching: what members do, and the program directory."""

from __future__ import annotations

from dataclasses import field
from datetime import date
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.matching.idea_profile import AnalyzedIdea
from command_api.matching.narration import ProgramNarration
from command_api.matching.program_files import ParsedFile
from command_api.matching.schemas import Added, Analyzed, Applied, Imported, Worded
from schemas.events.matching import ApplicationStatus, Program


class ProgramCommand(Command[None]):
    """About one program of the directory."""

    program_id: UUID


class RecordBusinessAnalysis(Command[Analyzed]):
    """Stores an idea with its analysis as the sender's profile."""

    idea: str = field(repr=False)
    understood: AnalyzedIdea = field(repr=False)


class RecordWording(Command[Worded]):
    """Stores a language model's wording of recommendations for the analysis of version `analyzed`. `narration`: none
    where no model was called; `silence` is the reason then."""

    analyzed: int
    narration: ProgramNarration | None = field(repr=False)
    silence: str | None = None


class ApplyToProgram(Command[Applied]):
    """Applies to a program; idempotent. After a rejection or withdrawal the sender applies again."""

    program_id: UUID


class FollowTrackedLink(Command[str]):
    """Counts a visit of the program's page with the application; returns the URL of the page."""

    application_id: UUID


class MoveApplication(Command[None]):
    """Records the status of an application, with a note."""

    application_id: UUID
    status: ApplicationStatus
    note: str = field(repr=False)


class MarkLesson(Command[None]):
    """Marks a lesson as done, or as not done."""

    course: str
    lesson: str
    done: bool


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
