"""The supervisor's beats: each second while positions or the log move, every third second while nothing does."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from projectors.engine.supervisor import Beats

STILL = [(5, 5), (7, 7)]


@pytest.mark.parametrize(
    ("moves", "every_s"),
    [
        ([STILL, STILL], 3),
        ([STILL, [(5, 6), (7, 7)]], 1),
        ([STILL, [(6, 5), (7, 7)]], 1),
        ([STILL, [(5, None), (7, None)]], 1),
        ([STILL, STILL, [(5, 6), (7, 7)]], 1),
    ],
    ids=["nothing moves", "the log grows", "a position moves", "the log is away", "after a rest"],
)
def test_a_beat_comes_sooner_while_something_moves(
    moves: Sequence[Sequence[tuple[int, int | None]]], every_s: int
) -> None:
    beats = Beats()
    assert beats.is_due(100)
    for places in moves:
        beats.note(places)
    assert [second for second in range(101, 108) if beats.is_due(second)] == list(range(100 + every_s, 108, every_s))


def test_the_first_beats_come_each_second_until_positions_are_known() -> None:
    beats = Beats()
    assert [second for second in range(4) if beats.is_due(second)] == [0, 1, 2, 3]
