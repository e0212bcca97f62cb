"""Inline projection `site_lookup`: sites that are not removed, by account, website and custom domain."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from command_api.kernel.unit_of_work import Appended
from command_api.publishing.sites import MAX_SITES
from schemas.events.publishing import SiteCreated, SiteMoved, SiteRemoved, SiteTransferred

SITE_TABLE: Final = Table(
    "site",
    columns=(
        "site_id uuid not null",
        "account_id uuid not null",
        "website_id uuid not null",
        "domain_id uuid",
    ),
    key=("site_id",),
    indexes=("account_id", "website_id", "domain_id"),
)
SITE_LOOKUP: Final = InlineProjection("site_lookup", version=1, tables=(SITE_TABLE,))


SITE_TABLE.begins(SiteCreated, domain_id=None)
SITE_TABLE.follows(SiteMoved)


@SITE_LOOKUP.on(SiteTransferred)
def _transferred(tables: Tables, event: SiteTransferred) -> None:
    of_site = {"site_id": event.originator_id}
    tables["site"].update(of_site, account_id=event.account_id, domain_id=event.domain_id)


SITE_TABLE.ends(SiteRemoved)


def require_site_limit(uow: Appended, account_id: UUID) -> None:
    """Raises `CommandRejected` when the account has too many sites."""
    rows = uow.select("SELECT FROM lookup.site WHERE account_id = %s", account_id)
    if len(rows) > MAX_SITES:
        raise conflict("too_many_sites", f"An account has at most {MAX_SITES} sites.")


def require_free_domain(uow: Appended, site_id: UUID, domain_id: UUID | None) -> None:
    """Raises `CommandRejected` when another site has the custom domain."""
    if domain_id is None:
        return
    if uow.select("SELECT FROM lookup.site WHERE domain_id = %s AND site_id <> %s", domain_id, site_id):
        raise conflict("domain_in_use", "Another of your sites uses this domain.", "domainId")
