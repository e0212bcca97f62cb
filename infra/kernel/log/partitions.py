"""How many partitions a topic has in this installation, and what follows when their number is raised.

The number is stored in Postgres (`log.topic`) before the log gets the partitions, so a reader that sees a new
partition also finds the split that made it. A split multiplies the number, and notes the end of each partition:

- The ids of a new partition that were sent before lie in one other partition, up to its noted end
  (`Lineage.ancestors`).
- A writer that does not know the new number yet still writes into the old partition. Behind the noted end such a record
  is elsewhere (`Lineage.elsewhere`): its reader moves it to where its id belongs, and makes nothing of it itself.

So an id is counted once, whatever the writers know, and a rebuild decides alike. The number is
raised by `infra.ops.partitions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

import psycopg

from infra.kernel.log.limits import partition_of
from infra.kernel.log.port import Log, TopicPartition
from infra.kernel.postgres.pool import row_values
from schemas import topics

COUNT_OF_SPLITS: Final = "(select count(distinct after) from log.split where log.split.topic = %(topic)s)"
"""For a statement that must not take effect when a split came in between."""


@dataclass(frozen=True, slots=True)
class Split:
    """A split from `before` to `after` partitions; `ends` has the end of each of the former ones at that moment."""

    before: int
    after: int
    ends: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ancestor:
    """A partition that holds older ids of another one, before offset `end`."""

    partition: int
    end: int


@dataclass(frozen=True, slots=True)
class Lineage:
    """The meaning of the splits of a topic, in order, for one of its partitions."""

    partition: int
    splits: tuple[Split, ...] = ()

    @property
    def ancestors(self) -> tuple[Ancestor, ...]:
        """Returns the places where ids of this partition were sent before it existed, the oldest first."""
        ancestors: list[Ancestor] = []
        partition = self.partition
        for split in reversed(self.splits):
            if partition >= split.before:
                partition %= split.before
                ancestors.append(Ancestor(partition, split.ends[partition]))
        return tuple(reversed(ancestors))

    def inherits(self, key: bytes) -> bool:
        """Returns whether a record of an ancestor with this key would lie in this partition, had it existed already."""
        return any(
            split.before <= self.partition < split.after and partition_of(key, split.after) == self.partition
            for split in self.splits
        )

    def elsewhere(self, key: bytes, offset: int) -> int | None:
        """The partition that a record belongs into whose place its key decides, if it is another one: the record was
        written behind the end that a split has noted."""
        after = 0
        for split in self.splits:
            if self.partition < split.before and offset >= split.ends[self.partition]:
                after = split.after
        if not after or partition_of(key, after) == self.partition:
            return None
        return partition_of(key, self.splits[-1].after)


_IN_ANCESTOR: Final = 1 << 63
_PARTITION_BIT: Final = 48


def in_ancestor(partition: int, offset: int) -> int:
    """An offset of another partition as one number, which no offset of its own equals."""
    return _IN_ANCESTOR | partition << _PARTITION_BIT | offset


def place_of(number: int, partition: int) -> tuple[int, int]:
    """Partition and offset that are meant by an offset of `partition`, or by what `in_ancestor` returned."""
    if number < _IN_ANCESTOR:
        return partition, number
    return (number ^ _IN_ANCESTOR) >> _PARTITION_BIT, number & (1 << _PARTITION_BIT) - 1


def is_before(number: int, other: int) -> bool:
    """Returns whether the first comes earlier: what lies in an ancestor comes before everything of the partition
    itself."""
    return number ^ _IN_ANCESTOR < other ^ _IN_ANCESTOR


def counts(connection: psycopg.Connection[Any]) -> Mapping[str, int]:
    """The number of partitions by topic: what is stored, else what `schemas.topics` gives a new topic."""
    stored = _stored(connection)
    return {topic.name: stored.get(topic.name, topic.partitions) for topic in topics.ALL}


def _stored(connection: psycopg.Connection[Any]) -> Mapping[str, int]:
    rows = connection.execute("SELECT topic, partitions FROM log.topic").fetchall()
    return dict(row_values(row) for row in rows)


def places(connection: psycopg.Connection[Any], *wanted: topics.Topic) -> list[TopicPartition]:
    """Every partition of the `wanted` topics, by default of all."""
    numbers = counts(connection)
    return [(topic.name, number) for topic in wanted or topics.ALL for number in range(numbers[topic.name])]


def lineage(connection: psycopg.Connection[Any], topic: str, partition: int) -> Lineage:
    """Returns the lineage of a partition by the splits so far."""
    return Lineage(partition, splits(connection, topic))


def splits(connection: psycopg.Connection[Any], topic: str) -> tuple[Split, ...]:
    """The splits of a topic, in order."""
    rows = connection.execute(
        'SELECT before, after, "offset" FROM log.split WHERE topic = %s ORDER BY after, partition', (topic,)
    ).fetchall()
    grouped = groupby(map(row_values, rows), itemgetter(0, 1))
    return tuple(Split(before, after, tuple(end for _, _, end in group)) for (before, after), group in grouped)


def create(connection: psycopg.Connection[Any], log: Log) -> None:
    """Creates the missing topics and partitions of the log, and stores the number of each topic; also completes a raise
    that was interrupted. For `althing migrate`. Raises `LogUnavailable`, or `RuntimeError` when a topic of the log has
    another number than the stored one."""
    for topic, number in log.create_topics(_stored(connection)).items():
        connection.execute("INSERT INTO log.topic VALUES (%s, %s) ON CONFLICT DO NOTHING", (topic, number))


def store_split(connection: psycopg.Connection[Any], topic: str, split: Split) -> None:
    """Stores the split and the new number; everything in the new partitions will be signed."""
    for partition, end in enumerate(split.ends):
        connection.execute(
            'INSERT INTO log.split (topic, after, before, partition, "offset") VALUES (%s, %s, %s, %s, %s)',
            (topic, split.after, split.before, partition, end),
        )
    for partition in range(split.before, split.after):
        connection.execute(
            'INSERT INTO log.signed_from (topic, partition, "offset") VALUES (%s, %s, 0)', (topic, partition)
        )
    connection.execute(
        "INSERT INTO log.topic VALUES (%s, %s) ON CONFLICT (topic) DO UPDATE SET partitions = excluded.partitions",
        (topic, split.after),
    )
