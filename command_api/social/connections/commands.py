"""Commands of the connections of social channels to their networks."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.social.connections.schemas import Connected, ConnectionStarted
from schemas.social_networks import Network


class StartConnection(Command[ConnectionStarted]):
    """Begins a connection of a channel of the sender; answers the network's address at which it goes on.

    `state` and `verifier` are random; only the session may complete the connection.
    """

    channel_id: UUID
    session_id: UUID
    state: str = field(repr=False)
    verifier: str = field(repr=False)


class ConnectChannel(Command[Connected]):
    """Connects a channel of the sender to the account `name` on its network; the connection before is replaced."""

    channel_id: UUID
    network: Network
    name: str
    tokens_sealed: str = field(repr=False)


class DisconnectChannel(Command[None]):
    """Ends the connection and deletes its tokens."""

    channel_id: UUID


class ReadChannelNow(Command[None]):
    """Reads the connected account at once instead of at the next time."""

    channel_id: UUID


@dataclass(frozen=True, slots=True)
class ChannelCounts:
    """The counts of a reading. `views_before`, `views_on`: total of views at the first reading of a day, and the
    day."""

    name_sealed: str
    followers: int | None
    posts: int | None
    views: int | None
    views_before: int | None
    views_on: date | None


class RecordConnectionCheck(Command[None]):
    """Records how a reading ended. `counts`: what was found; `problem`: why nothing was. `next_at`: None if the network
    ended the connection."""

    channel_id: UUID
    connected_at: datetime
    counts: ChannelCounts | None
    problem: str | None
    next_at: datetime | None
