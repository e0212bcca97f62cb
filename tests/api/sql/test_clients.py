"""Programs that are written for ClickHouse, as an analyst and as a readonly user: the libraries themselves, and the
statements that such programs send (`client_statements.toml`)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
import sqlalchemy

from infra.domain.sql_access import described, limits
from infra.domain.sql_access.tables import SCHEMA
from infra.ops.bootstrap import jars_for_tests
from tests.support.analysts import AnalystWorld, Asker
from tests.support.clickhouse import READER, READER_PASSWORD
from tests.support.engines import ROOT, wait_until
from tests.support.rounds import first_of

CLIENTS: Final = ROOT / "tests" / "contract" / "clickhouse"
STATEMENTS: Final[list[dict[str, Any]]] = tomllib.loads(Path(__file__).with_name("client_statements.toml").read_text())[
    "statement"
]
GO: Final = shutil.which("go")
_OF_SYSTEM: Final = re.compile(r"\bsystem\.|information_schema\.|^SHOW (DATABASES|TABLES)", re.IGNORECASE)


@dataclass(frozen=True)
class Caller:
    """A user of the port: its name, its password, and a table that it reads."""

    name: str
    password: str
    table: str
    clicks: int


@pytest.fixture(params=["analyst", "readonly user"])
def caller(request: pytest.FixtureRequest, world: AnalystWorld) -> Caller:
    if request.param == "analyst":
        return Caller(*world.ada.auth, "clicks", 3)
    [[rows]] = world.service.rows("SELECT count() FROM events")
    return Caller(READER, READER_PASSWORD, "events", rows)


def leaks(world: AnalystWorld, shown: str) -> list[str]:
    """What an answer for Ada must not contain: rows of others, and what a table's name hides."""
    of_others = [str(world.eve_site), str(world.admin_site), world.eve.email, "secret-of-eve", "eve.example"]
    behind = [
        "__g1",
        "website_id IN",
        "/dev/shm",
        *re.findall(r"rows_[0-9a-f]{16}", shown),
    ]
    return [secret for secret in (*of_others, *behind) if secret in shown]


@pytest.mark.parametrize("one", STATEMENTS, ids=lambda one: f"{one['program']}: {one['sql'][:60]}")
def test_statements_of_programs(world: AnalystWorld, one: dict[str, Any]) -> None:
    answer = world.ask(world.ada, one["sql"], default_format="TabSeparated", **one.get("settings", {}))
    assert answer.status_code == 200, answer.text[:500]
    shown = answer.text
    assert all(text in shown for text in one.get("shows", ())), shown[:500]
    assert "rows" not in one or len(shown.splitlines()) == one["rows"], shown[:500]
    assert not leaks(world, shown)
    if _OF_SYSTEM.search(one["sql"]) and "althing`." not in one["sql"]:
        auth = (READER, READER_PASSWORD)
        settings = {"default_format": "TabSeparated", **one.get("settings", {})}
        reader = world.http.post("/", content=one["sql"], params=settings, auth=auth)
        assert reader.status_code == 200, reader.text[:500]


def test_there_are_about_sixty_of_six_programs() -> None:
    assert len(STATEMENTS) >= 60
    assert {"Metabase", "Grafana", "Superset", "DBeaver", "JDBC", "dbt"} <= {one["program"] for one in STATEMENTS}


ANSWERED_AT_THE_PORT: Final = (
    "EXPLAIN SELECT path FROM events WHERE path LIKE '%eve%'",
    "EXPLAIN AST SELECT path FROM events",
    "EXPLAIN SYNTAX SELECT * FROM events",
    "EXPLAIN QUERY TREE SELECT * FROM events",
    "EXPLAIN PIPELINE SELECT * FROM events",
    "EXPLAIN ESTIMATE SELECT * FROM events",
    "EXPLAIN indexes = 1, actions = 1 SELECT * FROM events",
    "EXPLAIN PLAN header = 1 WITH x AS (SELECT * FROM clicks) SELECT * FROM x",
    "DESCRIBE (SELECT * FROM events)",
    "DESC TABLE (SELECT * FROM conversions AS c JOIN websites AS w ON w.id = c.website_id)",
    "SHOW CREATE TABLE events",
    "SHOW CREATE althing.conversions",
    "SHOW TABLES FROM system LIKE '%'",
    "SHOW TABLES LIKE '%__g1'",
    "SHOW FUNCTIONS",
    "SHOW FULL COLUMNS FROM traffic_15m",
    "EXISTS TABLE events__g1",
    "EXISTS TABLE system.users",
    *(f"SELECT * FROM {database}.{name}" for database, name in sorted(described._TABLES)),
)


@pytest.mark.parametrize("sql", ANSWERED_AT_THE_PORT)
def test_an_answer_about_tables_tells_nothing_of_others(world: AnalystWorld, sql: str) -> None:
    answer = world.ask(world.ada, sql, default_format="TabSeparatedRaw")
    assert answer.status_code == 200, answer.text[:500]
    assert not leaks(world, answer.text)
    summary = json.loads(answer.headers["x-clickhouse-summary"])
    assert {summary[name] for name in ("read_rows", "read_bytes", "total_rows_to_read")} == {"0"}
    if sql.startswith("EXISTS"):
        assert answer.text == "0\n"


REFUSED_AT_THE_PORT: Final = (
    "EXPLAIN SELECT * FROM althing.events__g1",
    "EXPLAIN SELECT 1; SELECT 2",
    "EXPLAIN SELECT 1 SETTINGS readonly = 0",
    "EXPLAIN INSERT INTO events VALUES (1)",
    "EXPLAIN TABLE OVERRIDE mysql('h', 'd', 't', 'u', 'p') PARTITION BY 1",
    "EXPLAIN SELECT file('/etc/passwd')",
    "DESCRIBE (SELECT * FROM althing.events__g1)",
    "DESCRIBE (SELECT 1) UNION ALL (SELECT 1)",
    "DESCRIBE (SELECT file('/etc/passwd'))",
    "DESCRIBE TABLE althing.events__g1",
    "DESCRIBE TABLE system.users",
    "SHOW CREATE TABLE althing.events__g1",
    "SHOW CREATE TABLE system.users",
    "SHOW CREATE DATABASE althing",
    "SHOW COLUMNS FROM events__g1",
    "SHOW TABLES LIKE '%' UNION ALL SELECT path FROM althing.events__g1",
    "SHOW TABLES LIKE 'x' OR 1 = (SELECT count() FROM althing.events__g1)",
    "SHOW TABLES FROM `althing' OR 1 -- `; SELECT 1",
    "SHOW PROCESSLIST",
    "SHOW GRANTS",
    "SHOW SETTINGS LIKE '%'",
    "SHOW USERS",
    "SELECT * FROM VALUES ('a String', (file('/etc/passwd')))",
    "SELECT * FROM VALUES ('a String', ((SELECT path FROM althing.events__g1)))",
    "SELECT * FROM values('a Object(''json'')', 'x')",
    "SELECT althing.events__g1.path FROM events",
    "SELECT system.users.name FROM system.tables AS users__",
    "SELECT * FROM events AS e WHERE althing.events__g1.value = 1",
    "SELECT displayName(1)",
    "USE system",
    "SET readonly = 0",
)


@pytest.mark.parametrize("sql", REFUSED_AT_THE_PORT)
def test_what_looks_like_it_is_refused(world: AnalystWorld, sql: str) -> None:
    answer = world.ask(world.ada, sql)
    assert answer.status_code in (400, 403, 404), answer.text[:300]
    assert str(world.eve_site) not in answer.text and "secret-of-eve" not in answer.text
    assert "root:" not in answer.text


def test_names_with_the_database_and_own_names_of_tables(world: AnalystWorld) -> None:
    def value(sql: str) -> str:
        answer = world.ask(world.ada, sql)
        assert answer.status_code == 200, answer.text[:300]
        return answer.text.strip()

    assert value("SELECT DISTINCT althing.clicks.country FROM althing.clicks") == "DE"
    assert value("SELECT DISTINCT clicks.country FROM clicks AS c") == "DE"
    assert value("SELECT count(`althing`.`clicks`.`visitor`) FROM `althing`.`clicks` AS `x`") == "3"
    assert (
        value(
            "SELECT DISTINCT althing.clicks.country FROM clicks AS c JOIN websites AS clicks"
            " ON clicks.id = c.website_id"
        )
        == "DE"
    )
    assert (
        value("SELECT count() FROM clicks WHERE EXISTS (SELECT 1 FROM events WHERE althing.events.value >= 0)") == "3"
    )
    assert (
        value("SELECT a, b FROM VALUES ('a String, b Nullable(Int32)', ('x', 1), ('y', NULL)) AS v ORDER BY a")
        == "x\t1\ny\t\\N"
    )
    assert value("SELECT sum(c1) FROM VALUES (1, 2, 3)") == "6"


def test_settings_that_programs_always_send(world: AnalystWorld) -> None:
    """Those that change nothing are accepted, limits are capped, and none is loosened."""
    shown = "SELECT name, value FROM system.settings WHERE name IN ('max_execution_time', 'max_threads', 'readonly')"
    held = {"max_execution_time": "30", "max_threads": str(limits.THREADS), "readonly": "1"}
    for settings in (
        {"max_execution_time": "0", "max_threads": "64"},
        {"max_execution_time": "3600", "max_threads": "0", "max_rows_to_read": "0", "max_memory_usage": "0"},
        {"max_result_rows": "0", "result_overflow_mode": "throw", "timeout_overflow_mode": "throw"},
        {"readonly": "0", "allow_ddl": "1", "log_queries": "1", "priority": "1"},
        {"network_compression_method": "ZSTD", "async_insert": "1", "wait_for_async_insert": "1"},
        {"connect_timeout": "5", "load_balancing": "in_order", "insert_quorum": "2", "optimize_on_insert": "true"},
    ):
        for auth in (world.ada.auth, (READER, READER_PASSWORD)):
            answer = world.http.post("/", content=shown, params=settings, auth=auth)
            assert answer.status_code == 200, f"{settings}: {answer.text[:200]}"
            found = dict(line.split("\t") for line in answer.text.splitlines())
            assert found["readonly"] == "1" and float(found["max_execution_time"]) in (30, 60)
            if auth == world.ada.auth:
                assert found == held
    many = "SELECT arrayJoin(range(100000)) AS n ORDER BY n"
    first = world.ask(world.ada, many, max_result_rows="7", result_overflow_mode="break")
    assert first.text.split() == [str(number) for number in range(7)]
    assert world.ask(world.ada, many, max_result_rows="7").status_code != 200
    for refused in (
        {"result_overflow_mode": "any"}, {"timeout_overflow_mode": "break"}, {"max_execution_time": "-1"},
        {"max_execution_time": "nan"}, {"max_execution_time": "1e-9"}, {"allow_introspection_functions": "0"},
        {"additional_table_filters": "{'althing.events__g1': '1'}"}, {"max_rows_to_read": "1000"},
        {"additional_result_filter": "1"}, {"use_skip_indexes": "1"}, {"optimize_move_to_prewhere": "1"},
        {"row_policies": "x"}, {"no_such_setting": "1"},
    ):  # fmt: skip
        answer = world.ask(world.ada, "SELECT 1", **refused)
        assert answer.status_code != 200 and "READONLY" in answer.text, refused


VALUES: Final = {
    "u8": "7", "i64": "-7", "f64": "1.5", "s": '"text"', "d": '"2026-11-29T00:00:00Z"', "n": "null", "nn": "5",
    "dt": '"2026-11-29T10:00:00Z"', "dt64": '"2026-11-29T10:00:00.125Z"', "a": None, "aa": '[["x"],[]]',
    "id": '"61f0c404-5cb3-11e7-907b-a6006ad3dba0"', "dec": '"12.5"', "m": '{"k":"v"}', "lc": '"low"', "e": '"a"',
    "alc": '["p","q"]', "b": "true", "lcn": "null", "an": "[1,null]", "fixed": '"abc"', "t": None,
}  # fmt: skip


@pytest.mark.skipif(GO is None, reason="clickhouse-go is compiled with Go, which is not installed here")
@pytest.mark.parametrize("compression", ["none", "lz4", "zstd", "gzip"])
def test_clickhouse_go_connects_and_reads(
    world: AnalystWorld, caller: Caller, compression: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """As Grafana's data source connects: Native of its own protocol revision."""
    program = _built(tmp_path_factory)
    address = world.clickhouse.address.removeprefix("http://").rstrip("/")
    run = [str(program), address, caller.name, caller.password, compression, caller.table]
    done = subprocess.run(run, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert (found["clicks"], found["bound"] >= 3) == (caller.clicks, True)
    assert (found["rows"], found["sum"], found["nothing"]) == (200_000, sum(range(200_000)), 0)
    assert {name: found["values"][name] for name, value in VALUES.items() if value} == {
        name: value for name, value in VALUES.items() if value
    }
    assert "occurred_at" in found["columns"] and "events" in found["tables"]
    assert found["refused"] == (497 if caller.table == "clicks" else 164)
    assert found["broken"] == 153 or (caller.table == "events" and found["broken"]), "in a stream, no code is certain"


_PROGRAMS: Final[dict[str, Path]] = {}


def _built(folders: pytest.TempPathFactory) -> Path:
    if "go" not in _PROGRAMS:
        target = folders.mktemp("go") / "analyst"
        build = [str(GO), "build", "-o", str(target), "."]
        done = subprocess.run(build, cwd=CLIENTS / "clickhouse_go", capture_output=True, text=True, timeout=600)
        assert done.returncode == 0, done.stderr
        _PROGRAMS["go"] = target
    return _PROGRAMS["go"]


@pytest.mark.parametrize("compressed_for", first_of("clicks", "events"), ids=["an analyst", "others"])
def test_jdbc_connects_and_reads_the_schema(world: AnalystWorld, caller: Caller, compressed_for: str) -> None:
    """As Metabase and DBeaver connect, with what they read of the schema; answers to one of the callers are
    compressed."""
    compression = "compressed" if caller.table == compressed_for else "plain"
    address = world.clickhouse.address.removeprefix("http://").rstrip("/")
    program = CLIENTS / "clickhouse_jdbc" / "Analyst.java"
    run = ["java", "-XX:TieredStopAtLevel=1", "-cp", f"{jars_for_tests('clickhouse-jdbc')}/*", str(program)]
    run += [address, caller.name, caller.password, compression, caller.table]
    done = subprocess.run(run, capture_output=True, text=True, timeout=180)
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert "althing" in found["schemas"] and found["valid"] and found["types"] and found["client_properties"]
    assert caller.table in found["tables"] and "country" in found["columns"]
    assert found["functions"] == ["uniqExact"]
    assert found["clicks"] == [str(caller.clicks)] and int(found["bound"][0]) >= 3 and found["described"] == "n"
    assert found["values"][:4] == ["-7", "1.5", "text", "2026-11-29"] and found["values"][6] is None
    assert (found["rows"], found["first_rows"]) == (200_000, 10)
    assert found["refused"] == (497 if caller.table == "clicks" else 164)
    if caller.table == "clicks":
        assert sorted(found["tables"]) == sorted(SCHEMA)


def test_sqlalchemy_connects_and_reads_the_schema(world: AnalystWorld, caller: Caller) -> None:
    """The dialect of clickhouse-connect, as Superset connects."""
    address = sqlalchemy.URL.create(
        "clickhousedb+connect", caller.name, caller.password, "127.0.0.1", world.clickhouse.port, "althing"
    )
    engine = sqlalchemy.create_engine(address)
    try:
        inspector = sqlalchemy.inspect(engine)
        assert "althing" in inspector.get_schema_names()
        if caller.table == "clicks":
            listed = {*inspector.get_table_names("althing"), *inspector.get_view_names("althing")}
            assert listed == set(SCHEMA)
        assert inspector.has_table(caller.table, "althing") and not inspector.has_table("nothing", "althing")
        columns = {one["name"]: one["type"] for one in inspector.get_columns(caller.table, "althing")}
        assert {"website_id", "occurred_at", "country"} <= set(columns)
        table = sqlalchemy.Table(caller.table, sqlalchemy.MetaData(schema="althing"), autoload_with=engine)
        with engine.connect() as connection:
            counted = sqlalchemy.select(sqlalchemy.func.count()).select_from(table)
            assert connection.execute(counted).scalar() == caller.clicks
            where = counted.where(table.c.country == "DE")
            assert (connection.execute(where).scalar() or 0) >= 3
            [[when]] = connection.execute(sqlalchemy.text("SELECT toDateTime('2026-11-29 10:00:00', 'UTC') AS t"))
            assert str(when).startswith("2026-11-29 10:00:00")
            grouped = sqlalchemy.select(table.c.country, sqlalchemy.func.count()).group_by(table.c.country)
            assert "DE" in {row[0] for row in connection.execute(grouped)}
            with pytest.raises(Exception, match=r"READONLY|ACCESS_DENIED|readonly"):
                connection.execute(sqlalchemy.text("INSERT INTO althing.events (value) VALUES (1)"))
    finally:
        engine.dispose()


def test_native_of_a_revision(world: AnalystWorld) -> None:
    """A client of an old revision gets blocks of revision 0, and notices; a newer one gets its own."""
    sql = "SELECT 1 AS check FORMAT Native"
    assert world.ask(world.ada, sql, client_protocol_version="54405").content == b"\x01\x01\x05check\x05UInt8\x01"
    newer = world.ask(world.ada, sql, client_protocol_version="54460").content
    assert newer == b"\x01\x00\x02\xff\xff\xff\xff\x00\x01\x01\x05check\x05UInt8\x00\x01"
    state = "SELECT uniqCombinedState(12)(visitor) AS s FROM clicks FORMAT Native"
    assert world.ask(world.ada, state).status_code == 200
    refused = world.ask(world.ada, state, client_protocol_version="54460")
    assert refused.status_code == 501 and "Use RowBinaryWithNamesAndTypes" in refused.text


def test_history_has_what_the_program_sent(world: AnalystWorld) -> None:
    zoe: Asker = world.asker("analyst")
    for sql in ("EXPLAIN SELECT 1", "DESCRIBE (SELECT 1)", "SHOW CREATE TABLE nothing", "EXISTS TABLE events"):
        world.ask(zoe, sql)
    ended = [
        ("EXPLAIN SELECT 1", "done"),
        ("DESCRIBE (SELECT 1)", "done"),
        ("SHOW CREATE TABLE nothing", "refused"),
        ("EXISTS TABLE events", "done"),
    ]
    wait_until(lambda: [(row[2], row[1]) for row in world.audited(zoe)] == ended, 30, "their ends to be recorded")
