"""`PostgresRows` and `MemoryRows` do the same: verification and audit rely on it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg.rows import dict_row

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.memory_rows import Difference, MemoryRows, column_defaults, compare
from infra.kernel.postgres.pool import required_url
from infra.kernel.postgres.rows import PostgresRows, Row, Rows

KEY = ("a", "b")
Connection = psycopg.Connection[dict[str, Any]]
COLUMNS = """
    a int, b text, n bigint not null default 7, few int, note text, more jsonb not null default '{"k": [1]}',
    tags text[] not null default '{}', id uuid not null default '0192f3a0-0000-7000-8000-000000000002',
    search tsvector generated always as (to_tsvector('english', coalesce(note, ''))) stored, primary key (a, b)
"""


@pytest.fixture
def connection(embedded_postgres: Settings) -> Iterator[Connection]:
    with psycopg.connect(required_url(embedded_postgres), row_factory=dict_row) as opened:
        opened.execute("create schema rows")
        opened.execute(f"create table rows.t ({COLUMNS})".encode())
        yield opened
        opened.rollback()


@pytest.fixture
def pair(connection: Connection) -> tuple[PostgresRows, MemoryRows]:
    """The two kinds of rows of one table."""
    return PostgresRows(connection, "t", KEY, schema="rows"), MemoryRows(KEY, column_defaults(connection, "rows", "t"))


@pytest.mark.parametrize("seed", range(40))
def test_every_series_of_writes_gives_the_same_rows(
    connection: Connection, pair: tuple[PostgresRows, MemoryRows], seed: int
) -> None:
    rng, (rows, memory) = random.Random(seed), pair
    for _ in range(150):
        write = rng.getrandbits(32)
        stored, kept = (_write(random.Random(write), each) for each in pair)
        assert _own(stored) == kept
    assert stored_rows(connection, rows, memory) == memory.rows


def test_each_series_writes_every_kind(pair: tuple[PostgresRows, MemoryRows]) -> None:
    """Else the test above would show little: rows with and without each column, and conditions that match."""
    memory, rng = pair[1], random.Random(1)
    seen: set[Any] = set()
    for _ in range(500):
        _write(rng, memory)
        seen |= {(name, str(value)) for row in memory.rows.values() for name, value in row.items() if name != "n"}
    assert {("few", "None"), ("few", "3"), ("more", "{'k': [1]}"), ("more", "{'k': 2}")} <= seen
    assert {("note", "three"), ("note", "named x"), ("note", "None"), ("tags", "[]"), ("tags", "['y']")} <= seen


def test_a_row_that_must_be_new_fails_when_it_exists(pair: tuple[PostgresRows, MemoryRows]) -> None:
    rows, memory = pair
    for each in pair:
        each.insert(a=1, b="x", n=1)
    rows.insert(a=1, b="x", n=2)
    with pytest.raises(ValueError, match="exists already"):
        memory.insert(a=1, b="x", n=2)
    with pytest.raises(psycopg.errors.UniqueViolation):
        rows.flush()


def test_a_condition_of_nothing_matches_no_row(connection: Connection, pair: tuple[PostgresRows, MemoryRows]) -> None:
    for each in pair:
        each.put(a=1, b="x")
        each.update({"note": None}, n=1)
        each.add({"a": 1, "b": "x", "few": None}, n=1)
        each.delete(note=None)
        assert each.get(note=None) is None
    assert stored_rows(connection, *pair) == pair[1].rows
    assert pair[1].rows[1, "x"]["n"] == 7


def test_generated_columns_are_left_out_and_defaults_are_those_of_postgres(connection: Connection) -> None:
    assert column_defaults(connection, "rows", "t") == {
        "a": None,
        "b": None,
        "n": 7,
        "few": None,
        "note": None,
        "more": {"k": [1]},
        "tags": [],
        "id": UUID("0192f3a0-0000-7000-8000-000000000002"),
    }


def test_a_comparison_finds_what_was_changed_and_lost_and_invented(
    connection: Connection, pair: tuple[PostgresRows, MemoryRows]
) -> None:
    rows, memory = pair
    for each in pair:
        for a in range(4):
            each.put(a=a, b="x", note=f"note {a}")
    rows.update({"a": 0, "b": "x"}, n=8)
    rows.delete(a=1, b="x")
    rows.put(a=9, b="x")
    actual = stored_rows(connection, rows, memory)
    wanted = {key: dict(row) for key, row in memory.rows.items()}
    found = list(compare("t", KEY, memory.rows, actual.values()))
    assert sorted(found, key=lambda each: each.key) == [
        Difference("t", (0, "x"), wanted[0, "x"], actual[0, "x"]),
        Difference("t", (1, "x"), wanted[1, "x"], None),
        Difference("t", (9, "x"), None, actual[9, "x"]),
    ]


def stored_rows(connection: Connection, rows: PostgresRows, memory: MemoryRows) -> dict[tuple[Any, ...], Row]:
    rows.flush()
    found = connection.execute(memory.select(psycopg.sql.Identifier("rows", "t")))
    return {(row["a"], row["b"]): row for row in found}


def _write(rng: random.Random, rows: Rows) -> dict[str, Any] | None:
    key = {"a": rng.randrange(4), "b": rng.choice("xyz")}
    where = rng.choice([key, {"b": key["b"]}, {"a": key["a"], "note": "three"}, {**key, "few": 3}])
    match rng.randrange(9):
        case 0:
            rows.put(**key, n=rng.randrange(9), note=rng.choice(["one", None]), more={"k": rng.randrange(3)})
        case 1:
            rows.put(**key, note="two", tags=[key["b"]])
        case 2:
            rows.increment(key, n=rng.randrange(-3, 9), few=rng.choice([1, 3]))
        case 3:
            rows.update(where, note=rng.choice(["three", "four"]), few=rng.choice([None, 3]))
        case 4:
            rows.delete(**rng.choice([key, {"a": key["a"], "note": "three"}]))
        case 5:
            rows.add(where, n=rng.randrange(-3, 9), few=rng.randrange(3))
        case 6:
            rows.name_after(where, "note", "b", "named ")
        case 7:
            rows.put(**key)
        case _:
            return rows.get(**key)
    return None


def _own(row: dict[str, Any] | None) -> dict[str, Any] | None:
    """Without the column that Postgres generates."""
    return {name: value for name, value in row.items() if name != "search"} if row is not None else None
