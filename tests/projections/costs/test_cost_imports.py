"""Imports of costs as they are read, and what they book in `cost_changes`."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from schemas.base import DomainEvent, MoneySum
from schemas.events import costs
from schemas.events.costs import CostDayChange, CostEntry, CostImportCounts
from schemas.identity import platform_cost_id
from schemas.report_imports import OpenQuestion, ReportFile
from tests.support.events import usd
from tests.support.projection_bench import WEBSITE, ProjectionBench

IMPORT, OTHER = UUID("0190a1b2-0000-7000-8000-0000000000d1"), UUID("0190a1b2-0000-7000-8000-0000000000d2")
NOW, DAY = datetime(2026, 11, 20, 12, tzinfo=UTC), date(2026, 11, 3)
FILE = ReportFile(name="november.csv", size=812, sha256="ab" * 32)
QUESTION = OpenQuestion(field="date_order", message="03/04/26 can be 3 April or March 4.", choices=("dmy", "mdy"))
STANDING = (
    "SELECT toString(cost_id), campaign, toString(first), sum(amount) AS stands FROM cost_changes"
    " GROUP BY ALL HAVING stands <> 0 ORDER BY stands"
)


def of(version: int, event_class: Any, import_id: UUID = IMPORT, **values: Any) -> DomainEvent:
    event: DomainEvent = event_class(
        originator_id=import_id, originator_version=version, timestamp=NOW, website_id=WEBSITE, **values
    )
    return event


def entry(campaign: str, cents: int) -> CostEntry:
    return CostEntry(first=DAY, last=DAY, source="Google", campaign=campaign, amount=usd(cents), worth=usd(cents))


def test_an_import_is_shown_with_its_questions_and_then_with_its_numbers(projecting: ProjectionBench) -> None:
    with projecting.running("cost_imports"):
        projecting.decide(
            of(1, costs.CostImportUploaded, platform="meta", file=FILE),
            of(2, costs.CostImportQuestioned, questions=(QUESTION,)),
        )
        projecting.wait("cost_imports")
        shown = projecting.sql("SELECT state, platform, questions FROM read.cost_imports")
        assert shown == [("asking", "meta", [QUESTION.model_dump(mode="json")])]
        counts = CostImportCounts(rows=3, new=2, rejected=1)
        projecting.decide(
            of(3, costs.CostImportRemapped, mapping=costs.CostMapping(date_order="dmy")),
            of(4, costs.CostImportRead, counts=counts, delta=(MoneySum(amount=1240, currency="EUR"),)),
            of(5, costs.CostImportStarted),
            of(6, costs.CostImportApplied),
        )
        projecting.wait("cost_imports")
        [(state, questions, shown_counts, delta, applied_at)] = projecting.sql(
            "SELECT state, questions, counts, delta, applied_at FROM read.cost_imports"
        )
        assert (state, questions, applied_at) == ("applied", None, NOW)
        assert (shown_counts, delta) == (counts.model_dump(), [{"amount": 1240, "currency": "EUR"}])


def test_what_imports_book_adds_up_to_the_costs_that_count(projecting: ProjectionBench) -> None:
    def booked(*changes: CostDayChange) -> dict[str, Any]:
        return {"platform": "google_ads", "changes": changes}

    added = [CostDayChange(entry=entry(name, 500)) for name in ("spring", "fall")]
    replaced = CostDayChange(entry=entry("spring", 700), replaced=entry("spring", 500))
    projecting.decide(
        of(1, costs.CostImportUploaded, platform="google_ads", file=FILE),
        of(2, costs.CostImportBooked, **booked(*added)),
        of(1, costs.CostImportUploaded, OTHER, platform="google_ads", file=FILE),
        of(2, costs.CostImportBooked, OTHER, **booked(replaced)),
        of(3, costs.CostImportBooked, **booked(CostDayChange(replaced=entry("fall", 500)))),
    )
    with projecting.running("cost_changes"):
        projecting.wait("cost_changes")
        cost_id = str(platform_cost_id(WEBSITE, "google_ads"))
        assert projecting.rows(STANDING) == [(cost_id, "spring", "2026-11-03", 700)]
        assert projecting.rows("SELECT count() FROM cost_changes") == [(5,)]
        assert projecting.command("projections", "rebuild", "cost_changes") == 0
        projecting.wait("cost_changes", generation=2)
        assert projecting.command("projections", "verify", "cost_changes") == 0
