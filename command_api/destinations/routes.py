"""`/api/platform/destinations`: send decided conversions to an ad platform, change that, end it."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Response

from command_api.destinations import commands
from command_api.destinations.schemas import ConnectDestination, ReconnectDestination
from command_api.kernel.http import Id, Runs
from command_api.kernel.rate_limits import Limit, consume
from schemas.http.destinations import Destination
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/platform/destinations", tags=["destinations"])
DESTINATIONS: Final = Limit("destination", timedelta(seconds=30), 20)


@router.post("", status_code=201, response_model=Destination)
def connect_destination(body: ConnectDestination, run: Runs) -> Response:
    """Sends conversions that are decided from now on to Google Ads, Microsoft Advertising, Meta or TikTok."""
    consume(run.container.pool, DESTINATIONS, str(run.person.account_id))
    command = commands.AddDestination(uuid7(), body.website_id, body.platform, body.mapping.mapping, body.credentials)
    return run(command, body, status=201, is_consistent=True)


@router.patch("/{id}", response_model=Destination)
def reconnect_destination(destination_id: Id, body: ReconnectDestination, run: Runs) -> Response:
    """Changes mapping or credentials. New credentials send what the old ones could not."""
    consume(run.container.pool, DESTINATIONS, str(run.person.account_id))
    mapping = None if body.mapping is None else body.mapping.mapping
    return run(commands.ChangeDestination(destination_id, mapping, body.credentials), body, is_consistent=True)


@router.delete("/{id}", status_code=204)
def remove_destination(destination_id: Id, run: Runs) -> Response:
    """Ends the destination, and deletes its credentials and the log of its deliveries."""
    return run(commands.RemoveDestination(destination_id), status=204, is_consistent=True)
