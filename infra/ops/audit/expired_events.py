"""Events that may be missing among the raw rows: of days whose time is over (`website.events_expired`).

The counters of such a day are compared with each other: `audit_expired_days` adds up the values of each dimension,
which come to those of the whole day, and compares them with the rollups; weeks are compared with their days as ever.
"""

# ruff: noqa: S608 - queries are made of this package's own names, and of ids and days that Postgres returned

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

import psycopg

from infra.domain.visits import tables
from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit.quiescence import exists
from infra.ops.audit.report import AuditReport, DefectKind

_BREAKDOWN: Final = tables.table(tables.BREAKDOWN)
_BUILDS: Final = tables.table(tables.VISIT_BUILDS)
_ADDED_UP: Final = ("events", "pageviews", "clicks", "impressions", "entries", "bounces", "seconds")
"""Counters of a day whose values add up to those of everything; a visit may have several pages."""


@dataclass(frozen=True, slots=True)
class Expired:
    """The first day that is kept, as text, by website."""

    kept_from: Mapping[str, str] = field(default_factory=dict)
    decided_at: Mapping[str, str] = field(default_factory=dict)
    """The time when the last of them expired, UTC: none arrives later than an hour after that."""

    @classmethod
    def read(cls, postgres: psycopg.Connection[Any]) -> Expired:
        if not exists(postgres, "read.event_expiries"):
            return cls()
        rows = postgres.execute(
            "SELECT website_id::text, max(before)::text,"
            " to_char(max(expired_at) AT TIME ZONE 'UTC' + interval '1 hour', 'YYYY-MM-DD HH24:MI:SS')"
            " FROM read.event_expiries GROUP BY 1"
        ).fetchall()
        return cls({row[0]: row[1] for row in rows}, {row[0]: row[2] for row in rows})

    def has(self, fields: Mapping[str, Any]) -> bool:
        """Returns whether the record of topic `clicks` may have no row any more."""
        first = self.kept_from.get(fields["website_id"])
        return first is not None and str(fields["occurred_at"])[:10] < first

    def is_newer(self, than: datetime) -> bool:
        """Returns whether events that arrived after `than` may have expired."""
        return any(last > f"{than.astimezone(UTC):%Y-%m-%d %H:%M:%S}" for last in self.decided_at.values())

    def condition(self, day: str, website: str = "website_id") -> str:
        """Returns the SQL condition that the events of `day`, an expression, have expired."""
        listed = (f"{website} = '{website_id}' AND {day} < '{first}'" for website_id, first in self.kept_from.items())
        return f"({' OR '.join(listed) or '0'})"

    def may_have_arrived(self, at: str, website: str = "website_id") -> str:
        """Returns the SQL condition that events which arrived at the moment `at`, an expression, may have expired."""
        listed = (
            f"{website} = '{website_id}' AND {at} < toDateTime('{last}', 'UTC')"
            for website_id, last in self.decided_at.items()
        )
        return f"({' OR '.join(listed) or '0'})"


NONE: Final = Expired()


def audit_expired_days(clickhouse: Reader, expired: Expired) -> AuditReport:
    """Compares the counters of expired days with each other and with the rollups."""
    report = AuditReport()
    if not expired.kept_from:
        return report
    current = (
        "SELECT website_id, day, build FROM (SELECT website_id, day, max(b.build) AS build,"
        f" argMax(b.events, b.build) AS events, argMax(b.fingerprint, b.build) AS fingerprint FROM {_BUILDS} AS b"
        f" WHERE b.days = 1 AND {expired.condition('day')} GROUP BY website_id, day)"
        " WHERE (website_id, day, events, fingerprint) IN (SELECT website_id, day, toInt64(sum(d.events)),"
        " sum(d.fingerprint) FROM event_days AS d GROUP BY website_id, day)"
    )
    newest = f"(website_id, day, build) IN ({current})"
    sums = ", ".join(f"sum(b.{name}) AS sum_{name}" for name in _ADDED_UP)
    of_all = ", ".join(f"maxIf(s.sum_{name}, s.dimension = 'total') OVER day AS all_{name}" for name in _ADDED_UP)
    differs = " OR ".join(f"sum_{name} != all_{name}" for name in _ADDED_UP)
    for row in clickhouse.rows(
        f"SELECT * FROM (SELECT website_id, toString(day) AS shown, is_bot, dimension, {_listed('sum_')}, {of_all}"
        " FROM ("
        f"SELECT website_id, b.day AS day, is_bot, toString(b.dimension) AS dimension, {sums} FROM {_BREAKDOWN} AS b"
        f" WHERE b.days = 1 AND {newest} GROUP BY website_id, day, is_bot, dimension) AS s"
        " WINDOW day AS (PARTITION BY website_id, day, is_bot ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)"
        f") WHERE {differs} LIMIT 1000"
    ):
        what = f"{row['dimension']} of the day {row['shown']} of website {row['website_id']} adds up to another total"
        report.found(DefectKind.WRONG, _BREAKDOWN, what)
    for row in clickhouse.rows(
        "SELECT website_id, toString(day) AS shown, is_bot, sum(built_clicks - kept_clicks) AS d_clicks,"
        " sum(built_views - kept_views) AS d_views FROM ("
        "SELECT website_id, b.day AS day, is_bot, b.clicks AS built_clicks, b.pageviews AS built_views,"
        f" toInt64(0) AS kept_clicks, toInt64(0) AS kept_views FROM {_BREAKDOWN} AS b"
        f" WHERE b.days = 1 AND b.dimension = 'total' AND {newest} UNION ALL "
        "SELECT website_id, toDate(t.bucket), is_bot, 0, 0, t.clicks, t.pageviews FROM traffic_15m AS t"
        f" WHERE (website_id, toDate(t.bucket)) IN (SELECT website_id, day FROM ({current}))"
        ") GROUP BY website_id, day, is_bot HAVING d_clicks != 0 OR d_views != 0 LIMIT 1000"
    ):
        what = (
            f"the day {row['shown']} of website {row['website_id']}, whose events have expired, has"
            f" {-row['d_clicks']:+d} clicks and {-row['d_views']:+d} page views beside its build"
        )
        report.found(DefectKind.WRONG, "traffic_15m", what)
    [days] = clickhouse.rows(f"SELECT count() AS days FROM ({current})")
    if days["days"]:
        report.checked["days whose events have expired"] += days["days"]
    return report


def _listed(prefix: str) -> str:
    return ", ".join(f"{prefix}{name}" for name in _ADDED_UP)
