"""`GET /api/platform/links/{id}/split`: what the variants of a link's split earned, and which one is better."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from infra.domain.splits import statement
from infra.domain.splits.judging import PairComparison, SplitResult, Verdict, judge
from infra.domain.splits.statement import DayRow
from infra.domain.visits.tables import CONVERSION_EVENTS
from query_api.kernel.clickhouse_reader import Query, live_table
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from query_api.links.routes import COLUMNS, FROM, variants_of
from schemas.events.links import Routing
from schemas.http.links import Variant
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["links"], dependencies=[READS_OWN_WRITES])

_LINK: Final = f"SELECT {COLUMNS}{FROM} WHERE l.deleted_at IS NULL AND l.id = %s"
_FIGURES: Final = statement.figures_by_day(live_table("events"), live_table(CONVERSION_EVENTS))


class VariantWithFigures(Variant):
    """A variant with what its clicks earned so far; bots excluded. `epc` and its interval: minor units of the website's
    currency a click, of the days that are judged."""

    share: float = Field(description="Percent of the visitors, by the weights of the variants that get traffic")
    clicks: int
    conversions: int = Field(description="Pending and approved ones of these clicks")
    revenue: int = Field(description="Minor units: commission on those")
    epc: float = Field(description="Minor units a click, of all days")
    judged_epc: float | None = Field(description="Of the judged days; null: without sales there")
    epc_low: float | None = Field(description="Where it certainly lies, whenever you look")
    epc_high: float | None


class VariantComparison(ResponseModel):
    """How much more the variant with the highest EPC earns than another one."""

    better: int = Field(description="Number of a variant")
    other: int
    by: float = Field(description="Minor units a click")
    low: float = Field(description="At least, with the certainty of the judgement; below 0: it may be worse")
    high: float
    percent: float | None = Field(description="Of the other's EPC; null: that is 0")
    sureness: float = Field(description="0 to 1: that equal variants would never look like this")
    is_certain: bool


class MissingBuyers(ResponseModel):
    """How many visitors of a variant must still buy before it is judged."""

    number: int
    buyers: int


class LinkSplit(ResponseModel):
    """The split of a link: its variants' figures and the judgement (docs/splits.md)."""

    currency: str
    first_day: date = Field(description="UTC; earlier clicks are not counted")
    judged_until: date = Field(description="The first day (UTC) whose clicks are not judged: their sales still come")
    settling_days: int = Field(description="How long it takes until nine of ten sales of a day's clicks have come")
    verdict: Verdict
    winner: int | None = Field(description="The variant that gets all visitors: the test was ended")
    leader: int | None = Field(description="The variant with the highest EPC: the winner, if the verdict says so")
    variants: list[VariantWithFigures]
    comparisons: list[VariantComparison] = Field(description="Of the leader with every other variant")
    missing_days: int = Field(description="Days that the test must still run")
    missing_buyers: list[MissingBuyers]
    more_buyers: int | None = Field(description="Undecided: buyers that the difference, if it stays, still needs")


@router.get("/api/platform/links/{id}/split")
def get_link_split(id: UUID, context: Context, scope: CallerScope) -> LinkSplit:
    """The figures of each variant of the link, and whether one certainly earns more per click."""
    row = scope.row(_LINK, id, "link")
    website = scope.website(row["website_id"])
    today = datetime.now(UTC).date()
    first = max(row["created_at"].astimezone(UTC).date(), today - timedelta(days=statement.MAX_DAYS))
    first = max(first, website.expired_before or first)
    bound = {"website": str(website.id), "link": str(id), "first": first.isoformat()}
    rows = [DayRow.of(found) for found in context.clickhouse.rows(Query(_FIGURES, bound))]
    routing = Routing.model_validate(row["routing"])
    variants = variants_of(row, routing)
    judged = statement.variants_of(rows, [each.number for each in variants if each.gets_traffic], today)
    judgement = judge(judged)
    days = statement.settling_days(rows)
    return LinkSplit(
        currency=website.currency,
        first_day=first,
        judged_until=today - timedelta(days=days - 1),
        settling_days=days,
        verdict=judgement.verdict,
        winner=routing.winner,
        leader=judgement.leader,
        variants=[_with_figures(each, variants, rows, judgement) for each in variants],
        comparisons=[_comparison(each, judgement) for each in judgement.comparisons],
        missing_days=judgement.missing.days,
        missing_buyers=[MissingBuyers(number=n, buyers=few) for n, few in judgement.missing.buyers.items()],
        more_buyers=judgement.missing.more_buyers,
    )


def _with_figures(
    variant: Variant, variants: list[Variant], rows: list[DayRow], judgement: SplitResult
) -> VariantWithFigures:
    own = [row for row in rows if row.number == variant.number]
    clicks, revenue = sum(row.clicks for row in own), sum(row.revenue for row in own)
    weights = sum(each.weight for each in variants if each.gets_traffic)
    interval = judgement.epc.get(variant.number)
    return VariantWithFigures(
        **variant.model_dump(),
        share=round(100 * variant.weight / weights, 1) if variant.gets_traffic else 0.0,
        clicks=clicks,
        conversions=sum(row.conversions for row in own),
        revenue=revenue,
        epc=_rounded(revenue / clicks) if clicks else 0.0,
        judged_epc=_rounded(interval.value) if interval else None,
        epc_low=_rounded(interval.low) if interval else None,
        epc_high=_rounded(interval.high) if interval else None,
    )


def _comparison(found: PairComparison, judgement: SplitResult) -> VariantComparison:
    other = judgement.epc.get(found.other)
    figures: dict[str, Any] = {name: _rounded(getattr(found.by, name)) for name in ("low", "high")}
    return VariantComparison(
        better=found.better,
        other=found.other,
        by=_rounded(found.by.value),
        percent=round(100 * found.by.value / other.value, 1) if other is not None and other.value else None,
        sureness=round(found.sureness, 4),
        is_certain=found.is_certain,
        **figures,
    )


def _rounded(minor: float) -> float:
    return round(minor, 3)
