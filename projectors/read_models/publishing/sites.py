"""`read.sites`: sites of the website builder that are not removed, with the document and what visitors see."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account_website
from schemas.events.publishing import (
    SiteCreated,
    SiteMoved,
    SitePublished,
    SiteRemoved,
    SiteSaved,
    SiteTransferred,
    SiteUnpublished,
)

SITES: Final = ReadModel(
    name="sites",
    version=1,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "website_id uuid not null",
        "slug text not null",
        "domain_id uuid",
        "document text not null",
        "document_version int not null",
        "published int",
        "published_at timestamptz",
        "shown_versions jsonb not null",
        "created_at timestamptz not null",
        "updated_at timestamptz not null",
    ),
    key=("id",),
    readers=own_account_website("account_id"),
    indexes=("account_id, created_at",),
    personal=("document",),
)


SITES.begins(
    SiteCreated,
    at=("created_at", "updated_at"),
    takes={"document_version": "originator_version"},
    domain_id=None,
    published=None,
    published_at=None,
    shown_versions={},
)
SITES.follows(SiteSaved, but="account_id", at="updated_at", takes={"document_version": "originator_version"})


@SITES.on(SitePublished)
def published(rows: Rows, event: SitePublished) -> None:
    """`shown_versions` has the versions by id, that of the site's document by the site's own."""
    versions = {**event.pages, event.originator_id: event.site_version}
    rows.update(
        {"id": event.originator_id},
        published=event.release,
        published_at=event.timestamp,
        shown_versions={str(id_): version for id_, version in versions.items()},
        updated_at=event.timestamp,
    )


SITES.follows(SiteUnpublished, at="updated_at", published=None, published_at=None, shown_versions={})
SITES.follows(SiteMoved, at="updated_at")
SITES.follows(
    SiteTransferred,
    at="updated_at",
    takes={"document_version": "originator_version"},
    published=None,
    published_at=None,
    shown_versions={},
)
SITES.ends(SiteRemoved)
