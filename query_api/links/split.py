"""`GET /api/platform/links/{id}/split`: what the variants of a link's split earned, and which one is better."""

# ruff: noqa: S608 - names of tables are ours; values are bound

from __future__ import annotations

from collections.abc import Mapping
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
from schemas.events.links import Routing, Shifting, ShiftOutcome, WeightShift
from schemas.http.links import SplitShifting, Variant
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["links"], dependencies=[READS_OWN_WRITES])

MAX_SHIFTS: Final = 50
"""Decisions about weights that are listed."""
_LINK: Final = f"SELECT {COLUMNS}, l.shifting{FROM} WHERE l.deleted_at IS NULL AND l.id = %s"
_SHIFTS: Final = (
    "SELECT c.version, c.at, c.shift, (SELECT max(u.at) FROM read.link_changes AS u WHERE u.link_id = c.link_id"
    " AND u.restores = c.version) AS undone_at FROM read.link_changes AS c"
    f" WHERE c.link_id = %s AND c.website_id = %s AND c.shift IS NOT NULL ORDER BY c.version DESC LIMIT {MAX_SHIFTS}"
)
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


class ShiftedVariant(ResponseModel):
    """A variant in a decision about weights, with the figures of the judged days that it was decided on."""

    number: int
    before: float = Field(description="Percent of the visitors, by the weights before")
    after: float
    gets_traffic: bool
    clicks: int
    conversions: int
    buyers: int
    revenue: int = Field(description="Minor units")


class SplitShift(ResponseModel):
    """A decision about the weights of a split by its results."""

    version: int = Field(description="Names it when it is undone")
    at: datetime
    outcome: ShiftOutcome
    leader: int | None
    sureness: float | None = Field(description="0 to 1: of the closest comparison")
    variants: list[ShiftedVariant]
    undone_at: datetime | None


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
    shifting: SplitShifting
    shifts: list[SplitShift] = Field(
        description="Decisions about weights, newest first, at most 50; a day without a shift is listed when its reason"
        " differs from the one before"
    )


@router.get("/api/platform/links/{id}/split")
def get_link_split(id: UUID, context: Context, scope: CallerScope) -> LinkSplit:
    """The figures of each variant of the link, and whether one certainly earns more per click."""
    row = scope.row(_LINK, id, "link")
    website = scope.website(row["website_id"])
    today = datetime.now(UTC).date()
    first = statement.first_day(website.expired_before, today)
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
        shifting=SplitShifting.of(Shifting.model_validate(row["shifting"] or {})),
        shifts=[_shift(found) for found in scope.reader.rows(_SHIFTS, (id, website.id))],
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


def _shift(row: Mapping[str, Any]) -> SplitShift:
    noted = WeightShift.model_validate(row["shift"])
    total_before, total_after = (
        sum(getattr(each, when) for each in noted.variants if each.gets_traffic) or 1 for when in ("before", "after")
    )
    variants = [
        ShiftedVariant.of(
            each,
            before=round(100 * each.before / total_before, 1) if each.gets_traffic else 0.0,
            after=round(100 * each.after / total_after, 1) if each.gets_traffic else 0.0,
        )
        for each in noted.variants
    ]
    return SplitShift.of(noted, version=row["version"], at=row["at"], undone_at=row["undone_at"], variants=variants)


def _rounded(minor: float) -> float:
    return round(minor, 3)
