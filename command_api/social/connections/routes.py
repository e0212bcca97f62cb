"""`/api/platform/social-channels/…/connection`: connect a channel to its network, disconnect it, read it now.

The network sends the browser back to a page of the app, which hands code and state on with the person's session: the
answer of a network is worth nothing in another session, and nothing twice.
"""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from secrets import token_urlsafe
from typing import Final
from uuid import UUID

from fastapi import APIRouter, Response

from command_api.kernel import rate_limits
from command_api.kernel.command_handlers import Command
from command_api.kernel.container import Container
from command_api.kernel.http import Id, Runs
from command_api.social.connections import commands, store
from command_api.social.connections.schemas import CompleteConnection, Connected, ConnectionStarted
from command_api.social.network_client import GrantEnded, NetworkClient, NetworkError
from command_api.social.networks import api_of, redirect_uri
from infra.kernel.http.problems import Problem
from infra.kernel.http.worker_slots import release_worker_slot
from infra.kernel.security.encryption import DecryptionError

router = APIRouter(prefix="/api/platform/social-channels", tags=["social"])
CONNECTIONS: Final = rate_limits.Limit("social_connection", timedelta(seconds=30), 10)
READS: Final = rate_limits.Limit("social_read", timedelta(minutes=10), 3)


@router.post("/connections", status_code=201, response_model=Connected)
def complete_social_connection(body: CompleteConnection, run: Runs) -> Response:
    """Connects the channel whose connection this session began. Works once, for ten minutes."""
    rate_limits.consume(run.container.pool, CONNECTIONS, str(run.person.account_id))
    return run.prepared(lambda: _complete(run.container, run.person.session_id, body), body, status=201)


@router.post("/{id}/connection", response_model=ConnectionStarted)
def start_social_connection(channel_id: Id, run: Runs) -> Response:
    """Starts a connection: the browser then goes to the network, where the owner permits the reading."""
    rate_limits.consume(run.container.pool, CONNECTIONS, str(run.person.account_id))
    state, verifier = token_urlsafe(32), token_urlsafe(48)
    return run(commands.StartConnection(channel_id, run.person.session_id, state, verifier))


@router.delete("/{id}/connection", status_code=204)
def disconnect_social_channel(channel_id: Id, run: Runs) -> Response:
    """Ends the connection, deletes its tokens and revokes them at the network, where it can be done."""
    connection = store.connection_of(run.container, channel_id, run.person.account_id)
    answer = run(commands.DisconnectChannel(channel_id), status=204)
    if connection is not None:
        _revoke(run.container, connection)
    return answer


@router.post("/{id}/connection/read", status_code=202, response_model=None)
def read_social_channel(channel_id: Id, run: Runs) -> Response:
    """Reads the connected account now."""
    rate_limits.consume(run.container.pool, READS, f"{run.person.account_id}:{channel_id}")
    return run(commands.ReadChannelNow(channel_id), status=202)


def _complete(container: Container, session_id: UUID, body: CompleteConnection) -> Command[Connected]:
    flow = store.complete_flow(container, session_id, body.state)
    settings = container.settings
    api = api_of(NetworkClient.of(settings), settings, flow.network) if flow is not None else None
    if flow is None or api is None:
        raise Problem(400, "connection_ended", "This connection has ended. Please connect the channel again.")
    try:
        with release_worker_slot():
            tokens = api.exchange(redirect_uri(settings), body.code, flow.verifier, datetime.now(UTC))
            name = api.name(tokens)
    except GrantEnded as error:
        raise Problem(400, "connection_refused", str(error)) from error
    except NetworkError as error:
        raise Problem(503, "network_unavailable", f"{error} Please try again later.") from error
    sealed = store.seal_tokens(settings, flow.channel_id, tokens)
    return commands.ConnectChannel(flow.channel_id, flow.network, name, sealed)


def _revoke(container: Container, connection: store.StoredConnection) -> None:
    """Revokes the tokens at the network, if possible: tokens that cannot be revoked now are deleted all the same."""
    api = api_of(NetworkClient.of(container.settings), container.settings, connection.network)
    if api is not None:
        with suppress(NetworkError, DecryptionError), release_worker_slot():
            api.revoke(store.open_tokens(container.settings, connection.channel_id, connection.tokens_sealed))
