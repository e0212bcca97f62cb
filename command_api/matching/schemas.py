"""Request and response models of matching."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Final
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from command_api.matching import members, programs
from command_api.matching.application_links import tracked_link
from command_api.matching.idea_profile import AnalyzedIdea
from command_api.matching.program_files import MAX_CHARACTERS
from command_api.partners import model as partners
from infra.domain.program_matching.taxonomy import label_of
from schemas.base import Money
from schemas.events.matching import (
    ApplicationStatus,
    Approval,
    CommissionType,
    Payment,
    Program,
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


Share = Annotated[float, Field(ge=0, le=100, description="Percent of the sale, in steps of 0.01")]
Currency = Annotated[str, Field(pattern="^[A-Z]{3}$")]


class Sum(RequestModel):
    """An amount of money. `currency`: an ISO 4217 code."""

    amount: Annotated[int, Field(ge=1, le=10**12, description="Minor units")]
    currency: Currency


class ProgramGiven(RequestModel):
    """The details of a program, as stated on its page."""

    company_name: Annotated[str, Field(min_length=1, max_length=100)]
    category: Annotated[str, Field(max_length=40, description="Key of the taxonomy")]
    description: Annotated[str, Field(max_length=2_000)]
    audience: Annotated[str, Field(max_length=500)] = ""
    url: Annotated[str, Field(max_length=2_048, description="Where one applies")]
    commission_type: CommissionType
    commission_rate: Share = 0
    commission_amount: Sum | None = None
    recurring: bool = False
    cookie_days: Annotated[int, Field(ge=0, le=3_650, description="0: until the visit ends")]
    approval: Approval
    payment: Payment
    source: Annotated[str, Field(max_length=500, description="Where these facts are from")]
    partner_id: Annotated[UUID | None, Field(strict=False, description="Partner that measures it here")] = None

    def program(self) -> Program:
        """Raises `CommandRejected`."""
        fields = self.model_dump(exclude={"commission_rate", "commission_amount"})
        amount = self.commission_amount
        basis_points = partners.percent_terms(self.commission_rate).rate_bp
        money = Money(amount=amount.amount, currency=amount.currency) if amount is not None else None
        return Program(**fields, commission_bp=basis_points, commission_amount=money)


class Review(RequestModel):
    """When the program's details must be checked again."""

    review_on: Annotated[date | None, Field(strict=False, description="Left out: in 180 days")] = None


class ImportPrograms(RequestModel):
    """A CSV file. With `dryRun` it is checked and nothing is stored."""

    csv: Annotated[str, Field(max_length=MAX_CHARACTERS)]
    dry_run: bool = True


class Added(ResponseModel):
    """The id of the new program."""

    id: UUID


class LineFault(ResponseModel):
    """What is wrong with one line of the file. `column`: null if it is about the whole line."""

    line: int
    column: str | None
    message: str


class Imported(ResponseModel):
    """The result of an import. With a single fault nothing is imported."""

    added: int
    changed: int
    unchanged: int
    faults: list[LineFault]
    applied: bool


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
