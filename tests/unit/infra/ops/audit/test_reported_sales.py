"""What the audit finds wrong with a row of `pending_attribution`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, cast
from unittest.mock import Mock

import psycopg
import pytest

from infra.ops.audit import reported_sales
from infra.ops.audit.report import AuditReport
from infra.ops.audit.reported_sales import ReportedSales
from schemas.base import DomainEvent
from schemas.events.conversions import ConversionReportMerged, Reported
from tests.unit.command_api.conversions.test_model import NOW, SITE, recorded, said

TRACED: Final = said(1999).model_copy(update={"visitor": 7, "received_at": NOW})
LATER: Final = said(1999).model_copy(update={"received_at": NOW + timedelta(minutes=5)})
"""A report without a click: what it adds begins the search again, for the visitor of the other one."""


class Postgres:
    """A connection to a store whose only row is a search that began at this moment."""

    def __init__(self, key: Any, received_at: datetime) -> None:
        self._rows: dict[str, Sequence[Any]] = {
            reported_sales._PENDING: [(key, received_at, received_at + timedelta(days=30))],
            reported_sales._MOMENT: [(100, NOW.astimezone(UTC))],
        }

    def execute(self, sql: str, _parameters: Any = ()) -> Any:
        found = [("there",)] if "to_regclass" in sql else self._rows.get(sql, [])
        return Mock(fetchall=lambda: found, fetchone=lambda: found[0], __iter__=lambda _: iter(found))


def found_wrong(received_at: datetime, *reports: Reported) -> list[str]:
    first = recorded(reported=reports[0])
    events: list[DomainEvent] = [first]
    for version, report in enumerate(reports[1:], start=2):
        head = {"originator_id": first.originator_id, "originator_version": version, "timestamp": NOW}
        events.append(ConversionReportMerged(**head, website_id=SITE, reported=report, key_kind="secret"))
    sales, found = (
        ReportedSales(cast(psycopg.Connection[Any], Postgres(first.originator_id, received_at))),
        AuditReport(),
    )
    for position, event in enumerate(events, start=1):
        sales.count(event, position)
    sales.compare_pending(found)
    assert found.checked["rows of conversions.pending_attribution"] == 1
    return [what for _, _, what in found.examples]


@pytest.mark.parametrize("reports", [(TRACED, LATER), (LATER, TRACED)], ids=["later", "first"])
def test_a_report_without_a_click_may_begin_the_search_again(reports: tuple[Reported, ...]) -> None:
    assert found_wrong(LATER.received_at, *reports) == []
    assert found_wrong(TRACED.received_at, *reports) == []


def test_a_search_that_no_report_began_is_wrong() -> None:
    [what] = found_wrong(NOW + timedelta(minutes=1), TRACED, LATER)
    assert "no report was received" in what
