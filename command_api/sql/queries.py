"""Saved queries: who may see and change them, and their versions. Pure.

A query belongs to its author. Once it is shared, all analysts may see it, and admins may change it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, CommandRejected, not_found
from schemas.events.sql import (
    MAX_VERSIONS,
    QueryChanged,
    QueryRemoved,
    QueryRestored,
    QuerySaved,
    QueryShared,
    QueryUnshared,
)
from schemas.evolution import Evolution


@dataclass(frozen=True, slots=True)
class Content:
    """Title and text of one version. `title_hash`: finds a title of the author again."""

    title: str
    text: str
    title_hash: str


@dataclass(frozen=True, slots=True)
class QueryAggregate:
    """A saved query. `number`: its current version."""

    id: UUID
    version: int
    account_id: UUID
    content: Content
    versions: Mapping[int, Content]
    number: int = 1
    is_shared: bool = False
    removed: bool = False


def save(query_id: UUID, content: Content, context: CommandContext) -> QuerySaved:
    account_id = context.require_account()
    return QuerySaved(**first_event(query_id, context), account_id=account_id, **asdict(content))


def change(query: QueryAggregate, content: Content, context: CommandContext) -> list[QueryChanged]:
    """Makes a new version; none if nothing is different."""
    return [] if content == query.content else [_changed(query, content, context)]


def restore_version(query: QueryAggregate, number: int, context: CommandContext) -> list[QueryChanged]:
    """Makes a new version with the content of an earlier one. Raises `CommandRejected` (missing) for one that is not
    kept."""
    content = query.versions.get(number)
    if content is None:
        raise not_found("version")
    return [] if content == query.content else [_changed(query, content, context, restored_from=number)]


def share(query: QueryAggregate, author_name: str, context: CommandContext, *, after: int = 0) -> list[QueryShared]:
    """Shares the query; returns no events if it is shared. `after`: new events of the query before this one."""
    if query.is_shared:
        return []
    metadata = next_event(query, context, after=after)
    return [QueryShared(**metadata, account_id=query.account_id, author_name=author_name)]


def unshare(query: QueryAggregate, context: CommandContext, *, after: int = 0) -> list[QueryUnshared]:
    """Ends the sharing of the query; returns no events if it is not shared."""
    return [QueryUnshared(**next_event(query, context, after=after))] if query.is_shared else []


def remove(query: QueryAggregate, context: CommandContext) -> QueryRemoved:
    return QueryRemoved(**next_event(query, context))


def restore(query: QueryAggregate, context: CommandContext) -> list[QueryRestored]:
    """Restores the query; returns no events if it was not removed."""
    return [QueryRestored(**next_event(query, context))] if query.removed else []


def require_visible(query: QueryAggregate | None, context: CommandContext) -> QueryAggregate:
    """Returns the query. Raises `CommandRejected` (missing) unless the actor may see it, which the author and, once it
    is shared, all analysts may."""
    if query is None or query.removed or not (query.is_shared or query.account_id == context.account_id):
        raise not_found("query")
    return query


def require_editable(query: QueryAggregate | None, context: CommandContext, *, removed: bool = False) -> QueryAggregate:
    """Returns the query, with `removed` also a removed one. Raises `CommandRejected` unless the actor may change it,
    which the author and, once it is shared, admins may."""
    if query is None or (query.removed and not removed):
        raise not_found("query")
    if query.account_id == context.account_id:
        return query
    if not query.is_shared or query.removed:
        raise not_found("query")
    if not context.is_admin:
        raise CommandRejected("forbidden", "not_yours", "Only the author or an admin can change this query.")
    return query


evolve: Final = (
    Evolution(QueryAggregate)
    .follows(QueryShared, but="account_id", is_shared=True)
    .follows(QueryUnshared, is_shared=False)
    .follows(QueryRemoved, removed=True)
    .follows(QueryRestored, removed=False)
)


@evolve.begun(QuerySaved)
def _saved(event: QuerySaved) -> dict[str, Any]:
    content = Content(event.title, event.text, event.title_hash)
    return {"account_id": event.account_id, "content": content, "versions": {1: content}}


@evolve.on(QueryChanged)
def _new_version(query: QueryAggregate, event: QueryChanged) -> dict[str, Any]:
    content, first = Content(event.title, event.text, event.title_hash), event.number - MAX_VERSIONS
    kept = {number: one for number, one in query.versions.items() if number > first}
    return {"content": content, "number": event.number, "versions": {**kept, event.number: content}}


def _changed(
    query: QueryAggregate, content: Content, context: CommandContext, restored_from: int | None = None
) -> QueryChanged:
    return QueryChanged(
        **next_event(query, context),
        account_id=query.account_id,
        **asdict(content),
        number=query.number + 1,
        restored_from=restored_from,
    )
