"""Command handlers of connections to networks' APIs. What ends a website, or its owner's right to it, ends them."""

from __future__ import annotations

from datetime import timedelta
from typing import Final, LiteralString
from uuid import UUID

from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict, not_found
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.networks.connections import commands, model, store
from command_api.networks.connections.model import NetworkConnectionAggregate
from command_api.networks.connections.store import PROCESS
from command_api.partners import model as partners
from command_api.websites import model as websites
from schemas.base import DomainEvent
from schemas.events.networks import (
    NetworkConnectionAdded,
    NetworkConnectionChanged,
    NetworkConnectionRefused,
    NetworkConnectionRemoved,
    PullSchedule,
)
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred
from schemas.http.networks import NetworkConnection

HANDLERS: Final = CommandHandlers()
MAX_CONNECTIONS: Final = 10
"""Of a website."""
INTERVALS: Final = {PullSchedule.HOURLY: timedelta(hours=1), PullSchedule.DAILY: timedelta(days=1)}
RETRY_DELAYS: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180, 360))


@HANDLERS.on(commands.AddNetworkConnection, senders="accounts")
def add_network_connection(command: commands.AddNetworkConnection, uow: UnitOfWork) -> NetworkConnection:
    website = websites.require_owned(uow.load(command.website_id, websites.evolve), uow.context)
    credentials = model.checked_credentials(command.network, command.credentials)
    if command.partner_id is not None:
        partner = uow.load(command.partner_id, partners.evolve)
        if partner is None or not partner.is_for(website.account_id):
            raise not_found("partner")
    added = model.add(
        command.connection_id,
        website,
        command.network,
        command.schedule,
        currency=command.currency,
        partner_id=command.partner_id,
        context=uow.context,
    )
    held = uow.advance(model.evolve, None, [added])
    if len(uow.select(_OF_WEBSITE, website.id)) >= MAX_CONNECTIONS:
        raise conflict("too_many_connections", f"A website has at most {MAX_CONNECTIONS} connections to networks.")
    sealed = store.seal_credentials(uow.settings, held.id, credentials)
    values = (held.id, website.id, held.network, sealed.sealed, sealed.account_hash, sealed.hash, uow.context.at)
    uow.cursor.execute(_ADD, values)
    uow.cursor.execute(_DELETE_OLD_PACES, (uow.context.at - timedelta(days=1),))
    return state_of(held)


@HANDLERS.on(commands.ChangeNetworkConnection, senders="accounts")
def change_network_connection(command: commands.ChangeNetworkConnection, uow: UnitOfWork) -> NetworkConnection:
    held = _owned(command.connection_id, uow)
    given = command.credentials
    credentials = None if given is None else model.checked_credentials(held.network, given)
    events = model.change(held, command.schedule, uow.context, has_new_credentials=credentials is not None)
    changed = uow.advance(model.evolve, held, events)
    if credentials is not None:
        sealed = store.seal_credentials(uow.settings, held.id, credentials)
        if not uow.select(_IS_SAME_ACCOUNT, held.id, sealed.account_hash):
            _start_over(uow, held.id)
            uow.cursor.execute(_FORGET_PULLS, (held.id,))
        uow.cursor.execute(_RECONNECT, (sealed.sealed, sealed.account_hash, sealed.hash, held.id))
    if events and not changed.is_refused:
        uow.cursor.execute(_DUE, (uow.context.at, held.id))
    return state_of(changed)


@HANDLERS.on(commands.RemoveNetworkConnection, senders="accounts")
def remove_network_connection(command: commands.RemoveNetworkConnection, uow: UnitOfWork) -> None:
    held = _owned(command.connection_id, uow)
    uow.append(*model.remove(held, uow.context))


@HANDLERS.on(commands.PullNetworkReport, senders="accounts")
def pull_network_report(command: commands.PullNetworkReport, uow: UnitOfWork) -> NetworkConnection:
    held = _owned(command.connection_id, uow)
    model.require_pullable(held)
    uow.cursor.execute(_DUE, (uow.context.at, held.id))
    uow.set_timeout(PROCESS, held.id, uow.context.at)
    return state_of(held)


@HANDLERS.on(commands.FinishPull, senders="system")
def finish_pull(command: commands.FinishPull, uow: UnitOfWork) -> None:
    held = uow.load(command.connection_id, model.evolve)
    uow.lock()
    if held is None or not uow.select(_IS_PULL, command.connection_id, command.pull_id):
        return  # removed, or another account since
    uow.append(*model.finish_pull(held, command.pulled_until, command.rows, command.import_id, uow.context))
    _start_over(uow, held.id)
    next_at = uow.context.at + INTERVALS[held.schedule]
    values = (command.pulled_until, command.file_hash, uow.context.at, next_at, held.id)
    uow.cursor.execute(_FINISH, values)
    uow.set_timeout(PROCESS, held.id, next_at)


@HANDLERS.on(commands.RecordPullFailure, senders="system")
def record_pull_failure(command: commands.RecordPullFailure, uow: UnitOfWork) -> None:
    held = uow.load(command.connection_id, model.evolve)
    uow.lock()
    rows = uow.select(_FAILURES, command.connection_id, command.credentials_hash)
    if held is None or not rows:
        return  # removed, or new credentials since
    if command.starts_over:
        _start_over(uow, held.id)
    [(failures,)] = rows
    delay = RETRY_DELAYS[min(failures, len(RETRY_DELAYS) - 1)]
    next_at = uow.context.at + (INTERVALS[held.schedule] if command.starts_over else delay)
    if command.is_refused:
        uow.append(*model.refuse(held, command.problem, uow.context))
    at = None if command.is_refused else next_at
    uow.cursor.execute(_FAIL, (uow.context.at, command.problem, at, held.id))
    uow.set_timeout(PROCESS, held.id, at)


@HANDLERS.after(NetworkConnectionAdded, NetworkConnectionChanged)
def pull_at_once(event: DomainEvent, uow: Appended) -> None:
    """The network is read at once, so that its owner sees that it works."""
    uow.set_timeout(PROCESS, event.originator_id, event.timestamp)


@HANDLERS.after(NetworkConnectionRefused)
def stop_pulling(event: NetworkConnectionRefused, uow: Appended) -> None:
    """Nothing is due until there are new credentials."""
    uow.set_timeout(PROCESS, event.originator_id, None)


@HANDLERS.after(NetworkConnectionRemoved)
def delete_credentials(event: NetworkConnectionRemoved, uow: Appended) -> None:
    """Deletes the credentials and what was read; imports stay."""
    uow.cursor.execute(_DELETE, (event.originator_id,))
    uow.set_timeout(PROCESS, event.originator_id, None)


@HANDLERS.before(WebsiteDisconnected, WebsiteTransferred)
def remove_connections(event: DomainEvent, uow: UnitOfWork) -> None:
    """Ends the connections of a website that is gone, or has another owner: the account at the network is the
    former one's."""
    for (connection_id,) in uow.select(_OF_WEBSITE, event.originator_id):
        held = uow.load(connection_id, model.evolve)
        if held is not None:
            uow.append(*model.remove(held, uow.context))


def state_of(held: NetworkConnectionAggregate) -> NetworkConnection:
    """Returns the response."""
    return NetworkConnection(
        id=held.id,
        website_id=held.website_id,
        network=held.network,
        schedule=held.schedule,
        currency=held.currency,
        partner_id=held.partner_id,
        is_refused=held.is_refused,
    )


def _owned(connection_id: UUID, uow: UnitOfWork) -> NetworkConnectionAggregate:
    loaded = uow.load(connection_id, model.evolve)
    website = uow.load(loaded.website_id, websites.evolve) if loaded else None
    return model.require_connected(loaded, website, uow.context)


def _start_over(uow: UnitOfWork, connection_id: UUID) -> None:
    uow.cursor.execute(_DELETE_PAGES, (connection_id,))
    uow.cursor.execute(_START_OVER, (connection_id,))


_OF_WEBSITE: Final[LiteralString] = (
    "SELECT connection_id FROM networks.connection WHERE website_id = %s ORDER BY connection_id"
)
_ADD: Final[LiteralString] = (
    "INSERT INTO networks.connection (connection_id, website_id, network, credentials_sealed, account_hash,"
    " credentials_hash, next_at) VALUES (%s, %s, %s, %s, %s, %s, %s)"
)
_DELETE_OLD_PACES: Final[LiteralString] = "DELETE FROM networks.call_pace WHERE next_call_at < %s"
_IS_SAME_ACCOUNT: Final[LiteralString] = (
    "SELECT 1 FROM networks.connection WHERE connection_id = %s AND account_hash = %s"
)
_RECONNECT: Final[LiteralString] = (
    "UPDATE networks.connection SET credentials_sealed = %s, account_hash = %s, credentials_hash = %s, failures = 0,"
    " problem = NULL WHERE connection_id = %s"
)
_FORGET_PULLS: Final[LiteralString] = (
    "UPDATE networks.connection SET pulled_until = NULL, file_hash = NULL WHERE connection_id = %s"
)
_DUE: Final[LiteralString] = "UPDATE networks.connection SET next_at = %s WHERE connection_id = %s"
_IS_PULL: Final[LiteralString] = "SELECT 1 FROM networks.connection WHERE connection_id = %s AND pull_id = %s"
_FINISH: Final[LiteralString] = (
    "UPDATE networks.connection SET pulled_until = %s, file_hash = %s, checked_at = %s, failures = 0, problem = NULL,"
    " next_at = %s WHERE connection_id = %s"
)
_FAILURES: Final[LiteralString] = (
    "SELECT failures FROM networks.connection WHERE connection_id = %s AND credentials_hash = %s FOR UPDATE"
)
_FAIL: Final[LiteralString] = (
    "UPDATE networks.connection SET checked_at = %s, failures = failures + 1, problem = %s, next_at = %s"
    " WHERE connection_id = %s"
)
_DELETE: Final[LiteralString] = "DELETE FROM networks.connection WHERE connection_id = %s"
_DELETE_PAGES: Final[LiteralString] = "DELETE FROM networks.pulled_page WHERE connection_id = %s"
_START_OVER: Final[LiteralString] = (
    "UPDATE networks.connection SET position = NULL, pull_id = NULL WHERE connection_id = %s"
)
