"""Request and response models of matching."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from command_api.matching import members
from command_api.matching.application_links import tracked_link
from command_api.matching.profile import AnalyzedIdea
from command_api.matching.programs import model as programs
from infra.domain.program_matching.taxonomy import label_of
from schemas.events.matching import (
    ApplicationStatus,
)
from schemas.http.matching import BusinessAnalysis
from schemas.http.responses import ResponseModel

MAX_WORDED: Final = 8
"""Programs per request: those that the page shows first."""

Slug = Annotated[str, Field(max_length=80)]


class AnalyzeBusiness(RequestModel):
    """A business idea in free text."""

    business_idea: Annotated[str, Field(max_length=20_000, description="10 to 4,000 characters after trimming")]


class Analyzed(ResponseModel):
    """The analysis, which also becomes the member's profile."""

    analysis: BusinessAnalysis


class WordRecommendations(RequestModel):
    """Programs whose recommendation a language model is to word."""

    program_ids: Annotated[
        list[Annotated[UUID, Field(strict=False)]],
        Field(min_length=1, max_length=MAX_WORDED, description="The programs that are shown first"),
    ]


class Worded(ResponseModel):
    """How many recommendations a language model worded. The others keep the standard texts."""

    worded: int = Field(description="Programs with a text that a language model wrote")
    silence: str | None = Field(description="Why no language model was heard; null where one was")


class Apply(RequestModel):
    """The program that the member applies to."""

    program_id: Annotated[UUID, Field(strict=False)]


class MoveApplication(RequestModel):
    """The application's next status, with an optional note of the member."""

    status: ApplicationStatus
    note: Annotated[str, Field(max_length=members.MAX_NOTE_LENGTH)] = ""


class Applied(ResponseModel):
    """The application, and where the member continues it."""

    id: UUID
    program_id: UUID
    status: ApplicationStatus
    url: str = Field(description="The tracked link to the program's page: a path of this app, for the browser")


class MarkLesson(RequestModel):
    """A lesson to mark as done, or as not done."""

    course: Slug
    lesson: Slug
    done: bool = True


def to_analysis(understood: AnalyzedIdea) -> BusinessAnalysis:
    analysis = understood.analysis
    return BusinessAnalysis(
        industry=label_of(analysis.industry),
        industry_key=analysis.industry,
        target_audience=analysis.target_audience,
        difficulty_level=analysis.difficulty,
        monetization_potential=analysis.monetization,
        content_strategy=list(analysis.content_strategy),
        key_success_factors=list(analysis.success_factors),
        method=understood.method,
        silence=understood.silence or None,
    )


def to_applied(application: members.Application, listing: programs.ListedProgram) -> Applied:
    return Applied(
        id=application.id, program_id=listing.id, status=application.status, url=tracked_link(application.id)
    )
