"""`POST /api/analytics/{websiteId}/ai-insights`: look now; and how an account is mailed what is found."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Path, Request, Response
from psycopg import Cursor
from pydantic import Field

from command_api.accounts.limits import Limit, charge
from command_api.commands import Decided
from command_api.http import Answer, Body, From, Nothing, Runs
from command_api.insights import digest, model
from command_api.insights.desk import InsightsDesk, Look
from command_api.insights.reading import HistoryUnavailable, StillCounted
from command_api.places import Places
from command_api.websites import model as websites
from infra.problems import Problem
from schemas.events.insights import DigestMail
from schemas.insights import DIGEST_STOP_PATH, ShownInsight, digest_id, shown

router = APIRouter(tags=["insights"])
SEEN_BY: Final = ("insights",)

LOOKS: Final = Limit("insights", timedelta(seconds=10), 6)
STOPS: Final = Limit("insights-digest-stop", timedelta(seconds=20), 20)
PLACES: Final = Places(most=4, each=1, what="Insights are")
"""For looks that people wait for: each may hold a thread for as long as a model takes."""
PATIENCE_S: Final = 2.0

WebsiteId = Annotated[UUID, Path(alias="websiteId")]


class Generated(Answer):
    insights: list[ShownInsight] = Field(description="The weightiest first")
    silence: str | None = Field(
        description="Why no language model worded them: not_configured, switched_off, resting, budget, unavailable,"
        " bad_answer or not_believed; null when one did, or nothing was to be worded"
    )


class ChooseDigest(Body):
    every: DigestMail


class Done(Answer):
    ok: bool = True
    message: str


@router.post("/api/analytics/{websiteId}/ai-insights", response_model=Generated)
def generate_insights(website_id: WebsiteId, request: Request, run: Runs) -> Response:
    """Looks at the last twelve whole weeks and tells what changed. Takes no body."""
    desk: InsightsDesk = request.app.state.insights
    looks: list[Look] = []

    def decide() -> Decided[Generated]:
        website = websites.owned(run.core.store.load(website_id, websites.evolve), run.asked)
        if not looks:
            charge(run.core.pool, LOOKS, str(run.person.account_id))
            looks.append(_look(desk, website, run))
        # A model may have taken half a minute: what is told since then is not older than a mail of that half minute.
        asked = replace(run.asked, at=datetime.now(UTC))
        event = desk.decided(website, looks[0], asked)
        insights = [shown(website.id, insight) for insight in event.insights] if event is not None else []
        answer = Generated(insights=insights, silence=looks[0].silence)
        return Decided([event] if event is not None else [], answer)

    return run(decide, seen_by=SEEN_BY)


@router.put("/api/platform/insights/digest", status_code=204)
def choose_digest(body: ChooseDigest, run: Runs) -> Response:
    """New insights of all one's websites by mail: daily, weekly (on Mondays) or off."""
    account_id = run.person.account_id

    def decide() -> Decided[Nothing]:
        before = run.core.store.load(digest_id(account_id), model.evolve_digest)
        events = model.choose_digest(before, body.every, account_id, run.asked)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            if events:
                digest.plan(cursor, account_id, body.every, run.asked.at)

        return Decided(events, Nothing(), also)

    return run(decide, body, status=204, seen_by=("insight_digests",))


@router.post(f"{DIGEST_STOP_PATH}{{token}}", response_model=Done, tags=["public"])
def stop_digest(token: Annotated[str, Path(max_length=200)], client: From, request: Request) -> Done:
    """One click in a mail program (RFC 8058): a form, from a server, which the token in the address speaks for."""
    desk: InsightsDesk = request.app.state.insights
    charge(desk.core.pool, STOPS, client.address)
    account_id = digest.stopped_by(desk.core.settings, token)
    if account_id is None:
        raise Problem(404, "not_found", "There is nothing at this address.")
    digest.stop(desk.core, account_id)
    return Done(message="Insights are no longer mailed to you.")


def _look(desk: InsightsDesk, website: websites.Website, run: Runs) -> Look:
    try:
        with PLACES.held(run.person.account_id, PATIENCE_S):
            return desk.look(website, run.asked)
    except StillCounted as error:
        message = "Your latest data is still being counted. Please try again in a moment."
        raise Problem(503, "analytics_unavailable", message, headers={"Retry-After": "5"}) from error
    except HistoryUnavailable as error:
        message = "The analytics store does not answer just now. Please try again in a moment."
        raise Problem(503, "analytics_unavailable", message, headers={"Retry-After": "2"}) from error
