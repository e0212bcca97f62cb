"""Reports by every dimension over five and twenty million events of one website in thirty days, through HTTP.

The baseline counts the same dimension in the raw table, without visits, comparison or names. Every day is built.
"""

from __future__ import annotations

import statistics
import time
from functools import partial
from uuid import UUID

from infra.domain.visits.dimensions import NAMES, expression
from projectors.engine.clickhouse import BACKFILL_TIMEOUT_S, HttpClickHouse
from projectors.engine.ownership import Ownership
from projectors.visits.builder import VisitBuilder
from tests.bench import Figure, figure
from tests.bench.query_world import query_world
from tests.support.engines import wait_until
from tests.support.query import Person, QueryService

COMMAND = "python -m tests.bench breakdown"
_figure = partial(figure, COMMAND)
SIZES = ((5_000_000, 150), (20_000_000, 300))
"""Numbers of events, and the aim of their 95th percentile in ms."""
MAX_READ_EVENTS = 5_000_000
"""Reports by two dimensions or with filters read the rows of all events: with more, their deadline passes."""
CHUNK, REPEATS, BASELINE_REPEATS = 500_000, 7, 2
SPAN_MS = 29 * 86_400_000
MERGED_WITHIN_S = 240
RAW_DIMENSIONS = ("page", "source", "country", "sub1")
FILTER = "&filter=country:is:DE&filter=page:contains:9"

# A visit is four events on average; 2,000 pages, 60 sources, 200 campaigns, 5,000 values of sub1; 28 % clicks, 70 %
# page views, 2 % conversions; 3 % bots.
_INSERT = """
INSERT INTO events__g1 (website_id, event_id, type, occurred_at, received_at, visitor, session, hostname, path, source,
  channel, referrer_host, utm_source, utm_medium, utm_campaign, country, region, device, browser, os, language,
  placement, is_bot, partner_id, link_id, sub1, conversion_id, event_name, d_pending, c_pending, currency, entry_page,
  coupon,
  _topic, _partition, _offset)
SELECT toUUID('{website}'), generateUUIDv7(), multiIf(k < 28, 'click', k < 98, 'pageview', 'conversion') AS type,
  now64(3, 'UTC') - toIntervalMillisecond(toUInt64(({events} - number) * {gap_ms})) AS at, at,
  cityHash64(v), cityHash64(v, 1), 'shop.example', concat('/p/', toString(toUInt32(2000 * pow(h % 10007 / 10007., 3)))),
  concat('source ', toString(v % 60)) AS source, ['direct', 'search', 'email', 'social', 'referral'][1 + v % 5],
  concat('host', toString(v % 60), '.example'), source, ['cpc', 'email', ''][1 + v % 3],
  concat('campaign ', toString(v % 200)), ['DE','FR','US','GB','ES','IT','NL','PL','SE','CH','AT','BE','DK','NO','FI',
  'IE','PT','CZ','HU','RO','BG','GR','HR','SK','SI','EE','LV','LT','CA','BR','MX','JP','KR','IN','AU','NZ','ZA','TR',
  'IL','ZZ'][1 + intDiv(v, 7) % 40], '', ['desktop', 'mobile', 'tablet'][1 + intDiv(v, 11) % 3],
  ['Chrome', 'Safari', 'Firefox'][1 + v % 3], ['Windows', 'iOS', 'Android', 'Linux'][1 + v % 4],
  ['de', 'en', 'fr'][1 + v % 3], if(type = 'pageview', '', ['top', 'table', 'end'][1 + h % 3]),
  type <> 'conversion' AND intDiv(v, 13) % 100 < 3,
  if(type = 'pageview', toUUID('00000000-0000-0000-0000-000000000000'), [{partners}][1 + intDiv(h, 17) % 8]) AS partner,
  partner, if(type = 'pageview', '', toString(h % 5000)),
  if(type = 'conversion', generateUUIDv7(), toUUID('00000000-0000-0000-0000-000000000000')),
  if(type = 'conversion', 'sale', ''), type = 'conversion', if(type = 'conversion', h % 5000, 0), 'USD',
  if(type = 'conversion', '/p/1', ''), if(type = 'conversion' AND h % 5 = 0, 'SAVE', ''),
  if(type = 'conversion', 'domain', 'clicks'), number % 4, number
FROM (SELECT number, cityHash64(number) AS h, intDiv(h, 19) % 100 AS k, cityHash64(intDiv(number, 400), h % 100) AS v
  FROM numbers({first}, {count}))
"""


def run() -> list[Figure]:
    """Milliseconds, everything on this machine; the worst and the median dimension of each size."""
    return [figure for events, aim in SIZES for figure in _measure(events, aim)]


def _measure(events: int, aim: int) -> list[Figure]:
    size = f"{events // 1_000_000} M events"
    with query_world() as world:
        service = world.service
        owner = service.person()
        website = service.website(owner, "Europe/Berlin")
        _fill(service, website, events)
        url = service.settings.postgres_url
        assert url is not None
        builder = VisitBuilder(HttpClickHouse(service.settings, answer_timeout_s=BACKFILL_TIMEOUT_S), Ownership(url))
        started = time.perf_counter()
        days = sum(builder.build() for _ in range(3))
        figures = [_figure(f"{size}: built", events / (time.perf_counter() - started), "events/s", note=f"{days} days")]
        wait_until(lambda: service.rows("SELECT count() FROM system.merges") == [(0,)], MERGED_WITHIN_S, "the merges")
        return [*figures, *_reports(service, owner, website, events, aim)]


def _reports(service: QueryService, owner: Person, website: UUID, events: int, aim: int) -> list[Figure]:
    size = f"{events // 1_000_000} M events"
    base = f"/api/platform/analytics/breakdown?websiteId={website}&timeRange=30d&limit=100&by="
    times = {name: _times(service, owner, base + name) for name in NAMES}
    raw = {name: _raw(service, website, name) for name in RAW_DIMENSIONS}
    every = [each for found in times.values() for each in found]
    worst = max(times, key=lambda name: statistics.median(times[name]))
    slowest_raw = max(raw, key=lambda name: raw[name])
    figures = [
        _figure(
            f"{size}, 30 days, any of {len(NAMES)} dimensions, p95",
            statistics.quantiles(every, n=20)[18],
            "ms",
            baseline=raw[slowest_raw],
            against=f"{slowest_raw} from the raw table",
            aim=f"≤ {aim}",
        ),
        _figure(f"{size}, 30 days, the median dimension", statistics.median(every), "ms"),
        _figure(f"{size}, 30 days, slowest dimension ({worst}), median", statistics.median(times[worst]), "ms"),
    ]
    for name in RAW_DIMENSIONS:
        against = f"{name} from the raw table"
        median = statistics.median(times[name])
        figures.append(
            _figure(f"{size}, 30 days, by {name}, median", median, "ms", baseline=raw[name], against=against)
        )
    if events > MAX_READ_EVENTS:
        return figures
    for name, more in (("page and device", "page,device"), ("page, filtered by country and page", f"page{FILTER}")):
        found = _times(service, owner, base + more)
        figures.append(_figure(f"{size}, 30 days, by {name}, median", statistics.median(found), "ms"))
    return figures


def _fill(service: QueryService, website: UUID, events: int) -> None:
    partners = ", ".join(f"toUUID('{service.partner(f'Partner {number}')}')" for number in range(8))
    for first in range(0, events, CHUNK):
        values = {"first": first, "count": CHUNK, "events": events, "gap_ms": SPAN_MS / events}
        service.command(_INSERT.format(website=website, partners=partners, **values))
    wait_until(lambda: service.rows("SELECT count() FROM system.merges") == [(0,)], MERGED_WITHIN_S, "the merges")


def _times(service: QueryService, owner: Person, path: str) -> list[float]:
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        answer = service.get(path, owner)
        times.append((time.perf_counter() - started) * 1000)
        if answer.status_code != 200:
            raise RuntimeError(f"{path}: {answer.status_code} {answer.text}")
    return times[1:]


def _raw(service: QueryService, website: UUID, name: str) -> float:
    sql = (
        f"SELECT {expression(name)} AS value, countIf(t.type = 'click') AS clicks, countIf(t.type = 'pageview'),"
        " uniqCombined(12)(t.visitor), sum(t.d_pending), sum(toInt128(t.c_pending)) FROM events AS t"
        f" WHERE t.website_id = '{website}' AND NOT t.is_bot AND t.occurred_at > now() - INTERVAL 30 DAY"
        " GROUP BY value ORDER BY clicks DESC LIMIT 100 SETTINGS max_threads = 2"
    )
    times = []
    for _ in range(BASELINE_REPEATS):
        started = time.perf_counter()
        service.rows(sql)
        times.append((time.perf_counter() - started) * 1000)
    return min(times)


if __name__ == "__main__":
    for one in run():
        print(one)
