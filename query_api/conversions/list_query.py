"""The query of the list of conversions, of its totals and of its file: filters, days and the sort order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import Depends, Query
from pydantic import AfterValidator, BeforeValidator, StringConstraints

from infra.domain.conversion_filter import MAX_SEARCH, ConversionFilter
from query_api.analytics.request import Day
from query_api.kernel.authorization import AccountScope
from query_api.kernel.dependencies import CallerScope
from query_api.kernel.pagination import Page, invalid_parameter
from query_api.kernel.postgres_reader import Row
from schemas.days import FIRST_YEAR, LAST_YEAR, day_end, day_start
from schemas.events.conversions import ConversionStatus
from schemas.zones import ZoneInfo

SUBS: Final = tuple(f"sub{number}" for number in range(1, 11))
MAX_VALUE: Final = 2_000
PAGE: Final = 1_000
"""Rows that a file reads at once."""


def _empty_is_absent(value: object) -> object:
    return None if value == "" else value


def _plain(value: str) -> str:
    if "\x00" in value or any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError("Text must be valid Unicode without NUL characters.")
    return value


Id = Annotated[UUID | None, BeforeValidator(_empty_is_absent)]
Value = Annotated[str, StringConstraints(max_length=MAX_VALUE), AfterValidator(_plain)]
Searched = Annotated[str, StringConstraints(max_length=MAX_SEARCH), AfterValidator(_plain)]
Text = Annotated[Value | None, BeforeValidator(_empty_is_absent), Query()]
Status = Annotated[ConversionStatus | None, BeforeValidator(_empty_is_absent), Query()]
KeyKind = Annotated[
    Literal["site", "secret", "postback", "import"] | None,
    BeforeValidator(_empty_is_absent),
    Query(alias="keyKind", description="Kind of the most trusted key that reported it; site: claims"),
]
Sort = Literal[
    "date", "-date", "amount", "-amount", "commission", "-commission", "status", "-status", "partner", "-partner"
]


@dataclass(frozen=True, slots=True)
class ListQuery:
    """The conversions that are wanted."""

    scope: AccountScope
    filter: ConversionFilter

    def rows(self, select: str, order: Order, limit: int, after: Sequence[Any] | None) -> list[Row]:
        """The next `limit` of `select`, which names the table `c`, behind `after`."""
        terms, bound = self.filter.conditions("c")
        bound["limit"] = limit
        if after is not None:
            bound |= {f"after_{number}": value for number, value in enumerate(after)}
            terms.append(order.behind)
        sql = f"{select.format(key=order.key)} WHERE {' AND '.join(terms)} ORDER BY {order.by} LIMIT %(limit)s"
        return self.scope.reader.rows(sql, bound)

    def all_rows(self, select: str, order: Order) -> Iterator[Row]:
        """Yields all rows, read page by page."""
        after: tuple[Any, ...] | None = None
        while True:
            page = self.rows(select, order, PAGE, after)
            yield from page
            if len(page) < PAGE:
                return
            after = tuple(page[-1][name] for name in order.cursor)

    def grouped(self, select: str, by: str) -> list[Row]:
        """The rows of a statement that adds up what matches."""
        terms, bound = self.filter.conditions("c")
        return self.scope.reader.rows(f"{select} WHERE {' AND '.join(terms)} GROUP BY {by} ORDER BY {by}", bound)


@dataclass(frozen=True, slots=True)
class Order:
    """A sort order. Equal values are sorted by date, then id, so that a cursor stands for exactly one place."""

    key: str
    kind: type
    sign: str

    @property
    def by(self) -> str:
        """Returns the text for ORDER BY."""
        way = "ASC" if self.sign == ">" else "DESC"
        return ", ".join(f"{column} {way}" for column in self._columns)

    @property
    def behind(self) -> str:
        """The condition of the rows behind a cursor."""
        values = ", ".join(f"%(after_{number})s" for number in range(len(self._columns)))
        return f"({', '.join(self._columns)}) {self.sign} ({values})"

    @property
    def cursor(self) -> tuple[str, ...]:
        """The columns of a row that its cursor contains."""
        return ("occurred_at", "id") if self._is_date else ("sort_key", "occurred_at", "id")

    def after(self, page: Page) -> tuple[Any, ...] | None:
        """Returns where the page begins. Raises `Problem` 400 for a cursor of another order."""
        if page.is_first:
            return None
        return page.after(datetime, UUID) if self._is_date else page.after(self.kind, datetime, UUID)

    @property
    def _is_date(self) -> bool:
        return self.kind is datetime

    @property
    def _columns(self) -> tuple[str, ...]:
        return ("c.occurred_at", "c.id") if self._is_date else (self.key, "c.occurred_at", "c.id")


_KEYS: Final[Mapping[str, tuple[str, type]]] = {
    "date": ("c.occurred_at", datetime),
    "amount": ("c.amount", int),
    "commission": ("c.commission", int),
    "status": ("c.status", str),
    "partner": ("lower(coalesce(p.name, ''))", str),
}


def _order(
    sort: Annotated[
        Sort, BeforeValidator(lambda value: value or "-date"), Query(description="- is descending")
    ] = "-date",
) -> Order:
    key, kind = _KEYS[sort.removeprefix("-")]
    return Order(key, kind, "<" if sort.startswith("-") else ">")


def _list_query(
    scope: CallerScope,
    website_id: Annotated[Id, Query(alias="websiteId")] = None,
    status: Status = None,
    partner_id: Annotated[Id, Query(alias="partnerId")] = None,
    key_kind: KeyKind = None,
    from_: Annotated[Day, Query(alias="from", description="First day (in the website's time zone)")] = None,
    to: Annotated[Day, Query(description="Last day, inclusive")] = None,
    search: Annotated[
        Searched | None,
        BeforeValidator(_empty_is_absent),
        Query(description="Transaction, click id or customer: the whole value, or its beginning"),
    ] = None,
    attributed: Annotated[
        Literal["yes", "no"] | None, BeforeValidator(_empty_is_absent), Query(description="Whether a click is credited")
    ] = None,
    unread: Annotated[
        Literal["yes", "no"] | None,
        BeforeValidator(_empty_is_absent),
        Query(description="Whether a report has a value that cannot be read"),
    ] = None,
    kind: Annotated[Literal["sale", "lead"] | None, BeforeValidator(_empty_is_absent), Query()] = None,
    link_id: Annotated[Id, Query(alias="linkId")] = None,
    country: Annotated[Text, Query(description="Of the click, ISO 3166-1 alpha-2; ZZ: unknown")] = None,
    device: Annotated[Text, Query(description="Of the click")] = None,
    source: Annotated[Text, Query(description="Of the click")] = None,
    coupon: Annotated[Text, Query(description="That a report named")] = None,
    reported_by: Annotated[
        Literal["sale", "lead", "postback", "import"] | None,
        BeforeValidator(_empty_is_absent),
        Query(alias="reportedBy", description="How it was reported first"),
    ] = None,
    network: Annotated[
        Text, Query(description="Slug: that reported it in a file or by its API, else its partner's")
    ] = None,
    import_id: Annotated[Id, Query(alias="importId", description="An import of a network's report that has it")] = None,
    undone: Annotated[
        Literal["no", "yes", "all"],
        BeforeValidator(lambda value: value or "no"),
        Query(description="Whether it is one that only undone imports had; they are left out unless it is yes or all"),
    ] = "no",
    sub1: Text = None,
    sub2: Text = None,
    sub3: Text = None,
    sub4: Text = None,
    sub5: Text = None,
    sub6: Text = None,
    sub7: Text = None,
    sub8: Text = None,
    sub9: Text = None,
    sub10: Text = None,
) -> ListQuery:
    """Raises `Problem` for a website that is not theirs and days that make no range."""
    if from_ is not None and to is not None and from_ > to:
        raise invalid_parameter("from", "from must not be after to.")
    zone = scope.website(website_id).zone if website_id is not None else ZoneInfo("UTC")
    subs = dict(zip(SUBS, (sub1, sub2, sub3, sub4, sub5, sub6, sub7, sub8, sub9, sub10), strict=True))
    which = ConversionFilter(
        website_ids=scope.scope(website_id),
        status=status,
        partner_id=partner_id,
        link_id=link_id,
        kind=kind,
        country=country.upper() if country else None,
        device=device,
        source=source,
        coupon=coupon,
        reported_by=reported_by,
        key_kind=key_kind,
        attributed=None if attributed is None else attributed == "yes",
        unread=None if unread is None else unread == "yes",
        network=network,
        import_id=import_id,
        is_void=None if undone == "all" else undone == "yes",
        subs={name: value for name, value in subs.items() if value is not None},
        search=search,
        start=day_start(zone, _checked("from", from_)) if from_ is not None else None,
        end=day_end(zone, _checked("to", to)) if to is not None else None,
    )
    return ListQuery(scope, which)


def _checked(field: str, day: date) -> date:
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise invalid_parameter(field, f"Dates must be from {FIRST_YEAR} to {LAST_YEAR}.")
    return day


Wanted = Annotated[ListQuery, Depends(_list_query)]
Ordered = Annotated[Order, Depends(_order)]
