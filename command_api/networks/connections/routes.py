"""`/api/platform/networks/connections`: connect a website to a network's API, change that, end it, read it now."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Response

from command_api.kernel.http import Id, Runs
from command_api.kernel.rate_limits import Limit, consume
from command_api.networks.connections import commands
from command_api.networks.connections.schemas import ConnectNetwork, ReconnectNetwork
from schemas.http.networks import NetworkConnection
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/networks/connections", tags=["networks"])
CONNECTIONS: Final = Limit("network-connection", timedelta(seconds=30), 20)
PULLS: Final = Limit("network-pull", timedelta(minutes=5), 5)


@router.post("", status_code=201, response_model=NetworkConnection)
def connect_network(body: ConnectNetwork, run: Runs) -> Response:
    """Connects a website to Awin, CJ or impact.com. The network is read at once, then by the schedule."""
    consume(run.container.pool, CONNECTIONS, str(run.person.account_id))
    command = commands.AddNetworkConnection(
        uuid7(), body.website_id, body.network, body.schedule, body.currency, body.partner_id, body.credentials
    )
    return run(command, body, status=201, is_consistent=True)


@router.patch("/{id}", response_model=NetworkConnection)
def reconnect_network(connection_id: Id, body: ReconnectNetwork, run: Runs) -> Response:
    """Changes schedule or credentials. A pull that the old credentials began goes on, if the account is the same."""
    consume(run.container.pool, CONNECTIONS, str(run.person.account_id))
    command = commands.ChangeNetworkConnection(connection_id, body.schedule, body.credentials)
    return run(command, body, is_consistent=True)


@router.delete("/{id}", status_code=204)
def disconnect_network(connection_id: Id, run: Runs) -> Response:
    """Ends the connection and deletes its credentials. Imports stay."""
    return run(commands.RemoveNetworkConnection(connection_id), status=204, is_consistent=True)


@router.post("/{id}/pull", status_code=202, response_model=NetworkConnection)
def pull_network(connection_id: Id, run: Runs) -> Response:
    """Reads the network now."""
    consume(run.container.pool, PULLS, f"{run.person.account_id}:{connection_id}")
    return run(commands.PullNetworkReport(connection_id), status=202)
