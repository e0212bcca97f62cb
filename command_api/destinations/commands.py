"""Commands of destinations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from command_api.kernel.command_handlers import Command
from schemas.events.destinations import AdPlatform, DestinationMapping
from schemas.http.destinations import Destination


@dataclass(frozen=True, slots=True)
class DeliveryResult:
    """The outcome of a delivery. `retry`: it is sent again, at the earliest after `wait`; `refused`: not before there
    are other credentials; `known`: there is nothing to send. `answer`: what the platform said, or why nothing is sent,
    by `reason`."""

    at: datetime
    outcome: Literal["sent", "in_file", "skipped", "failed", "retry", "refused", "known"]
    status: int | None = None
    answer: str = ""
    reason: str = ""
    wait: timedelta = timedelta(0)


class AddDestination(Command[Destination]):
    """Sends the conversions of a website of the sender to an ad platform. No credentials: by files to upload."""

    destination_id: UUID
    website_id: UUID
    platform: AdPlatform
    mapping: DestinationMapping
    credentials: Mapping[str, str] = field(repr=False)


class ChangeDestination(Command[Destination]):
    """Changes what is not None."""

    destination_id: UUID
    mapping: DestinationMapping | None
    credentials: Mapping[str, str] | None = field(repr=False)


class RemoveDestination(Command[None]):
    """Ends the destination, and deletes its credentials and deliveries."""

    destination_id: UUID


class RecordDelivery(Command[None]):
    """Stores what came of a delivery. `credentials_hash`: with which it was sent."""

    delivery_id: UUID
    attempt: DeliveryResult
    credentials_hash: str
