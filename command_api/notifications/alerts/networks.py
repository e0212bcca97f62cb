"""Finds networks whose reports fail or stop, partners that decline more than usual, and partners that pay late; all in
Postgres."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import Final
from uuid import UUID

from command_api.insights.service import shown_name
from command_api.insights.significance import Law, Portion, Spread, dispersion, of_shares
from command_api.insights.wording import percent
from command_api.kernel.container import Container
from command_api.notifications.alerts.checks import Found, Watched, plural
from command_api.notifications.alerts.model import AlertCause
from infra.domain.payout_matching import Lot, Paid, spans, unsettled
from schemas.currencies import amount_text
from schemas.days import day_start, local_day
from schemas.events.notifications import AlertKind
from schemas.networks import NETWORKS

FAILED_WITHIN: Final = timedelta(days=7)
"""A failed import is an open alert for so long, unless a later one of the network is read."""
LEVEL: Final = 0.01
PERIOD_DAYS: Final = 30
"""Networks decide many sales at once, some once a month: shorter periods do not compare."""
EARLIER_PERIODS: Final = 6


class NetworkFinder:
    """The finders that read what networks and partners report and pay."""

    def __init__(self, container: Container) -> None:
        self._container = container

    def failed(self, watched: Sequence[Watched], now: datetime) -> Found:
        """Imports that could not be read, as long as they are the last of their network."""
        ids = [one.website.id for one in watched]
        for website_id, import_id, network, name, message in self._container.select(_FAILED, ids, now - FAILED_WITHIN):
            label = _label(network)
            yield (
                website_id,
                AlertCause(
                    AlertKind.IMPORT_FAILED,
                    str(import_id),
                    f"A report of {label} could not be read",
                    f"{shown_name(name)}: {message}",
                    f"/conversions/networks/{import_id}?website={website_id}",
                ),
            )

    def stopped(self, watched: Sequence[Watched], now: datetime) -> Found:
        """Connected networks that could not be read for so many days, or do not accept their credentials."""
        days = {one.website.id: one.rules[AlertKind.REPORTS_STOPPED].threshold for one in watched}
        rows = self._container.select(_STOPPED, list(days), list(days.values()), now)
        for website_id, connection_id, network, read_at, is_refused, problem in rows:
            since = f"since {read_at:%b} {read_at.day}" if read_at is not None else "yet"
            cure = "Enter new credentials" if is_refused else "Check the connection"
            yield (
                website_id,
                AlertCause(
                    AlertKind.REPORTS_STOPPED,
                    str(connection_id),
                    f"No report of {_label(network)} has arrived {since}",
                    f"{problem} {cure}: its sales and their changes are missing meanwhile.".strip(),
                    f"/conversions/networks?website={website_id}",
                ),
            )

    def declined(self, watched: Sequence[Watched], now: datetime) -> Found:
        """Partners that declined a far larger part of what they decided in the last 30 days than in the 180 before."""
        by_id = {one.website.id: one for one in watched}
        rows = self._container.select(_DECIDED, list(by_id), now, PERIOD_DAYS, (EARLIER_PERIODS + 1) * PERIOD_DAYS)
        for (website_id, partner_id, name), group in groupby(rows, key=lambda row: row[:3]):
            wholes, parts = [0] * (EARLIER_PERIODS + 1), [0] * (EARLIER_PERIODS + 1)
            for *_, period, decided, declined in group:
                wholes[period], parts[period] = decided, declined
            cause = _declines(by_id[website_id], partner_id, shown_name(name), parts, wholes)
            if cause is not None:
                yield website_id, cause

    def overdue(self, watched: Sequence[Watched], now: datetime) -> Found:
        """Partners that have not paid commissions that are payable for more than so many days."""
        by_zone = defaultdict[str, list[Watched]](list)
        for one in watched:
            by_zone[one.website.timezone].append(one)
        for each in by_zone.values():
            yield from self._overdue(each, now)

    def _overdue(self, watched: Sequence[Watched], now: datetime) -> Iterator[tuple[UUID, AlertCause]]:
        by_id = {one.website.id: one for one in watched}
        zone, today = watched[0].zone, local_day(watched[0].zone, now)
        days = spans(today)
        starts = [day_start(zone, day) for day in days]
        paid = defaultdict[tuple[UUID, UUID], list[Paid]](list)
        for website_id, partner_id, credited, allocations in self._container.select(_PAID, list(by_id)):
            paid[website_id, partner_id].append(Paid(credited, allocations))
        rows = self._container.select(_PAYABLE, starts, list(by_id), now)
        for (website_id, partner_id, name), group in groupby(rows, key=lambda row: row[:3]):
            lots = [Lot(days[max(span - 1, 0)], int(amount)) for *_, span, amount in group]
            one = by_id[website_id]
            cause = _late(one, partner_id, shown_name(name), lots, paid[website_id, partner_id], today)
            if cause is not None:
                yield website_id, cause


def _declines(
    one: Watched, partner_id: UUID, name: str, parts: Sequence[int], wholes: Sequence[int]
) -> AlertCause | None:
    """`parts`: declined of the decided, by period, the last one first."""
    kind = AlertKind.DECLINES_ROSE
    rule, now, earlier = one.rules[kind], Portion(parts[:1], wholes[:1]), Portion(parts[1:], wholes[1:])
    if min(now.whole, earlier.whole) < max(rule.minimum, 1):
        return None
    share, usual = now.part / now.whole, earlier.part / earlier.whole
    if (share - usual) * 100 < rule.threshold:
        return None
    around = dispersion([earlier], Law.PORTION)
    chance = of_shares(now.part, now.whole, earlier.part, earlier.whole, Spread(max(1.0, around.phi), around.freedom))
    if chance >= LEVEL and not one.is_open(kind, str(partner_id)):
        return None
    return AlertCause(
        kind,
        str(partner_id),
        f"{name} declined {percent(share)} of its conversions in the last {PERIOD_DAYS} days, usually {percent(usual)}",
        f"{now.part:,} of {plural(now.whole, 'decided conversion')} {'was' if now.part == 1 else 'were'} declined or"
        f" reversed. In the {EARLIER_PERIODS * PERIOD_DAYS} days before, {earlier.part:,} of {earlier.whole:,} were."
        " Ask the partner for the reasons.",
        f"/conversions?website={one.website.id}&partner={partner_id}&status=rejected",
    )


def _late(
    one: Watched, partner_id: UUID, name: str, lots: Sequence[Lot], payouts: Sequence[Paid], today: date
) -> AlertCause | None:
    limit, currency = one.rules[AlertKind.PARTNER_OVERDUE].threshold, one.website.currency
    ordered = sorted(lots, key=lambda lot: lot.day)
    late = [
        (lot.day, open_)
        for lot, open_ in zip(ordered, unsettled(ordered, payouts), strict=True)
        if open_ and (today - lot.day).days > limit
    ]
    if not late:
        return None
    amount, since = amount_text(sum(open_ for _, open_ in late), currency), late[0][0]
    return AlertCause(
        AlertKind.PARTNER_OVERDUE,
        str(partner_id),
        f"{name} has not paid {amount} for more than {plural(limit, 'day')}",
        f"{amount} of {name} has been payable for more than {plural(limit, 'day')}, the oldest since {since:%b}"
        f" {since.day}, {since:%Y}. Record the payout, or send the partner the differences of the month.",
        f"/payouts?website={one.website.id}",
    )


def _label(network: str) -> str:
    return NETWORKS[network].name if network in NETWORKS else network


_FAILED: Final = """
SELECT DISTINCT ON (i.website_id, i.network) i.website_id, i.id, i.network, i.file ->> 'name', i.message
FROM read.network_imports AS i
WHERE i.website_id = ANY(%s) AND i.state = 'failed' AND i.changed_at > %s AND NOT EXISTS (
    SELECT FROM read.network_imports AS later WHERE later.website_id = i.website_id AND later.network = i.network
    AND later.uploaded_at > i.uploaded_at AND later.state NOT IN ('failed', 'cancelled', 'reading'))
ORDER BY i.website_id, i.network, i.uploaded_at DESC, i.id"""
_STOPPED: Final = """
SELECT c.website_id, c.id, c.network, c.pulled_at, c.is_refused, coalesce(n.problem, c.problem)
FROM unnest(%s::uuid[], %s::int[]) AS w (id, days)
JOIN read.network_connections AS c ON c.website_id = w.id
LEFT JOIN networks.connection AS n ON n.connection_id = c.id
WHERE c.is_refused OR coalesce(c.pulled_at, c.added_at) < %s - make_interval(days => w.days)
ORDER BY c.website_id, c.id"""
_DECIDED: Final = """
WITH asked AS (SELECT %s::uuid[] AS websites, %s::timestamptz AS now, %s::int AS days, %s::int AS all_days)
SELECT c.website_id, c.partner_id, p.name,
    floor(extract(epoch FROM a.now - c.decided_at) / 86400 / a.days)::int AS period,
    count(*), count(*) FILTER (WHERE c.status IN ('rejected', 'reversed'))
FROM asked AS a JOIN read.conversions AS c ON c.website_id = ANY(a.websites)
JOIN read.partners AS p ON p.id = c.partner_id
WHERE c.decided_at > a.now - make_interval(days => a.all_days) AND c.decided_at <= a.now AND NOT c.is_void
    AND c.status <> 'pending'
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"""
_PAYABLE: Final = """
SELECT c.website_id, c.partner_id, p.name, width_bucket(c.payable_at, %s::timestamptz[]) AS span, sum(c.commission)
FROM read.conversions AS c JOIN read.partners AS p ON p.id = c.partner_id
WHERE c.website_id = ANY(%s) AND c.status = 'approved' AND c.payable_at <= %s
GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4"""
_PAID: Final = (
    "SELECT website_id, partner_id, credited, allocations FROM read.payouts WHERE website_id = ANY(%s)"
    " AND voided_at IS NULL"
)
