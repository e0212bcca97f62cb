"""`read.default_views`: the view with which a website opens for a person."""

from __future__ import annotations

from typing import Final

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


DEFAULT_VIEWS.begins(DefaultViewChanged)
DEFAULT_VIEWS.ends(WebsiteDisconnected, WebsiteTransferred, by="website_id")
DEFAULT_VIEWS.ends(AccountErased)
