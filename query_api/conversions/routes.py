"""`GET /api/platform/conversions`: leads and sales with their status, newest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal, cast
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, BeforeValidator, Field

from infra.problems import Problem
from query_api import paging
from query_api.analytics.request import Day, bad
from query_api.context import Reads, Theirs
from query_api.money import Amount
from query_api.owned import Owned, not_found
from query_api.reader import Reader
from query_api.tabular import csv_stream
from schemas.currencies import decimal_text
from schemas.days import FIRST_YEAR, LAST_YEAR, day_end, day_start
from schemas.events.conversions import ConversionStatus
from schemas.zones import ZoneInfo

router = APIRouter(tags=["conversions"], dependencies=[Depends(Reads("conversions", "partners", "websites"))])


class Adjustment(BaseModel):
    """What accepting the proposed click would make of an approved conversion."""

    partnerId: UUID | None
    linkId: UUID | None
    clickId: str | None
    clickedAt: datetime | None
    commission: Amount | None


class Conversion(BaseModel):
    """A lead or sale. Money in integer minor units; the commission is what is left of it, in the website's currency."""

    id: UUID
    websiteId: UUID
    kind: str = Field(description="sale or lead")
    event: str
    txid: str
    status: ConversionStatus
    amount: Amount
    commission: Amount
    reversed: Amount = Field(description="The part of the sale that was taken back")
    reversedCommission: Amount
    partnerId: UUID | None = Field(description="Null: no click is known yet, it counts nothing")
    partnerName: str | None
    linkId: UUID | None
    clickId: str | None
    attribution: str | None = Field(description="click_id, coupon or visitor")
    reason: str | None
    reportedBy: str
    customer: str | None
    occurredAt: datetime
    clickedAt: datetime | None
    recordedAt: datetime
    decidedAt: datetime | None
    approvesAt: datetime | None = Field(description="When it is approved by itself if nobody decides; null: never")
    payableAt: datetime | None = Field(description="From when on the commission may be paid out; null: not earned")
    conflicts: int = Field(description="Different amounts that reports name beside the one that stands")
    keyKind: str = Field(
        description="Kind of the most trusted key that reported it; site: a claim; empty: not recorded"
    )
    addressClass: str = Field(description="Class of the address that reported it first, e.g. datacentre; empty: none")
    clickBotReason: str | None = Field(description="Why figures leave its click out; null: they do not")
    otherEvents: list[str] = Field(description="Other event names under which the same transaction was reported")
    adjustment: Adjustment | None = Field(description="A click that came after the approval and would have earned it")


_SELECT: Final = """SELECT c.*, p.name AS partner_name, ARRAY(
    SELECT o.event FROM read.conversions AS o
    WHERE o.website_id = c.website_id AND o.txid = c.txid AND o.id <> c.id ORDER BY o.event LIMIT 10
) AS other_events
FROM read.conversions AS c LEFT JOIN read.partners AS p ON p.id = c.partner_id"""


def _empty_is_absent(value: object) -> object:
    return None if value == "" else value


Status = Annotated[ConversionStatus | None, BeforeValidator(_empty_is_absent), Query()]
Id = Annotated[UUID | None, BeforeValidator(_empty_is_absent), Query()]
KeyKind = Annotated[
    Literal["site", "secret", "postback", "import"] | None,
    BeforeValidator(_empty_is_absent),
    Query(description="Kind of the most trusted key that reported it; site: claims"),
]


@router.get("/api/platform/conversions")
def get_conversions(
    request: Request,
    response: Response,
    theirs: Theirs,
    websiteId: Id = None,
    status: Status = None,
    partnerId: Id = None,
    keyKind: KeyKind = None,
    from_: Annotated[Day, Query(alias="from", description="First day (in the website's time zone)")] = None,
    to: Annotated[Day, Query(description="Last day, inclusive")] = None,
    limit: paging.Limit = 50,
    cursor: paging.Cursor = None,
) -> list[Conversion]:
    """Newest first by the time they occurred. Days are the website's, or UTC's when no website is named."""
    filters = _Filters(theirs, websiteId, status, partnerId, keyKind, from_, to)
    after: tuple[datetime, UUID] | None = None
    if cursor is not None:
        after = cast(tuple[datetime, UUID], paging.decode(cursor, datetime, UUID))
    rows = filters.rows(theirs.reader, limit + 1, after)
    page = rows[:limit]
    last = paging.encode(page[-1]["occurred_at"], page[-1]["id"]) if len(rows) > limit else None
    paging.link_next(request, response, last)
    return [_shown(row) for row in page]


@router.get("/api/platform/conversions.csv", response_class=Response)
def get_conversions_csv(
    theirs: Theirs,
    websiteId: Annotated[UUID, Query()],
    status: Status = None,
    partnerId: Id = None,
    keyKind: KeyKind = None,
    from_: Annotated[Day, Query(alias="from", description="First day (in the website's time zone)")] = None,
    to: Annotated[Day, Query(description="Last day, inclusive")] = None,
) -> Response:
    """The same list as a file, all of it, amounts in major units with the decimals of their currency."""
    filters = _Filters(theirs, websiteId, status, partnerId, keyKind, from_, to)
    return csv_stream("conversions", COLUMNS, filters.lines(theirs.reader))


@router.get("/api/platform/conversions/{id}")
def get_conversion(id: UUID, theirs: Theirs) -> Conversion:
    """One conversion."""
    return find_conversion(theirs, id)


def find_conversion(theirs: Owned, id: UUID) -> Conversion:
    """The conversion, if it is theirs. Raises `Problem` 404."""
    row = theirs.reader.row(f"{_SELECT} WHERE c.id = %s", (id,))
    if row is None:
        raise not_found("conversion")
    try:
        theirs.website(row["website_id"])
    except Problem as problem:
        raise not_found("conversion") from problem
    return _shown(row)


class Line(BaseModel):
    """One conversion in the file."""

    occurredAt: datetime
    transaction: str
    event: str
    kind: str
    status: str
    partner: str
    amount: str
    currency: str
    commission: str
    commissionCurrency: str
    attribution: str
    clickId: str
    reportedBy: str
    keyKind: str
    addressClass: str
    conflicts: int
    reason: str
    id: UUID


COLUMNS: Final = tuple(Line.model_fields)
_PAGE: Final = 1_000


@dataclass(frozen=True, slots=True)
class _Filters:
    """Which conversions, in SQL. Raises `Problem` for a website that is not theirs and days that make no range."""

    theirs: Owned
    website_id: UUID | None
    status: ConversionStatus | None
    partner_id: UUID | None
    key_kind: str | None
    since: date | None
    until: date | None

    def rows(self, reader: Reader, limit: int, after: tuple[datetime, UUID] | None) -> Sequence[Mapping[str, Any]]:
        """The next `limit`, newest first, behind `after`."""
        conditions, bound = self._conditions()
        bound["limit"] = limit
        if after is not None:
            bound["at"], bound["id"] = after
            conditions.append("(c.occurred_at, c.id) < (%(at)s, %(id)s)")
        sql = f"{_SELECT} WHERE {' AND '.join(conditions)} ORDER BY c.occurred_at DESC, c.id DESC LIMIT %(limit)s"
        return reader.rows(sql, bound)

    def lines(self, reader: Reader) -> Iterator[Line]:
        """All of them, read page by page."""
        after: tuple[datetime, UUID] | None = None
        while True:
            page = self.rows(reader, _PAGE, after)
            yield from map(_line, page)
            if len(page) < _PAGE:
                return
            after = page[-1]["occurred_at"], page[-1]["id"]

    def _conditions(self) -> tuple[list[str], dict[str, Any]]:
        zone = self.theirs.website(self.website_id).zone if self.website_id is not None else ZoneInfo("UTC")
        conditions = ["c.website_id = ANY(%(websites)s)"]
        bound: dict[str, Any] = {"websites": self.theirs.scope(self.website_id)}
        given = {"status": self.status, "partner_id": self.partner_id, "key_kind": self.key_kind}
        for name, value in given.items():
            if value is not None:
                conditions.append(f"c.{name} = %({name})s")
                bound[name] = value
        if self.since is not None and self.until is not None and self.since > self.until:
            raise bad("from", "from must not be after to.")
        if self.since is not None:
            conditions.append("c.occurred_at >= %(since)s")
            bound["since"] = day_start(zone, _checked("from", self.since))
        if self.until is not None:
            conditions.append("c.occurred_at < %(until)s")
            bound["until"] = day_end(zone, _checked("to", self.until))
        return conditions, bound


def _line(row: Mapping[str, Any]) -> Line:
    return Line(
        occurredAt=row["occurred_at"],
        transaction=row["txid"],
        event=row["event"],
        kind=row["kind"],
        status=row["status"],
        partner=row["partner_name"] or "",
        amount=decimal_text(row["amount"], row["currency"]),
        currency=row["currency"],
        commission=decimal_text(row["commission"], row["commission_currency"]),
        commissionCurrency=row["commission_currency"],
        attribution=row["attributed_by"] or "",
        clickId=row["click_id"] or "",
        reportedBy=row["reported_by"],
        keyKind=row["key_kind"],
        addressClass=row["address_class"],
        conflicts=row["conflicts"],
        reason=row["reason"],
        id=row["id"],
    )


def _checked(field: str, day: date) -> date:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise bad(field, f"Dates from {FIRST_YEAR} to {LAST_YEAR} can be asked for.")
    return day


def _shown(row: Mapping[str, Any]) -> Conversion:
    return Conversion(
        id=row["id"],
        websiteId=row["website_id"],
        kind=row["kind"],
        event=row["event"],
        txid=row["txid"],
        status=row["status"],
        amount=Amount(amount=row["amount"], currency=row["currency"]),
        commission=Amount(amount=row["commission"], currency=row["commission_currency"]),
        reversed=Amount(amount=row["reversed_amount"], currency=row["currency"]),
        reversedCommission=Amount(amount=row["reversed_commission"], currency=row["commission_currency"]),
        partnerId=row["partner_id"],
        partnerName=row["partner_name"],
        linkId=row["link_id"],
        clickId=row["click_id"] or None,
        attribution=row["attributed_by"],
        reason=row["reason"] or None,
        reportedBy=row["reported_by"],
        customer=row["customer"] or None,
        occurredAt=row["occurred_at"],
        clickedAt=row["clicked_at"],
        recordedAt=row["recorded_at"],
        decidedAt=row["decided_at"],
        approvesAt=row["approves_at"],
        payableAt=row["payable_at"],
        conflicts=row["conflicts"],
        keyKind=row["key_kind"],
        addressClass=row["address_class"],
        clickBotReason=row["click_bot_reason"] or None,
        otherEvents=row["other_events"],
        adjustment=_adjustment(row["adjustment"]),
    )


def _adjustment(stored: Mapping[str, Any] | None) -> Adjustment | None:
    if stored is None:
        return None
    return Adjustment(
        partnerId=stored["partner_id"],
        linkId=stored["link_id"],
        clickId=stored["click_id"],
        clickedAt=stored["clicked_at"],
        commission=Amount(**stored["commission"]) if stored["commission"] else None,
    )
