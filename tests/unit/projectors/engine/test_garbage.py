"""Cycles that errors leave are gone within a minute, however few new objects there are."""

from __future__ import annotations

import weakref
from time import monotonic

import pytest

from projectors.engine.garbage import COLLECT_EVERY_S, GarbageCollector


class Batch:
    """What a frame held when an error passed through it."""


@pytest.mark.usefixtures("no_garbage_collection")
def test_what_an_error_kept_is_freed_after_a_minute() -> None:
    began, garbage = monotonic(), GarbageCollector()
    kept = _fail()
    garbage.look(began + COLLECT_EVERY_S / 2)
    assert kept() is not None
    garbage.look(monotonic() + COLLECT_EVERY_S)
    assert kept() is None


def _fail() -> weakref.ref[Batch]:
    """An error that refers to itself through its traceback, as those of clients do."""
    batch = Batch()
    try:
        raise OSError
    except OSError as error:
        found = error
    assert found.__traceback__ is not None
    return weakref.ref(batch)
