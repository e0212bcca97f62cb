"""Request models of business ideas."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from command_api.kernel.http import RequestModel
from command_api.matching.ideas.board import MAX_NOTE_LENGTH
from infra.domain.program_ideas.answers import (
    MAX_HOURS,
    MAX_INTEREST_LENGTH,
    MAX_INTERESTS,
    MAX_LANGUAGES,
    MAX_MONEY,
    Answers,
)
from infra.domain.program_ideas.generator import MAX_IDEAS
from infra.domain.program_ideas.niches import SKILLS, Skill
from schemas.events.matching import DismissReason

IdeaKey = Annotated[str, Field(max_length=120, description="`id` of an idea")]
Interest = Annotated[str, Field(max_length=MAX_INTEREST_LENGTH)]


class RequestIdeas(RequestModel):
    """What the member likes, can do, and has."""

    interests: Annotated[list[Interest], Field(min_length=1, max_length=MAX_INTERESTS)]
    skills: Annotated[list[Skill], Field(max_length=len(SKILLS))]
    languages: Annotated[
        list[Annotated[str, Field(max_length=2)]],
        Field(min_length=1, max_length=MAX_LANGUAGES, description="Two letters each; the first is preferred"),
    ]
    hours: Annotated[int, Field(ge=1, le=MAX_HOURS, description="Per week")]
    money: Annotated[int, Field(ge=0, le=MAX_MONEY, description="To start, whole USD")]

    def answers(self) -> Answers:
        return Answers(tuple(self.interests), tuple(self.skills), tuple(self.languages), self.hours, self.money)


class ChooseIdea(RequestModel):
    """One idea."""

    idea: IdeaKey


class DismissIdea(RequestModel):
    """An idea that the member does not want, and why. The next round heeds the reason."""

    idea: IdeaKey
    reason: DismissReason
    note: Annotated[str, Field(max_length=MAX_NOTE_LENGTH, description="Required for `other`")] = ""


class WordIdeas(RequestModel):
    """Ideas that a language model is to word."""

    ideas: Annotated[list[IdeaKey], Field(min_length=1, max_length=MAX_IDEAS)]
