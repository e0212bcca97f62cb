"""The migrations on a real Postgres: once, in order, whole or not at all, by several at once."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from infra.migrations.migrate import FOLDER, Migration, MigrationError, apply, read_folder
from infra.settings import Settings


@pytest.fixture
def database(embedded_postgres: Settings) -> Iterator[str]:
    """An empty database of the test's own."""
    name = f"migrations_{uuid.uuid4().hex[:8]}"
    url = str(embedded_postgres.postgres_url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
        yield url.rpartition("/")[0] + f"/{name}"
        connection.execute(f"drop database {name} with (force)".encode())


def one(name: str, sql: str) -> Migration:
    return Migration(name, sql)


def rows(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url) as connection:
        return connection.execute(statement.encode()).fetchall()


def test_each_runs_once(database: str) -> None:
    files = [one("0001_a.sql", "create table a (n int)"), one("0002_b.sql", "insert into a values (1)")]
    assert apply(database, files) == ["0001_a.sql", "0002_b.sql"]
    assert apply(database, files) == []
    assert rows(database, "select n from a") == [(1,)]


def test_a_failing_file_leaves_nothing_of_itself(database: str) -> None:
    files = [one("0001_a.sql", "create table a ()"), one("0002_b.sql", "create table b (); select nonsense")]
    with pytest.raises(MigrationError, match=r"0002_b\.sql failed and was rolled back"):
        apply(database, files)
    assert rows(database, "select to_regclass('a') is null, to_regclass('b') is null") == [(False, True)]
    files[1] = one("0002_b.sql", "create table b ()")
    assert apply(database, files) == ["0002_b.sql"]


def test_a_changed_file_stops_everything(database: str) -> None:
    apply(database, [one("0001_a.sql", "select 1")])
    with pytest.raises(MigrationError, match="was changed after it ran"):
        apply(database, [one("0001_a.sql", "select 2"), one("0002_b.sql", "create table b ()")])
    assert rows(database, "select to_regclass('b') is null") == [(True,)]


def test_a_newer_database_is_left_alone(database: str) -> None:
    apply(database, [one("0001_a.sql", "select 1"), one("0009_z.sql", "select 1")])
    with pytest.raises(MigrationError, match=r"0009_z\.sql"):
        apply(database, [one("0001_a.sql", "select 1")])


def test_several_at_once_run_each_file_once(database: str) -> None:
    files = [one("0001_a.sql", "create table a (n int)"), one("0002_b.sql", "insert into a values (1)")]
    done: list[list[str]] = []
    threads = [threading.Thread(target=lambda: done.append(apply(database, files))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [[], [], [], ["0001_a.sql", "0002_b.sql"]]
    assert rows(database, "select count(*) from a") == [(1,)]


def test_a_held_lock_is_not_waited_for(database: str) -> None:
    apply(database, [one("0001_a.sql", "create table a ()")])
    with psycopg.connect(database) as holder:
        holder.execute("lock table a in access exclusive mode")
        with pytest.raises(MigrationError, match="could not get its locks"):
            apply(database, [one("0001_a.sql", "create table a ()"), one("0002_b.sql", "drop table a")])
        holder.rollback()


@pytest.mark.parametrize("names", [["1_a.sql"], ["0001_A.sql"], ["0001_a.sql", "0001_b.sql"]])
def test_names_are_held_to_their_form(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text("select 1")
    with pytest.raises(MigrationError):
        read_folder(tmp_path)


def test_our_own_files_run_on_an_empty_database(database: str) -> None:
    files = read_folder(FOLDER)
    assert apply(database, files) == [file.name for file in files]


def test_open_invites_are_found_in_the_event_store(database: str) -> None:
    """0128: an invite from before is open unless it was used up or withdrawn."""
    files = read_folder(FOLDER)
    before = [file for file in files if file.name < "0128"]
    apply(database, before)
    cases = {"open": 2, "used once": 2, "used up": 1, "withdrawn": 1}
    ids = {name: uuid.uuid4() for name in cases}
    account = uuid.uuid4()
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("create schema if not exists events")
        connection.execute("create table events.stored_events (originator_id uuid, topic text, state bytea)")

        def happened(invite: uuid.UUID, topic: str, **state: object) -> None:
            connection.execute(
                "insert into events.stored_events values (%s, %s, %s)", (invite, topic, json.dumps(state).encode())
            )

        for name, invite in ids.items():
            connection.execute("insert into auth.invite_code values (%s, %s, %s, '')", (invite, account, invite.bytes))
            happened(invite, "invite.created.v1", max_uses=cases[name], expires_at="2030-01-02T00:00:00Z")
        for name in ("used once", "used up"):
            happened(ids[name], "invite.used.v1")
        happened(ids["withdrawn"], "invite.revoked.v1")
    apply(database, files)
    found = rows(database, "select invite_id from auth.invite_code where open_until = '2030-01-02T00:00:00Z'")
    assert {row[0] for row in found} == {ids["open"], ids["used once"]}
