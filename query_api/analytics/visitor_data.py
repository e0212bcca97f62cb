"""Reads the stored data of one of a website's visitors, found by an id, for the website's owner alone.

`POST /api/platform/websites/{id}/visitor-data/find` shows what there is, `…/export` gives the rows themselves. Both are
reads; the id is in the body, so that no address and no log of requests holds it. A session is needed, no access token.
`GET …/erasures` lists what was erased (`command_api.analytics.erasure.handlers`), and how far that is.
"""

# ruff: noqa: S608 - names of tables and columns are ours; values are bound

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Final, Literal
from uuid import UUID

import orjson
from fastapi import APIRouter, Request, Response
from pydantic import Field, field_validator

from infra.domain.visitor_data.letters import Letter, find_letters
from infra.domain.visitor_data.person import (
    MAX_CONVERSIONS,
    MAX_ROWS,
    ROWS_OF_PERSON,
    SEALED,
    Identifier,
    IdKind,
    Person,
    find_person,
    too_large,
)
from infra.domain.visitor_data.samples import MAX_SAMPLES, SAMPLES, bound_samples
from infra.kernel.http.openapi import file_response
from infra.kernel.http.route_costs import STATEMENT, costs
from infra.kernel.log.sealed_texts import TextReader
from infra.kernel.security import visitor_keys
from infra.kernel.security.audit_log import Entry, record
from infra.kernel.security.client_info import client_of
from infra.kernel.security.pseudonyms import Pseudonyms
from infra.kernel.security.text_keys import TextKeys
from query_api.analytics.erasure_effects import EFFECTS, KEPT, NOT_SEARCHED, Effect
from query_api.analytics.owner_texts import OwnText, find_own_texts
from query_api.kernel.authorization import AccountScope, Website
from query_api.kernel.clickhouse_reader import Query, live_table
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services
from query_api.kernel.requests import QueryModel
from schemas.events.conversions import ConversionStatus
from schemas.http.money import Amount
from schemas.http.responses import ResponseModel
from schemas.tracking import EVENT_COLUMNS

router = APIRouter(
    prefix="/api/platform/websites",
    tags=["analytics"],
    dependencies=[READS_OWN_WRITES],
)


class VisitorQuery(QueryModel):
    """An id of a person, as the website's own systems, a partner or a customer names it."""

    kind: IdKind
    value: str = Field(min_length=1, max_length=255, description="To the letter, as it was sent to the tracking API")
    event: str = Field(
        default="", max_length=64, description="Of an order: the name of its conversion, e.g. sale; empty: any"
    )

    @field_validator("value", "event")
    @classmethod
    def _storable(cls, text: str) -> str:
        """Rejects text that Postgres cannot store: no visitor has such an id."""
        if any(sign == "\x00" or "\ud800" <= sign <= "\udfff" for sign in text):
            raise ValueError("Text must be valid Unicode without NUL characters.")
        return text


class StoredPart(ResponseModel):
    """One kind of what is stored, and what erasing does with it."""

    store: str
    what: str
    count: int
    first_at: datetime | None = None
    last_at: datetime | None = None
    on_erase: Effect = Field(description="erased; emptied: rows stay without the person; kept")
    why: str

    @classmethod
    def of_store(cls, store: str, count: int, **times: datetime) -> StoredPart:
        what, effect, why = EFFECTS[store]
        return cls(store=store, what=what, count=count, on_erase=effect, why=why, **times)


class KeptPart(ResponseModel):
    """What stays whatever is erased."""

    what: str
    why: str


class VisitorConversion(ResponseModel):
    """A lead or sale of the person. Money in integer minor units."""

    id: UUID
    event: str
    txid: str
    status: ConversionStatus
    amount: Amount
    commission: Amount
    occurred_at: datetime


class VisitorData(ResponseModel):
    """What is stored of the person. Without parts: nothing is, or the id is not known."""

    stored: list[StoredPart]
    conversions: list[VisitorConversion]
    own_texts: list[OwnText] = Field(
        description="Texts of the owner's own that have the id, or one of the person's clicks or orders. They are not "
        "changed: the owner deletes them where `path` leads. At most ten of one kind"
    )
    kept: list[KeptPart]


class VisitorErasure(ResponseModel):
    """An erasure that was decided. Whom it was about is not kept."""

    id: UUID
    erased_at: datetime
    erased_by: str | None = Field(description="Name of the account; null: it was erased itself")
    named_by: IdKind
    counts: dict[str, int] = Field(description="What was stored: pageviews, clicks, events, conversions, samples")
    state: Literal["running", "live", "done"] = Field(
        description="running: tables are built without the person; live: reports read them; done: the old ones are gone"
    )


@router.post("/{id}/visitor-data/find", openapi_extra=costs(STATEMENT))
def find_visitor_data(
    id: UUID, query: VisitorQuery, scope: CallerScope, context: Context, request: Request
) -> VisitorData:
    """What is stored of the person whom the id names. 422 `too_much_data` for an id of more than 10,000 events."""
    data = _found(scope.website(id), query, scope, context)
    _note("visitor_data.found", data, context, request)
    kept = [KeptPart(what=what, why=why) for what, why in KEPT]
    account_id = scope.principal.account_id
    own = find_own_texts(scope.reader, context.settings, account_id, data.person, query.value)
    if own.files_not_searched:
        kept.append(
            KeptPart(what=f"Files of payouts that were not searched: {own.files_not_searched}", why=NOT_SEARCHED)
        )
    return VisitorData(stored=data.parts(), conversions=data.conversions(), own_texts=own.texts, kept=kept)


@router.post(
    "/{id}/visitor-data/export",
    openapi_extra=costs(STATEMENT),
    response_class=Response,
    responses=file_response("application/json"),
)
def export_visitor_data(
    id: UUID, query: VisitorQuery, scope: CallerScope, context: Context, request: Request
) -> Response:
    """The rows themselves, as a JSON document: for a person who wants their data."""
    website = scope.website(id)
    data = _found(website, query, scope, context)
    _note("visitor_data.exported", data, context, request)
    name = f"visitor-data-{datetime.now(UTC).date().isoformat()}.json"
    return Response(
        orjson.dumps(data.document(query), default=str, option=orjson.OPT_UTC_Z | orjson.OPT_INDENT_2),
        media_type="application/json",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )


@router.get("/{id}/visitor-data/erasures", dependencies=[READS_OWN_WRITES])
def get_visitor_erasures(id: UUID, scope: CallerScope) -> list[VisitorErasure]:
    """The last 100 erasures of the website's visitors, newest first."""
    website = scope.website(id)
    return [VisitorErasure.of_row(row) for row in scope.reader.rows(_ERASURES, {"site": website.id})]


@dataclass(frozen=True, slots=True)
class _Stores:
    """`infra.domain.visitor_data.person.Stores` over the readers of this service."""

    scope: AccountScope
    context: Services

    def postgres(self, sql: str, values: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        return self.scope.reader.rows(sql, values)

    def clickhouse(self, sql: str, values: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        return self.context.clickhouse.rows(Query(sql.replace("{events}", live_table("events")), values))


@dataclass(frozen=True, slots=True)
class _Found:
    """A person, and the readers."""

    person: Person
    website: Website
    scope: AccountScope
    context: Services

    def parts(self) -> list[StoredPart]:
        """Returns the stored parts by kind; kinds without any are left out."""
        sealed = StoredPart.of_store("ad_click_ids", len(self._sealed()))
        rows = [*self._counted_rows(), *self._postgres_rows(), *self._samples(), *self._letters()]
        stored = [*self._events(), sealed, *rows]
        return [part for part in stored if part.count]

    def conversions(self) -> list[VisitorConversion]:
        return [
            VisitorConversion.of_row(
                row,
                amount={"amount": row["amount"], "currency": row["currency"]},
                commission={"amount": row["commission"], "currency": row["commission_currency"]},
            )
            for row in self._rows(_CONVERSIONS)
        ]

    def document(self, query: VisitorQuery) -> dict[str, Any]:
        person = self.person
        events = [_to_response(row) for row in self._clickhouse(_EVENTS)]
        return {
            "exportedAt": datetime.now(UTC),
            "websiteId": person.website_id,
            "domain": self.website.domain,
            "askedFor": query.model_dump(),
            "pseudonyms": {
                "visitors": [f"{visitor:016x}" for visitor in sorted(person.visitors)],
                "sessions": [f"{session:016x}" for session in sorted(person.sessions)],
                "customers": sorted(person.customers),
            },
            "events": events,
            "adClickIds": self._ad_click_ids(),
            "conversions": self._rows(_CONVERSIONS),
            "conversionSteps": self._rows(_STEPS),
            "reportsWithoutRate": self._rows(_AWAITING),
            "rejectedReports": self._rows(_REJECTED),
            "refusedRequests": [_to_response(row) for row in self._refusals()],
        }

    def _events(self) -> list[StoredPart]:
        rows = self._clickhouse(_TYPES)
        if sum(row["count"] for row in rows) > MAX_ROWS:
            raise too_large("events", MAX_ROWS)
        stores = {"pageview": "pageviews", "click": "clicks"}
        parts: dict[str, StoredPart] = {}
        for row in rows:
            store = stores.get(row["type"], "events")
            first, last, count = row["first_at"].replace(tzinfo=UTC), row["last_at"].replace(tzinfo=UTC), row["count"]
            if (part := parts.get(store)) is not None and part.first_at and part.last_at:
                first, last, count = min(first, part.first_at), max(last, part.last_at), count + part.count
            parts[store] = StoredPart.of_store(store, count, first_at=first, last_at=last)
        return [parts[store] for store in ("pageviews", "clicks", "events") if store in parts]

    def _counted_rows(self) -> list[StoredPart]:
        [changes] = self._clickhouse(_CHANGES)
        return [StoredPart.of_store("conversion_changes", changes["count"])]

    def _postgres_rows(self) -> list[StoredPart]:
        [counts] = self._rows(_COUNTS)
        return [StoredPart.of_store(store, count) for store, count in counts.items()]

    def _found_letters(self) -> list[Letter]:
        texts = TextReader(TextKeys(self.context.settings).reading(self.context.pool))
        return find_letters(_Stores(self.scope, self.context), self.person, texts)

    def _samples(self) -> list[StoredPart]:
        rows = self._refusals()
        times = [row["at"].replace(tzinfo=UTC) for row in rows]
        return [StoredPart.of_store("samples", len(rows), first_at=min(times), last_at=max(times))] if rows else []

    def _letters(self) -> list[StoredPart]:
        times = [letter.first_at for letter in self._found_letters()]
        return [StoredPart.of_store("dead_letters", len(times), first_at=times[0], last_at=times[-1])] if times else []

    def _sealed(self) -> Sequence[Mapping[str, Any]]:
        return self._clickhouse(SEALED.replace("{events}", "events"))

    def _ad_click_ids(self) -> list[dict[str, Any]]:
        """Opened, by event; those whose key is gone are left out."""
        rows = self._sealed()
        ids = list(visitor_keys.key_ids(row["ad_ids"] for row in rows))
        keys = self.scope.reader.rows(visitor_keys.WRAPPED, (ids,)) if ids else []
        wrapped = {row["key_id"]: row["key_wrapped"] for row in keys}
        opener = visitor_keys.VisitorKeys(self.context.settings)
        opened = [(row["event_id"], opener.open(visitor_keys.Sealed(*row.values()), wrapped)) for row in rows]
        return [{"event_id": event_id, **values} for event_id, values in opened if values]

    def _refusals(self) -> Sequence[Mapping[str, Any]]:
        bound = bound_samples(self.person)
        if bound is None:
            return []
        rows = self.context.clickhouse.rows(Query(SAMPLES.format(refusals=live_table("refusals")), bound))
        if len(rows) > MAX_SAMPLES:
            raise too_large("samples of refused requests", MAX_SAMPLES)
        return rows

    def _rows(self, sql: str) -> list[dict[str, Any]]:
        bound = {"site": self.person.website_id, "ids": list(self.person.conversion_ids)}
        return self.scope.reader.rows(sql, bound)

    def _clickhouse(self, sql: str) -> Sequence[Mapping[str, Any]]:
        return self.context.clickhouse.rows(Query(sql, self.person.bound))


def _found(website: Website, query: VisitorQuery, scope: AccountScope, context: Services) -> _Found:
    identifier = Identifier(query.kind, query.value, query.event)
    pseudonyms = Pseudonyms.of(context.settings)
    return _Found(find_person(_Stores(scope, context), pseudonyms, website.id, identifier), website, scope, context)


def _note(action: str, found: _Found, context: Services, request: Request) -> None:
    """Records who looked at the data of a person of which website; never the id."""
    account_id = found.scope.principal.account_id
    entry = Entry(action, actor_id=account_id, account_id=account_id, subject_id=found.website.id)
    with context.pool.connection() as connection:
        record(connection, entry, client_of(request, context.settings))


def _to_response(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row of ClickHouse without columns that say nothing; times are UTC."""
    return {
        name: f"{value:016x}" if name in ("visitor", "session") else _plain(value)
        for name, value in row.items()
        if value not in ("", 0) and value != UUID(int=0) and value is not False
    }


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.replace(tzinfo=UTC)
    return value.isoformat() if isinstance(value, date) else value


_TYPES: Final = (
    "SELECT type, count() AS count, min(occurred_at) AS first_at, max(occurred_at) AS last_at"
    f" FROM {live_table('events')} WHERE {ROWS_OF_PERSON} AND type <> 'conversion' GROUP BY type"
)
_CHANGES: Final = f"SELECT count() AS count FROM {live_table('events')} WHERE {ROWS_OF_PERSON} AND type = 'conversion'"
_EVENTS: Final = (
    f"SELECT {', '.join(column.name for column in EVENT_COLUMNS if column.name not in ('website_id', 'ad_ids'))}"
    f" FROM {live_table('events')} WHERE {ROWS_OF_PERSON} AND type <> 'conversion'"
    f" ORDER BY occurred_at, event_id LIMIT {MAX_ROWS}"
)
_COUNTS: Final = (
    "SELECT (SELECT count(*) FROM read.conversions WHERE website_id = %(site)s AND id = ANY(%(ids)s)) AS conversions,"
    " (SELECT count(*) FROM read.conversion_steps WHERE website_id = %(site)s AND conversion_id = ANY(%(ids)s))"
    " AS conversion_steps,"
    " (SELECT count(*) FROM conversions.awaiting_exchange_rate WHERE website_id = %(site)s"
    " AND conversion_id = ANY(%(ids)s)) AS awaiting_rate,"
    " (SELECT count(*) FROM conversions.rejected_report WHERE website_id = %(site)s AND conversion_id = ANY(%(ids)s))"
    " AS rejected_reports"
)
_CONVERSIONS: Final = (
    "SELECT * FROM read.conversions WHERE website_id = %(site)s AND id = ANY(%(ids)s) ORDER BY occurred_at, id"
    f" LIMIT {MAX_CONVERSIONS}"
)
_STEPS: Final = (
    "SELECT * FROM read.conversion_steps WHERE website_id = %(site)s AND conversion_id = ANY(%(ids)s)"
    " ORDER BY conversion_id, version"
)
_AWAITING: Final = (
    "SELECT report_id, conversion_id, txid, amount, currency, kept_at FROM conversions.awaiting_exchange_rate"
    " WHERE website_id = %(site)s AND conversion_id = ANY(%(ids)s) ORDER BY number"
)
_REJECTED: Final = (
    "SELECT report_id, conversion_id, code, message, at, claim FROM conversions.rejected_report"
    " WHERE website_id = %(site)s AND conversion_id = ANY(%(ids)s) ORDER BY at, report_id"
)
_ERASURES: Final = """
WITH lacking AS (
    SELECT e.id, b.generation = p.live_generation AS is_live
    FROM read.visitor_erasures AS e
    JOIN engine.build AS b ON b.name = 'events' OR b.name = 'refusals' AND e.refusals <> '{}'
    JOIN engine.projection AS p ON p.name = b.name
    WHERE e.website_id = %(site)s AND b.dropped_at IS NULL AND NOT CASE b.name
        WHEN 'events' THEN coalesce(b.progress -> 'parameters', '[]')
            @> jsonb_build_array(jsonb_build_object('erasure', e.id::text))
        ELSE coalesce(b.progress -> 'parameters', '[]') @> to_jsonb(e.refusals) END)
SELECT e.id, e.erased_at, a.name AS erased_by, e.named_by, e.counts, CASE
    WHEN EXISTS (SELECT FROM lacking AS l WHERE l.id = e.id AND l.is_live) THEN 'running'
    WHEN EXISTS (SELECT FROM lacking AS l WHERE l.id = e.id) THEN 'live' ELSE 'done' END AS state
FROM read.visitor_erasures AS e LEFT JOIN read.accounts AS a ON a.id = e.erased_by
WHERE e.website_id = %(site)s ORDER BY e.position DESC LIMIT 100"""
