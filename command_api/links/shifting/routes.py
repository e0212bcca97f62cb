"""`/api/platform/links/{id}/split`: weights that follow results, and the undo of a shift."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from command_api.kernel.http import Id, Runs
from command_api.links.shifting import commands
from command_api.links.shifting.schemas import SetShifting, UndoShift
from schemas.http.links import SplitShifting

router = APIRouter(prefix="/api/platform/links/{id}/split", tags=["links"])


@router.put("/shifting", response_model=SplitShifting)
def set_shifting(link_id: Id, body: SetShifting, run: Runs) -> Response:
    """Turns the shifting of weights by results on or off. It looks once a day, and at once when it is turned on."""
    command = commands.SetShifting(link_id, body.is_on, body.min_share, body.max_step)
    return run(command, body, is_consistent=True)


@router.post("/shifts/{version}/undo", response_model=SplitShifting)
def undo_shift(link_id: Id, version: Annotated[int, Path(ge=1, le=2**31 - 1)], body: UndoShift, run: Runs) -> Response:
    """Restores the weights before a shift, and turns the shifting off, or leaves it on."""
    return run(commands.UndoShift(link_id, version, body.is_on), body, is_consistent=True)
