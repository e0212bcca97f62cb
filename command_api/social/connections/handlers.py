"""Command handlers of connections. What ends a channel, a website or an account deletes the tokens with it."""

from __future__ import annotations

from typing import Final, LiteralString
from uuid import UUID

from command_api.kernel.aggregates import require_found
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import invalid, not_found
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.social import model
from command_api.social.connections import commands, store
from command_api.social.connections.schemas import Connected, ConnectionStarted
from command_api.social.connections.store import PROCESS
from command_api.social.lookups import channels_of
from command_api.social.network_client import NetworkClient
from command_api.social.networks import api_of, redirect_uri
from command_api.websites import model as websites
from infra.domain.social_connections import encrypt_name
from schemas.base import DomainEvent
from schemas.events.accounts import AccountErased
from schemas.events.social import SocialChannelConnected, SocialChannelDisconnected, SocialChannelRemoved
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred
from schemas.social_networks import RULES

HANDLERS: Final = CommandHandlers()


@HANDLERS.on(commands.StartConnection, senders="accounts")
def start_connection(command: commands.StartConnection, uow: UnitOfWork) -> ConnectionStarted:
    channel = _owned(uow, command.channel_id)
    api = api_of(NetworkClient.of(uow.settings), uow.settings, channel.network)
    if api is None:
        name = RULES[channel.network].name
        raise invalid("not_configured", f"Connections to {name} are not set up on this server.")
    store.begin_flow(uow, channel.id, channel.network, command.session_id, command.state, command.verifier)
    return ConnectionStarted(url=api.authorization(redirect_uri(uow.settings), command.state, command.verifier))


@HANDLERS.on(commands.ConnectChannel, senders="accounts")
def connect_channel(command: commands.ConnectChannel, uow: UnitOfWork) -> Connected:
    channel = _owned(uow, command.channel_id)
    website = uow.load(channel.website_id, websites.evolve)
    if channel.network is not command.network:
        raise not_found("social channel")
    uow.append(model.connect(channel, website, command.name, uow.context))
    values = {
        "channel": channel.id,
        "account": channel.account_id,
        "network": channel.network.value,
        "name": encrypt_name(uow.settings, channel.id, command.name),
        "tokens": command.tokens_sealed,
        "at": uow.context.at,
    }
    uow.cursor.execute(_CONNECT, values)
    return Connected(channel_id=channel.id, website_id=channel.website_id, name=command.name)


@HANDLERS.on(commands.DisconnectChannel, senders="accounts")
def disconnect_channel(command: commands.DisconnectChannel, uow: UnitOfWork) -> None:
    channel = _owned(uow, command.channel_id)
    if not uow.select(_IS_THERE, channel.id):
        raise not_found("connection")
    uow.append(model.disconnect(channel, "owner", uow.context))
    uow.cursor.execute(_DELETE, (channel.id,))


@HANDLERS.on(commands.ReadChannelNow, senders="accounts")
def read_channel_now(command: commands.ReadChannelNow, uow: UnitOfWork) -> None:
    channel = _owned(uow, command.channel_id)
    if uow.cursor.execute(_DUE_NOW, (uow.context.at, channel.id)).rowcount == 0:
        raise not_found("connection")
    uow.set_timeout(PROCESS, channel.id, uow.context.at)


@HANDLERS.on(commands.RecordConnectionCheck, senders="system")
def record_connection_check(command: commands.RecordConnectionCheck, uow: UnitOfWork) -> None:
    channel = uow.load(command.channel_id, model.evolve)
    website = uow.load(channel.website_id, websites.evolve) if channel is not None else None
    uow.lock()
    rows = uow.select(_CURRENT, command.channel_id, command.connected_at)
    if channel is None or not rows:
        return  # disconnected or connected again during the reading
    if website is None or website.account_id != rows[0][0]:
        _delete(uow, channel.id)  # the website has another owner, whose permission this is not
        return
    if command.next_at is None:
        uow.append(model.disconnect(channel, "network", uow.context))
    values = {"channel": channel.id, "at": uow.context.at, "problem": command.problem, "next": command.next_at}
    uow.cursor.execute(_FAILED if command.counts is None else _READ, values | _counts(command.counts))
    uow.set_timeout(PROCESS, channel.id, command.next_at)


@HANDLERS.after(SocialChannelConnected, SocialChannelDisconnected)
def set_first_check(event: DomainEvent, uow: Appended) -> None:
    """Makes the first check of a connection due, and ends the checks with it."""
    at = uow.context.at if isinstance(event, SocialChannelConnected) else None
    uow.set_timeout(PROCESS, event.originator_id, at)


@HANDLERS.before(SocialChannelRemoved)
def end_of_channel(event: SocialChannelRemoved, uow: UnitOfWork) -> None:
    _delete(uow, event.originator_id)


@HANDLERS.before(WebsiteDisconnected)
def end_of_website(event: WebsiteDisconnected, uow: UnitOfWork) -> None:
    for channel_id in channels_of(uow, event.originator_id):
        _delete(uow, channel_id)


@HANDLERS.before(WebsiteTransferred)
def end_of_permission(event: WebsiteTransferred, uow: UnitOfWork) -> None:
    """Ends the permissions of the website's channels, which are the seller's: the buyer connects the channels again."""
    for channel_id in channels_of(uow, event.originator_id):
        channel = uow.load(channel_id, model.evolve)
        if channel is not None and uow.select(_IS_THERE, channel_id):
            uow.append(model.disconnect(channel, "owner", uow.context))
        _delete(uow, channel_id)
        uow.cursor.execute(_DELETE_FLOWS_OF_CHANNEL, (channel_id,))


@HANDLERS.before(AccountErased)
def end_of_account(event: AccountErased, uow: UnitOfWork) -> None:
    for (channel_id,) in uow.select(_OF_ACCOUNT, event.originator_id):
        _delete(uow, channel_id)
    uow.cursor.execute(_DELETE_FLOWS, (event.originator_id,))


def _owned(uow: UnitOfWork, channel_id: UUID) -> model.SocialChannelAggregate:
    channel = require_found(uow.load(channel_id, model.evolve), "social channel")
    return model.require_active(channel, uow.load(channel.website_id, websites.evolve), uow.context)


def _delete(uow: UnitOfWork, channel_id: UUID) -> None:
    uow.cursor.execute(_DELETE, (channel_id,))
    uow.set_timeout(PROCESS, channel_id, None)


def _counts(counts: commands.ChannelCounts | None) -> dict[str, object]:
    if counts is None:
        return {}
    return {
        "name": counts.name_sealed,
        "followers": counts.followers,
        "posts": counts.posts,
        "views": counts.views,
        "before": counts.views_before,
        "on": counts.views_on,
    }


_CONNECT: Final[LiteralString] = (
    "INSERT INTO social.connection (channel_id, account_id, network, name_sealed, tokens_sealed, connected_at, next_at)"
    " VALUES (%(channel)s, %(account)s, %(network)s, %(name)s, %(tokens)s, %(at)s, %(at)s)"
    " ON CONFLICT (channel_id) DO UPDATE SET account_id = excluded.account_id, network = excluded.network,"
    " name_sealed = excluded.name_sealed, tokens_sealed = excluded.tokens_sealed, connected_at = excluded.connected_at,"
    " next_at = excluded.next_at, checked_at = NULL, succeeded_at = NULL, failures = 0, problem = NULL,"
    " followers = NULL, posts = NULL, views = NULL, views_before = NULL, views_on = NULL"
)
_IS_THERE: Final[LiteralString] = "SELECT 1 FROM social.connection WHERE channel_id = %s"
_DUE_NOW: Final[LiteralString] = (
    "UPDATE social.connection SET next_at = %s WHERE channel_id = %s AND tokens_sealed IS NOT NULL"
)
_CURRENT: Final[LiteralString] = (
    "SELECT account_id FROM social.connection"
    " WHERE channel_id = %s AND connected_at = %s AND tokens_sealed IS NOT NULL FOR UPDATE"
)
_FAILED: Final[LiteralString] = (
    "UPDATE social.connection SET checked_at = %(at)s, failures = failures + 1, problem = %(problem)s,"
    " next_at = %(next)s, tokens_sealed = CASE WHEN %(next)s::timestamptz IS NULL THEN NULL ELSE tokens_sealed END"
    " WHERE channel_id = %(channel)s"
)
_READ: Final[LiteralString] = (
    "UPDATE social.connection SET checked_at = %(at)s, succeeded_at = %(at)s, failures = 0, problem = NULL,"
    " next_at = %(next)s, name_sealed = %(name)s, followers = %(followers)s, posts = %(posts)s, views = %(views)s,"
    " views_before = %(before)s, views_on = %(on)s WHERE channel_id = %(channel)s"
)
_OF_ACCOUNT: Final[LiteralString] = "SELECT channel_id FROM social.connection WHERE account_id = %s ORDER BY channel_id"
_DELETE: Final[LiteralString] = "DELETE FROM social.connection WHERE channel_id = %s"
_DELETE_FLOWS_OF_CHANNEL: Final[LiteralString] = "DELETE FROM social.connection_flow WHERE channel_id = %s"
_DELETE_FLOWS: Final[LiteralString] = "DELETE FROM social.connection_flow WHERE account_id = %s"
