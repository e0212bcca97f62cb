"""`GET /api/platform/affiliate/*`: the member's profile, recommendations for it, and its applications."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from infra.domain.program_matching import wording
from infra.domain.program_matching.scoring import (
    COMPARED_IN,
    MIN_SCORE,
    Idea,
    Listed,
    Match,
    PartName,
    Results,
    Verdict,
    is_understood,
    ranked,
)
from infra.domain.program_matching.taxonomy import label_of
from infra.kernel.config.settings import Settings
from infra.kernel.http.problems import Problem
from query_api.kernel import money
from query_api.kernel.authorization import AccountScope
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services
from query_api.matching.directory import Dates, active_programs
from query_api.matching.results import own_results
from query_api.operations.exchange_rates import newest_rates
from schemas.base import ERASED
from schemas.currencies import digits
from schemas.events.matching import ApplicationStatus, Approval, CommissionType, Payment
from schemas.http.matching import BusinessAnalysis
from schemas.http.responses import Narrated, ResponseModel

router = APIRouter(prefix="/api/platform/affiliate", tags=["matching"])

_PROFILE: Final = "SELECT * FROM read.matching_profiles WHERE account_id = %s"
MAX_APPLICATIONS: Final = 500
MAX_STEPS: Final = 20
_APPLICATIONS: Final = f"""
SELECT a.*, p.company_name, p.category, p.retired FROM read.applications AS a
LEFT JOIN read.programs AS p ON p.id = a.program_id
WHERE a.account_id = %s ORDER BY a.applied_at DESC, a.id LIMIT {MAX_APPLICATIONS}"""  # noqa: S608 - own number
_STEPS: Final = f"""
SELECT s.application_id, s.status, s.note, s.at, s.steps
FROM (
    SELECT t.*, count(*) OVER all_of AS steps, row_number() OVER newest AS place FROM read.application_steps AS t
    WHERE t.account_id = %(account)s AND t.application_id = ANY(%(applications)s)
    WINDOW all_of AS (PARTITION BY t.application_id),
           newest AS (PARTITION BY t.application_id ORDER BY t.number DESC)
) AS s
WHERE s.place <= {MAX_STEPS} ORDER BY s.application_id, s.number"""  # noqa: S608 - own number
_APPLIED: Final = """
SELECT id, program_id, status FROM read.applications WHERE account_id = %s AND program_id = ANY(%s)"""


class BusinessProfile(BusinessAnalysis):
    """The business idea as it was understood last."""

    business_idea: str
    analyzed_at: datetime


class ProfileAnswer(ResponseModel):
    """The member's profile."""

    profile: BusinessProfile | None = Field(description="Null until an idea was analyzed")


class ScorePart(ResponseModel):
    """One part of a match score: `weight` × `value`; all parts together are the score."""

    name: PartName
    weight: float
    value: float = Field(description="0 to 1")
    points: float = Field(description="weight × value, four decimals")
    why: str


class OwnResults(ResponseModel):
    """What the account's websites measured with the program in the last 90 days."""

    clicks: int
    conversions: int
    epc: float = Field(description="Earnings per click, major units")
    currency: str


NarratedBy = Literal["model", "rules"]


class Recommendation(Narrated[NarratedBy]):
    """A program, how well it suits the idea, and why (spec §3)."""

    id: UUID
    company_name: str
    primary_category: str
    match_score: float = Field(alias="match_score")
    recommendation: Verdict
    parts: list[ScorePart]
    commission_type: CommissionType
    commission_rate: float | None = Field(description="Percent of the sale")
    commission_amount: float | None = Field(description="Flat sum, major units of `commissionCurrency`")
    commission_currency: str | None
    recurring: bool
    cookie_duration: int = Field(description="Days")
    description: str
    why: str | None = Field(description="Text of a language model; null: none, or it was rejected")
    pros: list[str]
    cons: list[str]
    narrated_by: NarratedBy = Field(description="`model`: some of `why`, pros and cons are a language model's words")
    approval_difficulty: Approval
    payment_frequency: Payment
    source: str
    recorded_on: date
    checked_on: date | None = Field(description="Null: these terms are not yet compared with the program's page")
    review_on: date
    to_be_checked: bool = Field(description="Whether the terms are not reviewed, or the review is due")
    results: OwnResults | None
    application_id: UUID | None
    application_status: ApplicationStatus | None


class Wording(Narrated[NarratedBy]):
    """Who worded pros and cons. Scores never come from a model."""

    narrated_by: NarratedBy
    silence: str | None = Field(
        description="Why there is no text of a language model; null: there is one, or none was requested yet"
    )
    may_be_asked: bool = Field(description="Whether `POST …/recommendations/wording` may return a model's text")


EmptyReason = Literal["idea_unclear", "below_minimum"]


class Recommendations(ResponseModel, alias_generator=None):
    """Programs for the member's business idea."""

    recommendations: list[Recommendation] = Field(description="The best first, at most 20, each with `min_score`")
    min_score: float = Field(description="A program that matches less is not recommended, however few are left")
    empty_reason: EmptyReason | None = Field(
        description="`idea_unclear`: the idea names no known industry; `below_minimum`: no program matches enough;"
        " null: there are programs, or no idea was analyzed"
    )
    results_known: bool = Field(description="False while the analytics store is unavailable: scored without results")
    wording: Wording


class ApplicationStep(ResponseModel):
    """One status that the application had, from `at` on."""

    status: ApplicationStatus
    note: str
    at: datetime


class FollowedApplication(ResponseModel):
    """An application of the member, with its status."""

    id: UUID
    program_id: UUID
    company_name: str
    category: str
    program_retired: bool
    status: ApplicationStatus
    visits: int = Field(description="Clicks on the tracked link to the program's page")
    applied_at: datetime
    updated_at: datetime
    steps: int = Field(description="Total number of steps")
    history: list[ApplicationStep] = Field(description=f"The newest {MAX_STEPS}, oldest first")


@router.get("/profile", dependencies=[READS_OWN_WRITES])
def get_matching_profile(scope: CallerScope) -> ProfileAnswer:
    row = _profile_row(scope)
    return ProfileAnswer(profile=_profile(row) if row is not None else None)


@router.get(
    "/recommendations",
    dependencies=[READS_OWN_WRITES],
)
def get_recommendations(context: Context, scope: CallerScope) -> Recommendations:
    """Programs for the business idea that was analyzed last; none without one."""
    row = _profile_row(scope)
    if row is None:
        silent = Wording(narrated_by="rules", silence=None, may_be_asked=False)
        return Recommendations(
            recommendations=[], min_score=MIN_SCORE, empty_reason=None, results_known=True, wording=silent
        )
    programs = active_programs(scope.reader)
    listed, dates = [one for one, _ in programs], {one.id: of_one for one, of_one in programs}
    results, are_results_known = results_or_none(context, scope, listed)
    idea = Idea(row["business_idea"], row["industry"], by_model=row["method"] == "model")
    matches = ranked(idea, listed, results, worth_of(scope))
    ids = [match.listed.id for match in matches]
    applied = {one["program_id"]: one for one in scope.reader.rows(_APPLIED, (scope.principal.account_id, ids))}
    words = wording.from_json(row["words"])
    recommended = [
        _recommendation(match, dates[id], applied.get(id), wording.narrative(match, words.get(id)))
        for id, match in zip(ids, matches, strict=True)
    ]
    return Recommendations(
        recommendations=recommended,
        min_score=MIN_SCORE,
        empty_reason=_empty_reason(idea, matches),
        results_known=are_results_known,
        wording=wording_of(context.settings, row),
    )


@router.get("/applications", dependencies=[READS_OWN_WRITES])
def get_applications(scope: CallerScope) -> list[FollowedApplication]:
    """Newest first, at most 500."""
    account_id = scope.principal.account_id
    rows = scope.reader.rows(_APPLICATIONS, (account_id,))
    steps: defaultdict[UUID, list[Mapping[str, Any]]] = defaultdict(list)
    for row in scope.reader.rows(_STEPS, {"account": account_id, "applications": [row["id"] for row in rows]}):
        steps[row["application_id"]].append(row)
    return [
        FollowedApplication.of_row(
            row,
            company_name=row["company_name"] or "Unknown program",
            category=label_of(row["category"] or ""),
            program_retired=row["retired"] is not False,
            steps=steps[row["id"]][0]["steps"] if steps[row["id"]] else 0,
            history=steps[row["id"]],
        )
        for row in rows
    ]


def worth_of(scope: AccountScope) -> Mapping[str, Decimal]:
    """Value of one major unit of each currency, in `COMPARED_IN`, by the newest rates."""
    rates = newest_rates(scope.reader, COMPARED_IN)
    return {currency: Decimal(one.numerator) / one.denominator for currency, one in rates.items()}


def _empty_reason(idea: Idea, matches: Sequence[Match]) -> EmptyReason | None:
    if matches:
        return None
    return "below_minimum" if is_understood(idea) else "idea_unclear"


def wording_of(settings: Settings, row: Mapping[str, Any]) -> Wording:
    """Returns the wording of a row with a model's `words` and `words_silent`."""
    silence = row["words_silent"] or None
    if row["words"] and silence is None:
        return Wording(narrated_by="model", silence=None, may_be_asked=False)
    if settings.openai_base_url is None:
        return Wording(narrated_by="rules", silence="not_configured", may_be_asked=False)
    if not settings.llm_enabled:
        return Wording(narrated_by="rules", silence="switched_off", may_be_asked=False)
    return Wording(narrated_by="rules", silence=silence, may_be_asked=True)


def _profile_row(scope: AccountScope) -> Mapping[str, Any] | None:
    row = scope.reader.row(_PROFILE, (scope.principal.account_id,))
    return None if row is None or row["wording"] == ERASED else row


def _profile(row: Mapping[str, Any]) -> BusinessProfile:
    return BusinessProfile.of_row(
        row,
        industry=label_of(row["industry"]),
        industry_key=row["industry"],
        difficulty_level=row["difficulty"],
        monetization_potential=row["monetization"],
        silence=row["silent"] or None,
        **json.loads(row["wording"]),
    )


def results_or_none(
    context: Services, scope: AccountScope, listed: list[Listed]
) -> tuple[Mapping[UUID, Results], bool]:
    """The account's own results by program; none, and false, while the analytics store is unavailable."""
    try:
        results = own_results(scope.reader, context.clickhouse, scope.principal.account_id, listed, datetime.now(UTC))
    except Problem:
        return {}, False
    return results, True


def _recommendation(
    match: Match, dates: Dates, application: Mapping[str, Any] | None, told: wording.ProgramReasons
) -> Recommendation:
    program, own = match.program, match.results
    amount = program.commission_amount
    return Recommendation.of_row(
        {**dict(program), **dates._asdict(), **asdict(told)},
        id=match.listed.id,
        primary_category=label_of(program.category),
        match_score=match.score,
        recommendation=match.verdict,
        parts=[
            ScorePart(
                name=part.name,
                weight=part.weight,
                value=part.value,
                points=round(part.weight * part.value, 4),
                why=part.reason,
            )
            for part in match.parts
        ],
        commission_rate=program.commission_bp / 100 if program.commission_bp else None,
        commission_amount=amount.amount / 10 ** digits(amount.currency) if amount is not None else None,
        commission_currency=amount.currency if amount is not None else None,
        cookie_duration=program.cookie_days,
        narrated_by="model" if told.by_model else "rules",
        approval_difficulty=program.approval,
        payment_frequency=program.payment,
        checked_on=match.listed.checked_on,
        to_be_checked=match.listed.is_to_be_checked,
        results=OwnResults(
            clicks=own.clicks,
            conversions=own.conversions,
            epc=float(money.per(own.earned, own.clicks, own.currency)),
            currency=own.currency,
        )
        if own is not None
        else None,
        application_id=application["id"] if application is not None else None,
        application_status=application["status"] if application is not None else None,
    )
