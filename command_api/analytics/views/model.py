"""Saved views and segments: who may save, share and change them, and what they may hold. Pure.

A personal view belongs to the person who saved it, and nobody else may see it. A shared one belongs to a website: its
owner and admins, who may see the website, apply and change it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid5

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from command_api.websites.model import Website, require_owned
from infra.domain.visits.dimensions import NAMES, PROPERTY, is_dimension
from infra.kernel.text.hidden_characters import HIDDEN
from schemas.events.analytics import (
    MAX_VIEW_NAME,
    DefaultViewChanged,
    ViewChanged,
    ViewKind,
    ViewRemoved,
    ViewRestored,
    ViewSaved,
    ViewState,
)
from schemas.evolution import Evolution

OPERATORS: Final = ("is", "is_not", "contains", "not_contains", "matches")
REASON: Final = "reason"
"""Why traffic is excluded: it has a parameter of its own in the analytics calls."""

_DAYS: Final = "Choose the first and the last day."
_FILTER: Final = re.compile(rf"((?:{PROPERTY})?[^:]+):([a-z_]+):.*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ViewAggregate:
    """A saved view or segment. `website_id`: that of a shared one."""

    id: UUID
    version: int
    account_id: UUID
    website_id: UUID | None
    kind: ViewKind
    name: str
    state: ViewState
    removed: bool = False

    @property
    def owner_id(self) -> UUID:
        """The website or the person that it belongs to."""
        return self.website_id or self.account_id


@dataclass(frozen=True, slots=True)
class DefaultView:
    """The view with which a website opens for a person."""

    id: UUID
    version: int
    view_id: UUID | None


def save(
    view_id: UUID, website: Website | None, *, kind: ViewKind, name: str, state: ViewState, context: CommandContext
) -> ViewSaved:
    """Saves a view. `website`: the one whose people share it; none: a personal view. Raises `CommandRejected` for
    invalid filters."""
    return ViewSaved(
        **first_event(view_id, context),
        account_id=context.require_account(),
        website_id=website.id if website else None,
        kind=kind,
        name=checked_name(name),
        state=checked_state(state, kind),
    )


def change(
    view: ViewAggregate, website: Website | None, *, name: str, state: ViewState, context: CommandContext
) -> list[ViewChanged]:
    """Changes the view. `website`: the one whose people share it from now on. Returns no events if nothing is
    different."""
    name, state = checked_name(name), checked_state(state, view.kind)
    website_id = website.id if website else None
    if website_id is None and view.account_id != context.account_id:
        raise conflict("not_yours", "Only the person who saved a view can make it personal.", "websiteId")
    if (website_id, name, state) == (view.website_id, view.name, view.state):
        return []
    return [ViewChanged(**next_event(view, context), website_id=website_id, name=name, state=state)]


def remove(view: ViewAggregate, context: CommandContext) -> ViewRemoved:
    return ViewRemoved(**next_event(view, context))


def restore(view: ViewAggregate, context: CommandContext) -> list[ViewRestored]:
    """Restores a removed view; returns no events if it was not removed."""
    return [ViewRestored(**next_event(view, context))] if view.removed else []


def require_active(view: ViewAggregate | None, website: Website | None, context: CommandContext) -> ViewAggregate:
    """Returns the view. Raises `CommandRejected` (missing) if it was removed, or unless the actor may see it."""
    view = require_visible(view, website, context)
    if view.removed:
        raise not_found("view")
    return view


def require_visible(view: ViewAggregate | None, website: Website | None, context: CommandContext) -> ViewAggregate:
    """Returns the view, also a removed one. `website`: that of a shared one. Raises `CommandRejected` (missing) unless
    the actor may see it; a personal one is its author's alone, whatever roles others have."""
    if view is None:
        raise not_found("view")
    if view.website_id is None:
        if view.account_id != context.account_id:
            raise not_found("view")
    elif website is None or website.disconnected or not context.may_act_for(website.account_id):
        raise not_found("view")
    return view


def choose_default(
    current: DefaultView | None, website: Website | None, view: ViewAggregate | None, context: CommandContext
) -> list[DefaultViewChanged]:
    """Sets the view that the page opens with. `view`: one that the actor may see; none: the page as it is. Raises
    `CommandRejected`."""
    website = require_owned(website, context)
    if view and view.kind is not ViewKind.VIEW:
        raise invalid("not_a_view", "A segment has no range to open with. Choose a view.")
    if view and view.website_id not in (None, website.id):
        raise invalid("other_website", "This view belongs to another website.", "websiteId")
    view_id, account_id = view.id if view else None, context.require_account()
    if view_id == (current.view_id if current else None):
        return []
    default_id = default_view_id(website.id, account_id)
    metadata = next_event(current, context) if current else first_event(default_id, context)
    return [DefaultViewChanged(**metadata, account_id=account_id, website_id=website.id, view_id=view_id)]


def default_view_id(website_id: UUID, account_id: UUID) -> UUID:
    """The aggregate of a person's choice for a website."""
    return uuid5(website_id, f"default view of {account_id}")


def checked_name(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise invalid("bad_name", "Enter a name.", "name")
    if len(name) > MAX_VIEW_NAME or not name.isprintable() or HIDDEN.search(name):
        raise invalid("bad_name", f"A name has at most {MAX_VIEW_NAME} printable characters.", "name")
    return name


def checked_state(state: ViewState, kind: ViewKind) -> ViewState:
    """Returns the part of the state that the kind stores. Raises `CommandRejected`, naming what is valid."""
    for text in state.filters:
        _require_filter(text)
    if kind is ViewKind.SEGMENT:
        if not state.filters:
            raise invalid("bad_view", "A segment needs at least one filter.", "state.filters")
        return ViewState(filters=state.filters, bots=state.bots)
    if (state.time_range == "custom") != (state.from_date is not None and state.to_date is not None):
        raise invalid("bad_view", _DAYS, "state.fromDate")
    if (state.compare == "custom") != (state.compare_from is not None and state.compare_to is not None):
        raise invalid("bad_view", _DAYS, "state.compareFrom")
    _require_dimensions(state.details)
    return state


def _require_filter(text: str) -> None:
    parts = _FILTER.fullmatch(text)
    if not parts or parts[2] not in OPERATORS:
        operators = ", ".join(OPERATORS)
        message = f"A filter is DIMENSION:OPERATOR:VALUES; operators are {operators}."
        raise invalid("bad_filter", message, "state.filters")
    _require_dimensions([parts[1]])


def _require_dimensions(names: Iterable[str]) -> None:
    for name in names:
        if name != REASON and not is_dimension(name):
            valid_names = ", ".join(NAMES)
            message = f"{name[:64]!r} is not a dimension. Use one of {valid_names}, prop:NAME."
            raise invalid("bad_filter", message, "state.filters")


evolve: Final = (
    Evolution(ViewAggregate)
    .begins(ViewSaved)
    .follows(ViewChanged)
    .follows(ViewRemoved, removed=True)
    .follows(ViewRestored, removed=False)
)


evolve_default: Final = Evolution(DefaultView).begins(DefaultViewChanged)
