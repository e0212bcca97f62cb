"""Reads the measurements of an account's own websites with the programs of the directory, in the last 90 days."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from infra.domain.program_matching.scoring import Listed, Results
from query_api.analytics import metrics
from query_api.analytics.metrics import PERFORMANCE_COUNTERS, MetricCounts, Source
from query_api.analytics.query_plan import seconds
from query_api.kernel.clickhouse_reader import ClickHouseReader, Query
from query_api.kernel.postgres_reader import PostgresReader

PERIOD: Final = timedelta(days=90)

_WEBSITES: Final = "SELECT id::text, currency FROM read.websites WHERE account_id = %s AND deleted_at IS NULL"
_PARTNERS: Final = (
    "SELECT id, base_url FROM read.partners AS p WHERE removed_at IS NULL AND account_id IS NULL"
    " ORDER BY created_at, id"
)
"""Partners of the directory: private partners say nothing about its programs."""
_COUNTED: Final = (
    f"SELECT toString(t.website_id) AS website, toString(t.partner_id) AS partner,"  # noqa: S608 - own text
    f" {metrics.counters(Source.PARTNER, PERFORMANCE_COUNTERS)} FROM {Source.PARTNER.table} AS t"
    " WHERE t.website_id IN {websites:Array(UUID)} AND NOT t.is_bot"
    f" AND t.{Source.PARTNER.time} >= {Source.PARTNER.instant('start')} GROUP BY t.website_id, t.partner_id"
)


@dataclass(slots=True)
class _Sum:
    clicks: int = 0
    conversions: int = 0
    earned: int = 0

    def add(self, counts: MetricCounts) -> None:
        self.clicks += counts.clicks
        self.conversions += counts.conversions
        self.earned += counts.revenue


def own_results(
    reader: PostgresReader, clickhouse: ClickHouseReader, account_id: UUID, programs: Sequence[Listed], now: datetime
) -> Mapping[UUID, Results]:
    """Returns the results by program id, in the currency in which the program got most clicks. Raises `Problem` 503."""
    currencies = {row["id"]: row["currency"] for row in reader.rows(_WEBSITES, (account_id,))}
    if not currencies:
        return {}
    bound = {"websites": sorted(currencies), "start": seconds(now - PERIOD)}
    counted = [
        (UUID(row["partner"]), currencies[row["website"]], MetricCounts.of(row))
        for row in clickhouse.rows(Query(_COUNTED, bound))
    ]
    if not counted:
        return {}
    partners = [(row["id"], row["base_url"]) for row in reader.rows(_PARTNERS)]
    return results_of(counted, partner_programs(programs, partners))


def partners_of(reader: PostgresReader, programs: Sequence[Listed]) -> Mapping[UUID, UUID]:
    """Partner id by program id, for those programs that a partner of the directory measures; the oldest of several."""
    partners = [(row["id"], row["base_url"]) for row in reader.rows(_PARTNERS)]
    partner_by_program: dict[UUID, UUID] = {}
    for partner, program in partner_programs(programs, partners).items():
        partner_by_program.setdefault(program, partner)
    return partner_by_program


def results_of(
    counted: Iterable[tuple[UUID, str, MetricCounts]], programs: Mapping[UUID, UUID]
) -> Mapping[UUID, Results]:
    """Returns the results by program, from counts per partner and currency. `programs`: program id by partner id.
    Pure."""
    totals: defaultdict[str, _Sum] = defaultdict(_Sum)
    sums: defaultdict[UUID, defaultdict[str, _Sum]] = defaultdict(lambda: defaultdict(_Sum))
    for partner, currency, counts in counted:
        totals[currency].add(counts)
        if partner in programs:
            sums[programs[partner]][currency].add(counts)
    by_program: dict[UUID, Results] = {}
    for program, by_currency in sums.items():
        currency, own = max(by_currency.items(), key=lambda item: (item[1].clicks, item[0]))
        everything = totals[currency]
        by_program[program] = Results(
            own.clicks, own.conversions, own.earned, everything.clicks, everything.earned, currency
        )
    return by_program


def partner_programs(programs: Iterable[Listed], partners: Iterable[tuple[UUID, str]]) -> Mapping[UUID, UUID]:
    """Returns the program id by partner id: as an admin linked them, else by the host of their addresses, where only
    one program has it (several programs of one network do not show which one a partner is). Pure."""
    programs = list(programs)
    linked = {listed.program.partner_id: listed.id for listed in programs if listed.program.partner_id is not None}
    hosts = [(_host(listed.program.url), listed.id) for listed in programs if listed.program.partner_id is None]
    by_partner: dict[UUID, UUID] = {}
    for partner, address in partners:
        same = linked.get(partner) or _of_host(_host(address), hosts)
        if same is not None:
            by_partner[partner] = same
    return by_partner


def _of_host(host: str, hosts: Sequence[tuple[str, UUID]]) -> UUID | None:
    """The one program of the same host; else the one of a host above or below it."""
    if not host:
        return None
    same = [program for other, program in hosts if other == host]
    near = same or [program for other, program in hosts if other and _is_below(host, other)]
    return near[0] if len(near) == 1 else None


def _host(address: str) -> str:
    return (urlsplit(address).hostname or "").removeprefix("www.")


def _is_below(one: str, other: str) -> bool:
    return one.endswith(f".{other}") or other.endswith(f".{one}")
