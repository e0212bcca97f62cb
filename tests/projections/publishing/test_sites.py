"""Sites with their versions and releases, until they are removed."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from schemas.events import publishing
from tests.support.events import event_at
from tests.support.projection_bench import WEBSITE, ProjectionBench

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_a_site_has_its_versions_and_releases_until_it_is_removed(projecting: ProjectionBench) -> None:
    site, other, page, owner = uuid4(), uuid4(), uuid4(), uuid4()

    event = partial(event_at, NOW)

    made = {"account_id": owner, "website_id": WEBSITE, "document": "{}"}
    subscriber, asked = uuid4(), {"account_id": owner, "page": "/", "block": "news"}
    projecting.decide(
        event(site, 1, publishing.SiteCreated, slug="tents", **made),
        event(other, 1, publishing.SiteCreated, slug="boats", **made),
        event(page, 1, publishing.PageSaved, account_id=owner, site_id=site, document="one"),
        event(page, 2, publishing.PageSaved, account_id=owner, site_id=site, document="two", restored_from=1),
        event(site, 2, publishing.SiteSaved, account_id=owner, document="{ }"),
        event(site, 3, publishing.SitePublished, account_id=owner, release=1, site_version=2, pages={page: 2}),
        event(site, 4, publishing.SiteMoved, slug="camping", domain_id=None),
        event(other, 2, publishing.SitePublished, account_id=owner, release=1, site_version=1, pages={}),
        event(subscriber, 1, publishing.SiteSubscriptionRequested, site_id=site, **asked),
        event(subscriber, 2, publishing.SiteSubscriptionConfirmed),
        event(uuid4(), 1, publishing.SiteSubscriptionRequested, site_id=other, **asked),
        event(other, 3, publishing.SiteRemoved),
    )
    with projecting.running("sites", "site_versions", "site_releases", "site_subscriptions"):
        for name in ("sites", "site_versions", "site_releases", "site_subscriptions"):
            projecting.wait(name)
    rows = projecting.sql("select id, slug, document_version, published, shown_versions from read.sites")
    assert rows == [(site, "camping", 2, 1, {str(site): 2, str(page): 2})]
    versions = projecting.sql(
        "select document_id, version, document, restored_from from read.site_versions"
        " where document_id <> site_id order by version"
    )
    assert versions == [(page, 1, "one", None), (page, 2, "two", 1)]
    assert projecting.sql("select site_id, number, pages from read.site_releases") == [(site, 1, 1)]
    subscribers = projecting.sql("select id, site_id, state, confirmed_at from read.site_subscriptions")
    assert subscribers == [(subscriber, site, "confirmed", NOW)]
