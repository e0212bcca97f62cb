"""Orders the email of a report from the query service: its numbers are what the page shows this person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, cast, get_args

import httpx
import orjson

from command_api.analytics.reports.mail import stop_page
from command_api.analytics.reports.model import ScheduledReport
from infra.domain.reports.contract import PROOF, QUERY_PATH, VIEW_PATH, NoAccess, Rendered, RenderOrder, proof_of
from infra.domain.reports.schedule import ReportPeriod
from infra.kernel.config.settings import Settings

_TIMEOUT: Final = httpx.Timeout(75, connect=3)
"""A query may run for 30 seconds, and its result takes a while to read."""


class ReportsUnavailable(Exception):
    """The query service or an engine behind it does not answer now."""


class ReportNotRendered(Exception):
    """The query service failed at this report."""


class ReportRefused(Exception):
    """The person may no longer use what the report is about."""

    def __init__(self, reason: NoAccess) -> None:
        super().__init__(reason)
        self.reason: NoAccess = reason


class ReportUnreadable(Exception):
    """The report cannot be made, whenever it is tried. `message`: for the person."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


@dataclass(frozen=True, slots=True)
class ReportRenderer:
    """Renders reports by HTTP calls to the query service."""

    settings: Settings

    def render(self, report: ScheduledReport, period: ReportPeriod, *, is_preview: bool = False) -> Rendered:
        """Raises `ReportsUnavailable`, `ReportNotRendered`, `ReportRefused` or `ReportUnreadable`."""
        order = RenderOrder(
            account_id=report.account_id,
            website_id=report.website_id,
            view_id=report.view_id,
            query_id=report.query_id,
            parameters=report.parameters,
            first_day=period.first,
            last_day=period.last,
            stop_url=stop_page(self.settings, report.id),
            is_preview=is_preview,
            ordered_at=datetime.now(UTC),
        )
        body = order.model_dump_json().encode()
        path = VIEW_PATH if report.view_id is not None else QUERY_PATH
        url = f"{self.settings.query_base_url}{path}"
        headers = {PROOF: proof_of(self.settings, body), "content-type": "application/json"}
        try:
            answer = httpx.post(url, content=body, headers=headers, timeout=_TIMEOUT, trust_env=False)
        except httpx.HTTPError as error:
            raise ReportsUnavailable(str(error)) from error
        if answer.status_code == 200:
            return Rendered.model_validate_json(answer.content)
        raise _refusal(answer)


def _refusal(answer: httpx.Response) -> Exception:
    if answer.status_code in (429, 502, 503, 504):
        return ReportsUnavailable(f"HTTP {answer.status_code}")
    try:
        problem = orjson.loads(answer.content)
        code, message = str(problem["code"]), str(problem["message"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return ReportNotRendered(f"HTTP {answer.status_code}")
    if answer.status_code == 410 and code in get_args(NoAccess):
        return ReportRefused(cast(NoAccess, code))
    if answer.status_code in (400, 409, 422):
        return ReportUnreadable(message)
    return ReportNotRendered(f"HTTP {answer.status_code} {code}")
