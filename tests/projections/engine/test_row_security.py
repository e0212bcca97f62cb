"""Row-level security in Postgres: the rows of each read model, in every generation, that `query_reader` can read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from unittest.mock import create_autospec
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.rows import PostgresRows
from infra.ops.migrations import migrate
from projectors.engine import schema
from projectors.engine.clickhouse import ClickHouse
from projectors.engine.read_model import READER_ROLE, ReadModel
from projectors.registry import REGISTRY
from schemas.events.websites import WebsiteConnected
from tests.support.projection_bench import ProjectionBench


def connected(account: UUID, domain: str) -> WebsiteConnected:
    return WebsiteConnected(
        originator_id=uuid4(),
        originator_version=1,
        timestamp=datetime.now(UTC),
        actor_id=account,
        account_id=account,
        domain=domain,
        timezone="UTC",
        currency="USD",
    )


@contextmanager
def reading_for(connection: psycopg.Connection[Any], whom: str | None) -> Iterator[None]:
    """As the query service reads: its role, and whom it reads for, in one transaction."""
    with connection.transaction(force_rollback=True):
        connection.execute(f"set local role {READER_ROLE}".encode())
        if whom is not None:
            connection.execute("select set_config('app.reader', %s, true)", (whom,))
        yield


def domains(connection: psycopg.Connection[Any], whom: str | None, relation: str = "websites") -> set[str]:
    with reading_for(connection, whom):
        found = connection.execute(f"select domain from read.{relation}".encode()).fetchall()
        return {row[0] for row in found}


def test_a_rebuilt_generation_has_row_level_security(projecting: ProjectionBench) -> None:
    ada, eve = uuid4(), uuid4()
    projecting.decide(connected(ada, "ada.example"), connected(eve, "eve.example"))
    with projecting.running("websites"):
        projecting.wait("websites")
        assert projecting.command("projections", "rebuild", "websites", "--json") == 0
        for relation in ("websites", "websites__g1", "websites__g2"):
            assert_row_security(projecting.connection, relation, ada)
        assert projecting.command("projections", "promote", "websites", "--json") == 0
        assert_row_security(projecting.connection, "websites", ada)
        # A generation from before row-level security gets the policies when it becomes live again.
        projecting.connection.execute("alter table read.websites__g1 disable row level security")
        for policy in ("others", policy_of("websites")):
            projecting.connection.execute(f"drop policy {policy} on read.websites__g1".encode())
        assert projecting.command("projections", "rollback", "websites", "--json") == 0
        assert_row_security(projecting.connection, "websites", ada)


def assert_row_security(connection: psycopg.Connection[Any], relation: str, ada: UUID) -> None:
    assert domains(connection, None, relation) == set()
    assert domains(connection, "service", relation) == set()
    assert domains(connection, str(uuid4()), relation) == set()
    assert domains(connection, str(ada), relation) == {"ada.example"}
    assert domains(connection, "admin", relation) == {"ada.example", "eve.example"}


def test_every_read_model_has_row_level_security_and_is_read_only(projecting: ProjectionBench) -> None:
    connection = projecting.connection
    with reading_for(connection, None):
        for model in REGISTRY.postgres:
            assert connection.execute(f"select count(*) from read.{model.name}".encode()).fetchone() == (0,)
    for model in REGISTRY.postgres:
        for change in ("delete from", "truncate"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege), reading_for(connection, "admin"):
                connection.execute(f"{change} read.{model.table(1)}".encode())
        forced = connection.execute(
            "select relforcerowsecurity and relrowsecurity from pg_class where oid = %s::regclass",
            (f"read.{model.table(1)}",),
        ).fetchone()
        assert forced == (True,), model.name


def test_dead_letters_are_the_admins(projecting: ProjectionBench) -> None:
    projecting.connection.execute(
        'insert into engine.dead_letter (id, projection, generation, topic, partition, "offset", reason, value)'
        " values (gen_random_uuid(), 'events', 1, 'clicks', 0, 7, 'bad_json', '')"
    )
    for whom, count in ((None, 0), ("service", 0), (str(uuid4()), 0), ("admin", 1)):
        with reading_for(projecting.connection, whom):
            found = projecting.connection.execute("select count(*) from engine.dead_letter").fetchone()
        assert found == (count,), whom


def test_owners_read_dead_letters_of_their_websites_and_nobody_elses(projecting: ProjectionBench) -> None:
    """By the website that the record names. What cannot be read as a record is the admins' alone."""
    ada, eve = uuid4(), uuid4()
    mine, other = connected(ada, "ada.example"), connected(eve, "eve.example")
    projecting.decide(mine, other)
    with projecting.running("websites"):
        projecting.wait("websites")
    named = f'{{"website_id":"{mine.originator_id}","title":"\\u00e4 \\\\x"}}'.encode()
    for offset, value in enumerate((named, b"\xff\x00{", b'{"website_id":"no"}'), 100):
        projecting.connection.execute(
            'insert into engine.dead_letter (id, projection, generation, topic, partition, "offset", reason, value)'
            " values (gen_random_uuid(), 'events', 1, 'clicks', 0, %s, 'bad_json', %s)",
            (offset, value),
        )
    for whom, offsets in ((ada, [100]), (eve, []), ("admin", [100, 101, 102])):
        with reading_for(projecting.connection, str(whom)):
            sql = 'select "offset" from engine.dead_letter where "offset" >= 100 order by 1'
            assert [row[0] for row in projecting.connection.execute(sql)] == offsets, whom


def test_a_table_keeps_its_policies_unless_they_changed(projecting: ProjectionBench) -> None:
    connection = projecting.connection
    model = model_of("websites")

    def policies() -> list[Any]:
        return connection.execute(
            "select p.oid from pg_policy p where polrelid = 'read.websites__g1'::regclass order by 1"
        ).fetchall()

    before = policies()
    schema.protect_read_model(connection, model, 1)
    assert policies() == before
    schema.protect_read_model(connection, replace(model, readers="false"), 1)
    assert len(policies()) == 2 and policies() != before
    assert domains(connection, "admin") == set()


def test_an_older_database_gets_row_level_security(projecting: ProjectionBench) -> None:
    connection, ada = projecting.connection, uuid4()
    with connection.transaction():
        for policy in ("others", policy_of("websites")):
            connection.execute(f"drop policy {policy} on read.websites__g1".encode())
        connection.execute("alter table read.websites__g1 disable row level security, no force row level security")
        connection.execute("drop view read.websites")
        connection.execute("create view read.websites as select * from read.websites__g1")
    add_websites(connection, ada)
    schema.create_schema(projecting.settings, REGISTRY)
    assert_row_security(connection, "websites", ada)


def test_the_read_only_user_sees_everything_as_before(projecting: ProjectionBench) -> None:
    add_websites(projecting.connection, uuid4())
    for relation in ("websites", "websites__g1"):
        with projecting.connection.transaction(force_rollback=True):
            projecting.connection.execute("set local role analyst")
            found = projecting.connection.execute(f"select count(*) from read.{relation}".encode()).fetchone()
            assert found == (2,)


def test_an_owner_without_superuser_may_do_all(embedded_postgres: Settings) -> None:
    """As on a managed server: the owner may be denied nothing by its own forced row security."""
    assert embedded_postgres.postgres_url is not None
    name = f"owner_{uuid4().hex[:12]}"
    url = make_conninfo(embedded_postgres.postgres_url, dbname=name, user=name, password=name)
    with psycopg.connect(embedded_postgres.postgres_url, autocommit=True) as server:
        server.execute(sql.SQL("create role {0} login password {1}").format(sql.Identifier(name), sql.Literal(name)))
        server.execute(sql.SQL("create database {0} owner {0}").format(sql.Identifier(name)))
        try:
            with pytest.raises(migrate.MigrationError, match=f"GRANT {READER_ROLE} TO {name}"):
                migrate.apply(url, migrate.read_folder(migrate.FOLDER))
            server.execute(sql.SQL("grant {} to {}").format(sql.Identifier(READER_ROLE), sql.Identifier(name)))
            migrate.apply(url, migrate.read_folder(migrate.FOLDER))
            with psycopg.connect(url, autocommit=True) as connection:
                registry = replace(REGISTRY, clickhouse=())
                for _ in range(2):
                    schema.create(connection, create_autospec(ClickHouse), registry)
                ada = uuid4()
                add_websites(connection, ada)
                assert connection.execute("update read.websites__g1 set timezone = 'UTC'").rowcount == 2
                assert_row_security(connection, "websites", ada)
                assert connection.execute("delete from read.websites__g1").rowcount == 2
        finally:
            server.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))
            server.execute(sql.SQL("drop role {}").format(sql.Identifier(name)))


def add_websites(connection: psycopg.Connection[Any], ada: UUID) -> None:
    """Rows as the projection writes them: a website of Ada's and one of another account."""
    model = model_of("websites")
    for event in (connected(ada, "ada.example"), connected(uuid4(), "eve.example")):
        rows = PostgresRows(connection, model.table(1), model.key)
        model.handlers[WebsiteConnected](rows, event)
        rows.flush()


def model_of(name: str) -> ReadModel:
    found = REGISTRY.projections[name]
    assert isinstance(found, ReadModel)
    return found


def policy_of(name: str) -> str:
    return model_of(name).policy
