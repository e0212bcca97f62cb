"""`/api/platform/affiliate/*` and `/api/platform/learning/*`: analyze an idea, apply to programs, finish lessons."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Request, Response
from psycopg.rows import dict_row
from pydantic import BaseModel, Field

from command_api.accounts.limits import Limit, charge
from command_api.commands import Decided
from command_api.decision import Refused, conflict
from command_api.http import Answer, Body, Id, Nothing, Run, Runs, signed_in
from command_api.matching import members, programs, telling
from command_api.matching.tracked import link_of, program_page
from command_api.matching.understanding import Understood, understand
from command_api.places import Places
from infra.llm import LanguageModel
from infra.matching.directory import ACTIVE, listed_of
from infra.matching.scoring import Idea, Match, ranked
from infra.matching.taxonomy import label_of
from infra.matching.wording import kept
from infra.problems import Problem
from schemas.events.matching import ApplicationStatus, Difficulty, Method, Potential
from schemas.identity import application_id, learning_id, matching_profile_id

router = APIRouter(prefix="/api/platform", tags=["matching"])

ANALYSES: Final = Limit("business-analysis", timedelta(seconds=20), 10)
WORDINGS: Final = Limit("recommendation-wording", timedelta(seconds=20), 10)
APPLYING: Final = Limit("applications", timedelta(seconds=5), 60)
LEARNING: Final = Limit("lessons", timedelta(seconds=2), 100)
APP_PAGE: Final = "/affiliate-matching"
MOST_WORDED: Final = 8
"""Programs of one question: those that a page shows first."""
PLACES: Final = Places(most=4, each=2, what="Ideas are")
"""For what waits for a model: each may hold a thread for as long as that takes. Who describes another idea while the
last one's programs are being worded is not kept waiting."""
PATIENCE_S: Final = 5.0

_LEADS_ON: Final[dict[int | str, dict[str, Any]]] = {303: {"description": "On to the program's page"}}

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


class WordRecommendations(Body):
    program_ids: Annotated[
        list[Annotated[UUID, Field(strict=False)]],
        Field(min_length=1, max_length=MOST_WORDED, description="The programs that are shown first"),
    ]


class Worded(Answer):
    worded: int = Field(description="Programs of which something is told in a language model's words now")
    silence: str | None = Field(description="Why no language model was heard; null where one was")


class Apply(Body):
    program_id: Annotated[UUID, Field(strict=False)]


class MoveApplication(Body):
    status: ApplicationStatus
    note: Annotated[str, Field(max_length=members.MOST_NOTE)] = ""


class Applied(Answer):
    id: UUID
    program_id: UUID
    status: ApplicationStatus
    url: str = Field(description="The tracked link to the program's page: a path of this app, for the browser")


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


@router.post("/affiliate/recommendations/wording", response_model=Worded)
def word_recommendations(body: WordRecommendations, request: Request, run: Runs) -> Response:
    """Asks the language model, where there is one, to word why these programs suit the idea, and what is for and
    against them. Once for each analysis: asked again after it was heard, this does nothing."""
    model: LanguageModel = request.app.state.matching
    account_id = run.person.account_id
    found: list[tuple[int, telling.Telling]] = []

    def decide() -> Decided[Worded]:
        profile = run.core.store.load(matching_profile_id(account_id), members.evolve_profile)
        if profile is None:
            raise conflict("no_idea", "Please describe your business idea first.")
        if found and found[0][0] != profile.analyzed:
            raise conflict("another_idea", "Another idea was analyzed meanwhile.")
        if profile.is_worded:
            return Decided([], Worded(worded=0, silence=None))
        if not model.is_configured:
            return Decided([], Worded(worded=0, silence=model.why_not))
        if not found:
            charge(run.core.pool, WORDINGS, str(account_id))
            matches = _matches(run, profile, body.program_ids)
            with PLACES.held(account_id, PATIENCE_S):
                found.append((profile.analyzed, telling.tell(model, account_id, profile.idea, *matches)))
        told = found[0][1]
        event = members.keep_words(profile, account_id, kept(told.words), told.silence, run.asked)
        return Decided([event], Worded(worded=len(told.words), silence=told.silence or None))

    return run(decide, body, seen_by=("matching_profiles",))


@router.post("/affiliate/applications", response_model=Applied)
def apply_to_program(body: Apply, run: Runs) -> Response:
    """Records that the member applies to a program, once however often it is asked for, and answers with the tracked
    link to its page. After a refusal or a withdrawal this applies anew."""
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


@router.get("/affiliate/applications/{id}/go", status_code=303, response_class=Response, responses=_LEADS_ON)
def follow_tracked_link(application: Id, request: Request) -> Response:
    """The tracked link: for the browser of whoever applied, on to the program's page. That it was followed is counted
    with the application, and for no website."""
    page = request.headers.get("sec-fetch-mode") == "navigate"
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin") or _is_ahead(request):
        return _leads_to(APP_PAGE)  # nobody followed it: another site's page, or a browser that looks ahead
    try:
        run = Run(request, signed_in(request))
        url = _followed(application, run)
    except Problem as problem:
        if not page:
            raise
        return _leads_to(f"/login?next={APP_PAGE}" if problem.status == 401 else APP_PAGE)
    except Refused:
        if not page:
            raise
        return _leads_to(APP_PAGE)
    return _leads_to(url)


def _followed(application: UUID, run: Run) -> str:
    """Where the link leads. Raises `Problem` and `Refused`."""
    account_id, urls = run.person.account_id, list[str]()
    charge(run.core.pool, APPLYING, str(account_id))

    def decide() -> Decided[Nothing]:
        found = members.own(run.core.store.load(application, members.evolve_application), account_id)
        listing = programs.there(run.core.store.load(found.program_id, programs.evolve))
        urls.append(program_page(listing.program.url, found.id))
        return Decided(members.follow(found, account_id, run.asked), Nothing())

    run(decide)
    return urls[-1]


def _is_ahead(request: Request) -> bool:
    return "prefetch" in request.headers.get("sec-purpose", request.headers.get("purpose", ""))


def _leads_to(url: str) -> Response:
    headers = {"Location": url, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return Response(status_code=303, headers={**headers, "X-Robots-Tag": "noindex, nofollow"})


@router.patch("/affiliate/applications/{id}", status_code=204)
def move_application(application: Id, body: MoveApplication, run: Runs) -> Response:
    """Writes down what became of an application, with a note."""
    account_id = run.person.account_id
    charge(run.core.pool, APPLYING, str(account_id))

    def decide() -> Decided[Nothing]:
        found = run.core.store.load(application, members.evolve_application)
        return Decided(members.move(found, body.status, body.note, account_id, run.asked), Nothing())

    return run(decide, body, status=204, seen_by=("applications", "application_steps"))


@router.post("/learning/lessons", status_code=204)
def mark_lesson(body: MarkLesson, run: Runs) -> Response:
    """A lesson counts as done, or as unread again."""
    account_id = run.person.account_id
    charge(run.core.pool, LEARNING, str(account_id))

    def decide() -> Decided[Nothing]:
        found = run.core.store.load(learning_id(account_id), members.evolve_learning)
        mark = members.complete if body.done else members.reopen
        return Decided(mark(found, body.course, body.lesson, account_id, run.asked), Nothing())

    return run(decide, body, status=204, seen_by=("lessons_done",))


def _understand(model: LanguageModel, account_id: UUID, idea: str) -> Understood:
    if not model.is_configured:
        return understand(model, account_id, idea)
    with PLACES.held(account_id, PATIENCE_S):
        return understand(model, account_id, idea)


def _matches(run: Run, profile: members.Profile, ids: list[UUID]) -> tuple[list[Match], list[str]]:
    """The programs among `ids` that suit the idea, without the member's own figures, which are for nobody else; and the
    names of all companies."""
    with run.core.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        listed = [listed_of(row) for row in cursor.execute(ACTIVE.encode())]
    idea = Idea(profile.idea, profile.industry, by_model=profile.by_model)
    found = [match for match in ranked(idea, listed, {}) if match.listed.id in ids]
    return found, [one.program.company_name for one in listed]


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
    return Applied(id=application.id, program_id=listing.id, status=application.status, url=link_of(application.id))
