"""`GET /api/platform/conversions`: leads and sales with their status, newest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Response
from pydantic import BeforeValidator, Field

from query_api.analytics.request import Day
from query_api.kernel.authorization import AccountScope
from query_api.kernel.csv import csv_stream
from query_api.kernel.dependencies import CallerScope, Reads
from query_api.kernel.money import Amount
from query_api.kernel.pagination import Page50, invalid_parameter
from query_api.kernel.postgres_reader import Reader
from query_api.kernel.responses import RowModel
from schemas.currencies import decimal_text
from schemas.days import FIRST_YEAR, LAST_YEAR, day_end, day_start
from schemas.events.conversions import ConversionStatus
from schemas.zones import ZoneInfo

router = APIRouter(tags=["conversions"], dependencies=[Depends(Reads("conversions", "partners", "websites"))])


class Adjustment(RowModel):
    """What accepting the proposed click would make of an approved conversion."""

    partnerId: UUID | None
    linkId: UUID | None
    clickId: str | None
    clickedAt: datetime | None
    commission: Amount | None


class Conversion(RowModel):
    """A lead or sale. Money in integer minor units; `commission` is net of reversals, in the website's currency."""

    id: UUID
    websiteId: UUID
    kind: str = Field(description="sale or lead")
    event: str
    txid: str
    status: ConversionStatus
    amount: Amount
    commission: Amount
    reversed: Amount = Field(description="The reversed part of the sale")
    reversedCommission: Amount
    partnerId: UUID | None = Field(description="Null: no click is attributed yet, no commission is credited")
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
    approvesAt: datetime | None = Field(description="When it is approved automatically; null: never")
    payableAt: datetime | None = Field(description="When the commission becomes payable; null: not earned")
    conflicts: int = Field(description="Number of reported amounts that differ from the accepted one")
    keyKind: str = Field(
        description="Kind of the most trusted key that reported it; site: a claim; empty: not recorded"
    )
    addressClass: str = Field(description="Class of the address that reported it first, e.g. datacentre; empty: none")
    clickBotReason: str | None = Field(description="Why metrics exclude its click; null: included")
    otherEvents: list[str] = Field(description="Other event names under which the same transaction was reported")
    adjustment: Adjustment | None = Field(
        description="A click received after the approval that would have been credited"
    )


_SELECT: Final = """SELECT c.*, p.name AS partner_name, ARRAY(
    SELECT o.event FROM read.conversions AS o
    WHERE o.website_id = c.website_id AND o.txid = c.txid AND o.id <> c.id ORDER BY o.event LIMIT 10
) AS other_events
FROM read.conversions AS c LEFT JOIN read.partners AS p ON p.id = c.partner_id"""


def _empty_is_absent(value: object) -> object:
    return None if value == "" else value


Status = Annotated[ConversionStatus | None, BeforeValidator(_empty_is_absent), Query()]
Id = Annotated[UUID | None, BeforeValidator(_empty_is_absent)]
KeyKind = Annotated[
    Literal["site", "secret", "postback", "import"] | None,
    BeforeValidator(_empty_is_absent),
    Query(alias="keyKind", description="Kind of the most trusted key that reported it; site: claims"),
]


@router.get("/api/platform/conversions")
def get_conversions(
    scope: CallerScope,
    page: Page50,
    website_id: Annotated[Id, Query(alias="websiteId")] = None,
    status: Status = None,
    partner_id: Annotated[Id, Query(alias="partnerId")] = None,
    key_kind: KeyKind = None,
    from_: Annotated[Day, Query(alias="from", description="First day (in the website's time zone)")] = None,
    to: Annotated[Day, Query(description="Last day, inclusive")] = None,
) -> list[Conversion]:
    """Newest first by the time they occurred. Days are the website's, or UTC's when no website is named."""
    filters = _Filters(scope, website_id, status, partner_id, key_kind, from_, to)
    after = None if page.is_first else page.after(datetime, UUID)
    found = filters.rows(scope.reader, page.limit + 1, after)
    return [_to_response(row) for row in page.take(found, "occurred_at", "id")]


@router.get("/api/platform/conversions.csv", response_class=Response)
def get_conversions_csv(
    scope: CallerScope,
    website_id: Annotated[UUID, Query(alias="websiteId")],
    status: Status = None,
    partner_id: Annotated[Id, Query(alias="partnerId")] = None,
    key_kind: KeyKind = None,
    from_: Annotated[Day, Query(alias="from", description="First day (in the website's time zone)")] = None,
    to: Annotated[Day, Query(description="Last day, inclusive")] = None,
) -> Response:
    """The same list as a file, all of it, amounts in major units with the decimals of their currency."""
    filters = _Filters(scope, website_id, status, partner_id, key_kind, from_, to)
    return csv_stream("conversions", COLUMNS, filters.lines(scope.reader))


@router.get("/api/platform/conversions/{id}")
def get_conversion(id: UUID, scope: CallerScope) -> Conversion:
    """One conversion."""
    return find_conversion(scope, id)


def find_conversion(scope: AccountScope, id: UUID) -> Conversion:
    """The conversion, if it is theirs. Raises `Problem` 404."""
    return _to_response(scope.row(f"{_SELECT} WHERE c.id = %s", id, "conversion"))


class Line(RowModel):
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

    scope: AccountScope
    website_id: UUID | None
    status: ConversionStatus | None
    partner_id: UUID | None
    key_kind: str | None
    since: date | None
    until: date | None

    def rows(self, reader: Reader, limit: int, after: tuple[Any, ...] | None) -> Sequence[Mapping[str, Any]]:
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
        after: tuple[Any, ...] | None = None
        while True:
            page = self.rows(reader, _PAGE, after)
            yield from map(_line, page)
            if len(page) < _PAGE:
                return
            after = page[-1]["occurred_at"], page[-1]["id"]

    def _conditions(self) -> tuple[list[str], dict[str, Any]]:
        zone = self.scope.website(self.website_id).zone if self.website_id is not None else ZoneInfo("UTC")
        conditions = ["c.website_id = ANY(%(websites)s)"]
        bound: dict[str, Any] = {"websites": self.scope.scope(self.website_id)}
        given = {"status": self.status, "partner_id": self.partner_id, "key_kind": self.key_kind}
        for name, value in given.items():
            if value is not None:
                conditions.append(f"c.{name} = %({name})s")
                bound[name] = value
        if self.since is not None and self.until is not None and self.since > self.until:
            raise invalid_parameter("from", "from must not be after to.")
        if self.since is not None:
            conditions.append("c.occurred_at >= %(since)s")
            bound["since"] = day_start(zone, _checked("from", self.since))
        if self.until is not None:
            conditions.append("c.occurred_at < %(until)s")
            bound["until"] = day_end(zone, _checked("to", self.until))
        return conditions, bound


def _line(row: Mapping[str, Any]) -> Line:
    return Line.of_row(
        row,
        transaction=row["txid"],
        partner=row["partner_name"] or "",
        amount=decimal_text(row["amount"], row["currency"]),
        commission=decimal_text(row["commission"], row["commission_currency"]),
        attribution=row["attributed_by"] or "",
        click_id=row["click_id"] or "",
    )


def _checked(field: str, day: date) -> date:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise invalid_parameter(field, f"Dates must be from {FIRST_YEAR} to {LAST_YEAR}.")
    return day


def _to_response(row: Mapping[str, Any]) -> Conversion:
    def money(column: str, currency: str) -> Amount:
        return Amount(amount=row[column], currency=row[currency])

    return Conversion.of_row(
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
    )
