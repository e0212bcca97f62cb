"""`/api/platform/affiliate/*`: analyze an idea, apply to programs."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Request, Response
from psycopg.rows import dict_row

from command_api.kernel.bulkhead import Bulkhead
from command_api.kernel.decision import CommandRejected
from command_api.kernel.http import CommandRunner, Id, Runs, signed_in
from command_api.kernel.rate_limits import Limit, consume
from command_api.matching import commands, members, narration, schemas
from command_api.matching.profile import AnalyzedIdea, analyze_idea
from infra.domain.program_matching.directory import ACTIVE, listed_of
from infra.domain.program_matching.scoring import Idea, Match, ranked
from infra.kernel.http.openapi import SESSION
from infra.kernel.http.problems import Problem
from infra.kernel.llm import LanguageModel
from schemas.identity import matching_profile_id

router = APIRouter(prefix="/api/platform", tags=["matching"])

ANALYSES: Final = Limit("business-analysis", timedelta(seconds=20), 10)
WORDINGS: Final = Limit("recommendation-wording", timedelta(seconds=20), 10)
APPLICATIONS: Final = Limit("applications", timedelta(seconds=5), 60)
APP_PAGE: Final = "/affiliate-matching"
BULKHEAD: Final = Bulkhead(limit=4, limit_per_account=2, subject="Ideas are")
"""The limit of requests that call the model, each of which may block a thread. Two per account, so that an analysis
does not wait for a wording."""
MAX_WAIT_S: Final = 5.0

_REDIRECTS: Final[dict[int | str, dict[str, Any]]] = {303: {"description": "On to the program's page"}}


@router.post("/affiliate/analyze-business", response_model=schemas.Analyzed)
def analyze_business(body: schemas.AnalyzeBusiness, request: Request, run: Runs) -> Response:
    """Analyzes a business idea and stores it, with the analysis, as the member's profile."""
    model: LanguageModel = request.app.state.matching
    account_id = run.person.account_id
    idea = members.idea_text(body.business_idea)

    def analyzed() -> commands.RecordBusinessAnalysis:
        consume(run.container.pool, ANALYSES, str(account_id))
        return commands.RecordBusinessAnalysis(idea, _analyze(model, account_id, idea))

    return run.prepared(analyzed, body, is_consistent=True)


@router.post("/affiliate/recommendations/wording", response_model=schemas.Worded)
def word_recommendations(body: schemas.WordRecommendations, request: Request, run: Runs) -> Response:
    """Has a language model reword why these programs suit the idea, and their pros and cons. Once for each analysis: a
    repeat does nothing.
    """
    model: LanguageModel = request.app.state.matching
    account_id = run.person.account_id

    def worded() -> commands.RecordWording:
        loaded = run.container.store.load(matching_profile_id(account_id), members.evolve_profile)
        profile = members.require_profile(loaded)
        if profile.is_worded:
            return commands.RecordWording(profile.analyzed, None)
        if not model.is_configured:
            return commands.RecordWording(profile.analyzed, None, model.unavailable_reason)
        consume(run.container.pool, WORDINGS, str(account_id))
        matches = _matches(run, profile, body.program_ids)
        with BULKHEAD.acquire(account_id, MAX_WAIT_S):
            wording = narration.narrate(model, account_id, profile.idea, *matches)
        return commands.RecordWording(profile.analyzed, wording)

    return run.prepared(worded, body, is_consistent=True)


@router.post("/affiliate/applications", response_model=schemas.Applied)
def apply_to_program(body: schemas.Apply, run: Runs) -> Response:
    """Records that the member applies to a program (idempotent) and returns the tracked link to its page. After a
    rejection or withdrawal it applies again."""
    consume(run.container.pool, APPLICATIONS, str(run.person.account_id))
    return run(commands.ApplyToProgram(body.program_id), body, is_consistent=True)


@router.get(
    "/affiliate/applications/{id}/go",
    status_code=303,
    response_class=Response,
    responses=_REDIRECTS,
    openapi_extra={"security": [{SESSION: []}]},
)
def follow_tracked_link(application: Id, request: Request) -> Response:
    """The tracked link: redirects the applicant's browser to the program's page and counts the visit with the
    application."""
    page = request.headers.get("sec-fetch-mode") == "navigate"
    purpose = request.headers.get("sec-purpose", request.headers.get("purpose", ""))
    if request.headers.get("sec-fetch-site", "none") not in ("none", "same-origin") or "prefetch" in purpose:
        return _redirect(APP_PAGE)  # a cross-site request or a prefetch
    try:
        run = CommandRunner(request, signed_in(request))
        consume(run.container.pool, APPLICATIONS, str(run.person.account_id))
        command = commands.FollowTrackedLink(application)
        url = run.container.commands.dispatch(command, run.context, run.client).answer
    except Problem as problem:
        if not page:
            raise
        return _redirect(f"/login?next={APP_PAGE}" if problem.status == 401 else APP_PAGE)
    except CommandRejected:
        if not page:
            raise
        return _redirect(APP_PAGE)
    return _redirect(url)


def _redirect(url: str) -> Response:
    headers = {"Location": url, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return Response(status_code=303, headers={**headers, "X-Robots-Tag": "noindex, nofollow"})


@router.patch("/affiliate/applications/{id}", status_code=204)
def move_application(application: Id, body: schemas.MoveApplication, run: Runs) -> Response:
    """Records the status of an application, with a note."""
    consume(run.container.pool, APPLICATIONS, str(run.person.account_id))
    command = commands.MoveApplication(application, body.status, body.note)
    return run(command, body, status=204, is_consistent=True)


def _analyze(model: LanguageModel, account_id: UUID, idea: str) -> AnalyzedIdea:
    with BULKHEAD.acquire(account_id, MAX_WAIT_S) if model.is_configured else nullcontext():
        return analyze_idea(model, account_id, idea)


def _matches(run: CommandRunner, profile: members.MatchingProfile, ids: list[UUID]) -> tuple[list[Match], list[str]]:
    """The programs among `ids` that suit the idea, without the member's own metrics; and the names of all companies."""
    with run.container.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        listed = [listed_of(row) for row in cursor.execute(ACTIVE.encode())]
    idea = Idea(profile.idea, profile.industry, by_model=profile.by_model)
    matches = [match for match in ranked(idea, listed, {}) if match.listed.id in ids]
    return matches, [one.program.company_name for one in listed]
