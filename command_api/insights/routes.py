"""`POST /api/analytics/{websiteId}/ai-insights`: runs an analysis now; and the digest settings of an account."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Path, Request, Response

from command_api.insights import commands
from command_api.insights.history_reader import HistoryIncomplete, HistoryUnavailable
from command_api.insights.schemas import ChooseDigest, DismissInsight, Generated
from command_api.insights.service import AnalysisRun, InsightService
from command_api.kernel.bulkhead import Bulkhead
from command_api.kernel.decision import system_context
from command_api.kernel.http import Confirmation, From, Runs, container_of
from command_api.kernel.rate_limits import Limit, consume
from command_api.websites import model as websites
from infra.domain.unsubscribe import verify_unsubscribe_token
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import PUBLIC, costs
from schemas.http.insights import DIGEST_STOP_PATH

router = APIRouter(tags=["insights"])

ANALYSES: Final = Limit("insights", timedelta(seconds=10), 6)
STOPS: Final = Limit("insights-digest-stop", timedelta(seconds=20), 20)
BULKHEAD: Final = Bulkhead(limit=4, limit_per_account=1, subject="Insights are")
"""The limit of analyses on request: each may block a thread until the model answers."""
MAX_WAIT_S: Final = 2.0

WebsiteId = Annotated[UUID, Path(alias="websiteId")]


@router.post("/api/analytics/{websiteId}/ai-insights", response_model=Generated)
def generate_insights(website_id: WebsiteId, request: Request, run: Runs) -> Response:
    """Analyzes the last twelve whole weeks and returns the changes. Takes no body."""
    service: InsightService = request.app.state.insights

    def analyzed() -> commands.RecordAnalysis:
        loaded = run.container.store.load(website_id, websites.evolve)
        website = websites.require_owned(loaded, run.context)
        consume(run.container.pool, ANALYSES, str(run.person.account_id))
        analysis = _analyze(service, website, run)
        return commands.RecordAnalysis(website_id, analysis, datetime.now(UTC))

    return run.prepared(analyzed, is_consistent=True)


@router.post("/api/analytics/{websiteId}/insights/{insightId}/dismiss", status_code=204)
def dismiss_insight(
    website_id: WebsiteId, insight_id: Annotated[UUID, Path(alias="insightId")], body: DismissInsight, run: Runs
) -> Response:
    """Hides the insight. It comes back only after an analysis that does not find it."""
    command = commands.DismissInsight(website_id, insight_id, body.reason)
    return run(command, body, status=204, is_consistent=True)


@router.put("/api/platform/insights/digest", status_code=204)
def choose_digest(body: ChooseDigest, run: Runs) -> Response:
    """New insights of all your websites by email: daily, weekly (on Mondays) or off."""
    return run(commands.ChooseDigest(body.every), body, status=204, is_consistent=True)


@router.post(f"{DIGEST_STOP_PATH}{{token}}", response_model=Confirmation, tags=["public"], openapi_extra=costs(PUBLIC))
def stop_digest(token: Annotated[str, Path(max_length=200)], client: From, request: Request) -> Confirmation:
    """One click in a mail program (RFC 8058): authorized by the token in the URL."""
    container = container_of(request)
    consume(container.pool, STOPS, client.address)
    account_id = verify_unsubscribe_token(container.settings, "insights_digest", token)
    if account_id is None:
        raise Problem(404, "not_found", "Not found.")
    container.commands.dispatch(commands.StopDigest(account_id), system_context())
    return Confirmation(message="You will no longer receive insights by email.")


def _analyze(service: InsightService, website: websites.Website, run: Runs) -> AnalysisRun:
    try:
        with BULKHEAD.acquire(run.person.account_id, MAX_WAIT_S):
            return service.analyze(website, run.context)
    except HistoryIncomplete as error:
        message = "Your latest data is still being counted. Please try again in a moment."
        raise Problem(503, "analytics_unavailable", message, headers={"Retry-After": "5"}) from error
    except HistoryUnavailable as error:
        message = "Analytics are temporarily unavailable. Please try again in a moment."
        raise Problem(503, "analytics_unavailable", message, headers={"Retry-After": "2"}) from error
