"""Finds websites from which nothing arrives any more, postbacks that are rejected, and rates that fell; all in
ClickHouse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from statistics import fmean, variance
from typing import Any, Final
from uuid import UUID

from command_api.insights.completeness import wait_until_counted
from command_api.insights.history import DaysAtAge
from command_api.insights.history_reader import HistoryIncomplete, HistoryUnavailable, query, read_days_at_age
from command_api.insights.service import shown_name
from command_api.insights.significance import Spread, of_silence
from command_api.kernel.container import Container
from command_api.notifications.alerts.checks import Finder, Found, Watched, clock, plural, span
from command_api.notifications.alerts.model import AlertCause
from infra.kernel.clickhouse.client import ClickHouseError, ClientPool
from infra.kernel.log import Log, LogUnavailable
from schemas import instants
from schemas.days import day_start
from schemas.events.notifications import AlertKind
from schemas.tracking import Outcome

LEVEL: Final = 0.001
"""The chance of such a silence where nothing is wrong."""
MIN_USUAL: Final = 10
"""Fewer events than this are usual: silence says nothing."""
MIN_WEEKS: Final = 2
WEEKS: Final = 4
POSTBACKS_WITHIN: Final = timedelta(hours=1)
_WEEK_S: Final = 7 * 86_400
_BUCKET_S: Final = 900
_LOOK_BACK_S: Final = 5 * _WEEK_S + 86_400

Rate = Callable[[Watched, date, DaysAtAge], AlertCause | None]
"""Returns the metric that fell, from yesterday and the days up to it (`command_api.notifications.alerts.rates`)."""


class TrafficFinder:
    """The finders that read ClickHouse. They raise `HistoryUnavailable` while it does not answer."""

    def __init__(self, container: Container, clients: ClientPool, log: Log) -> None:
        self._container, self._clients, self._log = container, clients, log

    def silent(self, watched: Sequence[Watched], now: datetime) -> Found | None:
        """Websites without a page view or click for so many hours in which they usually have some. `None` while records
        are not counted yet: a late projection looks like silence."""
        if not self._is_counted(now - timedelta(seconds=_BUCKET_S)):
            return None
        end = int(now.timestamp()) // _BUCKET_S * _BUCKET_S
        bound = {"websites": [str(one.website.id) for one in watched], "end": end, "start": end - _LOOK_BACK_S}
        seen = {UUID(str(row["website"])): row for row in self._rows(_SEEN, bound)} if watched else {}
        quiet = [one for one in watched if _is_quiet(one, seen.get(one.website.id), end)]
        usual = self._usual([one for one in quiet if not one.is_open(AlertKind.NO_EVENTS)], seen, end)
        return [
            (one.website.id, _silence(one, seen.get(one.website.id), usual.get(one.website.id), now))
            for one in quiet
            if one.is_open(AlertKind.NO_EVENTS) or one.website.id in usual
        ]

    def rejected(self, watched: Sequence[Watched], now: datetime) -> Found:
        """Postbacks of the last hour that were rejected, by code and partner. An open alert ends after an hour without
        one."""
        by_id = {one.website.id: one for one in watched}
        bound = {
            "websites": [str(website_id) for website_id in by_id],
            "start": int((now - POSTBACKS_WITHIN).timestamp()),
        }
        rows = self._rows(_REJECTED, bound) if watched else []
        names = {
            (slug, owner_id): name
            for slug, name, owner_id in self._container.select(_NAMES, list({str(row["partner"]) for row in rows}))
        }
        for row in rows:
            one, cause = by_id[UUID(str(row["website"]))], f"{row['code']} {row['partner']}"[:200]
            kind = AlertKind.POSTBACKS_REJECTED
            if row["rejected"] >= one.rules[kind].threshold or one.is_open(kind, cause):
                slug = str(row["partner"])
                name = names.get((slug, None)) or names.get((slug, one.website.account_id)) or slug
                name = shown_name(name)
                yield one.website.id, _rejection(one, cause, name, row, now)

    def rates(self, rate: Rate) -> Finder:
        """A finder of what fell, from whole days. It raises `HistoryIncomplete` while the last one is not counted."""

        def fell(watched: Sequence[Watched], now: datetime) -> Found:
            for one in watched:
                if not self._is_counted(day_start(one.zone, now.astimezone(one.zone).date())):
                    raise HistoryIncomplete("its last day is still being counted")
                finding = rate(one, *read_days_at_age(self._clients, one.website, now))
                if finding is not None:
                    yield one.website.id, finding

        return fell

    def _is_counted(self, moment: datetime) -> bool:
        try:
            return wait_until_counted(self._log, self._container.pool, moment)
        except LogUnavailable:
            return False

    def _usual(
        self, quiet: Sequence[Watched], seen: Mapping[UUID, Mapping[str, Any]], end: int
    ) -> Mapping[UUID, float]:
        """Returns how many events each website usually has in the hours without one, if silence is then a surprise."""
        spans = {one.website.id: one.rules[AlertKind.NO_EVENTS].threshold * 3600 for one in quiet}
        if not spans:
            return {}
        ids, seconds = [str(each) for each in spans], list(spans.values())
        bound = {"websites": ids, "spans": seconds, "end": end, "start": end - _LOOK_BACK_S}
        counts: dict[UUID, dict[int, int]] = {website_id: {} for website_id in spans}
        for row in self._rows(_USUAL, bound):
            counts[UUID(str(row["website"]))][int(row["week"])] = int(row["events"])
        usual_counts = {}
        for website_id, by_week in counts.items():
            first = int(seen[website_id]["first"]) if website_id in seen else end
            weeks = [n for n in range(1, WEEKS + 1) if first <= end - n * _WEEK_S - spans[website_id]]
            if (usual := _usual([by_week.get(number, 0) for number in weeks])) is not None:
                usual_counts[website_id] = usual
        return usual_counts

    def _rows(self, sql: str, bound: Mapping[str, Any]) -> list[dict[str, Any]]:
        try:
            return query(self._clients, bound, sql)
        except (ClickHouseError, OSError, TimeoutError) as error:
            raise HistoryUnavailable(str(error).partition("\n")[0]) from error


def _usual(counts: Sequence[int]) -> float | None:
    """The usual number of events, if nothing at all is a surprise."""
    if len(counts) < MIN_WEEKS or min(counts) == 0 or (mean := fmean(counts)) < MIN_USUAL:
        return None
    phi = max(1.0, variance(counts) / mean)
    return mean if of_silence(mean, Spread(phi, len(counts) - 1)) < LEVEL else None


def _is_quiet(one: Watched, row: Mapping[str, Any] | None, end: int) -> bool:
    last = int(row["last"]) + _BUCKET_S if row is not None else 0
    return last <= end - one.rules[AlertKind.NO_EVENTS].threshold * 3600


def _silence(one: Watched, row: Mapping[str, Any] | None, usual: float | None, now: datetime) -> AlertCause:
    domain = one.website.domain
    if row is None:
        title, since = "No page views or clicks for weeks", ""
    else:
        last = datetime.fromtimestamp(int(row["last"]) + _BUCKET_S, UTC)
        title = f"No page views or clicks since {clock(one.zone, last, now)}"
        since = f" for {span((now - last) / timedelta(hours=1))}"
    text = f"Nothing has arrived from {domain}{since}."
    if usual is not None:
        hours = one.rules[AlertKind.NO_EVENTS].threshold
        text += f" About {round(usual):,} page views and clicks are usual in these {span(hours)} of the week."
    text += " Check that the script is still on your pages and that the site is up."
    return AlertCause(AlertKind.NO_EVENTS, "", title, text, f"/analytics?website={one.website.id}&range=24h")


def _rejection(one: Watched, cause: str, name: str, row: Mapping[str, Any], now: datetime) -> AlertCause:
    whose = f" of {name}" if name else ""
    since = clock(one.zone, datetime.fromtimestamp(int(row["first"]), UTC), now)
    postbacks = plural(int(row["rejected"]), "postback")
    return AlertCause(
        AlertKind.POSTBACKS_REJECTED,
        cause,
        f"{postbacks}{whose} rejected since {since} ({row['code']})",
        f"{postbacks}{whose} were rejected: {row['message']}",
        f"/analytics?website={one.website.id}&range=24h",
    )


_OF_PEOPLE: Final = "t.website_id IN {websites:Array(UUID)} AND NOT t.is_bot AND t.clicks + t.pageviews > 0"
_SEEN: Final = (
    "SELECT t.website_id AS website, toUnixTimestamp(max(t.bucket)) AS last,"  # noqa: S608 - own text
    " toUnixTimestamp(min(t.bucket)) AS first"
    f" FROM traffic_15m AS t WHERE {_OF_PEOPLE} AND t.bucket >= {instants.bound_second('start')}"
    " GROUP BY website"
)
_USUAL: Final = (
    f"SELECT t.website_id AS website, intDiv({{end:UInt32}} - toUnixTimestamp(t.bucket) - 1, {_WEEK_S})"  # noqa: S608 - own text
    " AS week, sum(t.clicks + t.pageviews) AS events"
    f" FROM traffic_15m AS t WHERE {_OF_PEOPLE} AND t.bucket >= {instants.bound_second('start')}"
    f" AND t.bucket < {instants.bound_second('end')}"
    f" AND ({{end:UInt32}} - toUnixTimestamp(t.bucket) - 1) % {_WEEK_S}"
    " < transform(toString(t.website_id), {websites:Array(String)}, {spans:Array(UInt32)}, toUInt32(0))"
    " GROUP BY website, week"
)
_REJECTED: Final = (
    "SELECT t.website_id AS website, toString(t.code) AS code,"  # noqa: S608 - own text
    " toString(t.partner) AS partner, sum(t.count) AS rejected, toUnixTimestamp(min(t.at)) AS first,"
    " any(t.message) AS message"
    " FROM refusals AS t WHERE t.website_id IN {websites:Array(UUID)}"
    f" AND t.at >= {instants.bound('start')} AND t.endpoint = '/postback' AND t.outcome <> '{Outcome.DUPLICATE}'"
    " GROUP BY website, code, partner ORDER BY rejected DESC, code, partner LIMIT 20 BY website"
)
_NAMES: Final = "SELECT slug, name, p.account_id FROM read.partners AS p WHERE slug = ANY(%s) AND removed_at IS NULL"
"""A private partner has a name for its owner alone."""
