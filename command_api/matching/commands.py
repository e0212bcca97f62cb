"""Commands of matching: what members do."""

from __future__ import annotations

from dataclasses import field
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.matching.narration import ProgramNarration
from command_api.matching.profile import AnalyzedIdea
from command_api.matching.schemas import Analyzed, Applied, Worded
from schemas.events.matching import ApplicationStatus


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
