"""Sites with their versions and releases, until they are removed."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from schemas.base import DomainEvent
from schemas.events import publishing
from tests.support.projection_bench import WEBSITE, ProjectionBench

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def test_a_site_has_its_versions_and_releases_until_it_is_removed(projecting: ProjectionBench) -> None:
    site, other, page, owner = uuid4(), uuid4(), uuid4(), uuid4()

    def step(id_: object, version: int, event_class: type[DomainEvent], **values: object) -> DomainEvent:
        return event_class(originator_id=id_, originator_version=version, timestamp=NOW, **values)

    made = {"account_id": owner, "website_id": WEBSITE, "document": "{}"}
    subscriber, asked = uuid4(), {"account_id": owner, "page": "/", "block": "news"}
    projecting.decide(
        step(site, 1, publishing.SiteCreated, slug="tents", **made),
        step(other, 1, publishing.SiteCreated, slug="boats", **made),
        step(page, 1, publishing.PageSaved, account_id=owner, site_id=site, document="one"),
        step(page, 2, publishing.PageSaved, account_id=owner, site_id=site, document="two", restored_from=1),
        step(site, 2, publishing.SiteSaved, account_id=owner, document="{ }"),
        step(site, 3, publishing.SitePublished, account_id=owner, release=1, site_version=2, pages={page: 2}),
        step(site, 4, publishing.SiteMoved, slug="camping", domain_id=None),
        step(other, 2, publishing.SitePublished, account_id=owner, release=1, site_version=1, pages={}),
        step(subscriber, 1, publishing.SiteSubscriptionRequested, site_id=site, **asked),
        step(subscriber, 2, publishing.SiteSubscriptionConfirmed),
        step(uuid4(), 1, publishing.SiteSubscriptionRequested, site_id=other, **asked),
        step(other, 3, publishing.SiteRemoved),
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
