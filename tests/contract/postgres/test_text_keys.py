"""Keys of personal texts on a real Postgres."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.security.text_keys import TextKeys, leaf_of, parse, seal, unseal
from infra.ops.jobs import text_sealing
from tests.support.databases import own_databases

NJAL, GUNNAR = leaf_of("visitor", b"njal"), leaf_of("visitor", b"gunnar")


@pytest.fixture
def database(embedded_postgres: Settings) -> Iterator[Settings]:
    with own_databases(embedded_postgres, None) as settings:
        yield replace(settings, master_key="5a" * 32)


@pytest.fixture
def postgres(database: Settings) -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(database.postgres_url or "", autocommit=True) as connection:
        yield connection


def test_an_upgraded_installation_begins_to_seal_an_hour_after_the_migration(
    database: Settings, postgres: psycopg.Connection[Any]
) -> None:
    """Services of before, which cannot read what is sealed, may run until then."""
    assert not text_sealing.begin_when_due(database)
    assert TextKeys(database).newest(postgres) is None
    postgres.execute("UPDATE ops.migrations SET applied_at = applied_at - interval '61 minutes'")
    assert text_sealing.begin_when_due(database)
    begun = TextKeys(database).newest(postgres)
    assert begun is not None
    assert not text_sealing.begin_when_due(database), "once"
    again = TextKeys(database).newest(postgres)
    assert again is not None and again.number == begun.number


def test_an_erasure_is_stored_with_its_transaction_or_not_at_all(
    database: Settings, postgres: psycopg.Connection[Any]
) -> None:
    keys = TextKeys(database)
    with postgres.transaction():
        number = keys.create(postgres)
    texts = {leaf: seal(keys.read(postgres, [number])[number], leaf, b"text", b"") for leaf in (NJAL, GUNNAR)}

    def readable() -> set[bytes]:
        now = keys.read(postgres, [number])
        return {
            leaf
            for leaf, text in texts.items()
            if text is not None and unseal(now.get(parse(text).number), parse(text), b"") == b"text"
        }

    with postgres.transaction(force_rollback=True):
        keys.erase(postgres, {number: [NJAL]})
    assert readable() == {NJAL, GUNNAR}
    with postgres.transaction():
        keys.erase(postgres, {number: [NJAL]})
    assert readable() == {GUNNAR}


def test_numbers_grow_also_within_a_second(database: Settings, postgres: psycopg.Connection[Any]) -> None:
    keys = TextKeys(database)
    with postgres.transaction():
        numbers = [keys.create(postgres) for _ in range(3)]
    assert numbers == sorted(set(numbers))
    newest = keys.newest(postgres)
    assert newest is not None and newest.number == numbers[-1]


def test_what_is_stored_is_wrapped(database: Settings, postgres: psycopg.Connection[Any]) -> None:
    keys = TextKeys(database)
    with postgres.transaction():
        number = keys.create(postgres)
    root = keys.read(postgres, [number])[number].nodes[""]
    [(stored,)] = postgres.execute("SELECT nodes_wrapped FROM log.text_key").fetchall()
    assert root not in bytes(stored)
