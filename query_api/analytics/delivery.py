"""`GET /api/platform/analytics/delivery`: outcomes of everything that was sent for a website, and the last refusals.

Counts are by time of arrival: stored events (accepted, or flagged as a bot's or suspicious) from `delivery_minute`,
repeated ids from `duplicates`, reported leads and sales from `conversion_reports`, refused events and repeated reports
from `refusals`. A report that was accepted and then rejected by its decision is in the last two; it counts as invalid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import Field, create_model

from query_api.analytics import ranges, statement
from query_api.analytics.query_plan import counts_by_edge, edges_of
from query_api.analytics.ranges import BucketKind, Range, TimeRange
from query_api.analytics.request import Day, RangeQuery, range_of
from query_api.kernel import clickhouse_reader
from query_api.kernel.authorization import AccountScope, Website
from query_api.kernel.clickhouse_reader import Row
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services
from schemas import instants
from schemas.http.responses import ResponseModel
from schemas.tracking import AD_IDS_NOT_KEPT, NO_ID, Outcome

REFUSALS: Final = 50
REASONS: Final = 50
MAX_GROUPS: Final = 1_000
POSTBACK: Final = "/postback"
OLDEST_DAYS: Final = 31
"""Days that an event may be old when it arrives, but for backfills, which keep no ad click ids."""
_KEEPS_AD_IDS: Final = "SELECT keep_ad_click_ids AS keeps FROM read.websites AS w WHERE id = %s"

router = APIRouter(
    prefix="/api/platform/analytics",
    tags=["analytics"],
    dependencies=[READS_OWN_WRITES],
)


class DeliveryRange(StrEnum):
    """The ranges of the analytics calls, and two short ones by the minute."""

    LAST_1H = "1h"
    LAST_2H = "2h"
    TODAY = "today"
    YESTERDAY = "yesterday"
    LAST_24H = "24h"
    LAST_7D = "7d"
    LAST_14D = "14d"
    LAST_30D = "30d"
    LAST_90D = "90d"
    THIS_WEEK = "this_week"
    LAST_WEEK = "last_week"
    THIS_MONTH = "this_month"
    LAST_MONTH = "last_month"
    THIS_QUARTER = "this_quarter"
    LAST_QUARTER = "last_quarter"
    THIS_YEAR = "this_year"
    LAST_YEAR = "last_year"
    LAST_12M = "12m"
    ALL = "all"
    CUSTOM = "custom"


_MINUTES: Final = {DeliveryRange.LAST_1H: 60, DeliveryRange.LAST_2H: 120}


class DeliveryQuery(RangeQuery):
    """Website and range."""

    time_range: DeliveryRange = DeliveryRange.LAST_24H  # type: ignore[assignment]  # narrows the choice
    from_: Day = Field(default=None, alias="from")
    to: Day = None


class DeliveryRefusal(ResponseModel):
    """One refusal; equal ones of the same second are kept as one with their `count`."""

    id: UUID
    at: datetime
    outcome: Outcome
    code: str
    message: str
    endpoint: str
    count: int
    sample: str = Field(description="The start of the request, without secret parts")
    partner: str = Field(description="Slug of the partner, as the postback names it")
    is_replayable: bool = Field(
        description="Whether `POST /api/platform/websites/{id}/refused-reports/{refusalId}/replay` may read it again"
    )


class DeliveryReason(ResponseModel):
    """Repeats or rejections of the whole range with one reason."""

    outcome: Outcome
    code: str
    message: str
    endpoint: str
    partner: str = Field(description="Slug of the partner, as the postback names it")
    count: int


class DeliveryPartner(ResponseModel):
    """Postbacks that name one partner, by outcome."""

    partner: str = Field(description="Slug, as the postback names it; empty: it names none")
    name: str | None = Field(description="None: there is no partner with this slug")
    accepted: int = 0
    duplicate: int = 0
    rejected: int = 0


_COUNTS: Final[dict[str, Any]] = {outcome.value: (int, 0) for outcome in Outcome}
Outcomes = create_model("Outcomes", __doc__="How many events came to each outcome.", **_COUNTS)
DeliveryPoint = create_model("DeliveryPoint", __base__=Outcomes, __doc__="One bucket.", at=(datetime, ...))


class Delivery(ResponseModel):
    """Outcomes in total, per bucket, by reason, of postbacks by partner, and the newest refusals."""

    bucket: BucketKind
    outcomes: Outcomes
    series: list[DeliveryPoint]
    reasons: list[DeliveryReason] = Field(description="The most frequent first")
    partners: list[DeliveryPartner] = Field(description="The partner with the most postbacks first")
    refusals: list[DeliveryRefusal]
    ad_ids_not_kept: int = Field(
        description="Stored events whose ad click ids were to be kept, while there was no key to encrypt them"
    )


_REJECTED_BY_DECISION: Final = (
    "(SELECT r.report_id FROM refusals AS r WHERE r.website_id = {website:UUID}"  # noqa: S608 - own text
    f" AND r.report_id <> toUUID('{NO_ID}'))"
)
_REPORTED: Final = (
    f"if(t.outcome = 'accepted' AND t.report_id IN {_REJECTED_BY_DECISION}, 'invalid', toString(t.outcome))"
)
_OUTCOME: Final = "toString(t.outcome) AS outcome"
_SUMMED: Final = {
    "kept": ("delivery_minute", "minute", "toString(t.outcome)", "sum(t.events)", "1"),
    "again": ("duplicates", "received_at", "'duplicate'", "count()", "NOT t.is_conflict"),
    "reported": ("conversion_reports", "received_at", _REPORTED, "count()", "t.outcome <> 'conflict'"),
    "refused": ("refusals", "at", "toString(t.outcome)", "sum(t.count)", f"t.report_id = toUUID('{NO_ID}')"),
}
"""Table, its time, outcome, how events are counted, which rows. (An id that came again with other content is in
`refusals`, as invalid.)"""


@router.get("/delivery")
def get_delivery(
    query: Annotated[DeliveryQuery, Query()], response: Response, context: Context, scope: CallerScope
) -> Delivery:
    """Event delivery: every event received in the range has exactly one outcome."""
    website = scope.website(query.website_id)
    range_ = _range(query, website, context)
    queries = [_counted(website, range_, *parts) for parts in _SUMMED.values()]
    more = (_last_refusals(website, range_), _reasons(website, range_), _by_partner(website, range_))
    not_kept = [_not_kept(website, range_)] if _keeps_ad_ids(scope, website) else []
    results = context.read(response, *more, *not_kept, *queries)
    refusals, reasons, reports = results[: len(more)]
    counted = results[len(more) + len(not_kept) :]
    series = _series(range_, [row for rows in counted for row in rows])
    total = sum(series, Counter[str]())
    return Delivery(
        bucket=range_.bucket,
        outcomes=Outcomes(**total),
        series=[DeliveryPoint(at=moment, **counts) for moment, counts in zip(range_.edges[:-1], series, strict=True)],
        reasons=[DeliveryReason.model_validate(row) for row in reasons[:REASONS]],
        partners=_partners(scope, reports, reasons),
        refusals=[DeliveryRefusal.model_validate({**row, "at": row["at"].replace(tzinfo=UTC)}) for row in refusals],
        ad_ids_not_kept=results[len(more)][0]["events"] if not_kept else 0,
    )


def _keeps_ad_ids(scope: AccountScope, website: Website) -> bool:
    row = scope.reader.row(_KEEPS_AD_IDS, (website.id,))
    return bool(row and row["keeps"])


def _range(query: DeliveryQuery, website: Website, context: Services) -> Range:
    if query.time_range in _MINUTES:
        return ranges.last_minutes(website.zone, datetime.now(UTC), _MINUTES[query.time_range])
    named = {"time_range": TimeRange(query.time_range.value), "from_": query.from_, "to": query.to}
    return range_of(RangeQuery.named(website_id=query.website_id, **named), website, context)


def _counted(
    website: Website, range_: Range, table: str, time: str, outcome: str, count: str, which: str
) -> clickhouse_reader.Query:
    selected = statement.bucket_of(time), f"{outcome} AS result", f"{count} AS events"
    query = statement.of_range(str(website.id), range_, table, time, selected, which, group="edge, result")
    return replace(query, parameters={**query.parameters, **edges_of(range_)})


def _not_kept(website: Website, range_: Range) -> clickhouse_reader.Query:
    days = (
        f"toDate(t.occurred_at) >= toDate({instants.bound('start')}) - {OLDEST_DAYS}",
        f"toDate(t.occurred_at) <= toDate({instants.bound('end')}) + 1",
    )
    which = *days, f"t.flags LIKE '%{AD_IDS_NOT_KEPT}%'"
    return statement.of_range(str(website.id), range_, "events", "received_at", ("count() AS events",), *which)


def _last_refusals(website: Website, range_: Range) -> clickhouse_reader.Query:
    names = ("at", "code", "message", "endpoint", "count", "sample", "partner", "id")
    selected = *(f"t.{name} AS {name}" for name in names), _OUTCOME, "t.request <> '' AS isReplayable"
    clauses = {"order": "t.at DESC, t.id", "limit": str(REFUSALS)}
    return statement.of_range(str(website.id), range_, "refusals", "at", selected, **clauses)


def _reasons(website: Website, range_: Range) -> clickhouse_reader.Query:
    selected = (
        *(_OUTCOME, "t.code AS code", "any(t.message) AS message", "t.endpoint AS endpoint", "t.partner AS partner"),
        *(f"t.report_id <> toUUID('{NO_ID}') AS is_decision", "sum(t.count) AS count"),
    )
    clauses = {
        "group": "outcome, code, endpoint, partner, is_decision",
        "order": "count DESC, code, endpoint, partner",
        "limit": str(MAX_GROUPS),
    }
    return statement.of_range(str(website.id), range_, "refusals", "at", selected, **clauses)


def _by_partner(website: Website, range_: Range) -> clickhouse_reader.Query:
    selected = "toString(t.partner_id) AS partner_id", f"{_REPORTED} AS result", "count() AS count"
    which = "t.reported_by = 'postback'", "t.outcome <> 'conflict'"
    clauses = {
        "group": "partner_id, result", "order": "count DESC, partner_id, result", "limit": str(MAX_GROUPS)
    }  # fmt: skip
    return statement.of_range(str(website.id), range_, "conversion_reports", "received_at", selected, *which, **clauses)


def _partners(scope: AccountScope, reports: Sequence[Row], reasons: Sequence[Row]) -> list[DeliveryPartner]:
    """Postbacks by partner: accepted reports name its id, rejected requests a slug, which need not exist."""
    ids = [row["partner_id"] for row in reports]
    slugs = [row["partner"] for row in reasons]
    partners = scope.reader.rows(_PARTNERS, {"ids": ids, "slugs": slugs})
    slug_of = {row["id"]: row["slug"] for row in partners}
    name_of = {row["slug"]: row["name"] for row in partners}
    counts: dict[str, Counter[str]] = {}
    for row in reports:
        counts.setdefault(slug_of.get(row["partner_id"], ""), Counter())[_column(row["result"])] += int(row["count"])
    for row in reasons:
        if row["endpoint"] == POSTBACK and not row["is_decision"]:
            counts.setdefault(row["partner"], Counter())[_column(row["outcome"])] += int(row["count"])
    return [
        DeliveryPartner(partner=slug, name=name_of.get(slug), **count)
        for slug, count in sorted(counts.items(), key=lambda item: (-item[1].total(), item[0]))
    ]


_PARTNERS: Final = (
    "SELECT id::text AS id, slug, name FROM read.partners WHERE id = ANY(%(ids)s::uuid[]) OR slug = ANY(%(slugs)s)"
)


def _column(outcome: str) -> str:
    return outcome if outcome in ("accepted", "duplicate") else "rejected"


def _series(range_: Range, rows: Sequence[Row]) -> list[Counter[str]]:
    by_edge: dict[int, Counter[str]] = {}
    for row in rows:
        by_edge.setdefault(int(row["edge"]), Counter())[row["result"]] += int(row["events"])
    laid = counts_by_edge(range_, [{"edge": edge, "counts": counts} for edge, counts in by_edge.items()])
    return [row.get("counts", Counter()) for row in laid]
