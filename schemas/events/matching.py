"""The program directory, what members told about their business, which ideas they keep, where they applied, and what
they learnt."""

from __future__ import annotations

from datetime import date
from typing import ClassVar, Literal
from uuid import UUID

from pydantic import Field

from schemas.base import DomainEvent, Frozen, Money, Personal

CommissionType = Literal["percentage", "flat", "hybrid"]
Approval = Literal["easy", "medium", "hard"]
Payment = Literal["weekly", "biweekly", "monthly", "quarterly", "on_request"]
Origin = Literal["starter", "admin", "csv"]
ApplicationStatus = Literal["applied", "in_review", "approved", "rejected", "withdrawn"]
Difficulty = Literal["easy", "medium", "hard"]
Potential = Literal["high", "medium", "low"]
Method = Literal["rules", "model"]
DismissReason = Literal["not_interested", "too_competitive", "no_time", "no_money", "other"]


class Program(Frozen):
    """An affiliate program as its public page describes it."""

    company_name: str = Field(min_length=1, max_length=100)
    category: str = Field(max_length=40, description="Key of the taxonomy")
    audience: str = Field(default="", max_length=500)
    description: str = Field(max_length=2000)
    url: str = Field(max_length=2048, description="Where to apply")
    commission_type: CommissionType
    commission_bp: int = Field(default=0, ge=0, le=10_000, description="Basis points of the sale")
    commission_amount: Money | None = Field(default=None, description="Flat sum for each sale or lead")
    recurring: bool = Field(default=False, description="Recurs with each payment of the customer")
    cookie_days: int = Field(ge=0, le=3650, description="0: until the visitor's session ends")
    approval: Approval
    payment: Payment
    source: str = Field(max_length=500, description="Source of the data")
    partner_id: UUID | None = Field(default=None, description="The partner under which its results are measured here")


class ProgramListed(DomainEvent):
    """A program was added to the directory, by the starter set, an admin or a file."""

    NAME: ClassVar[str] = "program.listed"
    program: Program
    origin: Origin
    recorded_on: date = Field(description="Date of the recorded data")
    checked_on: date | None = Field(
        default=None, description="When a person compared them with the source; none: never"
    )
    review_on: date


class ProgramChanged(DomainEvent):
    """The program's data changed."""

    NAME: ClassVar[str] = "program.changed"
    program: Program
    origin: Origin


class ProgramReviewed(DomainEvent):
    """An admin compared the data with the program's own page."""

    NAME: ClassVar[str] = "program.reviewed"
    checked_on: date
    review_on: date


class ProgramRetired(DomainEvent):
    """The program is no longer recommended; applications remain."""

    NAME: ClassVar[str] = "program.retired"


class ProgramRestored(DomainEvent):
    """The program is recommended again."""

    NAME: ClassVar[str] = "program.restored"


class BusinessAnalyzed(DomainEvent):
    """A member's business idea was analyzed. The analysis replaces the previous one."""

    NAME: ClassVar[str] = "matching.business_analyzed"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    business_idea: Personal[str]
    industry: str = Field(max_length=40, description="Key of the taxonomy, or `general`")
    difficulty: Difficulty
    monetization: Potential
    wording: Personal[str] = Field(description="JSON: target_audience, content_strategy, key_success_factors")
    method: Method
    silent: str = Field(default="", description="Why no model answered, if one was requested")


class RecommendationsWorded(DomainEvent):
    """A language model was requested to word why programs fit the last analyzed idea."""

    NAME: ClassVar[str] = "matching.recommendations_worded"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    words: Personal[str] = Field(
        description="JSON: by program, `of` the evidence, `why`, and `said` instead of the rule-based text"
    )
    silent: str = Field(default="", description="Why there is no text from a model")


class IdeasRequested(DomainEvent):
    """A member requested business ideas. A new round: its scores heed the reasons of all dismissals so far."""

    NAME: ClassVar[str] = "ideas.requested"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    answers: Personal[str] = Field(description="JSON: interests, skills, languages, hours, money")


class IdeasWorded(DomainEvent):
    """A language model was requested to word ideas of the last round."""

    NAME: ClassVar[str] = "ideas.worded"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    words: Personal[str] = Field(description="JSON: by idea, `of` the evidence, `pitch`, `audience`, `titles`")
    silent: str = Field(default="", description="Why there is no text from a model")


class IdeaSaved(DomainEvent):
    """A member keeps an idea."""

    NAME: ClassVar[str] = "idea.saved"
    account_id: UUID
    idea: str = Field(max_length=120, description="Key of the niche")


class IdeaDismissed(DomainEvent):
    """A member does not want an idea; the next round heeds the reason."""

    NAME: ClassVar[str] = "idea.dismissed"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    idea: str = Field(max_length=120, description="Key of the niche")
    reason: DismissReason
    note: Personal[str]


class IdeaReleased(DomainEvent):
    """An idea is neither saved nor dismissed any more."""

    NAME: ClassVar[str] = "idea.released"
    account_id: UUID
    idea: str = Field(max_length=120, description="Key of the niche")


class ApplicationMade(DomainEvent):
    """A member applied to a program."""

    NAME: ClassVar[str] = "application.made"
    account_id: UUID
    program_id: UUID


class ApplicationPageOpened(DomainEvent):
    """The member followed the tracked link to the program's page."""

    NAME: ClassVar[str] = "application.page_opened"
    account_id: UUID


class ApplicationMoved(DomainEvent):
    """The member recorded the application's result, or that it was sent again."""

    NAME: ClassVar[str] = "application.moved"
    SUBJECT: ClassVar[str] = "account_id"
    account_id: UUID
    status: ApplicationStatus
    note: Personal[str]


class LessonCompleted(DomainEvent):
    """A member completed a lesson of the learning hub. An aggregate of all lessons of one account."""

    NAME: ClassVar[str] = "lesson.completed"
    account_id: UUID
    course: str = Field(max_length=80)
    lesson: str = Field(max_length=80)


class LessonReopened(DomainEvent):
    """The lesson counts as unread again."""

    NAME: ClassVar[str] = "lesson.reopened"
    account_id: UUID
    course: str = Field(max_length=80)
    lesson: str = Field(max_length=80)
