"""Bodies of the calls for weights that follow results."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from command_api.kernel.http import RequestModel
from schemas.events.links import Shifting
from schemas.http.links import SplitShifting


class SetShifting(RequestModel):
    """Whether weights follow results, and within which bounds."""

    is_on: bool
    min_share: Annotated[int, Field(ge=1, le=50, description="Percent of the visitors that each variant keeps")] = 10
    max_step: Annotated[int, Field(ge=1, le=50, description="Percentage points that a day shifts at most")] = 10


class UndoShift(RequestModel):
    """What happens after the weights are restored."""

    is_on: Annotated[bool, Field(description="Whether weights go on to follow results")] = False


def to_response(shifting: Shifting) -> SplitShifting:
    """Returns the switch and its bounds as a response."""
    return SplitShifting.of(shifting)
