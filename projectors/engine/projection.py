"""The engine's types: projections, and the transforms that turn log records into rows.

The engine knows no feature. Its callers hand it the `Registry` of `projectors.registry`; the modules in
`projectors/rollups` and `projectors/read_models` are written with the classes here and in `engine.tables` and
`engine.read_model`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Protocol

from psycopg import Connection

from infra.kernel.log import Record, StoredRecord
from infra.kernel.log.sealed_texts import Texts, without_texts
from infra.kernel.subscriptions.dead_letters import FailedRecord
from projectors.engine.read_model import ReadModel
from projectors.engine.tables import ClickHouseTable, Rollup
from schemas.envelope import Decrypt
from schemas.topics import DOMAIN, Topic


@dataclass(frozen=True, slots=True)
class Duplicate:
    """An id that the log already held: where (`infra.kernel.log.partitions.place_of`), and whether its content was the
    same."""

    first_offset: int
    is_same: bool


class DedupIndex(Protocol):
    """Ids remembered within one partition (`engine.dedup`)."""

    def load(self, keys: Sequence[bytes]) -> None:
        """Loads the stored entries of `keys`; called once for a batch, before `check`."""
        ...

    def elsewhere(self, record: StoredRecord) -> int | None:
        """The partition that a record with an id of its sender belongs into, if it is another one."""
        ...

    def check(self, key: bytes, offset: int, content: bytes, at: int) -> Duplicate | None:
        """Returns the first record with the same id; none if it is new at `offset`, and remembered from now on.
        `content`: 8 bytes; `at`: seconds since 1970."""
        ...


@dataclass(slots=True)
class Batch:
    """The result of a range of records. `rows` and `others` are JSON lines; `offsets` are those of `rows`."""

    domain_position: int = 0
    rows: list[bytes] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    others: dict[str, list[bytes]] = field(default_factory=dict)
    bad: list[FailedRecord] = field(default_factory=list)
    parameters: Any = None
    """The parsed parameters of the generation (`ClickHouseProjection.parse_parameters`)."""
    texts: Texts = without_texts
    """Opens the personal texts of records; by default they are left out."""
    decrypt: Decrypt | None = None
    """Opens what decided events have sealed; without it, it is left out."""
    publish: list[Record] = field(default_factory=list)
    """Sent to the log by the live generation before its position advances; ids make repeats harmless."""

    @property
    def is_empty(self) -> bool:
        """Returns whether nothing has to be stored or sent."""
        return not (self.rows or self.others or self.bad or self.publish)


class Lacking(Protocol):
    """Rows of a main table that may have been deleted on purpose, so that it lacks them."""

    @property
    def sql(self) -> str:
        """A condition on rows; empty: none."""
        ...

    def has(self, line: bytes) -> bool:
        """Returns whether the row, as JSON, is one of them."""
        ...


Transform = Callable[[Sequence[StoredRecord], DedupIndex, Batch], None]
"""Adds the rows of records, in order. Deterministic: the same records and index make the same batch."""


@dataclass(frozen=True)
class ClickHouseProjection:
    """Tables built together from topics: a main table, others written beside it, rollups fed from the main one."""

    name: str
    version: int
    main: ClickHouseTable
    transforms: Mapping[str, Transform]
    others: tuple[ClickHouseTable, ...] = ()
    rollups: tuple[Rollup, ...] = ()
    deduplicated_topics: frozenset[str] = frozenset()
    """Topics whose transform uses the `DedupIndex`."""
    topics: tuple[Topic, ...] = ()
    parameters: Callable[[Connection[Any]], list[Any]] | None = None
    """Reads the inputs of rows beside the records, as JSON. A generation keeps what it began with; when it changes, the
    running service builds a generation with the new ones and makes it live."""
    parse_parameters: Callable[[list[Any], Connection[Any]], Any] = lambda parameters, _: parameters
    """Parses a generation's parameters for its transforms, for each partition; may read what these name."""
    lacking: Callable[[Connection[Any]], Lacking] | None = None
    """Rows of the main table that may be missing. The rollups still have what they came to: while there are any, a
    rollup is built with its family from the log, never from the main table."""

    @property
    def tables(self) -> tuple[ClickHouseTable, ...]:
        """Returns all tables of the family, the main one first and the rollups last."""
        return (self.main, *self.others, *self.rollups)


Projection = ClickHouseProjection | ReadModel


class TopicPartition(NamedTuple):
    """One partition that a projection reads."""

    topic: str
    partition: int


def topic_partitions(projection: Projection, counts: Mapping[str, int]) -> Iterator[TopicPartition]:
    """Yields every partition that `projection` reads; `counts`: the number of partitions by topic."""
    topics = projection.topics if isinstance(projection, ClickHouseProjection) else (DOMAIN,)
    for topic in topics:
        for partition in range(counts[topic.name]):
            yield TopicPartition(topic.name, partition)


@dataclass(frozen=True)
class Registry:
    """All projections by name. A rollup has a name but no positions: its family feeds it."""

    clickhouse: tuple[ClickHouseProjection, ...]
    postgres: tuple[ReadModel, ...]

    @cached_property
    def projections(self) -> dict[str, Projection]:
        """Returns the projections that have positions and workers, by name; no rollups."""
        every: tuple[Projection, ...] = (*self.clickhouse, *self.postgres)
        return {projection.name: projection for projection in every}

    @cached_property
    def rollups(self) -> dict[str, tuple[ClickHouseProjection, Rollup]]:
        """Returns each rollup by name, with the family that feeds it."""
        return {rollup.name: (family, rollup) for family in self.clickhouse for rollup in family.rollups}

    @cached_property
    def versions(self) -> dict[str, int]:
        """Returns this program's version of everything that can have a generation, by name."""
        every: tuple[Projection | Rollup, ...] = (
            *self.projections.values(),
            *(each for _, each in self.rollups.values()),
        )
        return {each.name: each.version for each in every}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Returns every name that can have a generation: projections, then rollups."""
        return (*self.projections, *self.rollups)
