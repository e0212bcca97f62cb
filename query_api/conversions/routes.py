"""`GET /api/platform/conversions`: leads and sales with their status, newest first."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import Field

from infra.kernel.http.openapi import file_response
from query_api.conversions.list_query import Ordered, Wanted
from query_api.kernel.authorization import AccountScope
from query_api.kernel.csv import columns_of, csv_stream
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.pagination import Page50
from schemas.currencies import decimal_text
from schemas.events.conversions import ConversionStatus
from schemas.http.conversions import Conversion
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

router = APIRouter(
    tags=["conversions"],
    dependencies=[READS_OWN_WRITES],
)


class Adjustment(ResponseModel):
    """What accepting the proposed click would make of an approved conversion."""

    partner_id: UUID | None
    link_id: UUID | None
    click_id: str | None
    clicked_at: datetime | None
    commission: Amount | None


class WaitingDecision(ResponseModel):
    """A decision that is not final yet."""

    id: UUID
    decision: Literal["approve", "reject"]
    due_at: datetime


class ConversionInFull(Conversion):
    """A lead or sale with its click and what was reported of it."""

    kind: str = Field(description="sale or lead")
    reversed_commission: Amount
    reported_by: str
    customer: str | None
    clicked_at: datetime | None
    conflicts: int = Field(
        description="Number of reported amounts, payouts, click ids and coupons that differ from the accepted ones"
    )
    key_kind: str = Field(
        description="Kind of the most trusted key that reported it; site: a claim; empty: not recorded"
    )
    address_class: str = Field(description="Class of the address that reported it first, e.g. datacentre; empty: none")
    click_bot_reason: str | None = Field(description="Why metrics exclude its click; null: included")
    unread: list[str] = Field(description="Fields that no report gives in a form that can be read")
    network: str = Field(description="Slug of the network that reported it in a file or by its API; empty: none")
    network_txid: str = Field(description="That network's id of the sale")
    is_void: bool = Field(description="No report has it any more: the import that had it was undone")
    other_events: list[str] = Field(description="Other event names under which the same transaction was reported")
    adjustment: Adjustment | None = Field(
        description="A click received after the approval that would have been credited"
    )
    link_slug: str | None
    country: str = Field(description="Of the click; empty without one")
    device: str
    source: str
    subs: dict[str, str]
    coupon: str
    decision: WaitingDecision | None = Field(description="A decision that becomes final soon, and can be undone")


class StatusTotal(ResponseModel):
    """Those of a status, in one website currency."""

    status: ConversionStatus
    count: int
    unattributed: int = Field(description="Of them, without a click: they earn nothing")
    commission: Amount = Field(description="Net of reversals")


class MatchingTotals(ResponseModel):
    """Everything that matches the filter, whatever the page shows."""

    count: int
    unattributed: int = Field(description="Without a click: they earn nothing")
    amounts: list[Amount] = Field(description="Sales as reported, by currency")
    statuses: list[StatusTotal]
    at: datetime = Field(description="When it was counted")


_SELECT: Final = """SELECT c.*, {key} AS sort_key, p.name AS partner_name, l.slug AS link_slug,
    d.decision AS waits_for, d.id AS decision_id, d.due_at AS decision_due_at, ARRAY(
    SELECT o.event FROM read.conversions AS o
    WHERE o.website_id = c.website_id AND o.txid = c.txid AND o.event <> c.event ORDER BY o.event LIMIT 10
) AS other_events
FROM read.conversions AS c LEFT JOIN read.partners AS p ON p.id = c.partner_id
LEFT JOIN read.links AS l ON l.id = c.link_id
LEFT JOIN LATERAL (
    SELECT w.id, w.decision, w.due_at FROM read.conversion_decisions AS w
    WHERE w.website_id = c.website_id AND w.state = 'scheduled' AND c.id = ANY(w.conversion_ids) LIMIT 1
) AS d ON true"""
_TOTALS: Final = """SELECT c.status, c.currency, c.commission_currency, count(*) AS count,
    count(*) FILTER (WHERE c.partner_id IS NULL) AS unattributed,
    sum(c.amount) AS amount, sum(c.commission) AS commission
FROM read.conversions AS c"""


@router.get("/api/platform/conversions")
def get_conversions(wanted: Wanted, order: Ordered, page: Page50) -> list[ConversionInFull]:
    """Newest first by the time they occurred, unless `sort` says otherwise. Days are the website's, or UTC's when no
    website is named."""
    rows = wanted.rows(_SELECT, order, page.limit + 1, order.after(page))
    return [_to_response(row) for row in page.take(rows, *order.cursor)]


@router.get("/api/platform/conversions.csv", response_class=Response, responses=file_response("text/csv"))
def get_conversions_csv(
    wanted: Wanted, order: Ordered, _website_id: Annotated[UUID, Query(alias="websiteId")]
) -> Response:
    """The same list as a file, all of it, amounts in major units with the decimals of their currency."""
    return csv_stream("conversions", COLUMNS, map(_line, wanted.all_rows(_SELECT, order)))


@router.get("/api/platform/conversions/totals")
def get_conversions_totals(wanted: Wanted) -> MatchingTotals:
    """Number of matching conversions, their sales, and their commission by status."""
    at = datetime.now(UTC)
    rows = wanted.grouped(_TOTALS, "c.status, c.currency, c.commission_currency")
    sales: Counter[str] = Counter()
    totals: defaultdict[tuple[ConversionStatus, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        sales[row["currency"]] += int(row["amount"])
        one = {name: int(row[name]) for name in ("count", "unattributed", "commission")}
        totals[row["status"], row["commission_currency"]].update(one)
    return MatchingTotals(
        count=sum(total["count"] for total in totals.values()),
        unattributed=sum(total["unattributed"] for total in totals.values()),
        amounts=[Amount(amount=amount, currency=currency) for currency, amount in sorted(sales.items())],
        statuses=[
            StatusTotal(
                status=status,
                count=total["count"],
                unattributed=total["unattributed"],
                commission=Amount(amount=total["commission"], currency=currency),
            )
            for (status, currency), total in totals.items()
        ],
        at=at,
    )


@router.get("/api/platform/conversions/{id}")
def get_conversion(id: UUID, scope: CallerScope) -> ConversionInFull:
    """One conversion."""
    return find_conversion(scope, id)


def find_conversion(scope: AccountScope, id: UUID) -> ConversionInFull:
    """The conversion, if it is theirs. Raises `Problem` 404."""
    select = _SELECT.format(key="NULL")
    return _to_response(scope.row(f"{select} WHERE c.id = %s", id, "conversion"))


class ConversionLine(ResponseModel):
    """One conversion in the file."""

    occurred_at: datetime
    transaction: str
    event: str
    kind: str
    status: str
    partner: str
    amount: str
    currency: str
    commission: str
    commission_currency: str
    attribution: str
    click_id: str
    reported_by: str
    key_kind: str
    address_class: str
    conflicts: int
    reason: str
    id: UUID
    link: str
    country: str
    device: str
    source: str
    subs: str
    coupon: str
    customer: str
    network: str


COLUMNS: Final = columns_of(ConversionLine)


def _line(row: Mapping[str, Any]) -> ConversionLine:
    return ConversionLine.of_row(
        row,
        transaction=row["txid"],
        partner=row["partner_name"] or "",
        amount=decimal_text(row["amount"], row["currency"]),
        commission=decimal_text(row["commission"], row["commission_currency"]),
        attribution=row["attributed_by"] or "",
        click_id=row["click_id"] or "",
        link=row["link_slug"] or "",
        subs="; ".join(f"{name}={value}" for name, value in sorted(row["subs"].items())),
    )


def _to_response(row: Mapping[str, Any]) -> ConversionInFull:
    def money(column: str, currency: str) -> Amount:
        return Amount(amount=row[column], currency=row[currency])

    # While a new version is built, the live table may be one without the column.
    unread = row["unread"].split(",") if row.get("unread") else []
    return ConversionInFull.of_row(
        row,
        amount=money("amount", "currency"),
        commission=money("commission", "commission_currency"),
        reversed=money("reversed_amount", "currency"),
        reversed_commission=money("reversed_commission", "commission_currency"),
        click_id=row["click_id"] or None,
        attribution=row["attributed_by"],
        reason=row["reason"] or None,
        customer=row["customer"] or None,
        click_bot_reason=row["click_bot_reason"] or None,
        decision=_waiting(row),
        unread=unread,
        # While version 7 is built, the live table has the date of the terms.
        approves_at=row["approves_at"] if "txid" not in unread else None,
    )


def _waiting(row: Mapping[str, Any]) -> WaitingDecision | None:
    if row["decision_id"] is None:
        return None
    return WaitingDecision.of_row(row, id=row["decision_id"], decision=row["waits_for"], due_at=row["decision_due_at"])
