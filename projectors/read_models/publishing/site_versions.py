"""`read.site_versions`: saved versions of sites' documents and of their pages; the highest one is the current one.

The latest `MAX_VERSIONS` of each page are kept. Releases need none of them, since they are made from events.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.events.publishing import PageSaved, SiteCreated, SiteRemoved, SiteSaved, SiteTransferred

MAX_VERSIONS: Final = 200
SITE_VERSIONS: Final = ReadModel(
    name="site_versions",
    version=1,
    columns=(
        "document_id uuid",
        "version int",
        "site_id uuid not null",
        "account_id uuid not null",
        "document text not null",
        "saved_at timestamptz not null",
        "restored_from int",
        "position bigint not null",
    ),
    key=("document_id", "version"),
    readers=own_account("account_id"),
    indexes=("site_id",),
    personal=("document",),
)


@SITE_VERSIONS.on(SiteCreated)
def created(rows: Rows, event: SiteCreated) -> None:
    _put(rows, event, event.originator_id, None)


@SITE_VERSIONS.on(SiteSaved)
def site_saved(rows: Rows, event: SiteSaved) -> None:
    _put(rows, event, event.originator_id, event.restored_from)


@SITE_VERSIONS.on(PageSaved)
def page_saved(rows: Rows, event: PageSaved) -> None:
    _put(rows, event, event.site_id, event.restored_from)
    rows.delete(document_id=event.originator_id, version=event.originator_version - MAX_VERSIONS)


@SITE_VERSIONS.on(SiteTransferred)
def transferred(rows: Rows, event: SiteTransferred) -> None:
    """Versions of the owner before stay behind."""
    rows.delete(site_id=event.originator_id)
    _put(rows, event, event.originator_id, None)


SITE_VERSIONS.ends(SiteRemoved, by="site_id")


def _put(
    rows: Rows, event: SiteCreated | SiteSaved | SiteTransferred | PageSaved, site_id: UUID, restored_from: int | None
) -> None:
    rows.put(
        document_id=event.originator_id,
        version=event.originator_version,
        site_id=site_id,
        account_id=event.account_id,
        document=event.document,
        saved_at=event.timestamp,
        restored_from=restored_from,
        position=rows.position,
    )
