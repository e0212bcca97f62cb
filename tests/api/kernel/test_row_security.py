"""Row-level security: without the conditions of `query_api.kernel.authorization`, an account still reads only its own
rows."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from fastapi.testclient import TestClient

from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import pool as open_pool
from infra.kernel.security.sessions import Pool
from query_api.app import create_app
from query_api.kernel import authorization
from query_api.kernel.postgres_reader import ADMIN, SERVICE, PostgresReader, take_role
from query_api.partners import names
from tests.support.query import QueryService, World

PRIVATE = ("accounts", "websites", "website_keys", "links", "conversions", "activity")
"""Read models whose rows belong to an account."""


@pytest.fixture(scope="module")
def pool(query_settings: Settings) -> Iterator[Pool]:
    made = open_pool(query_settings, 1, configure=take_role)
    yield made
    made.close()


def ids(reader: PostgresReader, table: str) -> set[Any]:
    return {row["id"] for row in reader.rows(f"SELECT id FROM read.{table}")}


def test_row_level_security_holds_without_authorization(
    query_settings: Settings, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("_ONE", "_ALL"):
        monkeypatch.setattr(authorization, name, getattr(authorization, name).replace(authorization._VISIBLE, "true"))
    with TestClient(create_app(query_settings)) as client:
        for person in (world.eve, world.analyst):
            for path in ("/api/platform/websites", "/api/platform/links", "/api/platform/conversions"):
                assert client.get(path, headers=person.headers).json() == [], path
            for path in (
                f"/api/platform/analytics/overview?websiteId={world.website}",
                f"/api/platform/analytics/live?websiteId={world.website}",
                f"/api/platform/websites/{world.website}/keys",
                f"/api/platform/websites/{world.website}/snippet",
                f"/api/platform/conversions/{world.conversion}",
                f"/api/platform/links/{world.link}",
            ):
                assert client.get(path, headers=person.headers).status_code == 404, path
        [site] = client.get("/api/platform/websites", headers=world.ada.headers).json()
        assert site["id"] == str(world.website)


def test_each_reads_the_own_rows_alone(pool: Pool, world: World) -> None:
    own = {"accounts": world.ada.account_id, "websites": world.website, "links": world.link}
    own |= {"conversions": world.conversion, "website_keys": world.key}
    for table in PRIVATE:
        expected = {own[table]} if table in own else set()
        assert ids(PostgresReader.of(pool, world.ada.principal()), table) == expected, table
        everything = ids(PostgresReader(pool, ADMIN), table)
        assert expected <= everything
        assert not expected & ids(PostgresReader.of(pool, world.eve.principal()), table), table
        assert ids(PostgresReader(pool, SERVICE), table) == set(), table
    assert world.website in ids(PostgresReader.of(pool, world.admin.principal("admin")), "websites")


def test_a_keys_last_use_is_its_owners_to_see(pool: Pool, query_service: QueryService, world: World) -> None:
    used = datetime(2026, 5, 17, 10, 5, tzinfo=UTC)
    query_service.postgres.execute(
        "INSERT INTO ingest.key_use SELECT key_hash, website_id, %s FROM read.website_keys__g1 WHERE id = %s",
        (used, world.key),
    )
    [key] = query_service.get(f"/api/platform/websites/{world.website}/keys", world.ada).json()
    assert (key["id"], key["lastUsedAt"]) == (str(world.key), "2026-05-17T10:05:00Z")
    assert query_service.get(f"/api/platform/websites/{world.website}/keys", world.eve).status_code == 404
    for reader, seen in (
        (PostgresReader.of(pool, world.ada.principal()), 1),
        (PostgresReader.of(pool, world.eve.principal()), 0),
    ):
        assert len(reader.rows("SELECT FROM ingest.key_use")) == seen
    assert PostgresReader(pool, SERVICE).rows("SELECT FROM ingest.key_use") == []


def test_a_connection_without_an_account_reads_nothing(pool: Pool, world: World) -> None:
    for _ in range(2):
        with pool.connection() as connection:
            for table in (*PRIVATE, "partners", "partner_terms", "exchange_rates"):
                assert connection.execute(f"SELECT count(*) FROM read.{table}".encode()).fetchone() == (0,), table
        # The connection served an account: the setting ends with the transaction.
        assert ids(PostgresReader.of(pool, world.ada.principal()), "websites") == {world.website}


def test_partners_names_are_for_the_service_too(pool: Pool, world: World) -> None:
    found = names.partner_names(PostgresReader.of_service(pool), [str(world.partner)])
    assert found == {str(world.partner): "Acme"}


def test_the_service_cannot_write_or_read_secrets(pool: Pool) -> None:
    for statement in (
        "DELETE FROM read.websites__g1",
        "UPDATE accounts.session SET roles = '{admin}'",
        "DELETE FROM accounts.session",
        "SELECT * FROM accounts.credential",
        "SELECT * FROM kernel.subject_key",
        "SELECT * FROM ingest.salt",
        "CREATE TABLE read.mine (id int)",
        "UPDATE engine.position SET next_offset = 0",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), pool.connection() as connection:
            connection.execute(statement.encode())


def test_an_error_is_the_statements_own_and_the_connection_goes_on(pool: Pool, world: World) -> None:
    reader = PostgresReader.of(pool, world.ada.principal())
    with pytest.raises(psycopg.errors.DivisionByZero):
        reader.rows("SELECT 1 / %s::int", (0,))
    with pytest.raises(psycopg.errors.UndefinedTable):
        reader.rows(f"SELECT * FROM read.t{uuid4().hex}")
    assert reader.row("SELECT count(*) AS websites FROM read.websites") == {"websites": 1}
    assert reader.row("SELECT 1 AS one WHERE %(no)s", {"no": False}) is None
