"""`/api/platform/payouts`: what partners paid, what they owe, and since when."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Annotated, Any, Final
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import Field

from infra.domain.payout_files import opened
from infra.domain.payout_matching import Balance, Lot, Paid, balance, spans
from infra.kernel.http.openapi import file_response
from query_api.conversions.list_query import Id
from query_api.kernel.authorization import Website, require_existing
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context
from query_api.kernel.pagination import Page50, bad_cursor
from query_api.kernel.postgres_reader import PostgresReader, Row
from schemas.days import day_start, local_day
from schemas.http.conversions import Allocation, Payout
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel

router = APIRouter(
    prefix="/api/platform/payouts",
    tags=["payouts"],
    dependencies=[READS_OWN_WRITES],
)
WebsiteId = Annotated[UUID, Query(alias="websiteId")]


class RecordedPayout(Payout):
    """A payout with its history in short."""

    partner_name: str
    recorded_at: datetime
    corrected_at: datetime | None
    voided_at: datetime | None = Field(description="Since then it counts no more")
    reason: str = Field(description="Of the last correction, or of the voiding")


class PayoutStep(ResponseModel):
    """An event of a payout."""

    version: int
    name: str
    at: datetime
    position: int = Field(description="Of the event, in topic domain")
    detail: dict[str, Any]


class PayableMonth(ResponseModel):
    """Commissions by the month in which they became payable."""

    month: str
    payable: int
    paid: int


class Aged(ResponseModel, alias_generator=None):
    """Open amounts, by days since they became payable."""

    days0to30: int
    days31to60: int
    days61to90: int
    over90: int


class PartnerBalance(ResponseModel):
    """What a partner owes, in minor units of the website's currency. owed - credit = payable - paid."""

    partner_id: UUID
    partner_name: str
    payable: int = Field(description="Commissions that became payable until now")
    held: int = Field(description="Approved, but still on hold")
    paid: int
    owed: int
    credit: int = Field(description="Paid beyond what is payable; it settles what becomes payable next")
    aged: Aged
    months: list[PayableMonth]


class Balances(ResponseModel):
    """What all partners owe a website."""

    currency: str
    timezone: str
    at: datetime
    payable: int
    held: int
    paid: int
    owed: int
    credit: int
    aged: Aged
    partners: list[PartnerBalance]


_SELECT: Final = (
    "SELECT t.*, coalesce(nullif(p.name, ''), t.partner_id::text) AS partner_name FROM read.payouts AS t"
    " LEFT JOIN read.partners AS p ON p.id = t.partner_id"
)
_LISTED: Final = (
    f"{_SELECT} WHERE t.website_id = %(website)s AND (%(partner)s::uuid IS NULL OR t.partner_id = %(partner)s)"
    " AND (%(at)s::date IS NULL OR (t.paid_on, t.id) < (%(at)s::date, %(last)s::uuid))"
    " ORDER BY t.paid_on DESC, t.id DESC LIMIT %(limit)s"
)
_LOTS: Final = """
SELECT c.website_id, c.partner_id, sum(c.commission) AS amount, c.payable_at > %(now)s AS is_held,
    width_bucket(c.payable_at, %(starts)s::timestamptz[]) AS span
FROM read.conversions AS c
WHERE c.website_id = ANY(%(websites)s) AND c.status = 'approved' AND c.partner_id IS NOT NULL
    AND c.payable_at IS NOT NULL
GROUP BY 1, 2, 4, 5"""
_PAID: Final = (
    "SELECT website_id, partner_id, credited, allocations FROM read.payouts"
    " WHERE website_id = ANY(%s) AND voided_at IS NULL"
)
_NAMES: Final = "SELECT id, coalesce(nullif(name, ''), id::text) AS partner_name FROM read.partners WHERE id = ANY(%s)"


@router.get("")
def get_payouts(
    scope: CallerScope,
    page: Page50,
    website_id: WebsiteId,
    partner_id: Annotated[Id, Query(alias="partnerId")] = None,
) -> list[RecordedPayout]:
    """Newest first by the day they were paid, voided ones included."""
    website = scope.website(website_id)
    at, last = page.after(str, UUID)
    values = {"website": website.id, "partner": partner_id, "at": _day(at), "last": last, "limit": page.limit + 1}
    return [_to_response(row) for row in page.take(scope.reader.rows(_LISTED, values), "paid_on", "id")]


@router.get("/balances")
def get_payout_balances(scope: CallerScope, website_id: WebsiteId) -> Balances:
    """What each partner owes now, and for how long, the largest amount first."""
    website, now = scope.website(website_id), datetime.now(UTC)
    all_balances = balances(scope.reader, website, now)
    held = all_balances.held
    partners = [
        PartnerBalance(
            partner_id=partner_id,
            partner_name=all_balances.names.get(partner_id, str(partner_id)),
            payable=one.payable,
            held=held[partner_id],
            paid=one.paid,
            owed=one.open,
            credit=one.credit,
            aged=_aged([one]),
            months=[PayableMonth(month=m.month, payable=m.payable, paid=m.paid) for m in one.months],
        )
        for partner_id, one in all_balances.by_partner.items()
    ]
    partners.sort(key=lambda one: (-one.owed, one.partner_name.lower(), one.partner_id))
    return Balances(
        currency=website.currency,
        timezone=website.timezone,
        at=now,
        payable=sum(one.payable for one in partners),
        held=sum(one.held for one in partners),
        paid=sum(one.paid for one in partners),
        owed=sum(one.owed for one in partners),
        credit=sum(one.credit for one in partners),
        aged=_aged(all_balances.by_partner.values()),
        partners=partners,
    )


@router.get("/{id}")
def get_payout(id: UUID, scope: CallerScope) -> RecordedPayout:
    """One payout."""
    return _to_response(scope.row(f"{_SELECT} WHERE t.id = %s", id, "payout"))


@router.get("/{id}/steps")
def get_payout_steps(id: UUID, scope: CallerScope) -> list[PayoutStep]:
    """The history of a payout, oldest first."""
    scope.row(f"{_SELECT} WHERE t.id = %s", id, "payout")
    rows = scope.reader.rows("SELECT * FROM read.payout_steps WHERE payout_id = %s ORDER BY version LIMIT 500", (id,))
    return [PayoutStep.of_row(row) for row in rows]


@router.get(
    "/{id}/file",
    response_class=Response,
    responses=file_response("application/pdf", "image/jpeg", "image/png", "image/webp"),
)
def get_payout_file(id: UUID, scope: CallerScope, context: Context) -> Response:
    """The file of a payout, as a download."""
    row = scope.row(f"{_SELECT} WHERE t.id = %s", id, "payout")
    file_row = scope.reader.row(
        "SELECT sealed FROM conversions.payout_file WHERE payout_id = %s AND website_id = %s", (id, row["website_id"])
    )
    sealed = require_existing(file_row if row["file"] else None, "file")["sealed"]
    headers = {
        "Content-Disposition": f'attachment; filename="{row["file"]["name"]}"',
        "Cache-Control": "private, no-store",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    return Response(opened(context.settings, id, sealed), media_type=row["file"]["media_type"], headers=headers)


@dataclass(frozen=True, slots=True)
class FoundBalances:
    """Balances of a website by partner."""

    by_partner: dict[UUID, Balance]
    held: defaultdict[UUID, int]
    names: dict[UUID, str]


def balances(reader: PostgresReader, website: Website, now: datetime) -> FoundBalances:
    """Returns the balances of every partner that ever owed or paid something."""
    found = balances_of(reader, [website], now)[website.id]
    rows = reader.rows(_NAMES, (list(found.by_partner),))
    return replace(found, names={row["id"]: row["partner_name"] for row in rows})


def balances_of(reader: PostgresReader, websites: Sequence[Website], now: datetime) -> dict[UUID, FoundBalances]:
    """The same by website, without names: two statements for all websites of a time zone."""
    zones: defaultdict[str, list[Website]] = defaultdict(list)
    for website in websites:
        zones[website.timezone].append(website)
    found: dict[UUID, FoundBalances] = {}
    for each in zones.values():
        found |= _balances_of_zone(reader, each, now)
    return found


def _balances_of_zone(reader: PostgresReader, websites: Sequence[Website], now: datetime) -> dict[UUID, FoundBalances]:
    zone, ids = websites[0].zone, [website.id for website in websites]
    today = local_day(zone, now)
    days = spans(today)
    values = {"websites": ids, "now": now, "starts": [day_start(zone, day) for day in days]}
    lots: defaultdict[tuple[UUID, UUID], list[Lot]] = defaultdict(list)
    held: defaultdict[UUID, defaultdict[UUID, int]] = defaultdict(lambda: defaultdict(int))
    for row in reader.rows(_LOTS, values):
        website, partner = row["website_id"], row["partner_id"]
        if row["is_held"]:
            held[website][partner] += int(row["amount"])
        else:
            lots[website, partner].append(Lot(days[max(row["span"] - 1, 0)], int(row["amount"])))
    paid: defaultdict[tuple[UUID, UUID], list[Paid]] = defaultdict(list)
    for row in reader.rows(_PAID, (ids,)):
        paid[row["website_id"], row["partner_id"]].append(Paid(row["credited"], row["allocations"]))
    known = {*lots, *paid, *((website, partner) for website, each in held.items() for partner in each)}
    found = {one: FoundBalances({}, held[one], {}) for one in ids}
    for website, partner in known:
        found[website].by_partner[partner] = balance(lots[website, partner], paid[website, partner], today)
    return found


def _aged(found: Iterable[Balance]) -> Aged:
    sums = [sum(ages) for ages in zip((0, 0, 0, 0), *(one.aged for one in found), strict=True)]
    return Aged(days0to30=sums[0], days31to60=sums[1], days61to90=sums[2], over90=sums[3])


def _day(text: str | None) -> date | None:
    if text is None:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise bad_cursor() from error


def _to_response(row: Mapping[str, Any] | Row) -> RecordedPayout:
    return RecordedPayout.of_row(
        row,
        amount=Amount(amount=row["amount"], currency=row["currency"]),
        credited=Amount(amount=row["credited"], currency=row["credited_currency"]),
        allocations=[Allocation(month=month, amount=amount) for month, amount in sorted(row["allocations"].items())],
        has_file=row["file"] is not None,
    )
