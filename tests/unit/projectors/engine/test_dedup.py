"""Repeated ids: the rule, and that it holds however the records are cut into batches and wherever a crash falls."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projectors.engine import dedup
from projectors.engine.dedup import KEPT_S, WINDOW_S, DedupStore, MarkerMoved

DAY = 24 * 3600
Event = tuple[int, int, int]
"""Key number, content number, time of arrival."""

events = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, 1), st.integers(0, 120).map(lambda day: day * DAY)), max_size=40
)


def key(number: int) -> bytes:
    return b"%032d" % number


def content(number: int) -> bytes:
    return b"%08d" % number


def expected(all_events: list[Event]) -> list[tuple[int, bool] | None]:
    """The rule in plain words: judged one by one against the last one that counted."""
    counted: dict[int, tuple[int, int, int]] = {}
    verdicts: list[tuple[int, bool] | None] = []
    for offset, (number, said, at) in enumerate(all_events):
        before = counted.get(number)
        if before is not None and abs(at - before[2]) <= WINDOW_S:
            verdicts.append((before[0], before[1] == said))
        else:
            counted[number] = (offset, said, at)
            verdicts.append(None)
    return verdicts


def begin_batch(ids: DedupStore, all_events: list[Event], start: int, end: int) -> list[tuple[int, bool] | None]:
    judgement = ids.begin_batch()
    judgement.load([key(number) for number, _, _ in all_events[start:end]])
    verdicts: list[tuple[int, bool] | None] = []
    for offset in range(start, end):
        number, said, at = all_events[offset]
        seen = judgement.check(key(number), offset, content(said), at)
        verdicts.append((seen.first_offset, seen.is_same) if seen else None)
    ids.commit(judgement, end)
    return verdicts


@settings(max_examples=40, deadline=None)
@given(events, st.lists(st.integers(1, 40), max_size=6), st.lists(st.booleans(), min_size=8, max_size=8))
def test_batches_and_crashes_do_not_change_the_verdicts(
    all_events: list[Event], cuts: list[int], crashes: list[bool]
) -> None:
    bounds = sorted({0, len(all_events), *(cut for cut in cuts if cut < len(all_events))})
    verdicts: list[tuple[int, bool] | None] = []
    with TemporaryDirectory() as folder:
        ids = DedupStore(Path(folder))
        for number, (start, end) in enumerate(pairwise(bounds)):
            if crashes[number]:  # judged, but killed before the commit; then opened again
                ids.begin_batch().load([key(one) for one, _, _ in all_events[start:end]])
                ids.close()
                ids = DedupStore(Path(folder))
            verdicts += begin_batch(ids, all_events, start, end)
        ids.close()
    assert verdicts == expected(all_events)


def test_a_database_that_grew_and_was_closed_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dedup, "FIRST_SIZE", 256 * 1024)
    ids = DedupStore(tmp_path)
    judgement = ids.begin_batch()
    for number in range(20_000):
        judgement.check(key(number), number, content(0), 0)
    ids.commit(judgement, 20_000)
    ids.close()
    again = DedupStore(tmp_path)
    assert again.marker == 20_000
    assert again.get([key(0), key(19_999), key(20_000)]).keys() == {key(0), key(19_999)}
    again.close()


def test_a_torn_database_starts_empty(tmp_path: Path) -> None:
    (tmp_path / "data.mdb").write_bytes(b"torn" * 5000)
    ids = DedupStore(tmp_path)
    assert ids.marker == 0
    ids.close()


def test_two_owners_cannot_both_write(tmp_path: Path) -> None:
    ids = DedupStore(tmp_path)
    judgement = ids.begin_batch()
    judgement.check(key(1), 0, content(0), 0)
    ids.commit(judgement, 1)
    ids.marker = 0
    with pytest.raises(MarkerMoved):
        ids.commit(judgement, 2)
    ids.close()


def test_pruning_drops_what_can_meet_no_duplicate_any_more(tmp_path: Path) -> None:
    ids = DedupStore(tmp_path)
    judgement = ids.begin_batch()
    newest = 100 * DAY
    for number in range(25_000):
        old = number % 2
        judgement.check(key(number), number, content(0), newest - (KEPT_S + 1 if old else WINDOW_S))
    judgement.check(key(25_000), 25_000, content(0), newest)
    ids.commit(judgement, 25_001)
    assert ids.prune() == 12_500
    assert [number for number, _ in ids.entries()][:2] == [key(0), key(2)]
    assert len(list(ids.entries())) == 12_501
    assert ids.marker == 25_001
    ids.close()
