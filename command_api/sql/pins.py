"""Charts of saved queries on the dashboards of analysts. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, not_found
from command_api.sql.queries import QueryAggregate
from schemas.events.sql import ChartKind, ChartPinned, ChartUnpinned
from schemas.evolution import Evolution


@dataclass(frozen=True, slots=True)
class Pin:
    """A chart on one person's dashboard."""

    id: UUID
    version: int
    account_id: UUID
    query_id: UUID
    kind: ChartKind
    x: str
    y: tuple[str, ...]
    parameters: Mapping[str, str]
    removed: bool = False


def pin(
    pin_id: UUID,
    query: QueryAggregate,
    *,
    kind: ChartKind,
    x: str,
    y: Sequence[str],
    parameters: Mapping[str, str],
    context: CommandContext,
) -> ChartPinned:
    """Pins a chart. `query`: one that the actor may see."""
    return ChartPinned(
        **first_event(pin_id, context),
        account_id=context.require_account(),
        query_id=query.id,
        kind=kind,
        x=x,
        y=tuple(y),
        parameters=dict(parameters),
    )


def unpin(pin: Pin | None, context: CommandContext) -> ChartUnpinned:
    """Raises `CommandRejected` (missing) for a chart of another person, and for one that is gone."""
    if pin is None or pin.removed or pin.account_id != context.account_id:
        raise not_found("chart")
    return ChartUnpinned(**next_event(pin, context))


evolve: Final = Evolution(Pin).begins(ChartPinned).follows(ChartUnpinned, removed=True)
