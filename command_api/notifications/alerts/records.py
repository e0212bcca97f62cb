"""Finds conversions that stay pending, partners that were deactivated, and months that were closed; all in Postgres."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

from command_api.insights.service import shown_name
from command_api.kernel.container import Container
from command_api.notifications.alerts.checks import Found, Watched, plural
from command_api.notifications.alerts.model import AlertCause
from schemas.currencies import amount_text
from schemas.events.notifications import AlertKind

DEACTIVATED_WITHIN: Final = timedelta(days=30)
"""The age up to which a deactivation is reported: an earlier one is no news."""
MONTH_SHOWN: Final = timedelta(days=7)
"""A closed month is an open alert for so long after its end (UTC, as statements)."""


class RecordFinder:
    """The finders that read read models."""

    def __init__(self, container: Container) -> None:
        self._container = container

    def pending(self, watched: Sequence[Watched], now: datetime) -> Found:
        """Conversions that wait for a decision for more than so many days, with their commission."""
        days = {one.website.id: one.rules[AlertKind.PENDING_CONVERSIONS].threshold for one in watched}
        rows = self._container.select(_PENDING, list(days), list(days.values()), now)
        for website_id, count, commission, currency, oldest in rows:
            conversions, amount = plural(count, "conversion"), amount_text(int(commission), currency)
            over = f"for more than {plural(days[website_id], 'day')}"
            yield (
                website_id,
                AlertCause(
                    AlertKind.PENDING_CONVERSIONS,
                    "",
                    f"{conversions} pending {over} ({amount})",
                    f"{conversions} with a commission of {amount} {'has' if count == 1 else 'have'} been pending"
                    f" {over}, the oldest since {oldest:%b} {oldest.day}, {oldest:%Y}. Approve or reject them, or ask"
                    " the partner.",
                    f"/conversions?website={website_id}&status=pending&sort=date",
                ),
            )

    def deactivated(self, watched: Sequence[Watched], now: datetime) -> Found:
        """Partners that lately became inactive and to which active links of the website lead."""
        by_id = {one.website.id: one for one in watched}
        for website_id, partner_id, name, since, links in self._container.select(_DEACTIVATED, list(by_id)):
            kind, cause = AlertKind.PARTNER_DEACTIVATED, str(partner_id)
            if since < now - DEACTIVATED_WITHIN and not by_id[website_id].is_open(kind, cause):
                continue
            name = shown_name(name)
            yield (
                website_id,
                AlertCause(
                    kind,
                    cause,
                    f"{name} was deactivated: {plural(links, 'link')} {'does' if links == 1 else 'do'} not lead there",
                    f"Clicks on {plural(links, 'link')} to {name} earn nothing. Replace or archive them.",
                    f"/links?website={website_id}&partner={partner_id}",
                ),
            )

    def closed_month(self, watched: Sequence[Watched], now: datetime) -> Found:
        """The month that has just ended, with what was booked in it."""
        begin = now.astimezone(UTC).date().replace(day=1)
        if now - datetime(begin.year, begin.month, 1, tzinfo=UTC) > MONTH_SHOWN:
            return
        month = (begin - timedelta(days=1)).replace(day=1)
        totals: dict[object, list[str]] = {}
        partners: dict[object, int] = {}
        for website_id, currency, earned, count in self._container.select(
            _CLOSED, [one.website.id for one in watched], month
        ):
            totals.setdefault(website_id, []).append(amount_text(int(earned), currency))
            partners[website_id] = max(count, partners.get(website_id, 0))
        for one in watched:
            if one.website.id in totals:
                yield one.website.id, _closed(one, month, totals[one.website.id], partners[one.website.id])


def _closed(one: Watched, month: date, totals: Sequence[str], partners: int) -> AlertCause:
    name, amounts, whom = f"{month:%B %Y}", " and ".join(totals), plural(partners, "partner")
    return AlertCause(
        AlertKind.MONTH_CLOSED,
        f"{month:%Y-%m}",
        f"{name} is closed: {amounts} with {whom}",
        f"In {name} {one.website.domain} earned {amounts} with {whom}. Its statements no longer change.",
        f"/payouts/statements?website={one.website.id}&month={month:%Y-%m}",
    )


_PENDING: Final = """
SELECT w.id, count(*), sum(c.commission), min(c.commission_currency), min(c.recorded_at)
FROM unnest(%s::uuid[], %s::int[]) AS w (id, days)
JOIN read.conversions AS c ON c.website_id = w.id AND c.status = 'pending'
  AND c.recorded_at < %s - make_interval(days => w.days)
GROUP BY w.id"""
_DEACTIVATED: Final = """
SELECT l.website_id, p.id, p.name, p.updated_at, count(*) FROM read.links AS l
JOIN read.partners AS p ON p.id = l.partner_id AND NOT p.is_active
WHERE l.website_id = ANY(%s) AND l.is_active AND l.deleted_at IS NULL AND NOT l.is_archived
GROUP BY l.website_id, p.id, p.name, p.updated_at ORDER BY count(*) DESC, p.id"""
_CLOSED: Final = """
SELECT website_id, currency, sum(earned), count(*) FROM read.statement_months
WHERE website_id = ANY(%s) AND month = %s GROUP BY website_id, currency ORDER BY sum(earned) DESC"""
