"""Given what the query service answers, does a report wait, fail, pause, or go to the dead letters?"""

from __future__ import annotations

from datetime import UTC, date, datetime
from uuid import uuid4

import httpx
import pytest

from command_api.analytics.reports.model import ScheduledReport
from command_api.analytics.reports.renderer import (
    ReportNotRendered,
    ReportRefused,
    ReportRenderer,
    ReportsUnavailable,
    ReportUnreadable,
)
from infra.domain.reports.contract import PROOF, VIEW_PATH, EmailFile, Rendered, verified_order
from infra.domain.reports.schedule import ReportPeriod
from infra.kernel.config.settings import Settings
from schemas.events.analytics import ReportInterval, ReportSchedule

SETTINGS = Settings(master_key="5a" * 32, query_port=1)
NOW = datetime(2026, 11, 23, 8, tzinfo=UTC)
MONDAYS = ReportSchedule(every=ReportInterval.WEEKLY)
REPORT = ScheduledReport(uuid4(), 1, uuid4(), uuid4(), uuid4(), None, MONDAYS, NOW)
WEEK = ReportPeriod(date(2026, 11, 16), date(2026, 11, 22))


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        (503, {"code": "analytics_unavailable", "message": "Later."}, ReportsUnavailable),
        (429, {"code": "too_many_running", "message": "Later."}, ReportsUnavailable),
        (410, {"code": "website", "message": "No access."}, ReportRefused),
        (400, {"code": "query_failed", "message": "No such column."}, ReportUnreadable),
        (404, {"code": "not_found", "message": "Not found."}, ReportNotRendered),
        (410, {"code": "planet", "message": "No access."}, ReportNotRendered),
        (500, None, ReportNotRendered),
    ],
)
def test_each_answer_has_its_outcome(
    monkeypatch: pytest.MonkeyPatch, status: int, body: object, expected: type[Exception]
) -> None:
    monkeypatch.setattr(httpx, "post", lambda *_, **__: httpx.Response(status, json=body))
    with pytest.raises(expected):
        ReportRenderer(SETTINGS).render(REPORT, WEEK)


def test_no_answer_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> httpx.Response:
        raise httpx.ConnectError("refused")

    monkeypatch.setattr(httpx, "post", refused)
    with pytest.raises(ReportsUnavailable):
        ReportRenderer(SETTINGS).render(REPORT, WEEK)


def test_the_order_is_proven_and_files_arrive_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    file = EmailFile(name="a.csv", media_type="text/csv", content=b"\xff\x00,1\r\n")
    email = Rendered(subject="S", text="T", html="<p>T</p>", attachments=[file])
    asked = []

    def answered(url: str, *, content: bytes, headers: dict[str, str], **_: object) -> httpx.Response:
        asked.append((url, verified_order(SETTINGS, {PROOF: headers[PROOF]}, content, datetime.now(UTC))))
        return httpx.Response(200, content=email.model_dump_json())

    monkeypatch.setattr(httpx, "post", answered)
    assert ReportRenderer(SETTINGS).render(REPORT, WEEK) == email
    [(url, order)] = asked
    assert url == f"http://127.0.0.1:1{VIEW_PATH}"
    assert order is not None and (order.account_id, order.first_day) == (REPORT.account_id, WEEK.first)
