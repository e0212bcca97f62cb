"""Request and response models of insights."""

from __future__ import annotations

from pydantic import Field

from command_api.kernel.http import RequestModel
from schemas.events.insights import DigestMail
from schemas.http.insights import ShownInsight
from schemas.http.responses import ResponseModel


class Generated(ResponseModel):
    """The insights that hold now. They replace those that were shown before."""

    insights: list[ShownInsight] = Field(description="The weightiest first")
    added: int = Field(description="How many of them were not reported before")
    too_little_data: bool = Field(description="Less than five weeks were measured: only bot traffic was examined")
    silence: str | None = Field(
        description="Why no language model worded them: not_configured, switched_off, resting, budget, unavailable,"
        " bad_answer or not_believed; null when one did, or nothing was to be worded"
    )


class DismissInsight(RequestModel):
    """Why the insight needs no attention."""

    reason: str = Field(description="1 to 500 characters; stored with the insight")


class ChooseDigest(RequestModel):
    """How often new insights are emailed."""

    every: DigestMail
