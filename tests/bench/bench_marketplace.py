"""The marketplace's list over 50,000 listings, as the page calls it: each sort, filters, a word of the title, pages.

`run()` returns the figures; the rows are made by SQL in the read model, indexes and row-level security included."""

from __future__ import annotations

import re
import statistics
import time

import psutil

from tests.bench import Figure
from tests.bench.query_world import query_world
from tests.support.query import QueryService

COMMAND = "python -m tests.bench marketplace"
LISTINGS, REPEATS, DEEP_PAGES = 50_000, 40, 40
CALLS = {
    "recent": "",
    "price-low": "sort=price-low",
    "price-high, one niche": "sort=price-high&niche=vpn",
    "revenue, price range": "sort=revenue&minPrice=20000&maxPrice=30000",
    "a word that many titles have": "search=hosting",
    "a word that one title has": "search=shop%2049999",
    "a word that no title has, dearest first": "search=zebra&sort=price-high",
    "verified only": "verified=true&sort=price-low",
}

# One in twenty is not online; 7 niches, titles of four words, one in fifty is measured.
_INSERT = """
INSERT INTO read.listings__g1 (id, seller_id, status, title, title_lower, website_url, description, niche, asking_price,
  monthly_revenue, monthly_profit, monthly_traffic, years_established, website_id, verified_website, created_at,
  published_at, expires_at)
SELECT gen_random_uuid(), gen_random_uuid(), CASE WHEN n % 20 = 0 THEN 'withdrawn' ELSE 'active' END, title,
  lower(title), 'https://shop' || n || '.example', repeat('All of them written by us. ', 20),
  (ARRAY['vpn','hosting','software','finance','health','education','ecommerce'])[1 + n % 7],
  100 * (500 + (n * 7919) % 90000), 100 * ((n * 104729) % 9000), 100 * ((n * 1299709) % 7000), (n * 31) % 900000,
  n % 15, w, CASE WHEN n % 50 = 0 THEN w END, now() - n * interval '1 minute', now() - n * interval '1 minute',
  now() + interval '30 days'
FROM (SELECT n, gen_random_uuid() AS w,
  (ARRAY['Reviews of','Guide to','The big','Daily','Honest'])[1 + n % 5] || ' '
  || (ARRAY['hosting','VPN','credit card','fitness','language','garden'])[1 + n % 6] || ' shop ' || n AS title
  FROM generate_series(1::bigint, {listings}) AS n) AS made
"""


def run() -> list[Figure]:
    """Percentiles in milliseconds, everything on this machine."""
    with query_world() as world:
        service = world.service
        service.postgres.execute(_INSERT.format(listings=LISTINGS).encode())
        service.postgres.execute("VACUUM ANALYZE read.listings__g1")
        servers = world.servers(world.postgres)
        return [figure for name, query in CALLS.items() for figure in _call(service, servers, name, query)] + _deep(
            service
        )


def _call(service: QueryService, servers: list[psutil.Process], name: str, query: str) -> list[Figure]:
    path = f"/api/marketplace/listings?{query}"
    _timed(service, path)
    before = _cpu(servers)
    times = [_timed(service, path)[0] for _ in range(REPEATS)]
    cpu = (_cpu(servers) - before) * 1000 / REPEATS
    of_cpu: Figure = {
        "name": f"listings, {name}, CPU time of both servers",
        "value": round(cpu, 1),
        "unit": "ms",
        "command": COMMAND,
    }
    return [*_figures(f"listings, {name}", times), of_cpu]


def _cpu(servers: list[psutil.Process]) -> float:
    """Of the processes and their children; more than the clock does it tell when others share the machine."""
    family = [process for server in servers for process in (server, *server.children(recursive=True))]
    return sum(process.cpu_times().user + process.cpu_times().system for process in family)


def _deep(service: QueryService) -> list[Figure]:
    times, path = [], "/api/marketplace/listings?sort=price-low&limit=200"
    for _ in range(DEEP_PAGES):
        took, link = _timed(service, path)
        times.append(took)
        found = re.search(r"<(.+?)>", link)
        if found is None:
            raise RuntimeError("the list ended early")
        path = found[1]
    return _figures("listings, 200 a page, pages 1 to 40", times)


def _timed(service: QueryService, path: str) -> tuple[float, str]:
    started = time.perf_counter()
    answer = service.get(path)
    took = (time.perf_counter() - started) * 1000
    if answer.status_code != 200:
        raise RuntimeError(f"{path}: {answer.status_code} {answer.text}")
    return took, answer.headers.get("link", "")


def _figures(name: str, times: list[float]) -> list[Figure]:
    p50, p95 = statistics.median(times), statistics.quantiles(times, n=20)[18]
    return [
        {"name": f"{name}, p50", "value": round(p50, 1), "unit": "ms", "command": COMMAND},
        {"name": f"{name}, p95", "value": round(p95, 1), "unit": "ms", "command": COMMAND, "aim": "≤ 100"},
    ]


if __name__ == "__main__":
    for one in run():
        print(one)
