"""Inline projection `view_names`: the names of the views of each person and website."""

from __future__ import annotations

from typing import Final

from command_api.analytics.views.model import ViewAggregate
from command_api.kernel.decision import conflict
from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from command_api.kernel.unit_of_work import Appended
from schemas.events.accounts import AccountErased
from schemas.events.analytics import (
    ViewChanged,
    ViewRemoved,
    ViewRestored,
    ViewSaved,
)
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred

MAX_VIEWS: Final = 100
"""Views and segments of one person, and of one website."""


VIEW_NAME_TABLE: Final = Table(
    "view_name",
    columns=(
        "view_id uuid not null",
        "account_id uuid not null",
        "website_id uuid",
        "name text not null",
        "is_removed boolean not null",
    ),
    key=("view_id",),
    indexes=("account_id", "website_id"),
)
VIEW_NAMES: Final = InlineProjection("view_names", version=1, tables=(VIEW_NAME_TABLE,))


@VIEW_NAMES.on(ViewSaved)
def _saved(tables: Tables, event: ViewSaved) -> None:
    tables["view_name"].insert(
        view_id=event.originator_id,
        account_id=event.account_id,
        website_id=event.website_id,
        name=event.name.casefold(),
        is_removed=False,
    )


@VIEW_NAMES.on(ViewChanged)
def _changed(tables: Tables, event: ViewChanged) -> None:
    tables["view_name"].update(
        {"view_id": event.originator_id}, website_id=event.website_id, name=event.name.casefold()
    )


VIEW_NAME_TABLE.follows(ViewRemoved, is_removed=True)
VIEW_NAME_TABLE.follows(ViewRestored, is_removed=False)
VIEW_NAME_TABLE.ends(WebsiteDisconnected, by="website_id")
VIEW_NAME_TABLE.ends(WebsiteTransferred, by="website_id")
VIEW_NAME_TABLE.ends(AccountErased, by="account_id")


def require_room(uow: Appended, view: ViewAggregate) -> None:
    """Raises `CommandRejected` when its person or website has too many views, or another one of that name."""
    query = _OF_WEBSITE if view.website_id else _OF_PERSON
    names = [name for (name,) in uow.select(query, view.owner_id)]
    whose = "website" if view.website_id else "person"
    if len(names) > MAX_VIEWS:
        message = f"A {whose} has at most {MAX_VIEWS} views and segments. Delete one first."
        raise conflict("too_many_views", message)
    if names.count(view.name.casefold()) > 1:
        raise conflict("name_taken", "A view or segment with this name already exists.", "name")


_OF_PERSON: Final = "SELECT name FROM lookup.view_name WHERE account_id = %s AND website_id IS NULL AND NOT is_removed"
_OF_WEBSITE: Final = "SELECT name FROM lookup.view_name WHERE website_id = %s AND NOT is_removed"
