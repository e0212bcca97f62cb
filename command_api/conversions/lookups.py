"""Inline projections `monthly_totals`, which decide the tier of a commission, `claim_counts`, which limit claims,
`scheduled_decisions`, decisions that can still be undone, `scoped_transactions`, sales of single clicks, and
`unread_reports`, of which their owners are notified.

A tier is chosen before its event is stored. `append_conversions` checks it again under the store's lock: if another
writer has moved the month into another tier, it raises `ConcurrencyConflict`, and the tier is chosen again. Concurrent
decisions therefore never exceed a tier.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from types import MappingProxyType
from typing import Any, Final, LiteralString, get_args
from uuid import UUID

from psycopg import Connection

from command_api.conversions.claim_counts import ALL_CLICKS, ClaimCount, claimed_click, hour_of
from command_api.conversions.monthly_totals import TotalKey, delta
from command_api.conversions.tiers import MonthlyTotal
from command_api.conversions.transaction_names import names_of
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from command_api.kernel.reader import AggregateReader
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from infra.domain.report_merging import CLAIM
from infra.domain.report_reading import is_placeholder
from infra.kernel.postgres.rows import Row
from schemas import click_id
from schemas.base import ERASED, DomainEvent
from schemas.events.conversions import (
    ConversionAttributed,
    ConversionDecisionApplied,
    ConversionDecisionScheduled,
    ConversionDecisionUndone,
    ConversionRecorded,
    ConversionReportConflicted,
    ConversionReportMerged,
    ConversionRestated,
    ConversionStep,
    Reported,
)
from schemas.events.websites import ReportsUnread
from schemas.identity import conversion_id
from schemas.message_ids import MessageIds
from schemas.tracking import NO_ID

MAX_NAMED: Final = 20
"""Sales of one name that are compared."""
NO_NAMES: Final[Mapping[tuple[UUID, str], tuple[UUID, ...]]] = MappingProxyType({})
CLAIM_RETENTION: Final = timedelta(days=31)


def _is_retained(row: Row) -> bool:
    """Returns whether retention keeps the row, now and during the next day."""
    hour: datetime = row["hour"]
    return hour > datetime.now(UTC) - CLAIM_RETENTION + timedelta(days=1)


MONTHLY_TOTALS: Final = InlineProjection(
    "monthly_totals",
    version=1,
    tables=(
        Table(
            "monthly_total",
            columns=(
                "website_id uuid not null",
                "partner_id uuid not null",
                "month text not null",
                "conversions bigint not null",
                "revenue numeric not null",
            ),
            key=("website_id", "partner_id", "month"),
        ),
    ),
)
CLAIM_COUNTS: Final = InlineProjection(
    "claim_counts",
    version=2,
    tables=(
        Table(
            "claim_count",
            columns=(
                "website_id uuid not null",
                "click_id text not null",
                "hour timestamptz not null",
                "claims bigint not null",
            ),
            key=("website_id", "click_id", "hour"),
            indexes=("hour",),
            is_verified=_is_retained,
        ),
    ),
)
"""`click_id` is `claimed_click`. The column has its old name for services of the version before, which read it while
versions are mixed; `rename_claims` corrects what they write."""


SCHEDULED_DECISION_TABLE: Final = Table(
    "scheduled_decision", columns=("decision_id uuid not null",), key=("decision_id",)
)
SCHEDULED_ITEM_TABLE: Final = Table(
    "scheduled_item",
    columns=("conversion_id uuid not null", "decision_id uuid not null"),
    key=("conversion_id",),
    indexes=("decision_id",),
)
SCHEDULED_DECISIONS: Final = InlineProjection(
    "scheduled_decisions",
    version=1,
    tables=(
        SCHEDULED_DECISION_TABLE,
        SCHEDULED_ITEM_TABLE,
    ),
)
"""Decisions that are not final yet, and their conversions."""


SCOPED_TRANSACTIONS: Final = InlineProjection(
    "scoped_transactions",
    version=1,
    tables=(
        Table(
            "scoped_transaction",
            columns=("shared_id uuid not null", "conversion_id uuid not null"),
            key=("shared_id", "conversion_id"),
        ),
    ),
)
"""Sales whose transaction id alone does not identify them: `shared_id` would be their id if it did."""


TRANSACTION_NAMES: Final = InlineProjection(
    "transaction_names",
    version=1,
    tables=(
        Table(
            "transaction_name",
            columns=("website_id uuid not null", "name text not null", "conversion_id uuid not null"),
            key=("website_id", "name", "conversion_id"),
        ),
    ),
)
"""What reports call a sale: transaction ids, order ids that networks name, and ids of merged reports."""


UNREAD_REPORTS: Final = InlineProjection(
    "unread_reports",
    version=1,
    tables=(
        Table(
            "unread_report",
            columns=(
                "website_id uuid not null",
                "day date not null",
                "field text not null",
                "is_placeholder boolean not null",
                "partner_id uuid not null",
                "reports bigint not null default 0",
                "is_raised boolean not null default false",
            ),
            key=("website_id", "day", "field", "is_placeholder", "partner_id"),
            indexes=("day",),
        ),
    ),
)
"""Reports with values that cannot be read, by the day (UTC) on which they were received, and whether the owner was
notified."""


@UNREAD_REPORTS.on(ConversionRecorded)
def _recorded_unread(tables: Tables, event: ConversionRecorded) -> None:
    _count_unread(tables, event.facts.website_id, event.reported)


@UNREAD_REPORTS.on(ConversionReportMerged)
def _merged_unread(tables: Tables, event: ConversionReportMerged) -> None:
    _count_unread(tables, event.website_id, event.reported)


@UNREAD_REPORTS.on(ConversionReportConflicted)
def _conflicted_unread(tables: Tables, event: ConversionReportConflicted) -> None:
    _count_unread(tables, event.website_id, event.reported)


def _count_unread(tables: Tables, website_id: UUID, reported: Reported | None) -> None:
    if reported is None:
        return
    for key in _unread_rows(website_id, reported):
        tables["unread_report"].increment(key, reports=1)


def _unread_rows(website_id: UUID, reported: Reported) -> list[dict[str, Any]]:
    """The keys of the rows that the report counts in."""
    return [
        {
            "website_id": website_id,
            "day": reported.received_at.astimezone(UTC).date(),
            "field": field,
            "is_placeholder": is_placeholder(text),
            "partner_id": reported.partner_id or NO_ID,
        }
        for field, text in reported.unread.items()
        if text != ERASED  # which counted before its person was erased
    ]


@UNREAD_REPORTS.on(ReportsUnread)
def _raised(tables: Tables, event: ReportsUnread) -> None:
    key = {"website_id": event.website_id, "day": event.day, "field": event.field}
    key |= {"is_placeholder": event.is_placeholder, "partner_id": event.partner_id or NO_ID}
    tables["unread_report"].increment(key, reports=0)  # the reports may be forgotten
    tables["unread_report"].update(key, is_raised=True)


@SCOPED_TRANSACTIONS.on(ConversionRecorded)
def _identified(tables: Tables, event: ConversionRecorded) -> None:
    shared = conversion_id(event.facts.website_id, event.facts.event, event.facts.txid)
    if event.originator_id != shared:
        tables["scoped_transaction"].put(shared_id=shared, conversion_id=event.originator_id)


@TRANSACTION_NAMES.on(ConversionRecorded)
def _named(tables: Tables, event: ConversionRecorded) -> None:
    _put_names(tables, event)


@TRANSACTION_NAMES.on(ConversionReportMerged)
def _named_again(tables: Tables, event: ConversionReportMerged) -> None:
    _put_names(tables, event)


@TRANSACTION_NAMES.on(ConversionReportConflicted)
def _named_otherwise(tables: Tables, event: ConversionReportConflicted) -> None:
    _put_names(tables, event)


def _put_names(tables: Tables, event: ConversionRecorded | ConversionReportMerged | ConversionReportConflicted) -> None:
    website_id = event.facts.website_id if isinstance(event, ConversionRecorded) else event.website_id
    for name in names_of(event):
        tables["transaction_name"].put(website_id=website_id, name=name, conversion_id=event.originator_id)


@SCHEDULED_DECISIONS.on(ConversionDecisionScheduled)
def _scheduled(tables: Tables, event: ConversionDecisionScheduled) -> None:
    tables["scheduled_decision"].put(decision_id=event.originator_id)
    for decided in event.conversion_ids:
        tables["scheduled_item"].put(conversion_id=decided, decision_id=event.originator_id)


SCHEDULED_DECISION_TABLE.ends(ConversionDecisionUndone)
SCHEDULED_DECISION_TABLE.ends(ConversionDecisionApplied)
SCHEDULED_ITEM_TABLE.ends(ConversionDecisionUndone, by="decision_id")
SCHEDULED_ITEM_TABLE.ends(ConversionDecisionApplied, by="decision_id")


@MONTHLY_TOTALS.on(*get_args(ConversionStep))
def _counted(tables: Tables, event: DomainEvent) -> None:
    moved = delta(event)
    if moved is None:
        return
    (website_id, partner_id, month), change = moved
    key = {"website_id": website_id, "partner_id": partner_id, "month": month}
    tables["monthly_total"].increment(key, conversions=change.conversions, revenue=change.revenue)


@CLAIM_COUNTS.on(ConversionRecorded)
def _recorded(tables: Tables, event: ConversionRecorded) -> None:
    reported = event.reported
    if reported is None or reported.key_kind != CLAIM:
        return
    website_id = event.facts.website_id
    for click in {ALL_CLICKS, claimed_click(website_id, reported.click_id)}:
        key = {"website_id": website_id, "click_id": click, "hour": hour_of(reported.received_at)}
        tables["claim_count"].increment(key, claims=1)


def append_conversions(
    uow: UnitOfWork,
    events: Sequence[DomainEvent],
    claims: Iterable[tuple[ClaimCount, int]] = (),
    ids: Sequence[MessageIds] = (),
    named: Mapping[tuple[UUID, str], tuple[UUID, ...]] = NO_NAMES,
) -> None:
    """Appends the events of decided conversions, each with its `ids`. Raises `ConcurrencyConflict` when the tier of an
    event is outdated, when the recorded `claims` exceed their limits because another writer was first, or when another
    writer has recorded a sale by one of the names since they were read (`named`): it may be the same."""
    appended = uow.append(*events, ids=ids)
    _require_current_tiers(appended, events)
    for count, limit in claims:
        if count[1] and read_count(appended, count) > limit:
            raise ConcurrencyConflict("claim_count")
    own = {event.originator_id for event in events}
    for key, recorded in sales_named(appended, named).items() if own else ():
        if not {*recorded} <= {*named[key], *own}:
            raise ConcurrencyConflict("transaction_name")


def sales_named(reader: AggregateReader, names: Iterable[tuple[UUID, str]]) -> dict[tuple[UUID, str], tuple[UUID, ...]]:
    """The sales by website and name, at most `MAX_NAMED` of each."""
    asked = list(names)
    found: dict[tuple[UUID, str], list[UUID]] = {key: [] for key in asked}
    if asked:
        websites, texts = [website_id for website_id, _ in asked], [name for _, name in asked]
        for website_id, name, sale in reader.select(_SALES_NAMED, websites, texts):
            found[website_id, name].append(sale)
    return {key: tuple(sales[:MAX_NAMED]) for key, sales in found.items()}


def forget_reports(uow: UnitOfWork, events: Iterable[DomainEvent]) -> None:
    """Takes from `claim_counts` and `unread_reports` what these events say no more, because the person behind them is
    erased: a rebuild counts without it. Rows that retention has deleted stay so."""
    for event in events:
        if not isinstance(event, ConversionRecorded | ConversionReportMerged | ConversionReportConflicted):
            continue
        if (reported := event.reported) is None:
            continue
        if isinstance(event, ConversionRecorded) and reported.key_kind == CLAIM and reported.click_id != ALL_CLICKS:
            click = claimed_click(event.facts.website_id, reported.click_id)
            claim = event.facts.website_id, click, hour_of(reported.received_at)
            for statement in _FORGET_CLAIM:
                uow.cursor.execute(statement, claim)
        website_id = event.facts.website_id if isinstance(event, ConversionRecorded) else event.website_id
        for row in _unread_rows(website_id, reported):
            for statement in _FORGET_UNREAD:
                uow.cursor.execute(statement, row)


def read_total(reader: AggregateReader, account: TotalKey) -> MonthlyTotal:
    """The total of a website's month with a partner."""
    rows = reader.select(
        "SELECT conversions, revenue FROM lookup.monthly_total"
        " WHERE website_id = %s AND partner_id = %s AND month = %s",
        *account,
    )
    return MonthlyTotal(*map(int, rows[0])) if rows else MonthlyTotal()


def read_count(reader: AggregateReader, count: ClaimCount) -> int:
    """The claims of a website, click and hour."""
    website_id, text, hour = count
    rows = reader.select(
        "SELECT claims FROM lookup.claim_count WHERE website_id = %s AND click_id = %s AND hour = %s",
        *(website_id, claimed_click(website_id, text), hour),
    )
    return int(rows[0][0]) if rows else 0


def rename_claims(connection: Connection[Any]) -> None:
    """Counts under their pseudonyms what a service of the version before counted under click ids."""
    with connection.transaction():
        counts = connection.execute(_OF_CLICK_IDS, (click_id.LENGTH,)).fetchall()
        rows = [
            (website_id, claimed_click(website_id, text), hour, claims) for website_id, text, hour, claims in counts
        ]
        with connection.cursor() as cursor:
            cursor.executemany(_ADD_CLAIMS, rows)


def _require_current_tiers(uow: Appended, events: Sequence[DomainEvent]) -> None:
    """Walks the appended events back from the stored totals to the total that each of them was decided at."""
    moves = [(event, *moved) for event in events if (moved := delta(event)) is not None]
    chosen = (ConversionRecorded, ConversionAttributed, ConversionRestated)
    if not any(isinstance(event, chosen) and event.tier is not None for event, _, _ in moves):
        return
    totals = {account: read_total(uow, account) for account in {account for _, account, _ in moves}}
    for event, account, change in reversed(moves):
        totals[account] -= change
        tier = event.tier if isinstance(event, chosen) else None
        if tier is not None and not totals[account].allows(tier):
            raise ConcurrencyConflict("monthly_total")


_SALES_NAMED: Final[LiteralString] = (
    "SELECT t.website_id, t.name, t.conversion_id FROM lookup.transaction_name AS t"
    " JOIN (SELECT DISTINCT * FROM unnest(%s::uuid[], %s::text[]) AS each (website_id, name)) AS asked"
    " USING (website_id, name) ORDER BY t.conversion_id"
)
_OF_CLICK_IDS: Final = (
    "DELETE FROM lookup.claim_count WHERE length(click_id) = %s RETURNING website_id, click_id, hour, claims"
)
_ADD_CLAIMS: Final = (
    "INSERT INTO lookup.claim_count (website_id, click_id, hour, claims) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT (website_id, click_id, hour) DO UPDATE SET claims = claim_count.claims + excluded.claims"
)
_FORGET_CLAIM: Final[tuple[LiteralString, ...]] = (
    "UPDATE lookup.claim_count SET claims = claims - 1 WHERE website_id = %s AND click_id = %s AND hour = %s",
    "DELETE FROM lookup.claim_count WHERE website_id = %s AND click_id = %s AND hour = %s AND claims <= 0",
)
_FORGET_UNREAD: Final[tuple[LiteralString, ...]] = (
    "UPDATE lookup.unread_report SET reports = reports - 1 WHERE (website_id, day, field, is_placeholder, partner_id)"
    " = (%(website_id)s, %(day)s, %(field)s, %(is_placeholder)s, %(partner_id)s)",
    "DELETE FROM lookup.unread_report WHERE (website_id, day, field, is_placeholder, partner_id)"
    " = (%(website_id)s, %(day)s, %(field)s, %(is_placeholder)s, %(partner_id)s) AND reports <= 0 AND NOT is_raised",
)
