"""What a website that is for sale really had, from its own log: the last twelve whole months, by its own clock.

Only a website whose domain is proven is measured (`proofs`), and only what reached the log as it happened: imported and
back-filled events are counted beside it, for the share that was measured, and never in the figures. Bots are left out
as in the dashboards. Months before the website's first measured one do not count; so nobody is marked down for months
in which nothing was measured yet. Nor do those in which the website was another: what was measured at one address says
nothing of the next.

A listing that is on the market is looked at daily, so that a badge goes with its website and one that waited for its
first whole month gets it; what is sound is measured again after 30 days.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from typing import Any, Final, Protocol
from uuid import UUID

from psycopg import Cursor

from command_api.conversions.money import exchanged
from command_api.core import Core
from command_api.decision import Asked, Refused
from command_api.leader import Connection
from command_api.marketplace import listings
from command_api.marketplace.desk import Desk
from command_api.marketplace.facts import same_website
from command_api.marketplace.listings import CURRENCY, ON_MARKET, Listing, NotVerified
from command_api.marketplace.proofs import is_proven
from command_api.operations import model as operations
from command_api.store import UNAVAILABLE, Conflict
from command_api.websites import model as websites
from command_api.websites.model import Website
from infra.clickhouse import ClickHouseError, ClientPool
from schemas.base import DomainEvent, MoneySum
from schemas.days import day_start
from schemas.events.marketplace import MeasuredMonth, MeasuredShare
from schemas.identity import exchange_rate_id
from schemas.zones import ZoneInfo

MONTHS: Final = 12
AT_ONCE: Final = 5
ATTEMPTS: Final = 4
TIMEOUT_S: Final = 10
LOOK_EVERY: Final = timedelta(days=1)
MEASURE_EVERY: Final = timedelta(days=30)
_PAUSE: Final = timedelta(minutes=1)
_MOST_PAUSES: Final = 60

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Counted:
    """A month's figures; revenue in minor units of the website's currency. `pageviews_in_log`, `revenue_in_log`: with
    what was imported or back-filled."""

    visitors: int
    pageviews: int
    revenue: int
    pageviews_in_log: int = 0
    revenue_in_log: int = 0


@dataclass(frozen=True, slots=True)
class Measured:
    """The whole months that were measured, oldest first, and their share of the log."""

    months: Sequence[MeasuredMonth]
    share: MeasuredShare


class Figures(Protocol):
    def by_month(self, website_id: UUID, edges: Sequence[datetime]) -> Sequence[Counted]:
        """One for each span between two edges. Raises what says that it cannot be asked now."""
        ...


class ClickHouseFigures:
    """`Figures` from the raw events, a month at a time: rollups do not tell what was imported."""

    def __init__(self, clients: ClientPool) -> None:
        self._clients = clients

    def by_month(self, website_id: UUID, edges: Sequence[datetime]) -> Sequence[Counted]:
        moments = [int(edge.timestamp()) for edge in edges]
        found = []
        with self._clients.use() as client:
            for start, end in pairwise(moments):
                values = {"website": str(website_id), "start": start, "end": end, "late": MEASURED_WITHIN_S}
                settings = {"max_execution_time": TIMEOUT_S}
                [(visitors, pageviews, all_pageviews)] = client.query(_TRAFFIC, values, settings).result_rows
                [(revenue, all_revenue)] = client.query(_REVENUE, values, settings).result_rows
                found.append(Counted(int(visitors), int(pageviews), int(revenue), int(all_pageviews), int(all_revenue)))
        return found


class Verifying:
    """`verify_due` is run by the one process that leads the marketplace's work."""

    def __init__(self, core: Core, figures: Figures) -> None:
        self._core = core
        self._figures = figures

    def verify_due(self, connection: Connection, now: datetime) -> int:
        rows = connection.execute(_DUE, (now, AT_ONCE)).fetchall()
        for listing_id, due_at in rows:
            try:
                self.verify(listing_id, due_at, now)
            except (ClickHouseError, TimeoutError, OSError) as error:
                log.warning("the figures of %s cannot be read now: %s", listing_id, error)
                connection.execute(_LATER, (now, _PAUSE, _MOST_PAUSES, listing_id))
            except UNAVAILABLE:
                raise
            except Exception:
                # One that cannot be measured must not hold up the others.
                log.exception("%s cannot be measured", listing_id)
                connection.execute(_LATER, (now, _PAUSE, _MOST_PAUSES, listing_id))
        return len(rows)

    def verify(self, listing_id: UUID, due_at: datetime, now: datetime) -> None:
        """`due_at`: when it was to be looked at; asked for again meanwhile, it stays due."""
        for _ in range(ATTEMPTS):
            listing = Desk(self._core).listing(listing_id)
            events = self._looked_at(listing, now) if listing is not None else []
            on_market = listing is not None and listing.website_id is not None and listing.status in ON_MARKET
            next_at = now + LOOK_EVERY if on_market else None

            def also(cursor: Cursor[dict[str, Any]], _: int | None, next_at: datetime | None = next_at) -> None:
                cursor.execute(_DONE, (next_at, listing_id, due_at))

            try:
                self._core.store.write(events, also)
            except Conflict:
                continue
            return

    def _looked_at(self, listing: Listing, now: datetime) -> list[DomainEvent]:
        """No events for a listing that nobody may buy any more, or that has no website here, or of which nothing new
        is to be said."""
        website_id, asked = listing.website_id, Asked(now)
        if website_id is None or listing.status in ("sold", "withdrawn"):
            return []
        website = self._core.store.load(website_id, websites.evolve)
        if (
            website is None
            or website.disconnected
            or website.account_id != listing.seller_id
            or not same_website(listing.facts.website_url, website.domain)
        ):
            return _not_verified(listing, "no_website", asked)
        if not is_proven(self._core, website):
            return _not_verified(listing, "domain_not_proven", asked)
        if _is_sound(listing, website, now):
            return []
        found = self._measured(website, now)
        if not found.months:
            return _not_verified(listing, "no_whole_month", asked)
        return listings.verify(listing, found.months, self._revenue(found.months), found.share, asked, website_id)

    def _measured(self, website: Website, now: datetime) -> Measured:
        zone = ZoneInfo(website.timezone)
        firsts = whole_months(now.astimezone(zone).date())
        edges = [day_start(zone, first).astimezone(UTC) for first in firsts]
        counted = list(self._figures.by_month(website.id, edges))
        began = next((place for place, month in enumerate(counted) if month.pageviews), len(counted))
        # The first month with anything in it was hardly measured from its first day on, unless it is the oldest asked.
        began = began + 1 if 0 < began < len(counted) else began
        named = sum(edge < website.named_at for edge in edges[:-1]) if website.named_at is not None else 0
        began = max(began, named)
        months = [
            MeasuredMonth(
                month=first,
                visitors=month.visitors,
                pageviews=month.pageviews,
                revenue=MoneySum(amount=month.revenue, currency=website.currency),
            )
            for first, month in list(zip(firsts, counted, strict=False))[began:]
        ]
        return Measured(months, share_of(counted[began:], counted[named:]))

    def _revenue(self, months: Sequence[MeasuredMonth]) -> MoneySum | None:
        """Of all of them, each at the rate of its end; none when there is no rate."""
        total = 0
        for month in months:
            currency = month.revenue.currency
            rates = {}
            if currency != CURRENCY:
                known = self._core.store.load(exchange_rate_id(currency, CURRENCY), operations.evolve)
                rate = known.on(_last_day(month.month)) if known is not None else None
                rates = {currency: rate} if rate is not None else {}
            try:
                total += exchanged(Fraction(month.revenue.amount), currency, CURRENCY, rates)[0]
            except Refused:
                return None
        return MoneySum(amount=total, currency=CURRENCY)


def share_of(measured: Sequence[Counted], in_log: Sequence[Counted]) -> MeasuredShare:
    """`measured`: the months that the figures are of; `in_log`: all months that the website had its domain in."""
    traffic = _percent(sum(month.pageviews for month in measured), sum(month.pageviews_in_log for month in in_log))
    return MeasuredShare(
        months=sum(month.pageviews > 0 for month in measured),
        months_in_log=sum(month.pageviews_in_log > 0 for month in in_log),
        traffic=traffic or 0.0,
        revenue=_percent(sum(month.revenue for month in measured), sum(month.revenue_in_log for month in in_log)),
    )


def _percent(part: int, whole: int) -> float | None:
    """One decimal, never rounded up to more than was measured; none of nothing."""
    return max(0, min(part, whole)) * 1000 // whole / 10 if whole > 0 else None


def _is_sound(listing: Listing, website: Website, now: datetime) -> bool:
    """Whether what was measured last still stands, and nobody waits for it."""
    at = listing.verified_at
    return (
        at is not None
        and not listing.is_asked
        and listing.verified_website == website.id
        and (website.named_at is None or website.named_at <= at)
        and now < at + MEASURE_EVERY
    )


def _not_verified(listing: Listing, reason: NotVerified, asked: Asked) -> list[DomainEvent]:
    is_known = listing.not_verified == reason and not listing.is_asked
    return [] if is_known else listings.not_verified(listing, reason, asked)


def _last_day(first: date) -> date:
    return (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


def whole_months(today: date) -> list[date]:
    """The first days of the last twelve whole months, oldest first, and of the month after them."""
    number = today.year * 12 + today.month - 1
    return [date(month // 12, month % 12 + 1, 1) for month in range(number - MONTHS, number + 1)]


MEASURED_WITHIN_S: Final = 86_400
"""What reaches the log later than this after it says it happened is back-filled, marked or not."""

_MEASURED: Final = (
    "origin <> 'import' AND NOT has(splitByChar(',', flags), 'backfill')"
    " AND dateDiff('second', occurred_at, received_at) <= {late:UInt32}"
)
_SPAN: Final = (
    "website_id = {website:UUID} AND NOT is_bot AND occurred_at >= toDateTime64({start:UInt32}, 3, 'UTC')"
    " AND occurred_at < toDateTime64({end:UInt32}, 3, 'UTC')"
)
_TRAFFIC: Final = (
    f"SELECT uniqCombinedIf(12)(visitor, visitor <> 0 AND {_MEASURED}),"  # noqa: S608 - own text
    f" countIf(type = 'pageview' AND {_MEASURED}), countIf(type = 'pageview')"
    f" FROM events WHERE {_SPAN} AND type <> 'conversion'"
)
# A conversion is as old as its first row: later ones are decisions about it.
_REVENUE: Final = (
    "SELECT sumIf(amount, is_measured), sum(amount) FROM ("  # noqa: S608 - own text
    "SELECT sum(toInt128(c_pending)) + sum(toInt128(c_approved)) AS amount,"
    " dateDiff('second', min(occurred_at), min(received_at)) <= {late:UInt32} AS is_measured"
    f" FROM events WHERE {_SPAN} AND type = 'conversion' GROUP BY conversion_id)"
)
_DUE: Final = "SELECT listing_id, verify_at FROM policy.listing WHERE verify_at <= %s ORDER BY verify_at LIMIT %s"
_LATER: Final = (
    "UPDATE policy.listing SET verify_failures = verify_failures + 1,"
    " verify_at = %s + %s * least(verify_failures + 1, %s) WHERE listing_id = %s"
)
_DONE: Final = "UPDATE policy.listing SET verify_at = %s, verify_failures = 0 WHERE listing_id = %s AND verify_at = %s"
