"""`GET /api/platform/affiliate/*`: the member's profile, recommendations for it, and what became of applications."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from infra.matching.taxonomy import label_of
from infra.problems import Problem
from query_api import money
from query_api.context import Context, Reads, Services, Theirs
from query_api.matching.directory import active_programs
from query_api.matching.results import own_results
from query_api.matching.scoring import Idea, Listed, Match, PartName, Results, Verdict, cons, pros, ranked
from query_api.owned import Owned
from schemas.base import ERASED
from schemas.currencies import digits
from schemas.events.matching import ApplicationStatus, Approval, CommissionType, Difficulty, Method, Payment, Potential

router = APIRouter(prefix="/api/platform/affiliate", tags=["matching"])

_PROFILE: Final = "SELECT * FROM read.matching_profiles WHERE account_id = %s"
_APPLICATIONS: Final = """
SELECT a.*, p.company_name, p.category, p.retired FROM read.applications AS a
LEFT JOIN read.programs AS p ON p.id = a.program_id
WHERE a.account_id = %s ORDER BY a.applied_at DESC, a.id LIMIT 500"""
_STEPS: Final = """
SELECT application_id, status, note, at FROM read.application_steps
WHERE account_id = %s ORDER BY application_id, number"""


class BusinessProfile(BaseModel):
    """The business idea as it was understood last (spec §3)."""

    business_idea: str
    industry: str
    industry_key: str
    target_audience: str
    difficulty_level: Difficulty
    monetization_potential: Potential
    content_strategy: list[str]
    key_success_factors: list[str]
    method: Method
    silence: str | None = Field(description="Why no language model was heard; null where one was")
    analyzed_at: datetime


class ProfileAnswer(BaseModel):
    profile: BusinessProfile | None = Field(description="Null until an idea was analyzed")


class ScorePart(BaseModel):
    """One part of a match score: `weight` × `value`; all parts together are the score."""

    name: PartName
    weight: float
    value: float = Field(description="0 to 1")
    points: float = Field(description="weight × value, four decimals")
    why: str


class OwnResults(BaseModel):
    """What the account's websites measured with the program in the last 90 days."""

    clicks: int
    conversions: int
    epc: float = Field(description="Earnings per click, major units")
    currency: str


class Recommendation(BaseModel):
    """A program, how well it suits the idea, and why (spec §3)."""

    id: UUID
    companyName: str
    primaryCategory: str
    match_score: float
    recommendation: Verdict
    parts: list[ScorePart]
    commissionType: CommissionType
    commissionRate: float | None = Field(description="Percent of the sale")
    commissionAmount: float | None = Field(description="Flat sum, major units of `commissionCurrency`")
    commissionCurrency: str | None
    recurring: bool
    cookieDuration: int = Field(description="Days")
    description: str
    pros: list[str]
    cons: list[str]
    approvalDifficulty: Approval
    paymentFrequency: Payment
    source: str
    recordedOn: date
    checkedOn: date | None = Field(description="Null: these terms are still to be checked")
    results: OwnResults | None
    applicationId: UUID | None
    applicationStatus: ApplicationStatus | None


class Recommendations(BaseModel):
    recommendations: list[Recommendation] = Field(description="The best first, at most 20")
    results_known: bool = Field(description="False while the analytics store does not answer: scored without results")


class ApplicationStep(BaseModel):
    status: ApplicationStatus
    note: str
    at: datetime


class FollowedApplication(BaseModel):
    """Where the member applied, and what became of it."""

    id: UUID
    programId: UUID
    companyName: str
    category: str
    programRetired: bool
    status: ApplicationStatus
    visits: int = Field(description="How often the program's page was opened from here")
    appliedAt: datetime
    updatedAt: datetime
    history: list[ApplicationStep] = Field(description="Oldest first")


@router.get("/profile", dependencies=[Depends(Reads("matching_profiles"))])
def get_matching_profile(theirs: Theirs) -> ProfileAnswer:
    row = _profile_row(theirs)
    return ProfileAnswer(profile=_profile(row) if row is not None else None)


@router.get(
    "/recommendations",
    dependencies=[Depends(Reads("matching_profiles", "programs", "applications", "partners", "websites", "events"))],
)
def get_recommendations(context: Context, theirs: Theirs) -> Recommendations:
    """Programs for the business idea that was analyzed last; none without one."""
    row = _profile_row(theirs)
    if row is None:
        return Recommendations(recommendations=[], results_known=True)
    found = active_programs(theirs.reader)
    listed = [Listed(id, program, checked_on) for id, program, checked_on, _ in found]
    recorded = {id: recorded_on for id, _, _, recorded_on in found}
    results, known = _results(context, theirs, listed)
    idea = Idea(row["business_idea"], row["industry"], by_model=row["method"] == "model")
    applied = {one["program_id"]: one for one in theirs.reader.rows(_APPLICATIONS, (theirs.principal.account_id,))}
    shown = [
        _recommendation(match, recorded[match.listed.id], applied.get(match.listed.id))
        for match in ranked(idea, listed, results)
    ]
    return Recommendations(recommendations=shown, results_known=known)


@router.get("/applications", dependencies=[Depends(Reads("applications", "application_steps", "programs"))])
def get_applications(theirs: Theirs) -> list[FollowedApplication]:
    """Newest first, at most 500."""
    account_id = theirs.principal.account_id
    steps: defaultdict[UUID, list[ApplicationStep]] = defaultdict(list)
    for row in theirs.reader.rows(_STEPS, (account_id,)):
        steps[row["application_id"]].append(ApplicationStep(status=row["status"], note=row["note"], at=row["at"]))
    return [
        FollowedApplication(
            id=row["id"],
            programId=row["program_id"],
            companyName=row["company_name"] or "Unknown program",
            category=label_of(row["category"] or ""),
            programRetired=row["retired"] is not False,
            status=row["status"],
            visits=row["visits"],
            appliedAt=row["applied_at"],
            updatedAt=row["updated_at"],
            history=steps[row["id"]],
        )
        for row in theirs.reader.rows(_APPLICATIONS, (account_id,))
    ]


def _profile_row(theirs: Owned) -> Mapping[str, Any] | None:
    row = theirs.reader.row(_PROFILE, (theirs.principal.account_id,))
    return None if row is None or row["wording"] == ERASED else row


def _profile(row: Mapping[str, Any]) -> BusinessProfile:
    return BusinessProfile(
        business_idea=row["business_idea"],
        industry=label_of(row["industry"]),
        industry_key=row["industry"],
        difficulty_level=row["difficulty"],
        monetization_potential=row["monetization"],
        method=row["method"],
        silence=row["silent"] or None,
        analyzed_at=row["analyzed_at"],
        **json.loads(row["wording"]),
    )


def _results(context: Services, theirs: Owned, listed: list[Listed]) -> tuple[Mapping[UUID, Results], bool]:
    try:
        found = own_results(theirs.reader, context.columnar, theirs.principal.account_id, listed, datetime.now(UTC))
    except Problem:
        return {}, False
    return found, True


def _recommendation(match: Match, recorded_on: date, application: Mapping[str, Any] | None) -> Recommendation:
    program, own = match.program, match.results
    amount = program.commission_amount
    return Recommendation(
        id=match.listed.id,
        companyName=program.company_name,
        primaryCategory=label_of(program.category),
        match_score=match.score,
        recommendation=match.verdict,
        parts=[
            ScorePart(
                name=part.name,
                weight=part.weight,
                value=part.value,
                points=round(part.weight * part.value, 4),
                why=part.why,
            )
            for part in match.parts
        ],
        commissionType=program.commission_type,
        commissionRate=program.commission_bp / 100 if program.commission_bp else None,
        commissionAmount=amount.amount / 10 ** digits(amount.currency) if amount is not None else None,
        commissionCurrency=amount.currency if amount is not None else None,
        recurring=program.recurring,
        cookieDuration=program.cookie_days,
        description=program.description,
        pros=pros(match),
        cons=cons(match),
        approvalDifficulty=program.approval,
        paymentFrequency=program.payment,
        source=program.source,
        recordedOn=recorded_on,
        checkedOn=match.listed.checked_on,
        results=OwnResults(
            clicks=own.clicks,
            conversions=own.conversions,
            epc=money.per(own.earned, own.clicks, own.currency),
            currency=own.currency,
        )
        if own is not None
        else None,
        applicationId=application["id"] if application is not None else None,
        applicationStatus=application["status"] if application is not None else None,
    )
