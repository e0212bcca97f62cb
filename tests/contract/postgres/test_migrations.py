"""The migrations on a real Postgres: once, in order, whole or not at all, by several at once."""

from __future__ import annotations

import re
import threading
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

import psycopg
import pytest

from command_api.schema import create_schema
from infra.kernel.config.settings import Settings
from infra.ops.backup import dump
from infra.ops.migrations.migrate import BRIDGE, FOLDER, LAST, OLDER, Migration, MigrationError, apply, read_folder
from tests.support.engines import ROOT
from tests.support.previous_release import previous_release


@contextmanager
def empty_database(embedded_postgres: Settings) -> Iterator[str]:
    name = f"migrations_{uuid.uuid4().hex[:8]}"
    url = str(embedded_postgres.postgres_url)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
        yield url.rpartition("/")[0] + f"/{name}"
        connection.execute(f"drop database {name} with (force)".encode())


@pytest.fixture
def database(embedded_postgres: Settings) -> Iterator[str]:
    """An empty database of the test's own."""
    with empty_database(embedded_postgres) as url:
        yield url


@pytest.fixture
def new_database(embedded_postgres: Settings) -> Iterator[str]:
    """Another one, for today's migrations: that of all tests has what others make in it."""
    with empty_database(embedded_postgres) as url:
        apply(url, read_folder(FOLDER))
        yield url


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
    assert rows(database, "SELECT table_name FROM information_schema.tables WHERE table_schema IN ('auth', 'ops')") == [
        ("migrations",)
    ]


SHOWN: Final = {
    "schemas": "SELECT nspname, {acl(coalesce(nspacl, acldefault('n', nspowner)))} FROM pg_namespace n WHERE {own}",
    "relations": """
        SELECT n.nspname, relname, relkind, relrowsecurity, relforcerowsecurity, reloptions, {acl(relacl)},
            obj_description(c.oid, 'pg_class'), CASE relkind WHEN 'v' THEN pg_get_viewdef(c.oid) END
        FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE {own} AND relkind <> 'i'""",
    "columns": """
        SELECT n.nspname, relname, row_number() OVER (PARTITION BY c.oid ORDER BY attnum), attname,
            format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid), attidentity, attgenerated,
            attstorage, {acl(attacl)}, col_description(c.oid, attnum)
        FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
        LEFT JOIN pg_attrdef d ON (adrelid, adnum) = (attrelid, attnum)
        WHERE {own} AND relkind <> 'i' AND attnum > 0 AND NOT attisdropped""",
    "indexes": "SELECT indexdef FROM pg_indexes, LATERAL (SELECT schemaname AS nspname) n WHERE {own}",
    "constraints": """
        SELECT conrelid::regclass::text, conname, pg_get_constraintdef(c.oid)
        FROM pg_constraint c JOIN pg_namespace n ON n.oid = connamespace WHERE {own} AND contype <> 'n'""",
    "functions": """
        SELECT pg_get_functiondef(p.oid), {acl(proacl)}, pronargs FROM pg_proc p
        JOIN pg_namespace n ON n.oid = pronamespace WHERE {own}""",
    "triggers": """
        SELECT pg_get_triggerdef(t.oid), tgenabled FROM pg_trigger t JOIN pg_class c ON c.oid = tgrelid
        JOIN pg_namespace n ON n.oid = relnamespace WHERE {own} AND NOT tgisinternal""",
    "policies": "SELECT p.* FROM pg_policies p, LATERAL (SELECT schemaname AS nspname) n WHERE {own}",
    "sequences": """
        SELECT s.schemaname, sequencename, data_type, start_value, increment_by
        FROM pg_sequences s, LATERAL (SELECT schemaname AS nspname) n WHERE {own}""",
    "default privileges": """
        SELECT n.nspname, defaclobjtype, {acl(defaclacl)}
        FROM pg_default_acl LEFT JOIN pg_namespace n ON n.oid = defaclnamespace""",
}
"""All that a database has besides rows. Names of NOT NULL constraints, which Postgres 18 makes from those of tables, do
not count."""


def catalogue(url: str) -> dict[str, list[tuple[object, ...]]]:
    own = "n.nspname !~ '^(pg_|information_schema)'"
    acl = re.compile(r"\{acl\((.+?)\)\}")
    return {
        kind: sorted(
            rows(
                url, acl.sub(r"(SELECT array_agg(x ORDER BY x) FROM unnest(\1::text[]) x)", query).replace("{own}", own)
            ),
            key=repr,
        )
        for kind, query in SHOWN.items()
    }


def kept(url: str) -> dict[str, object]:
    return {table: rows(url, f"SELECT count(*) FROM {table}")[0][0] for table in KEPT}


@pytest.fixture(scope="module")
def released() -> Sequence[Migration]:
    """The migrations of the previous release."""
    with previous_release() as tree:
        return read_folder(tree / FOLDER.relative_to(ROOT))


EVENT_STORE: Final = "CREATE TABLE events.stored_events ()"
"""A database in which services have run has one."""
OLD_ROWS: Final = """
INSERT INTO auth.setup_token (token_hash, expires_at) VALUES ('a', '2030-01-01');
INSERT INTO auth.rate_limit VALUES ('bucket', '2030-01-01');
INSERT INTO ops.escrow_call (escrow_id, step) VALUES (gen_random_uuid(), 'open'), (gen_random_uuid(), 'settle');
INSERT INTO ops.contact (id, kind, email_sealed) VALUES (gen_random_uuid(), 'newsletter', 'sealed');
INSERT INTO conversions.awaiting_exchange_rate (report_id, conversion_id, report)
    VALUES (gen_random_uuid(), gen_random_uuid(), '{"txid": "t-1"}');
SELECT auth.write_audit('signed in', 'done', NULL, NULL, NULL, '', '', '{}');
"""
KEPT: Final = {
    "accounts.setup_token": 1,
    "kernel.rate_limit": 1,
    "marketplace.escrow_call": 2,
    "leads.contact": 1,
    "conversions.awaiting_exchange_rate": 1,
    "kernel.audit": 1,
}


WITHOUT_OLD_NAMES: Final = """
DROP TABLE events.stored_events;
DROP SCHEMA auth CASCADE;
DROP VIEW ops.contact, ops.mail, ops.llm_call, ops.escrow_call, ops.escrow_message, ops.listing_image,
    ops.listing_image_use, ops.backup, ops.canary, ops.to_erase, ops.visitor_to_erase;
REVOKE USAGE ON SCHEMA ops FROM query_reader;
"""
"""What the next release does."""

OLD_NAMES: Final = """
    SELECT table_schema, table_name, column_name, data_type FROM information_schema.columns
    WHERE table_schema IN ('auth', 'ops') UNION ALL
    SELECT routine_schema, routine_name, '', '' FROM information_schema.routines
    WHERE routine_schema = 'auth' AND routine_name IN ('write_audit', 'check_audit')
"""
"""All that services of the previous release name in their SQL."""


@pytest.mark.parametrize("run_since", [0, 7, 16])
def test_an_older_installation_gets_the_tables_of_a_new_one_and_keeps_its_rows(
    database: str, new_database: str, released: Sequence[Migration], run_since: int
) -> None:
    """From the previous release, and from versions between it and the baseline."""
    since = read_folder(OLDER)
    apply(database, (*released, *since[:run_since]))
    with psycopg.connect(database) as connection:
        connection.execute(f"{EVENT_STORE}; {OLD_ROWS}".encode())
    later = [each.name for each in read_folder(FOLDER) if each.name > LAST]
    assert apply(database, read_folder(FOLDER)) == [*(each.name for each in since[run_since:]), *later]
    assert apply(database, read_folder(FOLDER)) == []
    assert kept(database) == KEPT
    with psycopg.connect(database) as connection:
        connection.execute(WITHOUT_OLD_NAMES.encode())
    assert catalogue(database) == catalogue(new_database)
    migrations = "SELECT name, checksum FROM ops.migrations ORDER BY 1"
    assert rows(database, migrations) == rows(new_database, migrations)


def test_services_of_the_previous_release_find_their_tables_by_the_old_names(
    database: str, released: Sequence[Migration]
) -> None:
    apply(database, released)
    names = set(rows(database, OLD_NAMES))
    with psycopg.connect(database) as connection:
        connection.execute(EVENT_STORE)
    apply(database, read_folder(FOLDER))
    assert names and names <= set(rows(database, OLD_NAMES))
    with psycopg.connect(database) as connection:
        connection.execute(OLD_ROWS.encode())
        connection.execute(
            "INSERT INTO auth.rate_limit AS r VALUES ('bucket', '2031-01-01')"
            " ON CONFLICT (bucket) DO UPDATE SET tat = greatest(r.tat, excluded.tat)"
        )
        connection.execute("DELETE FROM auth.setup_token WHERE expires_at < now()")
        told = connection.execute(
            "UPDATE ops.escrow_call SET attempts = 1 WHERE step = 'open' RETURNING attempts, state"
        )
        assert told.fetchall() == [(1, "waiting")]
        due = b"SELECT step FROM ops.escrow_call ORDER BY step FOR UPDATE SKIP LOCKED"
        assert connection.execute(due).fetchall() == [("open",), ("settle",)]
        with psycopg.connect(database) as other:
            assert other.execute(due.replace(b"ops", b"marketplace")).fetchall() == [], "locks are those of the table"
    assert kept(database) == KEPT
    assert rows(database, "SELECT tat::date::text FROM kernel.rate_limit") == [("2031-01-01",)]
    with psycopg.connect(database) as connection:
        connection.execute("SET LOCAL ROLE query_reader")

        def shown(reader: str) -> object:
            connection.execute("SELECT set_config('app.reader', %s, true)", (reader,))
            query = "SELECT (SELECT count(*) FROM ops.contact), (SELECT newest FROM auth.check_audit(0, 10))"
            return connection.execute(query).fetchone()

        assert shown("admin") == (1, 1)
        assert shown(str(uuid.uuid4())) == (0, 0), "row-level security is that of the table"
        connection.execute("UPDATE auth.session SET last_seen_at = now()")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("UPDATE auth.session SET email = ''")


def test_a_backup_with_rows_that_its_version_knew_by_old_names_is_restored_without_them(
    database: str, embedded_postgres: Settings, released: Sequence[Migration]
) -> None:
    apply(database, released)
    with psycopg.connect(database) as connection:
        connection.execute(f"{EVENT_STORE}; {OLD_ROWS}".encode())
    apply(database, read_folder(FOLDER))
    with psycopg.connect(database) as connection:
        connection.execute("DROP TABLE events.stored_events")
    create_schema(replace(embedded_postgres, postgres_url=database))
    with psycopg.connect(database) as connection:
        dump.empty(connection)
    assert kept(database) == {**KEPT, "accounts.setup_token": 0, "kernel.rate_limit": 0}


def test_an_installation_with_a_part_of_what_the_baseline_replaces_gets_an_error_with_what_to_do(
    database: str, released: Sequence[Migration]
) -> None:
    apply(database, released[:-1])
    before = catalogue(database)
    with pytest.raises(MigrationError, match=r"`althing migrate` of that version first .*Upgrade"):
        apply(database, read_folder(FOLDER))
    assert catalogue(database) == before


def test_an_older_database_with_a_changed_migration_is_left_alone(database: str, released: Sequence[Migration]) -> None:
    apply(database, (*released[:-1], replace(released[-1], sql=f"{released[-1].sql} -- changed")))
    with pytest.raises(MigrationError, match=f"before {BRIDGE}"):
        apply(database, read_folder(FOLDER))
