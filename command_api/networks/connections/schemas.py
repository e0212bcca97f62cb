"""Bodies of requests about connections to networks' APIs."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from schemas.events.networks import PullSchedule

Id = Annotated[UUID, Field(strict=False)]
Schedule = Annotated[PullSchedule, Field(strict=False)]
Credentials = Annotated[
    dict[Annotated[str, Field(max_length=32)], Annotated[str, Field(max_length=2_048)]],
    Field(
        max_length=8,
        description="awin: publisherId, token; cj: publisherId, token; impact: accountSid, authToken. Not shown again",
    ),
]


class ConnectNetwork(RequestModel):
    """Connects a website to the API of a network."""

    network: str = Field(max_length=32, description="awin, cj or impact")
    website_id: Id
    credentials: Credentials
    schedule: Schedule = PullSchedule.DAILY
    currency: str | None = Field(
        default=None,
        pattern="^[A-Z]{3}$",
        description="cj: the account's own, whose amounts are then read; else those in USD",
    )
    partner_id: Id | None = Field(default=None, description="Who pays rows of no known advertiser")


class ReconnectNetwork(RequestModel):
    """Changes what is given."""

    credentials: Credentials | None = None
    schedule: Schedule | None = None
