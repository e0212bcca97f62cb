"""The SQL of ClickHouse tables: windows everywhere, and the variants for a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from projectors.engine.tables import (
    ClickHouseTable,
    Rollup,
    backfill,
    create_feed,
    create_table,
    create_view,
    drop_table,
    merge_when_at_rest,
)
from projectors.registry import REGISTRY
from projectors.rollups.events_raw import EVENTS
from projectors.rollups.recent_events import RECENT
from projectors.rollups.traffic_15m import TRAFFIC
from projectors.rollups.visitors_15m import VISITORS
from schemas.tracking import COLUMNS, PLACE_COLUMNS

TABLES = [table for family in REGISTRY.clickhouse for table in family.tables]


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_table_remembers_tokens_and_is_safe_against_power_loss(table: ClickHouseTable) -> None:
    (statement,) = create_table(table, 3)
    assert statement.startswith(f"CREATE TABLE IF NOT EXISTS {table.name}__g3 (")
    assert "non_replicated_deduplication_window = 10000" in statement
    assert "fsync_after_insert = 1" in statement


def test_rollups_are_read_in_short_marks_the_wider_their_rows_the_shorter() -> None:
    [visitors], [traffic] = create_table(VISITORS, 1), create_table(TRAFFIC, 1)
    assert ", index_granularity = 256," in visitors and ", index_granularity = 1024," in traffic


def test_months_of_rollups_become_one_part_when_they_are_at_rest() -> None:
    [events], [recent], [traffic] = create_table(EVENTS, 1), create_table(RECENT, 1), create_table(TRAFFIC, 1)
    settings = "min_age_to_force_merge_seconds = 3600, min_age_to_force_merge_on_partition_only = 1"
    assert traffic.endswith(f", {settings}")
    assert not any("min_age_to_force_merge" in statement for statement in (events, recent))
    assert merge_when_at_rest(TRAFFIC, 2) == f"ALTER TABLE traffic_15m__g2 MODIFY SETTING {settings}"
    assert merge_when_at_rest(TRAFFIC, 2, "main").startswith("ALTER TABLE traffic_15m__g2_local ON CLUSTER 'main' ")


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_in_a_cluster_tables_are_replicated_behind_distributed_ones(table: ClickHouseTable) -> None:
    local, distributed = create_table(table, 2, "main")
    assert local.startswith(f"CREATE TABLE IF NOT EXISTS {table.name}__g2_local ON CLUSTER 'main' (")
    assert f"ENGINE = Replicated{table.engine}('/clickhouse/tables/{{shard}}/{{database}}/{{table}}'" in local
    assert "replicated_deduplication_window = 10000" in local
    assert distributed == (
        f"CREATE TABLE IF NOT EXISTS {table.name}__g2 ON CLUSTER 'main' AS {table.name}__g2_local "
        f"ENGINE = Distributed('main', currentDatabase(), '{table.name}__g2_local', cityHash64(website_id))"
    )


def test_a_feed_goes_from_local_table_to_local_table() -> None:
    single = create_feed(TRAFFIC, 4, "events__g2")
    assert single.startswith("CREATE MATERIALIZED VIEW IF NOT EXISTS traffic_15m__g4_feed TO traffic_15m__g4 AS")
    assert "FROM events__g2 AS events WHERE 1 GROUP BY" in single
    many = create_feed(TRAFFIC, 4, "events__g2", "main")
    assert "traffic_15m__g4_feed ON CLUSTER 'main' TO traffic_15m__g4_local AS" in many
    assert "FROM events__g2_local AS events" in many


def test_feed_and_backfill_are_the_same_select() -> None:
    for table in TABLES:
        if isinstance(table, Rollup):
            select = table.select.format(source="events__g1", where="1")
            assert select in create_feed(table, 2, "events__g1")
            assert select in backfill(table, 2, "events__g1", "1")


def test_views_and_drops_name_the_generation() -> None:
    assert create_view("events", 7) == "CREATE OR REPLACE VIEW events AS SELECT * FROM events__g7"
    assert create_view("events", 7, "main").startswith("CREATE OR REPLACE VIEW events ON CLUSTER 'main' AS")
    absent = ("a LowCardinality(String) DEFAULT 'ZZ' CODEC(ZSTD(1))", "b DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))")
    assert create_view("events", 7, absent=absent) == (
        "CREATE OR REPLACE VIEW events AS SELECT *, CAST('ZZ' AS LowCardinality(String)) AS a, "
        r"CAST(defaultValueOfTypeName('DateTime64(3, \'UTC\')') AS DateTime64(3, 'UTC')) AS b FROM events__g7"
    )
    assert drop_table(EVENTS, 7) == ["DROP TABLE IF EXISTS events__g7 SYNC"]
    assert [statement.split()[4] for statement in drop_table(TRAFFIC, 7, "main")] == [
        "traffic_15m__g7_feed",
        "traffic_15m__g7",
        "traffic_15m__g7_local",
    ]


def test_the_raw_table_has_the_columns_of_the_list() -> None:
    assert EVENTS.column_names == tuple(column.name for column in COLUMNS)
    assert EVENTS.column_names[-4:] == tuple(column.name for column in PLACE_COLUMNS)


def test_the_raw_table_is_the_one_that_installations_have() -> None:
    """Another text needs a new version: no table is altered in place."""
    (statement,) = create_table(EVENTS, 5)
    assert EVENTS.version == 5
    assert statement + "\n" == (Path(__file__).parent / "events_table.sql").read_text()
