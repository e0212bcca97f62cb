"""`read.default_views`: the view with which a website opens for a person."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.events.accounts import AccountErased
from schemas.events.analytics import DefaultViewChanged
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred

DEFAULT_VIEWS: Final = ReadModel(
    name="default_views",
    version=1,
    columns=("account_id uuid", "website_id uuid", "view_id uuid"),
    key=("account_id", "website_id"),
    readers=own_account("account_id"),
)


@DEFAULT_VIEWS.on(DefaultViewChanged)
def changed(rows: Rows, event: DefaultViewChanged) -> None:
    rows.put(account_id=event.account_id, website_id=event.website_id, view_id=event.view_id)


@DEFAULT_VIEWS.on(WebsiteDisconnected)
def website_disconnected(rows: Rows, event: WebsiteDisconnected) -> None:
    rows.delete(website_id=event.originator_id)


@DEFAULT_VIEWS.on(WebsiteTransferred)
def website_transferred(rows: Rows, event: WebsiteTransferred) -> None:
    rows.delete(website_id=event.originator_id)


@DEFAULT_VIEWS.on(AccountErased)
def account_erased(rows: Rows, event: AccountErased) -> None:
    rows.delete(account_id=event.originator_id)
