"""Given a change that one projection has not read yet, each page that shows it says that it is old."""

from __future__ import annotations

import time

import pytest

from projectors.registry import REGISTRY
from tests.support.query import QueryService

DOMAIN_READERS = [name for name in REGISTRY.projections if name not in ("refusals", "conversion_reports")]


@pytest.mark.parametrize(
    ("page", "projection"),
    [
        ("/api/platform/annotations?websiteId={website}&timeRange=7d", "partners"),
        ("/api/platform/views?websiteId={website}", "default_views"),
        ("/api/platform/websites/{website}/keys", "event_expiries"),
    ],
)
def test_a_page_waits_for_every_projection_that_it_reads(
    query_service: QueryService, page: str, projection: str
) -> None:
    person = query_service.person()
    path = page.format(website=query_service.website(person))
    position = 5 * 10**9 + time.time_ns() % 10**9
    for name in DOMAIN_READERS:
        query_service.advance(name, "domain", 0, 0, position - (name == projection))
    stale = query_service.get(path, person, headers={"X-Wait-For": f"domain@{position}"})
    query_service.advance(projection, "domain", 0, 0, position)
    whole = query_service.get(path, person, headers={"X-Wait-For": f"domain@{position}"})
    found = [(one.status_code, one.headers.get("X-Stale"), one.headers["X-Position"]) for one in (stale, whole)]
    assert found == [(200, "1", f"domain@{position - 1}"), (200, None, f"domain@{position}")]
