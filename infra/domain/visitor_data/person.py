"""Finds the person behind an id that the website's owner names: their pseudonyms, clicks and conversions.

The links that are followed, each once and in this order:

1. the id → a visitor and the conversions whose reports name it, or the conversions of a customer, an order or a click;
2. an order → its customer → the customer's other conversions;
3. these conversions → the clicks that earned them, and the visitors whom their reports name;
4. these clicks → their visitors;
5. these visitors → their sessions → whom these sessions had before or after they were named, until no more are found →
   the clicks of all of them;
6. these clicks → the conversions that they earned.

A visitor whom the website does not name has a pseudonym for one day: it leads to what happened on that day, no further.
A coupon, or a click that was chosen by hand, is no trace of a person and leads nowhere.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, timedelta
from enum import StrEnum
from typing import Any, Final, Protocol
from uuid import UUID

from infra.kernel.http.problems import Problem
from infra.kernel.security.pseudonyms import Pseudonyms
from schemas import click_id
from schemas.identity import conversion_id

MAX_ROWS: Final = 10_000
MAX_CONVERSIONS: Final = 500
MAX_VISITORS: Final = 1_000

Row = Mapping[str, Any]


class IdKind(StrEnum):
    """What an id names."""

    VISITOR = "visitor_id"
    CUSTOMER = "customer_id"
    CLICK = "click_id"
    ORDER = "order_id"


@dataclass(frozen=True, slots=True)
class Identifier:
    """An id as the website's owner knows it. `event`: the name of the conversion, of an order; empty: any."""

    kind: IdKind
    value: str
    event: str = ""


class Stores(Protocol):
    """Both stores, read by one website's owner."""

    def postgres(self, sql: str, values: Mapping[str, Any]) -> Sequence[Row]:
        """The rows of a statement over the read models."""
        ...

    def clickhouse(self, sql: str, values: Mapping[str, Any]) -> Sequence[Row]:
        """The rows of a statement whose `{events}` stands for the table of that name."""
        ...


@dataclass(frozen=True, slots=True)
class Person:
    """The ids by which a person is found in the data of one website."""

    website_id: UUID
    visitors: frozenset[int] = frozenset()
    sessions: frozenset[int] = frozenset()
    customers: frozenset[str] = frozenset()
    click_ids: frozenset[str] = frozenset()
    conversion_ids: frozenset[UUID] = frozenset()
    txids: frozenset[str] = frozenset()
    undecided: frozenset[UUID] = frozenset()
    """Those of `conversion_ids` of which there are only reports that are not decided yet."""

    @property
    def bound(self) -> dict[str, Any]:
        """The values of `ROWS_OF_PERSON`."""
        return {
            "site": str(self.website_id),
            "visitors": sorted(self.visitors),
            "sessions": sorted(self.sessions),
            "clicks": sorted(self.click_ids),
            "conversions": sorted(map(str, self.conversion_ids)),
        }


ROWS_OF_PERSON: Final = (
    "website_id = {site:UUID} AND (visitor IN {visitors:Array(UInt64)} OR session IN {sessions:Array(UInt64)}"
    " OR click_id IN {clicks:Array(String)} OR conversion_id IN {conversions:Array(UUID)})"
)
"""The condition on rows of `events` that are the person's."""
SEALED: Final = f"SELECT website_id, event_id, ad_ids FROM {{events}} WHERE {ROWS_OF_PERSON} AND ad_ids <> ''"
"""Ad click ids of the person, sealed (`infra.kernel.security.visitor_keys`)."""


def too_large(what: str, limit: int) -> Problem:
    """Returns the problem of an id that leads to more than one answer may hold: an id that many people share is none of
    a person."""
    message = (
        f"This ID leads to more than {limit:,} {what}. One person has fewer: the website seems to give it to many."
    )
    return Problem(422, "too_much_data", message)


def find_person(stores: Stores, pseudonyms: Pseudonyms, website_id: UUID, identifier: Identifier) -> Person:
    """Follows the links. Raises `Problem` 422 `too_much_data`."""
    return _PersonSearch(stores, website_id).run(pseudonyms, identifier)


@dataclass(slots=True)
class _PersonSearch:
    stores: Stores
    website_id: UUID
    visitors: set[int] = field(default_factory=set)
    sessions: set[int] = field(default_factory=set)
    customers: set[str] = field(default_factory=set)
    click_ids: set[str] = field(default_factory=set)
    conversions: dict[UUID, Row] = field(default_factory=dict)

    def run(self, pseudonyms: Pseudonyms, identifier: Identifier) -> Person:
        self._begin(pseudonyms, identifier)
        if identifier.kind is IdKind.ORDER:
            self.customers |= {row["customer"] for row in self.conversions.values() if row["customer"]}
            self._take(_OF_CUSTOMERS, customers=sorted(self.customers))
        self._follow_conversions()
        self._follow_clicks()
        self._follow_visitors()
        self._take(_OF_CLICKS, clicks=sorted(self.click_ids))
        self._take(_OF_VISITORS, visitors=[str(visitor) for visitor in sorted(self.visitors)])
        return Person(
            self.website_id,
            frozenset(self.visitors),
            frozenset(self.sessions),
            frozenset(self.customers | {row["customer"] for row in self.conversions.values() if row["customer"]}),
            frozenset(self.click_ids),
            frozenset(self.conversions),
            frozenset(row["txid"] for row in self.conversions.values()) - {""},
            frozenset(id_ for id_, row in self.conversions.items() if row["is_undecided"]),
        )

    def _begin(self, pseudonyms: Pseudonyms, identifier: Identifier) -> None:
        match identifier.kind:
            case IdKind.VISITOR:
                self.visitors.add(pseudonyms.visitor(self.website_id.bytes, identifier.value))
                self._take(_OF_VISITORS, visitors=[str(visitor) for visitor in self.visitors])
            case IdKind.CUSTOMER:
                self.customers.add(pseudonyms.customer(self.website_id.bytes, identifier.value))
                self._take(_OF_CUSTOMERS, customers=sorted(self.customers))
            case IdKind.CLICK:
                self.click_ids.add(identifier.value)
                self._take(_OF_CLICKS, clicks=[identifier.value])
            case IdKind.ORDER:
                events = [identifier.event] if identifier.event else ["sale", "lead"]
                ids = [conversion_id(self.website_id, event, identifier.value) for event in events]
                self._take(_OF_ORDER, txid=identifier.value, event=identifier.event, ids=ids)

    def _follow_conversions(self) -> None:
        rows = self.conversions.values()
        self.click_ids |= {row["click_id"] for row in rows if row["click_id"] and row["attributed_by"] in _TRACES}
        if rows:
            bound = {"site": self.website_id, "ids": list(self.conversions)}
            for row in self.stores.postgres(_REPORTED, bound):
                self.visitors |= {int(row["visitor"])} - {0}
                self.click_ids |= {row["click_id"]} - {""} if _is_click_id(row["click_id"]) else set()

    def _follow_clicks(self) -> None:
        if self.click_ids:
            bound = {"site": str(self.website_id), "clicks": sorted(self.click_ids), "days": _days(self.click_ids)}
            self.visitors |= {row["visitor"] for row in self.stores.clickhouse(_VISITORS_OF_CLICKS, bound)} - {0}

    def _follow_visitors(self) -> None:
        followed: set[int] = set()
        self._read_visitors()
        while new := self.sessions - followed:
            followed |= new
            bound = {"site": str(self.website_id), "sessions": sorted(new)}
            visitors = {row["visitor"] for row in self.stores.clickhouse(_VISITORS_OF_SESSIONS, bound)} - {0}
            if visitors - self.visitors:
                self.visitors |= visitors
                self._read_visitors()

    def _read_visitors(self) -> None:
        if not self.visitors:
            return
        if len(self.visitors) > MAX_VISITORS:
            raise too_large("visitors", MAX_VISITORS)
        bound = {"site": str(self.website_id), "visitors": sorted(self.visitors)}
        rows = self.stores.clickhouse(_OF_PEOPLE, bound)
        if sum(row["rows"] for row in rows) > MAX_ROWS or len(rows) > MAX_ROWS:
            raise too_large("events", MAX_ROWS)
        self.sessions |= {row["session"] for row in rows} - {0}
        self.click_ids |= {row["click_id"] for row in rows} - {""}

    def _take(self, sql: str, **values: Any) -> None:
        """Adds the conversions that the statement gives."""
        if not all(values[name] or name == "event" for name in values):
            return
        bound = {"site": self.website_id, "limit": MAX_CONVERSIONS + 1, **values}
        for row in self.stores.postgres(sql, bound):  # what is decided first
            self.conversions.setdefault(row["id"], row)
        if len(self.conversions) > MAX_CONVERSIONS:
            raise too_large("conversions", MAX_CONVERSIONS)


def _is_click_id(text: str) -> bool:
    try:
        click_id.unverified(text)
    except click_id.ForgedClickId:
        return False
    return True


def _days(click_ids: Iterable[str]) -> list[str]:
    """The days (UTC) on which these clicks may lie, by which rows of `events` are sorted."""
    days = set()
    for text in click_ids:
        try:
            at = click_id.unverified(text).at.astimezone(UTC)
        except (click_id.ForgedClickId, OverflowError):
            continue
        days |= {(at + timedelta(days=more)).date().isoformat() for more in (-1, 0, 1)}
    return sorted(days)


_TRACES: Final = ("click_id", "visitor")
_AWAITING: Final = (
    "SELECT conversion_id AS id, website_id, txid, event, click_id, customer, 'click_id' AS attributed_by, visitor,"
    " true AS is_undecided FROM conversions.awaiting_exchange_rate"
)
_REFUSED: Final = (
    "SELECT conversion_id AS id, website_id, '' AS txid, '' AS event, claim ->> 'click_id' AS click_id,"
    " claim ->> 'customer' AS customer, 'click_id' AS attributed_by, claim ->> 'visitor' AS visitor,"
    " true AS is_undecided FROM conversions.rejected_report WHERE claim IS NOT NULL"
)
"""Refused claims that may count yet."""
_DECIDED: Final = (
    "SELECT id, website_id, txid, event, click_id, customer, attributed_by, NULL AS visitor, false AS is_undecided"
    " FROM read.conversions"
)


def _conversions(condition: str, of_decided: str = "") -> str:
    """The website's conversions, and those of its undecided reports, that meet a condition."""
    parts = ((_DECIDED, of_decided or condition), (_AWAITING, condition), (_REFUSED, condition))
    return " UNION ALL ".join(
        f"(SELECT id, txid, click_id, customer, attributed_by, is_undecided FROM ({rows}) AS c"
        f" WHERE website_id = %(site)s AND {where} LIMIT %(limit)s)"
        for rows, where in parts
    )


_OF_ORDER: Final = _conversions(
    "(txid = %(txid)s AND (%(event)s::text = '' OR event = %(event)s::text) OR id = ANY(%(ids)s) AND is_undecided)"
)
_OF_CUSTOMERS: Final = _conversions("customer = ANY(%(customers)s)")
_OF_CLICKS: Final = _conversions("click_id = ANY(%(clicks)s) AND attributed_by IN ('click_id', 'visitor')")
_OF_VISITORS: Final = _conversions(
    "visitor = ANY(%(visitors)s)",
    "id IN (SELECT s.conversion_id FROM read.conversion_steps AS s WHERE s.website_id = %(site)s"
    " AND s.detail -> 'reported' ->> 'visitor' = ANY(%(visitors)s))",
)
_REPORTED: Final = (
    "SELECT detail -> 'reported' ->> 'visitor' AS visitor, detail -> 'reported' ->> 'click_id' AS click_id"
    " FROM read.conversion_steps WHERE website_id = %(site)s AND conversion_id = ANY(%(ids)s)"
    " AND detail -> 'reported' ->> 'visitor' IS NOT NULL"
    f" UNION ALL SELECT visitor, click_id FROM ({_AWAITING} UNION ALL {_REFUSED}) AS undecided"
    " WHERE website_id = %(site)s AND id = ANY(%(ids)s) AND visitor IS NOT NULL AND click_id IS NOT NULL"
)
_VISITORS_OF_CLICKS: Final = (
    "SELECT DISTINCT visitor FROM {events} WHERE website_id = {site:UUID}"
    " AND toDate(occurred_at) IN {days:Array(Date)} AND type = 'click' AND click_id IN {clicks:Array(String)}"
    f" LIMIT {MAX_VISITORS + 1}"
)
_VISITORS_OF_SESSIONS: Final = (
    "SELECT DISTINCT visitor FROM {events} WHERE website_id = {site:UUID} AND session IN {sessions:Array(UInt64)}"
    f" AND type <> 'conversion' LIMIT {MAX_VISITORS + 1}"
)
_OF_PEOPLE: Final = (
    "SELECT session, click_id, count() AS rows FROM {events} WHERE website_id = {site:UUID}"
    " AND visitor IN {visitors:Array(UInt64)} AND type <> 'conversion'"
    f" GROUP BY session, click_id LIMIT {MAX_ROWS + 1}"
)
