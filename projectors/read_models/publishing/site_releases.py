"""`read.site_releases`: what was published of each site, and when."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.events.publishing import SitePublished, SiteRemoved, SiteTransferred

SITE_RELEASES: Final = ReadModel(
    name="site_releases",
    version=1,
    columns=(
        "site_id uuid",
        "number int",
        "account_id uuid not null",
        "published_at timestamptz not null",
        "restored_from int",
        "position bigint not null",
        "pages int not null",
    ),
    key=("site_id", "number"),
    readers=own_account("account_id"),
)


@SITE_RELEASES.on(SitePublished)
def published(rows: Rows, event: SitePublished) -> None:
    rows.put(
        site_id=event.originator_id,
        number=event.release,
        account_id=event.account_id,
        published_at=event.timestamp,
        restored_from=event.restored_from,
        position=rows.position,
        pages=len(event.pages),
    )


SITE_RELEASES.ends(SiteTransferred)
"""Those of the owner before stay behind."""


SITE_RELEASES.ends(SiteRemoved)
