"""Places of analysts' statements, incomplete requests, readiness, live tables as a second engine gets them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from infra.services.clickhouse_server import allow_list, app, attached_tables, readonly
from infra.services.clickhouse_server.admission import AnalystSlots, IncompleteRequests
from infra.services.clickhouse_server.attached_tables import LiveTable, attachment
from infra.services.clickhouse_server.errors import ClickHouseError


def test_the_account_with_the_fewest_places_is_next() -> None:
    async def run() -> list[str]:
        places, order, full, may_end = AnalystSlots(2, 2, 10, 5), list[str](), asyncio.Event(), asyncio.Event()

        async def statement(account: str) -> None:
            async with places.place(account, asyncio.Event()):
                order.append(account)
                if len(order) == 2:
                    full.set()
                await may_end.wait()

        tasks = [asyncio.create_task(statement(account)) for account in ("a", "a", "a", "a", "b", "c")]
        await full.wait()
        may_end.set()
        await asyncio.gather(*tasks)
        return order

    order = asyncio.run(run())
    assert order[:3] == ["a", "a", "b"], "it came after two others of the first account"
    assert order.index("c") < 5


def test_an_account_has_so_many_places_and_no_more() -> None:
    async def run() -> None:
        places, never = AnalystSlots(3, 2, 10, 0.05), asyncio.Event()
        async with places.place("a", never), places.place("a", never):
            with pytest.raises(ClickHouseError, match="202"):
                async with places.place("a", never):
                    pass
            async with places.place("b", never):
                pass
        cancelled = asyncio.Event()
        cancelled.set()
        async with places.place("a", never), places.place("a", never), places.place("a", cancelled):
            pass
        async with places.place("a", never), places.place("a", never), places.place("b", never):
            pass  # all have been given back
        places.stop()
        with pytest.raises(ClickHouseError, match="734"):
            async with places.place("c", never):
                pass

    asyncio.run(run())


def test_incomplete_requests_are_counted_for_each_user() -> None:
    incomplete = IncompleteRequests(3)
    with incomplete.one("a", 2), incomplete.one("a", 2):
        with pytest.raises(ClickHouseError, match="202"), incomplete.one("a", 2):
            pass
        with incomplete.one("b", 2), pytest.raises(ClickHouseError, match="202"), incomplete.one("c", 2):
            pass
    with incomplete.one("a", 1):
        pass


class _Hanging:
    """An engine that answers once it may."""

    version, timezone = "26.9", "UTC"

    def __init__(self, folder: Path) -> None:
        self.folder = self.incoming = folder
        self.may = threading.Event()
        self.asked = 0

    def scalar(self, sql: str) -> str:
        assert sql == app.PROBE
        self.asked += 1
        self.may.wait(60)
        return app.PROBE_ANSWER


def test_a_front_whose_engine_answers_no_read_is_not_ready(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "PROBE_S", 0.05)
    engine = _Hanging(tmp_path)
    front = app.ClickHouseServer(engine, {}, default_database="x", limits=app.Limits())  # type: ignore[arg-type]  # stands for an engine

    async def status(path: str) -> int:
        sent: list[Mapping[str, Any]] = []

        async def send(message: Mapping[str, Any]) -> None:
            sent.append(message)

        async def receive() -> dict[str, Any]:
            return {"type": "http.request"}

        await front({"type": "http", "method": "GET", "path": path, "headers": []}, receive, send)
        return int(sent[0]["status"])

    async def run() -> None:
        try:
            assert await status("/ping") == 200
            assert [await status("/readyz"), await status("/readyz")] == [503, 503]
            assert engine.asked == 1, "a read that hangs is asked no second time"
        finally:
            engine.may.set()
        monkeypatch.setattr(app, "PROBE_S", 60)
        assert await status("/readyz") == 200

    asyncio.run(run())


def test_tables_are_attached_without_the_right_to_write() -> None:
    tables = [
        LiveTable(
            "events__g1",
            "MergeTree",
            "CREATE TABLE althing.events__g1 (`a` String DEFAULT ' SETTINGS ') ENGINE = MergeTree ORDER BY a"
            " SETTINGS non_replicated_deduplication_window = 10, index_granularity = 1024, fsync_after_insert = 1",
            "/live/store/abc/",
        ),
        LiveTable("events", "View", "CREATE VIEW althing.events (`a` String) AS SELECT * FROM althing.events__g1", ""),
        LiveTable("other__g1", "MergeTree", "CREATE TABLE althing.other__g1 (`a` String) ENGINE = MergeTree", "/o/"),
        LiveTable("feed", "MaterializedView", "CREATE MATERIALIZED VIEW althing.feed AS SELECT 1", ""),
    ]
    found = attachment("althing", "SELECT * FROM (SELECT a FROM althing.events AS e)", tables)
    assert found.paths == ("/live/store/abc/",)
    table, view = found.statements
    assert view == tables[1].create
    assert table.startswith("CREATE TABLE althing.events__g1 (`a` String DEFAULT ' SETTINGS ') ENGINE = MergeTree")
    assert table.endswith("readonly = true), table_disk = 1") and "index_granularity = 1024" in table
    assert "path = '/live/store/abc/'" in table and "deduplication" not in table and "fsync" not in table
    assert attachment("althing", "SELECT 1", tables) == attached_tables.TableAttachment((), ())
    assert attachment("althing", "SELECT * FROM althing.feed", tables).statements == ()


def test_only_listed_formats_and_settings_are_there() -> None:
    for name in (
        "AvroConfluent",
        "avroconfluent",
        "Template",
        "Protobuf",
        "CapnProto",
        "Hash",
        "JSONEachRowWithProgress",
    ):
        with pytest.raises(ClickHouseError, match="497"):
            allow_list.check_format(name, allow_list.OUTPUT_FORMATS)
        with pytest.raises(ClickHouseError, match="497"):
            allow_list.check_format(name, allow_list.INPUT_FORMATS)
    for name in ("JSON", "CSVWithNames", "tsv", "Parquet", "JSONCompactEachRowWithNamesAndTypes", "Native"):
        allow_list.check_format(name, allow_list.OUTPUT_FORMATS)
    for name in ("format_avro_schema_registry_url", "output_format_schema", "format_schema", "format_template_row",
                 "input_format_record_errors_file_path", "http_response_headers", "allow_ddl"):  # fmt: skip
        with pytest.raises(ClickHouseError, match="164"):
            readonly.settings_for({name: "1"}, {})
