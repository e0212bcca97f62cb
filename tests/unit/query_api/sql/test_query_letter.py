"""Given a result of a saved query, then its email says what is missing in it."""

from __future__ import annotations

from datetime import UTC, date, datetime
from uuid import uuid4

from infra.domain.reports.contract import RenderOrder
from query_api.sql.report_query import _rendered
from query_api.sql.statements import CsvResult

ORDER = RenderOrder(
    account_id=uuid4(),
    website_id=None,
    view_id=None,
    query_id=uuid4(),
    first_day=date(2026, 11, 16),
    last_day=date(2026, 11, 22),
    stop_url="https://althing.example/stop",
    is_preview=False,
    ordered_at=datetime(2026, 11, 23, tzinfo=UTC),
)


def text_of(kept_from: date | None) -> str:
    result = CsvResult(b'"clicks"\n3\n', ["UInt64"], 1, is_whole=True, kept_from=kept_from)
    return _rendered("Clicks", result, ORDER, "https://althing.example/sql").text


def test_a_result_without_expired_events_says_since_when_it_has_them() -> None:
    assert "Individual events are available from Mar 1, 2026 (UTC)." in text_of(date(2026, 3, 1))
    assert "Individual events" not in text_of(None)
