"""The statements for a cluster: the product runs those that the documentation lists, and the engine parses each.

The embedded engine has no Keeper and no other servers, so none is run here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
import pytest

from infra.kernel.clickhouse.client import ClickHouseError, client
from infra.kernel.config.settings import Settings
from projectors.docs import CLUSTER, statements_of_cluster
from projectors.engine.schema import create
from projectors.engine.tables import drop_table
from projectors.registry import REGISTRY
from projectors.visits.tables import create as create_visits
from tests.support.databases import own_databases

DROPS = [statement for family in REGISTRY.clickhouse for t in family.tables for statement in drop_table(t, 1, CLUSTER)]


class RecordingClickHouse:
    """Notes the statements that would run; all tables have all columns and settings."""

    cluster: str | None = CLUSTER

    def __init__(self) -> None:
        self.statements: list[str] = []

    def run(self, statement: str, *_: Any, **__: Any) -> None:
        self.statements.append(statement)

    def rows(self, query: str, *_: Any, **__: Any) -> Sequence[Sequence[Any]]:
        if "engine_full" in query:
            return [("min_age_to_force_merge_seconds = 3600",)]
        names = [name for family in REGISTRY.clickhouse for table in family.tables for name in table.column_names]
        return [(name,) for name in names]

    def insert(self, *_: Any, **__: Any) -> None:
        raise AssertionError("a table gets rows")

    def ready(self) -> bool:
        return True


def test_the_listed_statements_are_those_that_run(embedded_postgres: Settings, embedded_clickhouse: Settings) -> None:
    clickhouse = RecordingClickHouse()
    with (
        own_databases(embedded_postgres, embedded_clickhouse) as own,
        psycopg.connect(str(own.postgres_url), autocommit=True) as connection,
    ):
        create(connection, clickhouse, REGISTRY)
    create_visits(clickhouse)
    assert clickhouse.statements == statements_of_cluster(CLUSTER)


def test_the_engine_parses_each(embedded_clickhouse: Settings) -> None:
    server = client(embedded_clickhouse)
    statements = [*statements_of_cluster(CLUSTER), *DROPS]
    for statement in statements:
        parsed = server.query("SELECT formatQuerySingleLine({text:String})", {"text": statement}).result_rows[0][0]
        assert f"ON CLUSTER {CLUSTER}" in parsed.replace("`", "").replace("'", ""), parsed
    with pytest.raises(ClickHouseError):
        server.query("SELECT formatQuerySingleLine({text:String})", {"text": statements[0].replace("ENGINE", "ENGIN")})
