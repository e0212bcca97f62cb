"""`python -m tests.support.new_property NAME`: sends a property of the column list through everything, in the tree that
it is run in; prints what held. Used by `tests/projections/analytics/test_new_property.py` on a changed copy.
"""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import replace
from urllib.parse import urlsplit
from uuid import uuid4

import orjson

from infra.domain.sql_access import docs as analysts_docs
from infra.domain.sql_access import sql_validator
from infra.domain.sql_access.data_tables import FORMAT
from infra.domain.sql_access.validation_result import fill
from infra.domain.sql_access.views import Scope
from infra.kernel.clickhouse.reader import Reader
from infra.kernel.config.settings import Settings
from infra.kernel.log import Record, StoredRecord
from infra.ops.audit.wide_rows import WideRows
from projectors.engine.clickhouse import HttpClickHouse
from projectors.engine.dedup import NullDedupIndex
from projectors.engine.projection import Batch
from projectors.engine.schema import absent_columns
from projectors.engine.tables import ClickHouseTable, create_table, create_view, table_name
from projectors.rollups import event_rows
from projectors.rollups.events_raw import EVENTS
from schemas.docs import events_page
from schemas.topics import CLICKS
from schemas.tracking import COLUMNS
from tests.support.ingest_in_process import KEY, WEBSITE, KeepingLog, ingest_context, request

VALUE = "2.7.1 (beta)"


def main(name: str) -> int:
    """Raises `AssertionError` at the first thing that does not hold."""
    record = sent(name)
    assert orjson.loads(record.value)[name] == VALUE, record
    print("accepted", "logged")
    [column] = [one for one in COLUMNS if one.name == name]
    assert EVENTS.version == column.since and create_table(EVENTS, 2)[0].count(f"  {name} ") == 1
    print("versioned")
    url = urlsplit(os.environ["CLICKHOUSE_URL"])
    owner, database = HttpClickHouse(Settings(clickhouse_url=url.geturl())), f"t{uuid4().hex}"
    owner.run(f"CREATE DATABASE {database}")
    try:
        check_tables(name, record, Settings(clickhouse_url=url._replace(path=f"/{database}").geturl()), database)
    finally:
        owner.run(f"DROP DATABASE {database}")
    assert f"| `{name}` |" in events_page() and f"| `{name}` |" in analysts_docs.tables()
    print("documented")
    return 0


def sent(name: str) -> Record:
    """The record of one event with the property, as ingest writes it."""
    log = KeepingLog()

    async def scene() -> int:
        body = orjson.dumps({"type": "pageview", "url": "https://attacked.example/", name: VALUE})
        return await request(ingest_context(log), f"/track?site={KEY}", body)

    assert asyncio.run(scene()) == 202
    [record] = log.records
    return record


def check_tables(name: str, record: Record, settings: Settings, database: str) -> None:
    """From the record to the row, and what reads the row."""
    clickhouse, batch = HttpClickHouse(settings), Batch()
    stored = StoredRecord(CLICKS.name, 0, 0, 0, record.key, record.value, record.headers)
    event_rows.to_rows([stored], NullDedupIndex(), batch)
    assert (len(batch.rows), batch.bad) == (1, []), batch.bad
    older = replace(EVENTS, columns=tuple(line for line in EVENTS.columns if line.split()[0] != name))
    insert(clickhouse, EVENTS, 2, batch)
    assert clickhouse.rows(f"SELECT {name} FROM {table_name(EVENTS.name, 2)}")[0][0] == VALUE
    print("stored")
    insert(clickhouse, older, 1, batch)
    assert clickhouse.rows(f"SELECT count() FROM {table_name(EVENTS.name, 1)}")[0][0] == 1
    print("left-out-of-older-tables")
    clickhouse.run(create_view(EVENTS.name, 1, absent=absent_columns(clickhouse, EVENTS, 1)))
    check_analysts(name, "", clickhouse, database)
    check_audit_of_older_table(name, record, settings)
    print("not-needed-in-older-tables")
    clickhouse.run(create_view(EVENTS.name, 2, absent=absent_columns(clickhouse, EVENTS, 2)))
    check_analysts(name, VALUE, clickhouse, database)
    print("shown-to-analysts")
    check_audit(name, record, settings)


def insert(clickhouse: HttpClickHouse, table: ClickHouseTable, generation: int, batch: Batch) -> None:
    """Makes the table of the generation and writes the rows, as the projector does."""
    for statement in create_table(table, generation):
        clickhouse.run(statement)
    clickhouse.insert(table_name(table.name, generation), b"\n".join(batch.rows), "token")


def check_analysts(name: str, value: str, clickhouse: HttpClickHouse, database: str) -> None:
    """An analyst of the website reads it, and finds it in the schema."""
    scope = Scope("analyst", frozenset((WEBSITE,)), lambda _: ())
    for statement, expected in (
        (f"SELECT {name} FROM events", value),
        (f"SELECT name FROM system.columns WHERE table = 'events' AND name = '{name}'", name),
    ):
        filled = fill(sql_validator.read(statement, scope.name), scope)
        allowed = filled.sql.replace("althing.events", f"{database}.events")
        for table in filled.data:  # this client sends no external tables
            content = table.content().decode().replace("\\", "\\\\").replace("'", "\\'")
            allowed = allowed.replace(table.name, f"format({FORMAT}, '{table.structure}', '{content}')")
        assert [row[0] for row in clickhouse.rows(allowed)] == [expected], allowed


def check_audit_of_older_table(name: str, record: Record, settings: Settings) -> None:
    """What the table cannot hold yet is no difference; everything else is compared."""
    with Reader(settings) as reader:
        rows = WideRows(reader, CLICKS.name, 0, 1, lambda *_: None)
        [found] = rows.take(0)
        fields = orjson.loads(record.value)
        assert found == rows.hash_of(fields) == rows.hash_of({**fields, name: "other"})
        assert found != rows.hash_of({**fields, "path": "other"})


def check_audit(name: str, record: Record, settings: Settings) -> None:
    """The row is what the record says; another value of the property is a difference, by name."""
    with Reader(settings) as reader:
        rows = WideRows(reader, CLICKS.name, 0, 1, lambda *_: None)
        [found] = rows.take(0)
        fields = orjson.loads(record.value)
        assert found == rows.hash_of(fields)
        changed = {**fields, name: "other"}
        assert found != rows.hash_of(changed)
        assert rows.difference(0, changed) == f"{name}: {VALUE!r} instead of 'other'"
    print("audited")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
