"""The input of a listing's verification: the website to measure, and the whole months that were measured.

Only a website with a proven domain is measured, and only events that reached the log as they happened:
imported and back-filled events count for the measured share, never for the measurements. Months before the website's
first measured month, before it had its current domain, or of which single events have expired, do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, Protocol
from uuid import UUID

from command_api.domains import model as domains
from command_api.kernel.reader import AggregateReader
from command_api.marketplace.listings.details import same_website
from command_api.marketplace.listings.model import Listing, NotVerified
from command_api.websites import model as websites
from command_api.websites.model import Website
from schemas.base import MoneySum
from schemas.days import day_start
from schemas.events.marketplace import MeasuredMonth, MeasuredShare
from schemas.identity import domain_id
from schemas.zones import ZoneInfo

MONTHS: Final = 12
MEASURE_INTERVAL: Final = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class MonthlyCounts:
    """Counts of a month; revenue in minor units of the website's currency. `pageviews_in_log`, `revenue_in_log`:
    including imported and back-filled events."""

    visitors: int
    pageviews: int
    revenue: int
    pageviews_in_log: int = 0
    revenue_in_log: int = 0


class MeasurementSource(Protocol):
    """Source of a website's monthly counts."""

    def by_month(self, website_id: UUID, edges: Sequence[datetime]) -> Sequence[MonthlyCounts]:
        """Returns the counts of each span between two edges. Raises while the source is unavailable."""
        ...


@dataclass(frozen=True, slots=True)
class Measurement:
    """The whole months of a website that were measured, oldest first, and their share of the log. `website_version`:
    the one that was measured."""

    website_id: UUID
    website_version: int
    months: Sequence[MeasuredMonth]
    share: MeasuredShare


def website_to_verify(listing: Listing, reader: AggregateReader) -> Website | NotVerified | None:
    """Returns the listing's proven website, or why it cannot be verified. None: there is nothing to verify."""
    website_id = listing.website_id
    if website_id is None or listing.status in ("sold", "withdrawn"):
        return None
    website = reader.load(website_id, websites.evolve)
    if (
        website is None
        or website.disconnected
        or website.account_id != listing.seller_id
        or not same_website(listing.details.website_url, website.domain)
    ):
        return "no_website"
    return website if _is_proven(website, reader) else "domain_not_proven"


def _is_proven(website: Website, reader: AggregateReader) -> bool:
    """Returns whether the website's account holds a verified custom domain for the website's host, with or without www.

    A connected website alone proves nothing, because anyone can connect any name. The proof is the TXT record of a
    custom domain, which is checked daily and expires after a week without it (`command_api.domains`).
    """
    host = website.domain.removeprefix("www.")
    for name in (host, f"www.{host}"):
        domain = reader.load(domain_id(website.account_id, name), domains.evolve)
        if domain is not None and domain.is_verified and domain.website_id == website.id:
            return True
    return False


def is_current(listing: Listing, website: Website, now: datetime) -> bool:
    """Returns whether the last measurement is current and no verification is pending."""
    at = listing.verified_at
    return (
        at is not None
        and not listing.verification_pending
        and listing.verified_website == website.id
        and (website.named_at is None or website.named_at <= at)
        and now < at + MEASURE_INTERVAL
    )


def measure(website: Website, now: datetime, source: MeasurementSource) -> Measurement:
    """Measures a website's whole months. Raises what the source raises."""
    zone = ZoneInfo(website.timezone)
    firsts = whole_months(now.astimezone(zone).date())
    edges = [day_start(zone, first).astimezone(UTC) for first in firsts]
    counted = list(source.by_month(website.id, edges))
    began = next((place for place, month in enumerate(counted) if month.pageviews), len(counted))
    # The first month with events is rarely complete, unless it is the oldest one.
    began = began + 1 if 0 < began < len(counted) else began
    named = sum(edge < website.named_at for edge in edges[:-1]) if website.named_at is not None else 0
    if website.expired_before is not None:
        kept_from = datetime.combine(website.expired_before, time(), UTC)
        named = max(named, sum(edge < kept_from for edge in edges[:-1]))
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
    return Measurement(website.id, website.version, months, share_of(counted[began:], counted[named:]))


def share_of(measured: Sequence[MonthlyCounts], in_log: Sequence[MonthlyCounts]) -> MeasuredShare:
    """Returns the measured share. `measured`: the measured months; `in_log`: all months in which the website had its
    domain."""
    traffic = _percent(sum(month.pageviews for month in measured), sum(month.pageviews_in_log for month in in_log))
    return MeasuredShare(
        months=sum(month.pageviews > 0 for month in measured),
        months_in_log=sum(month.pageviews_in_log > 0 for month in in_log),
        traffic=traffic or 0.0,
        revenue=_percent(sum(month.revenue for month in measured), sum(month.revenue_in_log for month in in_log)),
    )


def _percent(part: int, whole: int) -> float | None:
    """Returns the percentage with one decimal, never rounded up to more than was measured; none of nothing."""
    return max(0, min(part, whole)) * 1000 // whole / 10 if whole > 0 else None


def whole_months(today: date) -> list[date]:
    """The first days of the last twelve whole months, oldest first, and of the month after them."""
    number = today.year * 12 + today.month - 1
    return [date(month // 12, month % 12 + 1, 1) for month in range(number - MONTHS, number + 1)]
