"""Bodies and answers of the calls for connections of social channels."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from pydantic import Field

from command_api.kernel.http import RequestModel
from schemas.http.responses import ResponseModel

Text = Annotated[str, Field(min_length=1, max_length=2048)]


class CompleteConnection(RequestModel):
    """What the network added to the address of the page to which it sent the browser back."""

    state: Text
    code: Text


class ConnectionStarted(ResponseModel):
    """The network's page on which the owner permits the reading."""

    url: str = Field(description="Where the browser goes next")


class Connected(ResponseModel):
    """The connected channel."""

    channel_id: UUID
    website_id: UUID
    name: str = Field(description="Of the account on the network")
