"""The watch that every test has over the pools of its process: what it refuses, and what it lets pass."""

from __future__ import annotations

import pytest

from tests.support.pool_deadlocks import PoolDeadlock, PoolWatch


def test_who_holds_a_connection_may_not_ask_the_same_pool_for_another() -> None:
    watch, connection = PoolWatch(), object()
    watch.takes("one", "pool", connection)
    with pytest.raises(PoolDeadlock, match="pool: one connection is held"):
        watch.asks("one", "pool")
    watch.asks("another", "pool")
    watch.gives_back(connection)
    watch.asks("one", "pool")


def test_two_pools_are_asked_in_one_order_only() -> None:
    watch, first, second = PoolWatch(), object(), object()
    watch.takes("one", "orders", first)
    watch.asks("one", "keys")
    watch.takes("another", "keys", second)
    with pytest.raises(PoolDeadlock, match="keys is held while orders is requested"):
        watch.asks("another", "orders")
