"""`read.saved_views`: views and segments of the analytics page, personal ones and those of websites."""

from __future__ import annotations

from typing import Final

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


SAVED_VIEWS.begins(ViewSaved, at="saved_at", removed_at=None)
SAVED_VIEWS.follows(ViewChanged, at="saved_at")
SAVED_VIEWS.follows(ViewRemoved, at="removed_at")
SAVED_VIEWS.follows(ViewRestored, removed_at=None)
SAVED_VIEWS.ends(WebsiteDisconnected, WebsiteTransferred, by="website_id")
SAVED_VIEWS.ends(AccountErased, by="account_id")
