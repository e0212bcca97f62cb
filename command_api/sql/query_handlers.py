"""Command handlers of saved queries and of their charts on dashboards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from command_api.accounts import model as accounts
from command_api.kernel.aggregates import state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import CommandContext, conflict
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.sql import commands, pins, queries
from command_api.sql.lookups import query_with_title, require_room_for_chart, require_room_for_query
from command_api.sql.queries import Content, QueryAggregate
from infra.kernel.security.encryption import derived_key, keyed_hash
from schemas.base import DomainEvent
from schemas.http.sql import PinnedChart, SavedQuery

HANDLERS: Final = CommandHandlers()
MAX_TITLE: Final = 120
_ADOPTED: Final = 500
"""Rows that are turned into events in one transaction."""


@HANDLERS.on(commands.SaveQuery, senders="accounts")
def save_query(command: commands.SaveQuery, uow: UnitOfWork) -> SavedQuery:
    fields, account_id = command.fields, uow.context.require_account()
    uow.lock()
    content = _content(uow, account_id, fields.title, fields.sql)
    taken_by = query_with_title(uow, account_id, content.title_hash)
    if taken_by and fields.if_title_exists == "reject":
        raise conflict("title_taken", "You already have a query with this title.", "title")
    if taken_by and fields.if_title_exists == "replace":
        query = queries.require_editable(uow.load(taken_by, queries.evolve), uow.context)
        return _decided(uow, query, queries.change(query, content, uow.context))
    if taken_by:
        content = _content(uow, account_id, _free_title(uow, account_id, fields.title), fields.sql)
    saved = queries.save(command.query_id, content, uow.context)
    require_room_for_query(uow.append(saved), account_id)
    return _to_response(queries.evolve(None, saved))


@HANDLERS.on(commands.ChangeQuery, senders="accounts")
def change_query(command: commands.ChangeQuery, uow: UnitOfWork) -> SavedQuery:
    fields = command.fields
    uow.lock()
    query = queries.require_editable(uow.load(command.query_id, queries.evolve), uow.context)
    title, text = fields.title or query.content.title, fields.sql or query.content.text
    content = _content(uow, query.account_id, title, text)
    _require_free(uow, query, content)
    events: list[DomainEvent] = [*queries.change(query, content, uow.context)]
    if fields.is_shared:
        events += queries.share(query, _name_of(uow, query.account_id), uow.context, after=len(events))
    elif fields.is_shared is False:
        events += queries.unshare(query, uow.context, after=len(events))
    return _decided(uow, query, events)


@HANDLERS.on(commands.RestoreQueryVersion, senders="accounts")
def restore_query_version(command: commands.RestoreQueryVersion, uow: UnitOfWork) -> SavedQuery:
    uow.lock()
    query = queries.require_editable(uow.load(command.query_id, queries.evolve), uow.context)
    events = queries.restore_version(query, command.number, uow.context)
    for event in events:
        _require_free(uow, query, queries.evolve(query, event).content)
    return _decided(uow, query, events)


@HANDLERS.on(commands.DeleteSavedQuery, senders="accounts")
def delete_saved_query(command: commands.DeleteSavedQuery, uow: UnitOfWork) -> None:
    query = queries.require_editable(uow.load(command.query_id, queries.evolve), uow.context)
    uow.append(queries.remove(query, uow.context))


@HANDLERS.on(commands.RestoreSavedQuery, senders="accounts")
def restore_saved_query(command: commands.RestoreSavedQuery, uow: UnitOfWork) -> SavedQuery:
    uow.lock()
    query = queries.require_editable(uow.load(command.query_id, queries.evolve), uow.context, removed=True)
    _require_free(uow, query, query.content)
    events = queries.restore(query, uow.context)
    require_room_for_query(uow.append(*events), query.account_id)
    return _to_response(state_after(queries.evolve, query, events))


@HANDLERS.on(commands.AdoptSavedQueries, senders="system")
def adopt_saved_queries(_: commands.AdoptSavedQueries, uow: UnitOfWork) -> int:
    uow.lock()
    rows = uow.select(_ROWS, _ADOPTED)
    for query_id, account_id, title, text, created_at in rows:
        content = _content(uow, account_id, title, text)
        uow.append(queries.save(query_id, content, CommandContext(created_at, account_id)))
    uow.cursor.execute("DELETE FROM sql.saved_query WHERE id = ANY(%s)", ([row[0] for row in rows],))
    return len(rows)


@HANDLERS.on(commands.PinChart, senders="accounts")
def pin_chart(command: commands.PinChart, uow: UnitOfWork) -> PinnedChart:
    fields = command.fields
    query = queries.require_visible(uow.load(fields.query_id, queries.evolve), uow.context)
    pinned = pins.pin(
        command.pin_id,
        query,
        kind=fields.kind,
        x=fields.x,
        y=fields.y,
        parameters=fields.parameters,
        context=uow.context,
    )
    require_room_for_chart(uow.append(pinned), pinned.account_id)
    return PinnedChart.of(pins.evolve(None, pinned))


@HANDLERS.on(commands.UnpinChart, senders="accounts")
def unpin_chart(command: commands.UnpinChart, uow: UnitOfWork) -> None:
    uow.append(pins.unpin(uow.load(command.pin_id, pins.evolve), uow.context))


def _decided(uow: UnitOfWork, query: QueryAggregate, events: Sequence[DomainEvent]) -> SavedQuery:
    return _to_response(uow.advance(queries.evolve, query, events))


def _content(uow: UnitOfWork, account_id: UUID, title: str, text: str) -> Content:
    key = derived_key(uow.settings, "query-title")
    return Content(title, text, keyed_hash(key, f"{account_id} {title.casefold()}"))


def _free_title(uow: UnitOfWork, account_id: UUID, title: str) -> str:
    number = 2
    while query_with_title(uow, account_id, _content(uow, account_id, _numbered(title, number), "").title_hash):
        number += 1
    return _numbered(title, number)


def _numbered(title: str, number: int) -> str:
    end = f" ({number})"
    return title[: MAX_TITLE - len(end)] + end


def _require_free(uow: UnitOfWork, query: QueryAggregate, content: Content) -> None:
    """Raises `CommandRejected` if another query of the author has the title."""
    other = query_with_title(uow, query.account_id, content.title_hash)
    if other not in (None, query.id):
        raise conflict("title_taken", "Another query has this title.", "title")


def _name_of(uow: UnitOfWork, account_id: UUID) -> str:
    account = uow.load(account_id, accounts.evolve)
    return account.name if account else ""


def _to_response(query: QueryAggregate) -> SavedQuery:
    content = query.content
    return SavedQuery(
        id=query.id, title=content.title, sql=content.text, version=query.number, is_shared=query.is_shared
    )


_ROWS: Final = (
    "SELECT q.id, q.account_id, q.title, q.text, q.created_at FROM sql.saved_query AS q ORDER BY q.created_at, q.id"
    " LIMIT %s"
)
