"""`/api/platform/reconciliation`: what was tracked, what the network reports, and what was paid, and why they differ.

`reconciliation` is one partner's month down to the transactions, as JSON, CSV, and a text for the partner;
`reconciliation/partners` is who owes what since when.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import chain, islice
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response

from infra.domain.payout_matching import AGES
from infra.kernel.http.openapi import file_response
from infra.kernel.http.route_costs import EXPORT, costs
from query_api.conversions.payouts import Aged
from query_api.conversions.reconciliation import schemas
from query_api.conversions.reconciliation.books import WebsiteBooks, website_books
from query_api.conversions.reconciliation.message import MAX_LINES, message
from query_api.conversions.reconciliation.months import (
    MonthTotals,
    PartnerBooks,
    differences_of_payouts,
    month_totals,
    partner_books,
)
from query_api.conversions.reconciliation.sales import MonthDifference, Side, difference
from query_api.conversions.statements.periods import StatementMonth, period
from query_api.kernel.authorization import AccountScope, require_existing
from query_api.kernel.csv import columns_of, csv_stream
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from schemas.currencies import amount_text, decimal_text
from schemas.days import local_day
from schemas.http.money import Amount

router = APIRouter(tags=["reconciliation"], dependencies=[READS_OWN_WRITES])

MAX_SHOWN: Final = 500
MAX_MONTHS: Final = 36
WebsiteId = Annotated[UUID, Query(alias="websiteId")]
_PARTNER: Final = "SELECT coalesce(nullif(name, ''), id::text) AS partner_name FROM read.partners WHERE id = %s"
_NAMES: Final = "SELECT id, coalesce(nullif(name, ''), id::text) AS partner_name FROM read.partners WHERE id = ANY(%s)"


@dataclass(frozen=True, slots=True)
class ChosenMonth:
    """The partner's month that a request is about."""

    partner_id: UUID
    partner_name: str
    month: StatementMonth
    books: WebsiteBooks
    partner: PartnerBooks
    totals: MonthTotals

    def differences(self) -> Iterator[MonthDifference]:
        """Yields the differences of payouts, then those of sales in the order of their times."""
        sales = self.books.sales(self.partner_id, self.month, self.partner.sources)
        found = (difference(self.partner.sources.compared(sale), self.month.month) for sale in sales)
        return chain(differences_of_payouts(self.totals.settled), (one for one in found if one is not None))

    @property
    def accepted(self) -> str | None:
        """The fingerprint of the figures that the owner accepted."""
        return self.books.accepted.get((self.partner_id, self.month.month))

    @property
    def difference_count(self) -> int:
        return self.totals.differing + len(differences_of_payouts(self.totals.settled))

    def amount(self, minor: int) -> Amount:
        return Amount(amount=minor, currency=self.month.website.currency)

    @property
    def file_name(self) -> str:
        name = re.sub(r"[^a-z0-9]+", "-", self.partner_name.lower()).strip("-") or "partner"
        return f"reconciliation-{name}-{self.month.month}"


def chosen_month(
    scope: CallerScope,
    website_id: WebsiteId,
    partner_id: Annotated[UUID, Query(alias="partnerId")],
    month: Annotated[str, Query(max_length=7, description="YYYY-MM, in the website's time zone")],
) -> ChosenMonth:
    """The month that the parameters name. Raises `Problem` 400 and 404."""
    selected = period(scope, website_id, month)
    partner = require_existing(scope.reader.row(_PARTNER, (partner_id,)), "partner")
    books = website_books(scope.reader, selected.website, datetime.now(UTC), partner_id)
    found = books.partners.get(partner_id) or partner_books((), (), "")
    totals = month_totals(found, selected.month)
    return ChosenMonth(partner_id, partner["partner_name"], selected, books, found, totals)


Chosen = Annotated[ChosenMonth, Depends(chosen_month)]
COLUMNS: Final = columns_of(schemas.DifferenceLine)


@router.get("/api/platform/reconciliation")
def get_reconciliation(chosen: Chosen) -> schemas.Reconciliation:
    """A partner's month: tracked, reported, paid, and the reasons for each difference."""
    totals = chosen.totals
    return schemas.Reconciliation(
        website_id=chosen.month.website.id,
        partner_id=chosen.partner_id,
        partner_name=chosen.partner_name,
        timezone=chosen.month.zone.key,
        differences=[_difference(one, chosen) for one in islice(chosen.differences(), MAX_SHOWN)],
        **_month(totals, chosen.month.website.currency, chosen.accepted).model_dump(),
    )


@router.get(
    "/api/platform/reconciliation.csv",
    response_class=Response,
    responses=file_response("text/csv"),
    openapi_extra=costs(EXPORT),
)
def get_reconciliation_csv(chosen: Chosen) -> Response:
    """Every difference of a partner's month, to send to the partner."""
    return csv_stream(chosen.file_name, COLUMNS, (_line(one, chosen) for one in chosen.differences()))


@router.get("/api/platform/reconciliation.txt", response_class=Response, responses=file_response("text/plain"))
def get_reconciliation_text(chosen: Chosen) -> Response:
    """The month as a text to send to the partner, with the first 200 differences."""
    totals, currency = chosen.totals, chosen.month.website.currency
    sums = [("Tracked by us", totals.tracked), *([("Reported by you", totals.reported)] if totals.is_reported else [])]
    sums += [("Paid by you", totals.settled.paid), ("Not due yet", totals.settled.not_due)]
    text = message(
        website=chosen.month.website.domain,
        partner=chosen.partner_name,
        month=chosen.month.month,
        sums=[(name, amount_text(minor, currency)) for name, minor in sums],
        currency=currency,
        since=totals.settled.since,
        differences=list(islice(chosen.differences(), MAX_LINES)),
        count=chosen.difference_count,
    )
    headers = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"}
    return Response(text, media_type="text/plain; charset=utf-8", headers=headers)


@router.get("/api/platform/reconciliation/partners")
def get_reconciled_partners(scope: CallerScope, website_id: WebsiteId) -> schemas.ReconciliationOverview:
    """Which partner owes what since when, and the months that do not agree; the longest overdue first."""
    website, now = scope.website(website_id), datetime.now(UTC)
    books = website_books(scope.reader, website, now)
    names = _names(scope, books)
    today = local_day(website.zone, now)
    partners = [
        _partner(partner_id, names.get(partner_id, str(partner_id)), books, today) for partner_id in books.partners
    ]
    partners.sort(key=lambda one: (one.since or date.max, -one.open.amount, one.partner_name.lower(), one.partner_id))
    return schemas.ReconciliationOverview(
        website_id=website.id,
        currency=website.currency,
        timezone=website.timezone,
        at=now,
        open=Amount(amount=sum(one.open.amount for one in partners), currency=website.currency),
        partners=partners,
    )


def _names(scope: AccountScope, books: WebsiteBooks) -> dict[UUID, str]:
    rows = scope.reader.rows(_NAMES, (list(books.partners),))
    return {row["id"]: row["partner_name"] for row in rows}


def _partner(partner_id: UUID, name: str, books: WebsiteBooks, today: date) -> schemas.ReconciledPartner:
    of, currency = books.partners[partner_id], books.website.currency
    accepted = {month: books.accepted.get((partner_id, month)) for month in of.months}
    totals = (month_totals(of, month) for month in reversed(of.months))
    months = [one for one in totals if not one.is_closed(accepted[one.month])]
    aged = [0, 0, 0, 0]
    for day, amount in (each for one in months for each in one.settled.aged):
        aged[sum((today - day).days > last for last in AGES)] += amount

    def total(minor: int) -> Amount:
        return Amount(amount=minor, currency=currency)

    return schemas.ReconciledPartner(
        partner_id=partner_id,
        partner_name=name,
        open=total(sum(one.settled.short for one in months)),
        since=min((one.settled.since for one in months if one.settled.since is not None), default=None),
        aged=Aged(days0to30=aged[0], days31to60=aged[1], days61to90=aged[2], over90=aged[3]),
        not_due=total(sum(one.settled.not_due for one in months)),
        disputed=total(sum(one.tracked - one.reported for one in months)),
        open_months=len(months),
        months=[_month(one, currency, accepted[one.month]) for one in months[:MAX_MONTHS]],
    )


def _month(totals: MonthTotals, currency: str, accepted: str | None) -> schemas.ReconciliationMonth:
    def amount(minor: int) -> Amount:
        return Amount(amount=minor, currency=currency)

    settled = totals.settled
    return schemas.ReconciliationMonth(
        month=totals.month,
        tracked=amount(totals.tracked),
        reported=amount(totals.reported) if totals.is_reported else None,
        paid=amount(settled.paid),
        not_due=amount(settled.not_due),
        open=amount(settled.short),
        since=settled.since,
        difference_count=totals.differing + len(differences_of_payouts(settled)),
        state="agreed" if totals.is_closed(accepted) else "open",
        is_accepted=not totals.agrees and totals.is_closed(accepted),
        fingerprint=totals.fingerprint,
    )


def _difference(one: MonthDifference, chosen: ChosenMonth) -> schemas.ReconciliationDifference:
    tracked, reported = (one.sale.tracked, one.sale.reported) if one.sale is not None else (None, None)
    of_payouts = one.sale is None
    return schemas.ReconciliationDifference(
        reason=one.reason,
        transaction=one.sale.transaction if one.sale is not None else None,
        conversion_id=one.sale.conversion_id if one.sale is not None else None,
        tracked=_named(tracked),
        reported=chosen.amount(chosen.totals.reported) if of_payouts else _named(reported),
        paid=chosen.amount(chosen.totals.settled.paid) if of_payouts else None,
        amount=chosen.amount(one.amount),
        tracked_month=tracked.month if tracked else None,
        reported_month=reported.month if reported else None,
    )


def _named(side: Side | None) -> Amount | None:
    return Amount(amount=side.amount, currency=side.currency) if side is not None else None


def _line(one: MonthDifference, chosen: ChosenMonth) -> schemas.DifferenceLine:
    shown = _difference(one, chosen)
    tracked, reported, paid, amount = shown.tracked, shown.reported, shown.paid, shown.amount
    return schemas.DifferenceLine(
        month=chosen.month.month,
        reason=one.reason,
        transaction=shown.transaction or "",
        tracked=_decimal(tracked),
        tracked_currency=tracked.currency if tracked else "",
        tracked_month=shown.tracked_month or "",
        reported=_decimal(reported),
        reported_currency=reported.currency if reported else "",
        reported_month=shown.reported_month or "",
        paid=_decimal(paid),
        open=decimal_text(amount.amount, amount.currency),
        currency=amount.currency,
    )


def _decimal(amount: Amount | None) -> str:
    return decimal_text(amount.amount, amount.currency) if amount is not None else ""
