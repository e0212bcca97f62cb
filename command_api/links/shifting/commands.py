"""Commands of weights that follow results."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from command_api.kernel.command_handlers import Command
from infra.domain.splits.judging import VariantFigures
from schemas.http.links import SplitShifting


class SetShifting(Command[SplitShifting]):
    """Turns the shifting of a split's weights by results on or off, and sets its bounds."""

    link_id: UUID
    is_on: bool
    min_share: int
    max_step: int


class ShiftWeights(Command[None]):
    """Decides the weights of a split by its results: once a day. `figures`: of the variants that got traffic when they
    were read."""

    link_id: UUID
    day: date
    figures: tuple[VariantFigures, ...]


class UndoShift(Command[SplitShifting]):
    """Restores the weights before a shift, and turns the shifting on or off. `version`: of the shift's event."""

    link_id: UUID
    version: int
    is_on: bool
