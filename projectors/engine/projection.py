"""What the engine runs: projections, and what turns log records into rows.

The engine knows no feature. `projectors.catalogue` gives it a `Catalogue`; the modules in `projectors/clickhouse` and
`projectors/postgres` are written with the classes here and in `engine.tables` and `engine.read_model`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from psycopg import Connection

from infra.log import Record, StoredRecord
from projectors.engine.read_model import ReadModel
from projectors.engine.tables import Rollup, Table
from schemas.topics import DOMAIN, Topic


@dataclass(frozen=True, slots=True)
class Seen:
    """An id that the log already held: where, and whether its content was the same."""

    first_offset: int
    is_same: bool


class Known(Protocol):
    """Ids remembered within one partition (`engine.dedup`)."""

    def load(self, keys: Sequence[bytes]) -> None:
        """Fetches what is known of `keys`; call it once for a batch, before `check`."""
        ...

    def check(self, key: bytes, offset: int, content: bytes, at: int) -> Seen | None:
        """None: new at `offset`, and remembered from now on. `content`: 8 bytes; `at`: seconds since 1970."""
        ...


@dataclass(frozen=True, slots=True)
class Bad:
    """A record that cannot become rows: `reason` is a short stable word, `error` says what is wrong."""

    record: StoredRecord
    reason: str
    error: str


@dataclass(slots=True)
class Batch:
    """What a range of records comes to. `rows` and `others` are JSON lines; `places` are the offsets of `rows`."""

    domain_position: int = 0
    rows: list[bytes] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    others: dict[str, list[bytes]] = field(default_factory=dict)
    bad: list[Bad] = field(default_factory=list)
    parameters: Any = None
    """What the projection made of its build's parameters (`ClickHouseProjection.understand`)."""
    publish: list[Record] = field(default_factory=list)
    """Sent to the log by the live generation before its position advances; ids make repeats harmless."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing has to be stored or sent."""
        return not (self.rows or self.others or self.bad or self.publish)


RowMaker = Callable[[Sequence[StoredRecord], Known, Batch], None]
"""Adds what records come to, in order. Deterministic: the same records and known ids make the same batch."""


@dataclass(frozen=True)
class ClickHouseProjection:
    """Tables built together from topics: a main table, others written beside it, rollups fed from the main one."""

    name: str
    version: int
    main: Table
    makers: Mapping[str, RowMaker]
    others: tuple[Table, ...] = ()
    rollups: tuple[Rollup, ...] = ()
    remembers_ids: frozenset[str] = frozenset()
    """Topics whose maker asks `Known`."""
    topics: tuple[Topic, ...] = ()
    parameters: Callable[[Connection[Any]], list[Any]] | None = None
    """What rows depend on beside the records, as JSON. A build keeps what it began with; when it changes, the running
    service builds a generation with the new ones and makes it live."""
    understand: Callable[[list[Any]], Any] = list

    @property
    def tables(self) -> tuple[Table, ...]:
        return (self.main, *self.others, *self.rollups)


Projection = ClickHouseProjection | ReadModel


@dataclass(frozen=True)
class Place:
    """One partition that a projection reads."""

    topic: str
    partition: int


def places(projection: Projection) -> Iterator[Place]:
    """Every partition that `projection` reads."""
    topics = projection.topics if isinstance(projection, ClickHouseProjection) else (DOMAIN,)
    for topic in topics:
        for partition in range(topic.partitions):
            yield Place(topic.name, partition)


@dataclass(frozen=True)
class Catalogue:
    """Everything that can be projected, by name. A rollup has a name but no positions: its family feeds it."""

    clickhouse: tuple[ClickHouseProjection, ...]
    postgres: tuple[ReadModel, ...]

    @property
    def projections(self) -> dict[str, Projection]:
        every: tuple[Projection, ...] = (*self.clickhouse, *self.postgres)
        return {projection.name: projection for projection in every}

    @property
    def rollups(self) -> dict[str, tuple[ClickHouseProjection, Rollup]]:
        return {rollup.name: (family, rollup) for family in self.clickhouse for rollup in family.rollups}

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.projections, *self.rollups)
