"""Response models of reconciliation."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from query_api.conversions.payouts import Aged
from query_api.conversions.reconciliation.sales import DifferenceReason
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

State = Literal["open", "agreed"]


class ReconciliationDifference(ResponseModel):
    """One reason why a month does not agree. Tracked, reported and paid are as each side names them."""

    reason: DifferenceReason
    transaction: str | None = Field(description="Transaction id; null: it is about the month's payouts")
    conversion_id: UUID | None
    tracked: Amount | None = Field(description="Null: not tracked")
    reported: Amount | None = Field(description="Null: not reported")
    paid: Amount | None = Field(description="Of the month; null: the difference is about a sale")
    amount: Amount = Field(
        description="What it leaves open, in the website's currency; below zero: the partner reports or paid more"
    )
    tracked_month: str | None
    reported_month: str | None


class Reconciliation(ResponseModel):
    """A partner's month. tracked - paid = the amounts of all differences + notDue."""

    website_id: UUID
    partner_id: UUID
    partner_name: str
    month: str
    timezone: str
    tracked: Amount
    reported: Amount | None = Field(description="Null: no report of the partner reaches back to this month")
    paid: Amount
    not_due: Amount = Field(description="Owed, but pending or on hold, and not paid yet")
    open: Amount = Field(description="Due and not paid")
    since: date | None = Field(description="Since when the oldest of `open` is due")
    differences: list[ReconciliationDifference] = Field(description="At most 500; the CSV has them all")
    difference_count: int
    state: State = Field(description="agreed: both sides agree and everything is paid, or the differences are accepted")
    is_accepted: bool = Field(description="It has differences, and the owner accepted them as they are")
    fingerprint: str = Field(description="Names these figures; `accept` takes it")


class ReconciliationMonth(ResponseModel):
    """The sums of a partner's month."""

    month: str
    tracked: Amount
    reported: Amount | None = Field(description="Null: no report of the partner reaches back to this month")
    paid: Amount
    not_due: Amount
    open: Amount = Field(description="Due and not paid")
    since: date | None
    difference_count: int
    state: State
    is_accepted: bool
    fingerprint: str


class ReconciledPartner(ResponseModel):
    """What a partner owes, and its months that do not agree, the newest first."""

    partner_id: UUID
    partner_name: str
    open: Amount = Field(description="Due and not paid")
    since: date | None = Field(description="Since when the oldest of `open` is due")
    aged: Aged
    not_due: Amount
    disputed: Amount = Field(description="Tracked, less what is reported, in open months")
    open_months: int
    months: list[ReconciliationMonth] = Field(description="Open months, the newest first, at most 36")


class ReconciliationOverview(ResponseModel):
    """All partners of a website, the longest overdue first."""

    website_id: UUID
    currency: str
    timezone: str
    at: datetime
    open: Amount
    partners: list[ReconciledPartner]


class DifferenceLine(ResponseModel):
    """A line of the file for the partner; amounts in major units."""

    month: str
    reason: DifferenceReason
    transaction: str
    tracked: str
    tracked_currency: str
    tracked_month: str
    reported: str
    reported_currency: str
    reported_month: str
    paid: str
    open: str = Field(description="In the website's currency")
    currency: str
