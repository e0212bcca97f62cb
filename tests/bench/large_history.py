"""Thirteen months of events for 200 websites, made by SQL in the live raw table of a running stack.

Every view of the raw table fills its rollup, and the running projectors build the visits, as they do after an import.
The rows come in the order of time. One website has an eighth of the events, the hundredth a five hundredth; days have
a rhythm; a visit is four events on average within twenty minutes. Places in the log are those of records that are
really there, so that rebuilds take the rows for their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta

from clickhouse_connect.driver.client import Client

from projectors.engine.tables import MERGED_AFTER_S, table_name
from projectors.registry import EVENTS_PROJECTION
from projectors.visits.builder import OUTDATED, OUTDATED_WEEKS, least_events
from tests.support.stack import wait_for

WEBSITES, DAYS = 200, 395
CHUNK = 500_000
VISIT_S, EVENTS_OF_VISIT = 1200, 4

# 2,000 pages, 60 sources, 200 campaigns, 5,000 values of sub1; 28 % clicks, 70 % page views, 2 % conversions; 3 % bots.
_INSERT = """
INSERT INTO events__g1 (website_id, event_id, type, occurred_at, received_at, visitor, session, hostname, path, title,
  source, channel, referrer_host, utm_source, utm_medium, utm_campaign, country, device, browser, os, language,
  placement, is_bot, partner_id, link_id, sub1, conversion_id, event_name, d_pending, c_pending, currency,
  _topic, _partition, _offset)
SELECT [{websites}][least(toUInt16(pow({count} + 1, (v % 1000003) / 1000003.)), {count})] AS website, generateUUIDv7(),
  multiIf(k < 28, 'click', k < 98, 'pageview', 'conversion') AS type,
  toDateTime64('{start}', 3, 'UTC') + toIntervalMillisecond(toUInt64(86400000 * (floor(day) + fraction
    + 0.12 * sin(2 * pi() * fraction)))) AS at, at,
  cityHash64(v), cityHash64(v, 1), concat('shop', toString(v % 200), '.example'),
  concat('/p/', toString(page)), concat('Page ', toString(page)), concat('source ', toString(v % 60)) AS source,
  ['Direct', 'Organic Search', 'Email', 'Social', 'Referral'][1 + v % 5], concat('host', toString(v % 60), '.example'),
  source, ['cpc', 'email', ''][1 + v % 3], concat('campaign ', toString(v % 200)),
  ['DE','FR','US','GB','ES','IT','NL','PL','SE','CH','AT','BE','DK','NO','FI','IE','PT','CZ','HU','RO','BG','GR','HR',
  'SK','SI','EE','LV','LT','CA','BR','MX','JP','KR','IN','AU','NZ','ZA','TR','IL','ZZ'][1 + intDiv(v, 7) % 40],
  ['desktop', 'mobile', 'tablet'][1 + intDiv(v, 11) % 3], ['Chrome', 'Safari', 'Firefox'][1 + v % 3],
  ['Windows', 'iOS', 'Android', 'Linux'][1 + v % 4], ['de', 'en', 'fr'][1 + v % 3],
  if(type = 'pageview', '', ['top', 'table', 'end'][1 + h % 3]),
  type <> 'conversion' AND intDiv(v, 13) % 100 < 3,
  if(type = 'pageview', toUUID('00000000-0000-0000-0000-000000000000'),
    [{partners}][1 + intDiv(h, 17) % {partner_count}]) AS partner,
  partner, if(type = 'pageview', '', toString(h % 5000)),
  if(type = 'conversion', generateUUIDv7(), toUUID('00000000-0000-0000-0000-000000000000')),
  if(type = 'conversion', 'sale', ''), type = 'conversion', if(type = 'conversion', h % 5000, 0), 'USD',
  if(type = 'conversion', 'domain', 'clicks'), if(type = 'conversion', 0, number % {partitions}),
  intDiv(number, {partitions}) % if(type = 'conversion', {decided}, {tracked})
FROM (SELECT number, cityHash64(number) AS h, intDiv(h, 19) % 100 AS k,
  toUInt32(2000 * pow(h % 10007 / 10007., 3)) AS page, number * {days} / {events} AS day, day - floor(day) AS fraction,
  cityHash64(intDiv(number, {window}), intDiv(h, 23) % {visits}) AS v FROM numbers({first}, {size}))
"""


def fill(
    clickhouse: Client,
    events: int,
    websites: Sequence[str],
    partners: Sequence[str],
    tracked: Sequence[int],
    decided: int,
) -> Iterator[int]:
    """Inserts the events, which end at the last midnight (UTC); yields their number after each chunk.

    `tracked`, `decided`: records that the partitions of topic `clicks`, and topic `domain`, have at least.
    """
    window = max(EVENTS_OF_VISIT, events * VISIT_S // (DAYS * 86_400))
    values = {
        "websites": _ids(websites), "count": len(websites), "partners": _ids(partners), "partner_count": len(partners),
        "start": f"{datetime.now(UTC).date() - timedelta(days=DAYS)} 00:00:00", "days": float(DAYS), "events": events,
        "window": window, "visits": max(1, window // EVENTS_OF_VISIT), "partitions": len(tracked),
        "tracked": min(tracked), "decided": decided,
    }  # fmt: skip
    for first in range(0, events, CHUNK):
        size = min(CHUNK, events - first)
        clickhouse.command(_INSERT.format(**values, first=first, size=size))
        yield first + size


def merge_at_rest(clickhouse: Client) -> None:
    """Lets the hour pass after which a month of a rollup becomes one part (`MERGED_AFTER_S`); returns when all have.
    The engine merges; this only waits."""
    for table in _MERGED_AT_REST:
        clickhouse.command(_MERGE_AFTER.format(table, 1))
    wait_for(lambda: _superfluous_parts(clickhouse) == 0, "one part for each month of a rollup", 900.0, every_s=1.0)
    for table in _MERGED_AT_REST:
        clickhouse.command(_MERGE_AFTER.format(table, MERGED_AFTER_S))


def _superfluous_parts(clickhouse: Client) -> int:
    return int(clickhouse.query(_SUPERFLUOUS, parameters={"tables": _MERGED_AT_REST}).result_rows[0][0])


_MERGED_AT_REST = [table_name(rollup.name, 1) for rollup in EVENTS_PROJECTION.rollups if rollup.is_merged_at_rest]
_SUPERFLUOUS = """
SELECT count() - uniqExact(table, partition) FROM system.parts WHERE active AND table IN {tables:Array(String)}"""
_MERGE_AFTER = "ALTER TABLE {} MODIFY SETTING min_age_to_force_merge_seconds = {}"


def unbuilt(clickhouse: Client) -> int:
    """Past days and weeks whose visits the builder still has to build."""
    today = datetime.now(UTC).date()
    days = clickhouse.query(OUTDATED, parameters=least_events()).result_rows
    weeks = clickhouse.query(OUTDATED_WEEKS, parameters={"today": today}).result_rows
    return len([day for _, day, *_ in days if day < today]) + len(weeks)


def _ids(ids: Sequence[str]) -> str:
    return ", ".join(f"toUUID('{each}')" for each in ids)
