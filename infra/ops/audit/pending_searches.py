"""Compares the results of searches for clicks so far (`conversions.pending_attribution`) with the decided events, the
projected clicks and the exchange rates, without the code of the search.

- `needs_rate`: the terms of a click that would earn the sale, the sale or its payout are in a currency that had no rate
  on the website's day of the sale; the owner reads these sales in the list of those that wait for a rate
- `passed_over`: bots' clicks of the visitor that the sale looks for. They stay bots' for it, whatever a traffic rule
  says later; so one that is missing would take over the sale

Only a search that is at rest is judged: one that is due finds out again. That of a forgotten visitor is not.
"""

# ruff: noqa: S608 - queries are made of this package's own names, and of ids and numbers that the engines returned

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

import orjson
import psycopg
from eventsourcing.persistence import StoredEvent

from command_api.kernel import inline_rebuild
from infra.kernel.clickhouse.reader import Reader
from infra.kernel.config.settings import Settings
from infra.ops.audit.quiescence import exists
from infra.ops.audit.report import AuditReport, DefectKind
from infra.ops.audit.reported_sales import PENDING
from schemas.base import DomainEvent
from schemas.days import local_day
from schemas.envelope import SEALED
from schemas.events.conversions import (
    Attribution,
    ConversionAssigned,
    ConversionFacts,
    ConversionRecorded,
    ConversionReportConflicted,
    ConversionReportMerged,
    ConversionStep,
    LogPosition,
    Reported,
)
from schemas.topics import CLICKS
from schemas.tracking import NO_ID
from schemas.zones import ZoneInfo

Place = tuple[int, int]
"""Partition and offset in topic `clicks`."""
MAX_STORED: Final = 500
"""Clicks that a search stores, the first in the log."""
MAX_PAUSE: Final = timedelta(minutes=10)
"""Between two searches of a sale without a click."""
_AGE: Final = timedelta(minutes=2)
"""The age from which on a report was searched for at least once."""
_MARGIN: Final = timedelta(minutes=2)
_WINDOW: Final = timedelta(days=1)
"""Every partner pays for a click this old."""
_PIVOT: Final = "EUR"
_BATCH: Final = 200


@dataclass(slots=True)
class PendingSearch:
    """A row, and what its events say. `due_at`: of the next search; `None` if it is due."""

    id: UUID
    needs_rate: bool
    passed_over: Any
    received_at: datetime
    due_at: datetime | None
    facts: ConversionFacts | None = None
    reports: list[Reported] = field(default_factory=list)
    seen: tuple[LogPosition, ...] = ()
    is_assigned: bool = False
    is_whole: bool = True

    def take(self, event: DomainEvent, *, is_whole: bool = True) -> None:
        """`is_whole`: false if its visitor was forgotten, so that nobody knows any more what was searched for."""
        self.is_whole &= is_whole
        if isinstance(event, ConversionRecorded | ConversionReportMerged | ConversionReportConflicted):
            self.reports += [event.reported] if event.reported is not None else []
        if isinstance(event, ConversionStep):
            self.facts = event.facts
        self.seen = getattr(event, "seen", ()) or self.seen
        self.is_assigned |= isinstance(event, ConversionAssigned)

    @property
    def attribution(self) -> Attribution | None:
        return self.facts.attribution if self.facts is not None else None

    @property
    def visitors(self) -> set[int]:
        return {each.visitor for each in self.reports if each.visitor}

    @property
    def click_ids(self) -> set[str]:
        return {each.click_id for each in self.reports if each.click_id}


@dataclass(frozen=True, slots=True)
class ProjectedClick:
    """A projected click on a partner."""

    visitor: int
    click_id: str
    at: datetime
    partner_id: UUID
    is_bot: bool
    place: Place


@dataclass(frozen=True, slots=True)
class World:
    """The data that all searches are judged by. `websites`: account, currency and time zone. `terms`: by partner,
    newest first, with since when. `accounts`: whose private partner one is."""

    websites: Mapping[UUID, tuple[UUID, str, str]]
    rates: Mapping[tuple[str, str], date]
    """The first day of each pair's rates."""
    terms: Mapping[UUID, Sequence[tuple[datetime, Mapping[str, Any]]]]
    accounts: Mapping[UUID, UUID | None]
    marked: frozenset[UUID]
    """Websites that have, or had, traffic rules."""
    expired: frozenset[UUID]
    """Websites whose first events are not kept."""
    samples: Mapping[int, Sequence[tuple[datetime, int]]]
    """How far clicks were projected, by partition, newest first."""

    @classmethod
    def read(cls, postgres: psycopg.Connection[Any]) -> World:
        terms: dict[UUID, list[tuple[datetime, Mapping[str, Any]]]] = defaultdict(list)
        for partner_id, since, of_partner in postgres.execute(_TERMS):
            terms[partner_id].append((since, of_partner))
        samples: dict[int, list[tuple[datetime, int]]] = defaultdict(list)
        for partition, at, offset in postgres.execute(_SAMPLES, (CLICKS.name,)):
            samples[partition].append((at, offset))
        return cls(
            {id_: (account_id, currency, zone) for id_, account_id, currency, zone in postgres.execute(_WEBSITES)},
            {(base, quote): first for base, quote, first in postgres.execute(_RATES)},
            terms,
            dict(postgres.execute(_ACCOUNTS).fetchall()),
            frozenset(website_id for (website_id,) in postgres.execute(_MARKED)),
            frozenset(website_id for (website_id,) in postgres.execute(_EXPIRED)),
            samples,
        )

    def has_rate(self, currency: str, quote: str, day: date) -> bool:
        """Returns whether there is a rate on that day: the pair's own, the one the other way round, or those of both
        against the euro."""

        def known(base: str, other: str) -> bool:
            firsts = (self.rates.get((base, other)), self.rates.get((other, base)))
            return base == other or any(first is not None and first <= day for first in firsts)

        return known(currency, quote) or (known(currency, _PIVOT) and known(_PIVOT, quote))

    def currencies(self, partner_id: UUID, at: datetime | None = None) -> set[str]:
        """Returns the currencies of the partner's terms, at any time or at `at`."""
        terms = self.terms.get(partner_id, ())
        if at is not None:
            terms = [each for each in terms if each[0] <= at][:1] or terms[-1:]
        names = ("flat_currency", "tiers_currency")
        return {currency for _, of_partner in terms for name in names if (currency := of_partner.get(name))}

    def was_projected(self, place: Place, at: datetime) -> bool:
        """Returns whether it is certain that this click could be found at that time."""
        reached = next((offset for then, offset in self.samples.get(place[0], ()) if then <= at), 0)
        return place[1] < reached


def audit_pending_searches(settings: Settings, clickhouse: Reader, postgres: psycopg.Connection[Any]) -> AuditReport:
    """Judges every row that is at rest. `postgres` must be in autocommit mode."""
    report = AuditReport()
    tables = (PENDING, "events.stored_events", "read.websites", "read.partner_terms", "read.traffic_rules")
    if not all(exists(postgres, table) for table in tables):
        return report
    with postgres.transaction():
        postgres.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        rows = [PendingSearch(*row) for row in postgres.execute(_PENDING)]
        [(now,)] = postgres.execute("SELECT now()").fetchall()
        world, mapper = World.read(postgres), inline_rebuild.mapper_of(settings, postgres)
        for batch in (rows[start : start + _BATCH] for start in range(0, len(rows), _BATCH)):
            searches = {search.id: search for search in batch}
            for aggregate_id, version, topic, state in postgres.execute(_EVENTS, (list(searches),)):
                stored = StoredEvent(aggregate_id, version, topic, bytes(state))
                event, key = mapper.opened(stored)
                searches[aggregate_id].take(event, is_whole=key > 0 or SEALED not in orjson.loads(stored.state))
            _judge(clickhouse, world, [each for each in batch if _is_at_rest(each, now)], report)
    return report


def _is_at_rest(search: PendingSearch, now: datetime) -> bool:
    is_old = search.received_at + _AGE < now
    return search.facts is not None and search.is_whole and is_old and search.due_at is not None and search.due_at > now


def _judge(clickhouse: Reader, world: World, searches: Sequence[PendingSearch], report: AuditReport) -> None:
    clicks = _clicks(clickhouse, searches)
    for search in searches:
        facts = search.facts
        if facts is None or facts.website_id not in world.websites:
            continue
        report.checked["searches for clicks"] += 1
        mine = [
            click
            for click in clicks.get(facts.website_id, ())
            if click.visitor in search.visitors or click.click_id in search.click_ids
        ]
        faults = (wrong_places(search, facts, mine, world), wrong_wait(search, facts, mine, world))
        for what in filter(None, faults):
            report.found(DefectKind.WRONG, PENDING, f"row {search.id}: {what}")


def wrong_places(search: PendingSearch, facts: ConversionFacts, clicks: Sequence[ProjectedClick], world: World) -> str:
    """Returns what is wrong with `passed_over`; empty: nothing."""
    try:
        stored = {(int(partition), int(offset)) for partition, offset in search.passed_over or ()}
    except (TypeError, ValueError):
        return "passed_over cannot be read"
    if facts.website_id in world.expired:
        return ""
    may_be_remarked = facts.website_id in world.marked  # a rule may have made any of them a bot's for a time
    wrong = stored - {click.place for click in clicks if click.is_bot or may_be_remarked}
    if wrong:
        return f"passed_over has {sorted(wrong)}, which are no bots' clicks of its visitor"
    if may_be_remarked:
        return ""
    missing = _must_be_passed_over(search, facts, clicks) - stored
    if missing and len(stored) < MAX_STORED:
        return f"passed_over lacks {sorted(missing)}, bots' clicks that its decision knew"
    return ""


def _must_be_passed_over(search: PendingSearch, facts: ConversionFacts, clicks: Sequence[ProjectedClick]) -> set[Place]:
    """Bots' clicks that the decision knew, and came by on its way to the click that it took, if any. Only of a sale
    with one report, which names a visitor and nothing else: then there is one way."""
    if len(search.reports) != 1 or search.is_assigned:
        return set()
    [told], taken = search.reports, search.attribution
    if told.click_id or told.coupon or not told.visitor:
        return set()
    if taken is not None and (taken.by != "visitor" or taken.visitor != told.visitor):
        return set()
    ends = {seen.partition: seen.offset for seen in search.seen}
    latest = facts.occurred_at
    return {
        click.place
        for click in clicks
        if click.is_bot
        and click.visitor == told.visitor
        and latest - timedelta(days=300) < click.at <= latest
        and click.place[1] < ends.get(click.place[0], 0)
        and (
            taken is None
            or (click.at < taken.clicked_at if taken.model == "first_click" else click.at > taken.clicked_at)
        )
    }


def wrong_wait(search: PendingSearch, facts: ConversionFacts, clicks: Sequence[ProjectedClick], world: World) -> str:
    """Returns what is wrong with `needs_rate`; empty: nothing."""
    account_id, quote, zone = world.websites[facts.website_id]
    day = local_day(ZoneInfo(zone), facts.occurred_at)

    def lacks(currencies: Iterable[str]) -> bool:
        return any(not world.has_rate(currency, quote, day) for currency in currencies)

    own = {facts.amount.currency, *(each.payout.currency for each in search.reports if each.payout is not None)}
    if search.needs_rate:
        every = own.union(*(world.currencies(click.partner_id) for click in clicks))
        return "" if lacks(every) else f"needs_rate, but there are rates of {', '.join(sorted(every))} for {day}"
    if search.attribution is not None or search.due_at is None or len(search.reports) != 1:
        return ""
    searched_at = search.due_at - MAX_PAUSE - _MARGIN
    for click in clicks:
        earns = (
            not click.is_bot
            and facts.occurred_at - _WINDOW < click.at <= facts.occurred_at
            and click.partner_id in world.terms
            and world.accounts.get(click.partner_id) in (None, account_id)
            and not search.reports[0].partner_id
        )
        if (
            earns
            and lacks(world.currencies(click.partner_id, click.at))
            and world.was_projected(click.place, searched_at)
        ):
            return f"the click at {click.place} would earn it but for a rate, and needs_rate is false"
    return ""


def _clicks(clickhouse: Reader, searches: Sequence[PendingSearch]) -> Mapping[UUID, list[ProjectedClick]]:
    """The clicks that the reports of these searches may mean, by website."""
    visitors = {visitor for search in searches for visitor in search.visitors}
    click_ids = {click_id for search in searches for click_id in search.click_ids}
    by_website: dict[UUID, list[ProjectedClick]] = defaultdict(list)
    if not visitors and not click_ids:
        return by_website
    websites = {str(search.facts.website_id) for search in searches if search.facts is not None}
    rows = clickhouse.rows(
        "SELECT toString(website_id) AS website, toString(visitor) AS who, click_id,"
        " toUnixTimestamp64Milli(occurred_at) AS at, toString(partner_id) AS partner, toUInt8(is_bot) AS bot,"
        f" _partition, _offset FROM events WHERE type = 'click' AND _topic = '{CLICKS.name}'"
        f" AND website_id IN ({_texts(websites)}) AND (visitor IN ({', '.join(map(str, sorted(visitors))) or '0'})"
        f" OR click_id != '' AND click_id IN ({_texts(click_ids) or repr('')})) AND partner_id != '{NO_ID}'"
    )
    for row in rows:
        at = datetime.fromtimestamp(int(row["at"]) / 1000, UTC)
        place = int(row["_partition"]), int(row["_offset"])
        click = ProjectedClick(int(row["who"]), row["click_id"], at, UUID(row["partner"]), bool(row["bot"]), place)
        by_website[UUID(row["website"])].append(click)
    return by_website


def _texts(values: Iterable[str]) -> str:
    """Returns the values as literals of ClickHouse."""
    quoted = (value.replace("\\", "\\\\").replace("'", "\\'") for value in sorted(values))
    return ", ".join(f"'{value}'" for value in quoted)


_PENDING: Final = (
    "SELECT p.conversion_id, p.needs_rate, p.passed_over, p.received_at, t.due_at"
    " FROM conversions.pending_attribution AS p LEFT JOIN kernel.timeout AS t"
    " ON t.process = 'pending-attribution' AND t.id = p.conversion_id ORDER BY p.conversion_id"
)
_EVENTS: Final = (
    "SELECT originator_id, originator_version, topic, state FROM events.stored_events WHERE originator_id = ANY(%s)"
    " ORDER BY originator_id, originator_version"
)
_WEBSITES: Final = "SELECT id, account_id, currency, timezone FROM read.websites"
_RATES: Final = "SELECT base, quote, min(on_day) FROM read.exchange_rates GROUP BY 1, 2"
_TERMS: Final = "SELECT partner_id, effective_at, terms FROM read.partner_terms ORDER BY partner_id, effective_at DESC"
_ACCOUNTS: Final = "SELECT partner_id, max(account_id::text)::uuid FROM read.partner_terms GROUP BY 1"
_MARKED: Final = "SELECT DISTINCT website_id FROM read.traffic_rules"
_EXPIRED: Final = "SELECT DISTINCT website_id FROM read.event_expiries"
_SAMPLES: Final = (
    "SELECT partition, at, min(next_offset) FROM engine.sample WHERE projection = 'events' AND topic = %s"
    " GROUP BY partition, at ORDER BY at DESC"
)
