"""`/api/platform/affiliate/*` and `/api/platform/learning/*`: analyze an idea, apply to programs, finish lessons."""

from __future__ import annotations

from datetime import timedelta
from threading import BoundedSemaphore
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, Field

from command_api.accounts.limits import Limit, charge
from command_api.commands import Decided
from command_api.http import Answer, Body, Id, Nothing, Runs
from command_api.matching import members, programs
from command_api.matching.tracked import tracked_address
from command_api.matching.understanding import Understood, understand
from infra.llm import LanguageModel
from infra.matching.taxonomy import label_of
from infra.problems import Problem
from schemas.events.matching import ApplicationStatus, Difficulty, Method, Potential
from schemas.identity import application_id, learning_id, matching_profile_id

router = APIRouter(prefix="/api/platform", tags=["matching"])

ANALYSES: Final = Limit("business-analysis", timedelta(seconds=20), 10)
APPLYING: Final = Limit("applications", timedelta(seconds=10), 60)
_AT_ONCE: Final = BoundedSemaphore(4)
"""Analyses that wait for a model: each may hold a thread for as long as that takes."""

Slug = Annotated[str, Field(max_length=80)]


class AnalyzeBusiness(Body):
    business_idea: Annotated[str, Field(max_length=20_000, description="10 to 4,000 characters after trimming")]


class BusinessAnalysis(BaseModel):
    """How an idea is understood (spec §3), and by what."""

    industry: str
    industry_key: str = Field(description="Key of the taxonomy, or `general`")
    target_audience: str
    difficulty_level: Difficulty
    monetization_potential: Potential
    content_strategy: list[str]
    key_success_factors: list[str]
    method: Method = Field(description="`rules`: by the documented taxonomy alone; `model`: by a language model")
    silence: str | None = Field(description="Why no language model was heard; null where one was")


class Analyzed(BaseModel):
    analysis: BusinessAnalysis


class Apply(Body):
    program_id: Annotated[UUID, Field(strict=False)]


class MoveApplication(Body):
    status: ApplicationStatus
    note: Annotated[str, Field(max_length=members.MOST_NOTE)] = ""


class Applied(Answer):
    id: UUID
    program_id: UUID
    status: ApplicationStatus
    url: str = Field(description="The program's page, by an address that tells the program where the visitor is from")


class MarkLesson(Body):
    course: Slug
    lesson: Slug
    done: bool = True


@router.post("/affiliate/analyze-business", response_model=Analyzed)
def analyze_business(body: AnalyzeBusiness, request: Request, run: Runs) -> Response:
    """Understands a business idea and keeps it, with the analysis, as the member's profile."""
    model: LanguageModel = request.app.state.matching
    account_id = run.person.account_id
    idea = members.idea_text(body.business_idea)
    found: list[Understood] = []

    def decide() -> Decided[Analyzed]:
        if not found:  # only once a repeat with the same key found no answer: asking a model costs
            charge(run.core.pool, ANALYSES, str(account_id))
            found.append(_understand(model, account_id, idea))
        profile = run.core.store.load(matching_profile_id(account_id), members.evolve_profile)
        event = members.keep_analysis(profile, account_id, idea, found[0], run.asked)
        return Decided([event], Analyzed(analysis=_shown(found[0])))

    return run(decide, body, seen_by=("matching_profiles",))


@router.post("/affiliate/applications", response_model=Applied)
def apply_to_program(body: Apply, run: Runs) -> Response:
    """Records that the member applies to a program and answers with the tracked address of its page. Whoever applied
    already is led there again; after a refusal or a withdrawal this applies anew."""
    account_id = run.person.account_id
    charge(run.core.pool, APPLYING, str(account_id))

    def decide() -> Decided[Applied]:
        listing = programs.there(run.core.store.load(body.program_id, programs.evolve))
        before = run.core.store.load(application_id(account_id, listing.id), members.evolve_application)
        events = members.apply(before, listing, account_id, run.asked)
        application = before
        for event in events:
            application = members.evolve_application(application, event)
        return Decided(events, _applied(members.own(application, account_id), listing))

    return run(decide, body, seen_by=("applications",))


@router.post("/affiliate/applications/{id}/visits", response_model=Applied)
def visit_program(application: Id, run: Runs) -> Response:
    """Opens the program's page again: counted, and answered with its tracked address."""
    account_id = run.person.account_id
    charge(run.core.pool, APPLYING, str(account_id))

    def decide() -> Decided[Applied]:
        found = members.own(run.core.store.load(application, members.evolve_application), account_id)
        listing = programs.there(run.core.store.load(found.program_id, programs.evolve))
        return Decided(members.open_page(found, account_id, run.asked), _applied(found, listing))

    return run(decide, seen_by=("applications",))


@router.patch("/affiliate/applications/{id}", status_code=204)
def move_application(application: Id, body: MoveApplication, run: Runs) -> Response:
    """Writes down what became of an application, with a note."""
    account_id = run.person.account_id

    def decide() -> Decided[Nothing]:
        found = run.core.store.load(application, members.evolve_application)
        return Decided(members.move(found, body.status, body.note, account_id, run.asked), Nothing())

    return run(decide, body, status=204, seen_by=("applications", "application_steps"))


@router.post("/learning/lessons", status_code=204)
def mark_lesson(body: MarkLesson, run: Runs) -> Response:
    """A lesson counts as done, or as unread again."""
    account_id = run.person.account_id

    def decide() -> Decided[Nothing]:
        found = run.core.store.load(learning_id(account_id), members.evolve_learning)
        mark = members.complete if body.done else members.reopen
        return Decided(mark(found, body.course, body.lesson, account_id, run.asked), Nothing())

    return run(decide, body, status=204, seen_by=("lessons_done",))


def _understand(model: LanguageModel, account_id: UUID, idea: str) -> Understood:
    if not model.is_configured:
        return understand(model, account_id, idea)
    if not _AT_ONCE.acquire(timeout=5):
        raise Problem(503, "busy", "Many ideas are being analyzed just now. Please try again in a moment.",
                      headers={"Retry-After": "5"})  # fmt: skip
    try:
        return understand(model, account_id, idea)
    finally:
        _AT_ONCE.release()


def _shown(understood: Understood) -> BusinessAnalysis:
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


def _applied(application: members.Application, listing: programs.Listing) -> Applied:
    url = tracked_address(listing.program.url, application.id)
    return Applied(id=application.id, program_id=listing.id, status=application.status, url=url)
