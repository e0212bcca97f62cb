"""The pool of ClickHouse clients: what its threads may do to each other."""

from __future__ import annotations

from typing import cast
from unittest.mock import MagicMock

import pytest
from clickhouse_connect.driver.client import Client

from infra.kernel.clickhouse.client import ClientPool
from infra.kernel.config.settings import Settings


class TakenMeanwhile(list[Client]):
    """Has a client when it is looked at, and none when it is taken: another thread was faster."""

    def __bool__(self) -> bool:
        return True


def test_a_client_that_another_thread_took_meanwhile_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    made = cast(Client, MagicMock())
    monkeypatch.setattr("infra.kernel.clickhouse.client.client", lambda *_, **__: made)
    pool = ClientPool(cast(Settings, MagicMock()), 2)
    pool._idle = TakenMeanwhile()
    with pool.use() as lent:
        assert lent is made
    with pool.use() as lent:
        assert lent is made, "and is lent again"
