"""What a website that is for sale really had, from its own log: the last twelve whole months, by its own clock.

Reads the same rollups as the dashboards and leaves out bots like them. Months before the website's first measured one
do not count; so nobody is marked down for months in which nothing was measured yet. Nor do those in which the website
was another: what was measured at one address says nothing of the next.

A listing that is on the market is looked at daily, so that a badge goes with its website and one that waited for its
first whole month gets it; what is sound is measured again after 30 days.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
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
from command_api.operations import model as operations
from command_api.store import UNAVAILABLE, Conflict
from command_api.websites import model as websites
from command_api.websites.model import Website
from infra.clickhouse import ClickHouseError, ClientPool
from schemas import instants
from schemas.base import DomainEvent, MoneySum
from schemas.days import day_start
from schemas.events.marketplace import MeasuredMonth
from schemas.figures import in_rollup
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
    """A month's figures; revenue in minor units of the website's currency."""

    visitors: int
    pageviews: int
    revenue: int


class Figures(Protocol):
    def by_month(self, website_id: UUID, edges: Sequence[datetime]) -> Sequence[Counted]:
        """One for each span between two edges. Raises what says that it cannot be asked now."""
        ...


class ClickHouseFigures:
    """`Figures` from the rollups."""

    def __init__(self, clients: ClientPool) -> None:
        self._clients = clients

    def by_month(self, website_id: UUID, edges: Sequence[datetime]) -> Sequence[Counted]:
        moments = [int(edge.timestamp()) for edge in edges]
        values = {"website": str(website_id), "start": moments[0], "end": moments[-1], "edges": moments[:-1]}
        with self._clients.use() as client:
            settings = {"max_execution_time": TIMEOUT_S}
            counted = {row[0]: row[1:] for row in client.query(_TRAFFIC, values, settings).result_rows}
            seen = {row[0]: row[1] for row in client.query(_VISITORS, values, settings).result_rows}
        return [
            Counted(
                visitors=int(seen.get(moment, 0)),
                pageviews=int(counted.get(moment, (0, 0))[0]),
                revenue=int(counted.get(moment, (0, 0))[1]),
            )
            for moment in moments[:-1]
        ]


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
        if _is_sound(listing, website, now):
            return []
        months = self._measured(website, now)
        if not months:
            return _not_verified(listing, "no_whole_month", asked)
        return listings.verify(listing, months, self._revenue(months), asked, website_id)

    def _measured(self, website: Website, now: datetime) -> list[MeasuredMonth]:
        zone = ZoneInfo(website.timezone)
        firsts = whole_months(now.astimezone(zone).date())
        edges = [day_start(zone, first).astimezone(UTC) for first in firsts]
        counted = list(self._figures.by_month(website.id, edges))
        began = next((place for place, month in enumerate(counted) if month.pageviews), len(counted))
        # The first month with anything in it was hardly measured from its first day on, unless it is the oldest asked.
        began = began + 1 if 0 < began < len(counted) else began
        if website.named_at is not None:
            named_at = website.named_at
            began = max(began, sum(edge < named_at for edge in edges[:-1]))
        return [
            MeasuredMonth(
                month=first,
                visitors=month.visitors,
                pageviews=month.pageviews,
                revenue=MoneySum(amount=month.revenue, currency=website.currency),
            )
            for first, month in list(zip(firsts, counted, strict=False))[began:]
        ]

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


_SPAN: Final = (
    f"t.website_id = {{website:UUID}} AND NOT t.is_bot AND t.bucket >= {instants.bound_second('start')}"
    f" AND t.bucket < {instants.bound_second('end')}"
)
_EDGE: Final = "roundDown(toUnixTimestamp(t.bucket), {edges:Array(UInt32)})"
_TRAFFIC: Final = (
    f"SELECT {_EDGE} AS edge, sum(t.pageviews), {in_rollup('c_pending')} + {in_rollup('c_approved')}"  # noqa: S608 - own text
    f" FROM traffic_15m AS t WHERE {_SPAN} GROUP BY edge"
)
_VISITORS: Final = (
    f"SELECT {_EDGE} AS edge, uniqCombinedMerge(12)(t.visitors) FROM visitors_15m AS t WHERE {_SPAN} GROUP BY edge"  # noqa: S608 - own text
)
_DUE: Final = "SELECT listing_id, verify_at FROM policy.listing WHERE verify_at <= %s ORDER BY verify_at LIMIT %s"
_LATER: Final = (
    "UPDATE policy.listing SET verify_failures = verify_failures + 1,"
    " verify_at = %s + %s * least(verify_failures + 1, %s) WHERE listing_id = %s"
)
_DONE: Final = "UPDATE policy.listing SET verify_at = %s, verify_failures = 0 WHERE listing_id = %s AND verify_at = %s"
