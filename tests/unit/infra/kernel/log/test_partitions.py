"""Raising the number of partitions: each id counts once whatever the writers knew, and a rebuild decides alike."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.kernel.log.limits import partition_of
from infra.kernel.log.partitions import Ancestor, Lineage, Split, in_ancestor, is_before, place_of

TWICE = (Split(2, 4, (10, 20)), Split(4, 8, (30, 40, 50, 60)))


def test_a_partition_of_a_raise_has_the_ancestors_that_held_its_ids() -> None:
    assert Lineage(0, TWICE).ancestors == ()
    assert Lineage(3, TWICE).ancestors == (Ancestor(1, 20),)
    assert Lineage(7, TWICE).ancestors == (Ancestor(1, 20), Ancestor(3, 60))
    assert Lineage(5, TWICE).ancestors == (Ancestor(1, 40),)


@given(st.binary(max_size=20))
def test_a_key_is_inherited_by_the_partition_that_the_raise_gave_it(key: bytes) -> None:
    for split in TWICE:
        heirs = [p for p in range(split.before, split.after) if Lineage(p, TWICE).inherits(key)]
        home = partition_of(key, split.after)
        assert heirs == ([home] if home >= split.before else [])


@given(st.binary(max_size=20), st.integers(0, 100))
def test_a_record_is_elsewhere_only_behind_the_end_of_a_split(key: bytes, offset: int) -> None:
    assert Lineage(1, ()).elsewhere(key, offset) is None
    found = Lineage(1, TWICE).elsewhere(key, offset)
    last = 8 if offset >= 40 else 4 if offset >= 20 else 0
    stays = not last or partition_of(key, last) == 1
    assert found == (None if stays else partition_of(key, 8))
    assert Lineage(6, TWICE).elsewhere(key, offset) is None, "who writes there knows the newest number"


@given(st.integers(0, 1023), st.integers(0, 2**47), st.integers(0, 2**47))
def test_a_place_in_an_ancestor_comes_before_every_own_offset(partition: int, offset: int, own: int) -> None:
    number = in_ancestor(partition, offset)
    assert place_of(number, 5) == (partition, offset) and place_of(own, 5) == (5, own)
    assert is_before(number, own) and not is_before(own, number)
    assert is_before(own, own + 1) and is_before(number, in_ancestor(partition, offset + 1))


@dataclass
class Model:
    """A log of keys and its readers, as the rule says it in plain words."""

    logs: dict[int, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    counted: dict[bytes, int] = field(default_factory=lambda: defaultdict(int))
    read: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    splits: tuple[Split, ...] = ()
    count: int = 2

    def split(self) -> None:
        ends = tuple(len(self.logs[partition]) for partition in range(self.count))
        self.splits = (*self.splits, Split(self.count, 2 * self.count, ends))
        self.count *= 2

    def project(self, *, publishes: bool = True) -> Mapping[bytes, int]:
        """Reads every partition to its end; until nothing is moved any more."""
        while waiting := [p for p in range(self.count) if self.read[p] < len(self.logs[p])]:
            for partition in waiting:
                self._project(partition, publishes=publishes)
        return self.counted

    def _project(self, partition: int, *, publishes: bool) -> None:
        lineage = Lineage(partition, self.splits)
        known = {
            key
            for ancestor in lineage.ancestors
            for key in self.logs[ancestor.partition][: ancestor.end]
            if lineage.inherits(key)
        }
        known |= {
            key
            for at, key in enumerate(self.logs[partition][: self.read[partition]])
            if lineage.elsewhere(key, at) is None
        }
        for offset in range(self.read[partition], len(self.logs[partition])):
            key = self.logs[partition][offset]
            home = lineage.elsewhere(key, offset)
            if home is not None:
                if publishes:
                    self.logs[home].append(key)
            elif key not in known:
                known.add(key)
                self.counted[key] += 1
        self.read[partition] = max(self.read[partition], offset + 1)


writes = st.tuples(st.integers(0, 12), st.integers(0, 3))
steps = st.lists(st.one_of(writes, st.sampled_from(["split", "project"])), max_size=60)


@given(steps)
def test_each_id_counts_once_whatever_the_writers_know_and_when_the_readers_read(
    history: list[tuple[int, int] | str],
) -> None:
    made, sent = Model(), set[bytes]()
    for step in history:
        if isinstance(step, tuple):
            number, age = step
            key = b"%d" % number
            sent.add(key)
            known = max(2, made.count >> age)  # a writer that missed the last `age` raises
            made.logs[partition_of(key, known)].append(key)
        elif step == "split" and made.count < 16:
            made.split()
        else:
            made.project()
    assert made.project() == dict.fromkeys(sent, 1)
    again = Model(made.logs, splits=made.splits, count=made.count)
    assert again.project(publishes=False) == made.counted, "a rebuild of the same log"


@pytest.mark.parametrize("age", [1, 2])
def test_a_writer_that_knows_an_old_number_uses_a_partition_that_exists(age: int) -> None:
    for number in range(100):
        key = b"%d" % number
        assert partition_of(key, 16 >> age) == partition_of(key, 16) % (16 >> age)
