"""The watch that every test has over the pools of its process: what it refuses, and what it lets pass."""

from __future__ import annotations

import pytest

from tests.support.pools import WaitsForItself, Watch


def test_who_holds_a_connection_may_not_ask_the_same_pool_for_another() -> None:
    watch, connection = Watch(), object()
    watch.takes("one", "pool", connection)
    with pytest.raises(WaitsForItself, match="pool: one connection is held"):
        watch.asks("one", "pool")
    watch.asks("another", "pool")
    watch.gives_back(connection)
    watch.asks("one", "pool")


def test_two_pools_are_asked_in_one_order_only() -> None:
    watch, first, second = Watch(), object(), object()
    watch.takes("one", "orders", first)
    watch.asks("one", "keys")
    watch.takes("another", "keys", second)
    with pytest.raises(WaitsForItself, match="keys is held while orders is asked for"):
        watch.asks("another", "orders")
