"""The migrations on a real Postgres: once, in order, whole or not at all, by several at once."""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from infra.kernel.config.settings import Settings
from infra.ops.migrations.migrate import FOLDER, Migration, MigrationError, apply, read_folder


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


OLD_ROWS = """
INSERT INTO policy.waiting (conversion_id, report, received_at, next_at, until)
    VALUES ('00000000-0000-4000-8000-000000000001', '{}', now(), '2030-01-01', '2030-02-01');
INSERT INTO policy.without_rate (report_id, conversion_id, report, next_at) VALUES
    (gen_random_uuid(), '00000000-0000-4000-8000-000000000002', '{}', '2030-01-03'),
    (gen_random_uuid(), '00000000-0000-4000-8000-000000000002', '{}', '2030-01-02');
INSERT INTO policy.refused_report VALUES (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'x', 'X', now());
INSERT INTO policy.custom_domain (domain_id, account_id, website_id, next_at, misses)
    VALUES ('00000000-0000-4000-8000-000000000003', gen_random_uuid(), gen_random_uuid(), '2030-01-04', 2);
INSERT INTO policy.insight_look (website_id, due_day, looked_day)
    VALUES (gen_random_uuid(), '2030-01-02', '2030-01-01'), (gen_random_uuid(), '2030-01-02', NULL);
INSERT INTO policy.insight_digest VALUES (gen_random_uuid(), 'daily', '2030-01-01', '2030-01-05');
INSERT INTO policy.saved_search VALUES
    ('00000000-0000-4000-8000-000000000004', gen_random_uuid(), now(), '2030-01-06');
INSERT INTO policy.saved_search_notice VALUES ('00000000-0000-4000-8000-000000000004', gen_random_uuid());
INSERT INTO policy.listing (listing_id, seller_id, verify_at, host) VALUES
    ('00000000-0000-4000-8000-000000000005', gen_random_uuid(), '2030-01-07', 'vpn.example'),
    (gen_random_uuid(), gen_random_uuid(), NULL, NULL);
INSERT INTO auth.idempotency (key_hash, account_id, route, request_hash, status, body, headers)
    VALUES ('a', gen_random_uuid(), 'POST /x', 'b', 200, 'c', '{}');
"""
"""Rows of an installation from before process managers; the last two digits of an id are those of its day."""


def test_due_times_and_process_state_of_an_older_installation_are_kept(database: str) -> None:
    migrations = read_folder(FOLDER)
    apply(database, [each for each in migrations if each.name < "0160"])
    with psycopg.connect(database) as connection:
        connection.execute(OLD_ROWS.encode())
    apply(database, migrations)
    due = "SELECT process, right(id::text, 1)::int, due_at::date::text FROM kernel.timeout ORDER BY 2"
    assert rows(database, due) == [
        ("pending-attribution", 1, "2030-01-01"),
        ("awaiting-exchange-rate", 2, "2030-01-02"),
        ("domains:verification", 3, "2030-01-04"),
        ("marketplace:search-digest", 4, "2030-01-06"),
        ("marketplace:verification", 5, "2030-01-07"),
    ]
    counts = {
        "conversions.pending_attribution": 1,
        "conversions.awaiting_exchange_rate": 2,
        "conversions.rejected_report": 1,
        "domains.dns_check": 1,
        "insights.daily_analysis": 1,
        "insights.digest": 1,
        "marketplace.saved_search": 1,
        "marketplace.saved_search_notice": 1,
        "marketplace.listing_host": 1,
        "kernel.idempotency": 1,
    }
    found = {table: rows(database, f"SELECT count(*) FROM {table}")[0][0] for table in counts}
    assert found == counts
    assert rows(database, "SELECT to_regnamespace('policy') IS NULL") == [(True,)]
