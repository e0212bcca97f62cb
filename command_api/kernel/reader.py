"""The source of decisions: aggregates and rows. A `UnitOfWork` reads in its transaction, a `Container` without one."""

from __future__ import annotations

from typing import Any, LiteralString, Protocol, TypeVar
from uuid import UUID

from command_api.kernel.decision import Evolve

State = TypeVar("State")


class AggregateReader(Protocol):
    """Loads aggregates and selects rows."""

    def load(self, aggregate_id: UUID, evolve: Evolve[State]) -> State | None:
        """Returns the aggregate's state, or `None`."""

    def select(self, query: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
        """Returns rows as tuples."""
