"""Given a change that one projection has not read yet, each page that shows it says that it is old."""

from __future__ import annotations

import time

import pytest

from projectors.registry import REGISTRY
from tests.api.kernel.test_long_texts import TITLE, listing
from tests.support.query import Person, QueryService

DOMAIN_READERS = [name for name in REGISTRY.projections if name not in ("refusals", "conversion_reports")]


def path_of(page: str, service: QueryService, person: Person) -> str:
    """The page's address, with something on it."""
    if "{website}" in page:
        return page.format(website=service.website(person))
    if "{listing}" in page:
        return page.format(listing=listing(service, person.account_id, "A website about offices"))
    return page


@pytest.mark.parametrize(
    ("page", "projection"),
    [
        ("/api/platform/annotations?websiteId={website}&timeRange=7d", "partners"),
        ("/api/admin/leads", "accounts"),
        ("/api/marketplace/listings/{listing}", "listing_watches"),
        ("/api/forum/search?q=offices", "forum_categories"),
    ],
)
def test_a_page_waits_for_every_projection_that_it_reads(
    query_service: QueryService, page: str, projection: str
) -> None:
    person = query_service.person("admin")
    path = path_of(page, query_service, person)
    position = 5 * 10**9 + time.time_ns() % 10**9
    for name in DOMAIN_READERS:
        query_service.advance(name, "domain", 0, 0, position - (name == projection))
    stale = query_service.get(path, person, headers={"X-Wait-For": f"domain@{position}"})
    query_service.advance(projection, "domain", 0, 0, position)
    whole = query_service.get(path, person, headers={"X-Wait-For": f"domain@{position}"})
    query_service.postgres.execute("DELETE FROM read.listings__g1 WHERE title LIKE %s", (f"{TITLE}%",))
    found = [(one.status_code, one.headers.get("X-Stale"), one.headers["X-Position"]) for one in (stale, whole)]
    assert found == [(200, "1", f"domain@{position - 1}"), (200, None, f"domain@{position}")]
