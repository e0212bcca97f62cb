"""Commands of business ideas."""

from __future__ import annotations

from dataclasses import field

from command_api.kernel.command_handlers import Command
from command_api.matching.ideas.narration import IdeaNarration
from command_api.matching.schemas import Worded
from infra.domain.program_ideas.answers import Answers
from schemas.events.matching import DismissReason


class IdeaCommand(Command[None]):
    """About one idea, by the key of its niche."""

    idea: str


class RequestIdeas(Command[None]):
    """Stores the answers and begins a new round of ideas."""

    answers: Answers = field(repr=False)


class RecordIdeaWording(Command[Worded]):
    """Stores a language model's wording of ideas for the round of version `requested`. `narration`: none where no model
    was called; `silence` is the reason then."""

    requested: int
    narration: IdeaNarration | None = field(repr=False)
    silence: str | None = None


class SaveIdea(IdeaCommand):
    """Keeps an idea, also a dismissed one."""


class DismissIdea(IdeaCommand):
    """Hides an idea, also a saved one; the next round heeds the reason."""

    reason: DismissReason
    note: str = field(repr=False)


class ReleaseIdea(IdeaCommand):
    """Takes back that an idea was saved or dismissed."""
