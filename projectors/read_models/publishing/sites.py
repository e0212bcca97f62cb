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


@SITES.on(SiteCreated)
def created(rows: Rows, event: SiteCreated) -> None:
    rows.put(
        id=event.originator_id,
        account_id=event.account_id,
        website_id=event.website_id,
        slug=event.slug,
        domain_id=None,
        document=event.document,
        document_version=event.originator_version,
        published=None,
        published_at=None,
        shown_versions={},
        created_at=event.timestamp,
        updated_at=event.timestamp,
    )


@SITES.on(SiteSaved)
def saved(rows: Rows, event: SiteSaved) -> None:
    rows.update(
        {"id": event.originator_id},
        document=event.document,
        document_version=event.originator_version,
        updated_at=event.timestamp,
    )


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


SITES.sets(
    SiteUnpublished,
    lambda event: {"updated_at": event.timestamp},
    published=None,
    published_at=None,
    shown_versions={},
)
SITES.sets(SiteMoved, lambda event: {"updated_at": event.timestamp, "slug": event.slug, "domain_id": event.domain_id})


SITES.sets(
    SiteTransferred,
    lambda event: {
        "account_id": event.account_id,
        "domain_id": event.domain_id,
        "document": event.document,
        "document_version": event.originator_version,
        "updated_at": event.timestamp,
    },
    published=None,
    published_at=None,
    shown_versions={},
)


@SITES.on(SiteRemoved)
def removed(rows: Rows, event: SiteRemoved) -> None:
    rows.delete(id=event.originator_id)
