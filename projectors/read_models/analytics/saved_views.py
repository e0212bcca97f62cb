"""`read.saved_views`: views and segments of the analytics page, personal ones and those of websites."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import SAVED_VIEWS_READERS
from schemas.events.accounts import AccountErased
from schemas.events.analytics import ViewChanged, ViewRemoved, ViewRestored, ViewSaved
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred

SAVED_VIEWS: Final = ReadModel(
    name="saved_views",
    version=1,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "website_id uuid",
        "kind text not null",
        "name text not null",
        "state jsonb not null",
        "saved_at timestamptz not null",
        "removed_at timestamptz",
    ),
    key=("id",),
    readers=SAVED_VIEWS_READERS,
    indexes=("account_id", "website_id"),
)


@SAVED_VIEWS.on(ViewSaved)
def saved(rows: Rows, event: ViewSaved) -> None:
    rows.put(
        id=event.originator_id,
        account_id=event.account_id,
        website_id=event.website_id,
        kind=str(event.kind),
        name=event.name,
        state=event.state.model_dump(mode="json"),
        saved_at=event.timestamp,
        removed_at=None,
    )


@SAVED_VIEWS.on(ViewChanged)
def changed(rows: Rows, event: ViewChanged) -> None:
    rows.update(
        {"id": event.originator_id},
        website_id=event.website_id,
        name=event.name,
        state=event.state.model_dump(mode="json"),
        saved_at=event.timestamp,
    )


@SAVED_VIEWS.on(ViewRemoved)
def removed(rows: Rows, event: ViewRemoved) -> None:
    rows.update({"id": event.originator_id}, removed_at=event.timestamp)


@SAVED_VIEWS.on(ViewRestored)
def restored(rows: Rows, event: ViewRestored) -> None:
    rows.update({"id": event.originator_id}, removed_at=None)


@SAVED_VIEWS.on(WebsiteDisconnected)
def website_disconnected(rows: Rows, event: WebsiteDisconnected) -> None:
    rows.delete(website_id=event.originator_id)


@SAVED_VIEWS.on(WebsiteTransferred)
def website_transferred(rows: Rows, event: WebsiteTransferred) -> None:
    rows.delete(website_id=event.originator_id)


@SAVED_VIEWS.on(AccountErased)
def account_erased(rows: Rows, event: AccountErased) -> None:
    rows.delete(account_id=event.originator_id)
