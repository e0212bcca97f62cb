"""The table of visitors' keys, on a real Postgres: stored, read, deleted one by one and by day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Any
from uuid import UUID

import psycopg
import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.security import visitor_keys
from infra.kernel.security.visitor_keys import Sealed, VisitorKeys, key_ids, seal, wrapped_keys
from tests.support.databases import own_databases

WEBSITE, OTHER, EVENT = UUID(int=7), UUID(int=9), UUID(int=8)
DAY = date(2026, 5, 17)
KEYS = VisitorKeys(Settings(master_key="5a" * 32))


@pytest.fixture
def connection(embedded_postgres: Settings) -> Iterator[psycopg.Connection[Any]]:
    with (
        own_databases(embedded_postgres, None) as settings,
        psycopg.connect(settings.postgres_url or "", autocommit=True) as opened,
    ):
        yield opened


def test_a_key_opens_until_it_is_erased(connection: psycopg.Connection[Any]) -> None:
    first, second = KEYS.make(WEBSITE, DAY), KEYS.make(WEBSITE, DAY)
    visitor_keys.store(connection, [first, second])
    sealed = [Sealed(WEBSITE, EVENT, seal(key, str(EVENT), {"gclid": "a"})) for key in (first, second)]
    found = wrapped_keys(connection, key_ids(one.text for one in sealed))
    assert [KEYS.open(one, found) for one in sealed] == [{"gclid": "a"}, {"gclid": "a"}]
    assert visitor_keys.erase(connection, [first.id]) == 1 and visitor_keys.erase(connection, [first.id]) == 0
    found = wrapped_keys(connection, key_ids(one.text for one in sealed))
    assert [KEYS.open(one, found) for one in sealed] == [None, {"gclid": "a"}]


def test_a_key_is_stored_once(connection: psycopg.Connection[Any]) -> None:
    key = KEYS.make(WEBSITE, DAY)
    visitor_keys.store(connection, [key])
    with pytest.raises(psycopg.errors.UniqueViolation):
        visitor_keys.store(connection, [replace(key, website_id=OTHER)])
