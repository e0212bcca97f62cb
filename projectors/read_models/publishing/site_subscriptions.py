"""`read.site_subscriptions`: who gets the newsletter of a site. Addresses lie sealed in `leads.contact`."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.events.publishing import (
    SiteRemoved,
    SiteSubscriptionConfirmed,
    SiteSubscriptionEnded,
    SiteSubscriptionRequested,
    SiteTransferred,
)

SITE_SUBSCRIPTIONS: Final = ReadModel(
    name="site_subscriptions",
    version=1,
    columns=(
        "id uuid",
        "site_id uuid not null",
        "account_id uuid not null",
        "state text not null",
        "page text not null",
        "block text not null",
        "requested_at timestamptz not null",
        "confirmed_at timestamptz",
        "ended_at timestamptz",
        "position bigint not null",
    ),
    key=("id",),
    readers=own_account("account_id"),
    indexes=("site_id, requested_at, id",),
)


@SITE_SUBSCRIPTIONS.on(SiteSubscriptionRequested)
def requested(rows: Rows, event: SiteSubscriptionRequested) -> None:
    rows.put(
        id=event.originator_id,
        site_id=event.site_id,
        account_id=event.account_id,
        state="pending",
        page=event.page,
        block=event.block,
        requested_at=event.timestamp,
        confirmed_at=None,
        ended_at=None,
        position=rows.position,
    )


SITE_SUBSCRIPTIONS.follows(SiteSubscriptionConfirmed, at="confirmed_at", state="confirmed")
SITE_SUBSCRIPTIONS.follows(SiteSubscriptionEnded, at="ended_at", state="ended")
SITE_SUBSCRIPTIONS.follows(SiteTransferred, by="site_id")
SITE_SUBSCRIPTIONS.ends(SiteRemoved, by="site_id")
