"""Commands of connections to networks' APIs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from uuid import UUID

from command_api.kernel.command_handlers import Command
from schemas.events.networks import PullSchedule
from schemas.http.networks import NetworkConnection


class AddNetworkConnection(Command[NetworkConnection]):
    """Connects a website of the sender to the API of a network."""

    connection_id: UUID
    website_id: UUID
    network: str
    schedule: PullSchedule
    currency: str | None
    partner_id: UUID | None
    credentials: Mapping[str, str] = field(repr=False)


class ChangeNetworkConnection(Command[NetworkConnection]):
    """Changes what is not None."""

    connection_id: UUID
    schedule: PullSchedule | None
    credentials: Mapping[str, str] | None = field(repr=False)


class RemoveNetworkConnection(Command[None]):
    """Ends the connection and deletes its credentials."""

    connection_id: UUID


class PullNetworkReport(Command[NetworkConnection]):
    """Reads the network at once instead of at the next time."""

    connection_id: UUID


class FinishPull(Command[None]):
    """Tells that everything up to `pulled_until` is read. `pull_id`: the pull; `import_id`: the import of what it
    read, None if the network had nothing new."""

    connection_id: UUID
    pull_id: UUID
    pulled_until: datetime
    rows: int
    file_hash: str | None
    import_id: UUID | None


class RecordPullFailure(Command[None]):
    """Tells why a call of the network failed. `is_refused`: the credentials are not accepted; `starts_over`: what was
    read is of no use."""

    connection_id: UUID
    credentials_hash: str
    problem: str
    is_refused: bool
    starts_over: bool
