"""A table whose rows follow from events: its columns, and one handler per event class.

Read models (`projectors.engine.read_model`) and lookups of the write side (`command_api.kernel.inline_projection`) are
such tables; they differ in when their handlers run. A handler writes through `Rows` and uses nothing but the event and
the table's own rows. `begins`, `follows`, `ends` and `adds` make the usual ones by the names of columns
(`schemas.evolution`); `on` takes one by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar, overload
from uuid import UUID

from pydantic import BaseModel

from infra.kernel.postgres.rows import Row, Rows
from schemas.base import DomainEvent
from schemas.evolution import Names, change_of

E = TypeVar("E", bound=DomainEvent)
Handler = Callable[[Rows, Any], None]


@dataclass(frozen=True)
class EventTable:
    """`columns` are DDL lines that begin with the column's name; `indexes` column lists, or `using gin (…)`; `fixed`:
    columns that the row's first event sets alone, though later ones have such a field."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    indexes: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    handlers: dict[type[DomainEvent], Handler] = field(default_factory=dict)

    @property
    def column_names(self) -> tuple[str, ...]:
        """The first word of each DDL line, in their order."""
        return tuple(line.split(maxsplit=1)[0] for line in self.columns)

    @overload
    def on(self, event_class: type[E], /) -> Callable[[Callable[[Rows, E], None]], Callable[[Rows, E], None]]: ...

    @overload
    def on(self, *event_classes: type[DomainEvent]) -> Callable[[Handler], Handler]: ...

    def on(self, *event_classes: type[DomainEvent]) -> Callable[[Handler], Handler]:
        """Registers the decorated function as the handler of each of `event_classes`."""

        def register(handler: Handler) -> Handler:
            for event_class in event_classes:
                if event_class in self.handlers:
                    raise TypeError(f"{self.name} handles {event_class.__name__} twice")
                self.handlers[event_class] = handler
            return handler

        return register

    def begins(
        self,
        event_class: type[E],
        values: Callable[[E], Row] = lambda _: {},
        /,
        *,
        but: Names = (),
        at: Names = (),
        takes: Mapping[str, str] | None = None,
        **constants: Any,
    ) -> None:
        """On `event_class`, a row is put: the event's fields that are columns, `but` those; columns `takes`, each with
        its path in the event; columns `at` with its time; `constants`; and what `values` returns. The key is the
        aggregate's id, unless it is among them."""
        change = change_of(event_class, self.column_names, but=but, at=at, takes=takes, constants=constants)
        ids = [name for name in self.key if name not in {*change.copied, *change.at, *constants}]
        if len(ids) > 1:
            raise TypeError(f"{event_class.__name__} has no {' and no '.join(ids)}")

        @self.on(event_class)
        def make(rows: Rows, event: E) -> None:
            rows.put(**dict.fromkeys(ids, event.originator_id) | stored(change.values(event)) | values(event))

    def follows(
        self,
        event_class: type[E],
        values: Callable[[E], Row] = lambda _: {},
        /,
        *,
        but: Names = (),
        at: Names = (),
        takes: Mapping[str, str] | None = None,
        keeps: bool = False,
        by: str = "",
        of: str = "originator_id",
        **constants: Any,
    ) -> None:
        """On `event_class`, the rows whose column `by` (else the key's first) is the aggregate's id, or what the event
        has in `of`, change as `begins` says. With `keeps`, a column stays as it is where the event has null."""
        column = by or self.key[0]
        names = [name for name in self.column_names if name not in {*self.key, *self.fixed, column}]
        change = change_of(event_class, names, but=but, at=at, takes=takes, keeps=keeps, constants=constants)

        @self.on(event_class)
        def change_rows(rows: Rows, event: E) -> None:
            rows.update({column: getattr(event, of)}, **(stored(change.values(event)) | values(event)))

    def ends(self, *event_classes: type[DomainEvent], by: str = "") -> None:
        """On each of `event_classes`, the rows whose column `by` (else the key's first) is the aggregate's id go."""
        column = by or self.key[0]

        @self.on(*event_classes)
        def remove(rows: Rows, event: DomainEvent) -> None:
            rows.delete(**{column: event.originator_id})

    def adds(
        self,
        event_class: type[E],
        of: Callable[[E], UUID] = lambda event: event.originator_id,
        /,
        **differences: int,
    ) -> None:
        """On `event_class`, `differences` are added to the rows whose first column of the key is the aggregate's id, or
        the id that `of` returns."""

        @self.on(event_class)
        def add(rows: Rows, event: E) -> None:
            rows.add({self.key[0]: of(event)}, **differences)


def stored(values: Mapping[str, Any]) -> Row:
    """Columns for fields of events: models and mappings as `dict`, enums as their values, collections as lists."""
    return {name: _stored(value) for name, value in values.items()}


def _stored(value: Any) -> Any:
    match value:
        case Enum():
            return value.value
        case BaseModel():
            return value.model_dump(mode="json")
        case Mapping():
            return {name: _stored(each) for name, each in value.items()}
        case tuple() | list() | frozenset():
            return [_stored(each) for each in value]
        case _:
            return value
