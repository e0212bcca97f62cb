"""Analysts' statements over real engines, through both entry points: the SQL page's calls and the ClickHouse port."""

from __future__ import annotations

import gzip
import json
import subprocess
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import clickhouse_connect
import httpx
import pytest
from clickhouse_connect.driver.exceptions import DatabaseError
from psycopg_pool import ConnectionPool

from command_api.accounts import model
from command_api.accounts.repository import reservation_id
from command_api.kernel.decision import system_context
from command_api.sql.handlers import MAX_TOKENS
from command_api.sql.schemas import DEFAULT_TOKEN_DAYS, MAX_TOKEN_DAYS
from infra.domain.sql_access import analyst_accounts, limits
from infra.domain.sql_access.analyst_accounts import Analyst
from infra.domain.sql_access.tables import SCHEMA
from infra.domain.sql_access.views import data_of, row_filter
from infra.ops.jobs.token_expiry import warn_due
from schemas.events.accounts import Role
from tests.support.analysts import AnalystWorld, Asker
from tests.support.clickhouse import PASSWORD as CLICKHOUSE_PASSWORD
from tests.support.clickhouse import USER as CLICKHOUSE_USER
from tests.support.engines import ROOT, wait_until
from tests.support.full_api import Api, serve_full_api
from tests.support.people import PASSWORD
from tests.support.sandbox_escapes import ANSWERED_IN_CLIENTS, SANDBOX_ESCAPES

SLOW = (
    "SELECT count() FROM (SELECT arrayJoin(range(100000)) AS a) AS x"
    " CROSS JOIN (SELECT arrayJoin(range(1000000)) AS b) AS y"
)
NODE = ROOT / "tests" / "contract" / "clickhouse" / "clickhouse_node"
Ask = Callable[[Asker, str], httpx.Response]


@pytest.fixture(params=["page", "port"])
def ask(request: pytest.FixtureRequest, world: AnalystWorld) -> Ask:
    """One statement through one of the entry points; a result is CSV."""
    if request.param == "page":
        return lambda asker, sql: world.post(asker, {"sql": sql, "format": "csv"})
    return lambda asker, sql: world.ask(asker, sql, default_format="CSVWithNames")


@pytest.mark.parametrize("name", sorted(SANDBOX_ESCAPES))
def test_no_sandbox_escape_through_either_entry_point(world: AnalystWorld, ask: Ask, name: str) -> None:
    answer = ask(world.ada, SANDBOX_ESCAPES[name])
    if answer.request.url.port != world.clickhouse.port or name not in ANSWERED_IN_CLIENTS:
        assert answer.status_code in (400, 403, 404, 413, 422), answer.text[:300]
    assert "secret-of-eve" not in answer.text and str(world.eve_site) not in answer.text
    assert "root:" not in answer.text


BOMB = "intDiv(1, path NOT LIKE '%eve%')"
"""Fails on a row of Eve's, and only there."""

TELLING = (
    "SELECT count() FROM events WHERE toInt32(if(path LIKE '%eve%', path, '1')) = 1",
    f"SELECT count() FROM events WHERE value >= 0 AND {BOMB} = 1",
    f"SELECT {BOMB} AS b, count() FROM events GROUP BY b HAVING b = 1 ORDER BY b",
    f"SELECT count() FROM events AS a JOIN (SELECT event_id, path FROM events) AS b USING (event_id) WHERE {BOMB} = 1",
    "SELECT count() FROM clicks AS a JOIN events AS b USING (visitor) WHERE intDiv(1, b.path NOT LIKE '%eve%') = 1",
    f"SELECT count() FROM (SELECT path FROM events UNION ALL SELECT path FROM pageviews) WHERE {BOMB} = 1",
    f"SELECT count() FROM pageviews WHERE occurred_at > now() - INTERVAL 1 DAY AND {BOMB} = 1",
    f"SELECT count() FROM clicks WHERE visitor IN (SELECT visitor FROM events WHERE {BOMB} = 1)",
    f"SELECT DISTINCT {BOMB} FROM events ARRAY JOIN [{BOMB}] AS x LIMIT 1 BY {BOMB}",
    "SELECT count() FROM clicks WHERE intDiv(1, click_id != 'click-eve.example') = 1",
    "SELECT count() FROM conversion_changes WHERE intDiv(1, toString(website_id) != '{eve}') = 1",
    "SELECT count() FROM conversions WHERE intDiv(1, toString(website_id) != '{eve}') = 1",
    "SELECT count() FROM traffic_15m WHERE intDiv(1, toString(website_id) != '{eve}') = 1",
)


def test_an_error_tells_nothing_of_other_rows(world: AnalystWorld, ask: Ask) -> None:
    """Rows of many websites lie in one block: an analyst's condition must never be tried on those of others."""
    for table in ("events__g1", "traffic_15m__g1"):
        world.service.command(f"OPTIMIZE TABLE althing.{table} FINAL")
    for sql in TELLING:
        answer = ask(world.ada, sql.replace("{eve}", str(world.eve_site)))
        assert answer.status_code == 200, f"{sql}: {answer.text[:300]}"
    unordered = f"SELECT count() FROM (SELECT path FROM events WHERE website_id = '{world.ada_site}') WHERE {BOMB} = 1"
    owner = (CLICKHOUSE_USER, CLICKHOUSE_PASSWORD)
    assert "ILLEGAL_DIVISION" in world.http.post("/", content=unordered, auth=owner).text, "else this shows nothing"
    ordered = world.http.post("/", content=unordered, params=limits.ORDER, auth=owner)
    assert ordered.status_code == 200, "the settings hold without row-level security, too"


def test_only_admins_see_how_many_rows_were_read(world: AnalystWorld) -> None:
    """It counts rows of other websites that lie in the same blocks."""
    sql = "SELECT count() FROM clicks WHERE visitor > 0"
    assert world.post(world.ada, {"sql": sql}).json()["statistics"]["rowsRead"] is None
    assert world.post(world.admin, {"sql": sql}).json()["statistics"]["rowsRead"] > 0
    for format_ in ("JSON", "XML", "TSV", "JSONCompact"):
        told = world.ask(world.ada, f"{sql} FORMAT {format_}")
        summary = json.loads(told.headers["x-clickhouse-summary"])
        assert {summary[name] for name in ("read_rows", "read_bytes", "total_rows_to_read")} == {"0"}
        assert "rows_read" not in told.text and "statistics" not in told.text
    assert json.loads(world.ask(world.admin, sql).headers["x-clickhouse-summary"])["read_rows"] != "0"
    assert world.ask(world.ada, f"{sql} FORMAT JSONEachRowWithProgress").status_code == 403
    assert world.ask(world.ada, sql, max_rows_to_read="1").status_code != 200
    assert "READONLY" in world.ask(world.ada, sql, max_rows_to_read="1").text
    own = world.service.get("/api/platform/sql/history", world.ada.person).json()
    assert {one["rowsRead"] for one in own} == {None}
    everybody = world.service.get("/api/admin/sql/history", world.admin.person).json()
    assert max(one["rowsRead"] for one in everybody if one["email"] == world.ada.email) > 0


@pytest.mark.parametrize("table", sorted(SCHEMA))
def test_rows_are_the_own_websites(world: AnalystWorld, ask: Ask, table: str) -> None:
    ada, eve, admin = (ask(asker, f"SELECT * FROM {table}").text for asker in (world.ada, world.eve, world.admin))
    if table in ("partners", "links"):
        return
    assert str(world.ada_site) in ada and str(world.eve_site) not in ada
    assert str(world.eve_site) in eve and str(world.ada_site) not in eve
    assert str(world.admin_site) in admin and str(world.ada_site) not in admin and str(world.eve_site) not in admin


@pytest.mark.parametrize("view", SCHEMA.values(), ids=str)
def test_tables_are_as_they_are_described(world: AnalystWorld, ask: Ask, view: Any) -> None:
    found = world.post(world.ada, {"sql": f"SELECT * FROM {view.name} LIMIT 0"}).json()
    assert [(one["name"], one["type"].replace(", ", ",")) for one in found["columns"]] == [
        (one.name, one.type) for one in view.columns
    ]
    if view.example:
        assert ask(world.ada, view.example).status_code == 200


def test_figures_agree_with_the_rows(world: AnalystWorld) -> None:
    def value(sql: str) -> Any:
        [row] = world.post(world.ada, {"sql": sql}).json()["rows"]
        return row

    assert value("SELECT count() FROM clicks") == ["3"]
    assert value("SELECT sum(clicks), sum(pageviews), sum(approved), sum(c_approved) FROM traffic_15m") == [
        "3", "1", "1", "250",
    ]  # fmt: skip
    assert value("SELECT status, commission, value, country FROM conversions") == ["approved", "250", "5000", "DE"]
    assert value("SELECT uniqCombinedMerge(12)(visitors) FROM visitors_15m WHERE NOT is_bot") == ["3"]
    assert value("SELECT domain FROM websites") == ["ada.example"]
    assert value("SELECT groupArray((toString(day), amount)) FROM (SELECT * FROM costs ORDER BY day)") == [
        [["2026-11-01", "334"], ["2026-11-02", "333"], ["2026-11-03", "333"]]
    ]
    [name] = value("SELECT p.name FROM partner_15m AS r JOIN partners AS p ON p.id = r.partner_id LIMIT 1")
    assert name.startswith("Acme's \\ ")


def test_a_moved_or_removed_website_and_a_taken_role_count_at_once(world: AnalystWorld, ask: Ask) -> None:
    seller, zoe = world.asker("analyst"), world.asker("analyst")
    site = world.website(seller, "zoe.example")
    assert ask(seller, "SELECT count() AS n FROM clicks").text.split() == ['"n"', "3"]
    moved = "UPDATE read.websites__g1 SET account_id = %s WHERE id = %s"
    world.service.postgres.execute(moved, (zoe.person.account_id, site))
    assert ask(seller, "SELECT count() AS n FROM clicks").text.split() == ['"n"', "0"]
    assert ask(zoe, "SELECT count() AS n FROM clicks").text.split() == ['"n"', "3"]
    world.service.postgres.execute("UPDATE read.websites__g1 SET deleted_at = now() WHERE id = %s", (site,))
    assert ask(zoe, "SELECT count() AS n FROM clicks").text.split() == ['"n"', "0"]


def test_only_analysts_and_admins(world: AnalystWorld) -> None:
    assert world.post(world.member, {"sql": "SELECT 1"}).status_code == 403
    assert httpx.post(f"{world.service.address}/api/platform/sql", json={"sql": "SELECT 1"}).status_code == 401
    for path in ("schema", "history", "queries", "tokens"):
        assert world.service.get(f"/api/platform/sql/{path}", world.member.person).status_code == 403
        assert world.service.get(f"/api/platform/sql/{path}").status_code == 401
    assert world.service.get("/api/admin/sql/history", world.ada.person).status_code == 403
    cross = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert world.post(world.ada, {"sql": "SELECT 1"}, headers=cross).status_code in (401, 403)


def test_the_port_takes_tokens_of_analysts_only(world: AnalystWorld) -> None:
    assert world.ask(world.ada, "SELECT 1").text == "1\n"
    upper = Asker(world.ada.person, world.ada.email.upper(), world.ada.token, world.ada.token_id)
    assert world.ask(upper, "SELECT 1").status_code == 200
    for email, token in (
        (world.ada.email, "sql_wrong"),
        (world.ada.email, ""),
        (world.eve.email, world.ada.token),
        (world.member.email, world.member.token),
        ("althing", world.ada.token),
    ):
        answer = world.ask(Asker(world.ada.person, email, token, uuid4()), "SELECT 1")
        assert answer.status_code == 403 and "AUTHENTICATION_FAILED" in answer.text
    postgres, gone = world.service.postgres, world.asker("analyst")
    assert world.ask(gone, "SELECT 1").status_code == 200
    [used] = postgres.execute("SELECT last_used_at FROM sql.token WHERE id = %s", (gone.token_id,)).fetchone() or []
    assert used is not None
    # The role is gone as soon as it is taken away, although the read model does not know of it yet.
    postgres.execute("DELETE FROM lookup.role_holder WHERE account_id = %s", (gone.person.account_id,))
    assert world.ask(gone, "SELECT 1").status_code == 403
    postgres.execute("INSERT INTO lookup.role_holder VALUES (%s, '{analyst}')", (gone.person.account_id,))
    assert world.ask(gone, "SELECT 1").status_code == 200
    postgres.execute("UPDATE sql.token SET revoked_at = now() WHERE id = %s", (gone.token_id,))
    assert world.ask(gone, "SELECT 1").status_code == 403


def test_a_row_of_a_read_model_gives_nobody_a_role(world: AnalystWorld) -> None:
    """As a forged record of the log, or one that is not followed yet, would leave it."""
    roles = "UPDATE read.accounts__g1 SET roles = %s WHERE id = %s"
    for forged in (["admin", "analyst"], ["analyst"]):
        world.service.postgres.execute(roles, (forged, world.member.person.account_id))
        assert world.ask(world.member, "SELECT 1").status_code == 403
    world.service.postgres.execute(roles, (["member", "admin"], world.ada.person.account_id))
    count = "SELECT uniqExact(website_id) FROM clicks"
    assert world.ask(world.ada, count).text == "1\n", "an analyst is not made an admin by it"
    world.service.postgres.execute(roles, (["analyst"], world.ada.person.account_id))


def test_clickhouse_connect_works(world: AnalystWorld) -> None:
    options: dict[str, Any] = {"host": "127.0.0.1", "port": world.clickhouse.port}
    with clickhouse_connect.get_client(username=world.ada.email, password=world.ada.token, **options) as client:
        frame = client.query_df("SELECT bucket, sum(clicks) AS clicks FROM traffic_15m GROUP BY bucket ORDER BY bucket")
        assert frame["clicks"].sum() == 3
        found = client.query("SELECT count() FROM clicks WHERE country = {c:String}", parameters={"c": "DE"})
        assert found.result_rows == [(3,)]
        assert client.query("SHOW TABLES").result_rows == [(name,) for name in sorted(SCHEMA)]
        assert client.query("DESCRIBE TABLE websites").result_rows[0][:2] == ("id", "UUID")
        assert client.command("SELECT currentDatabase()") == "althing"
        named = client.query("SELECT name FROM system.tables").result_rows
        assert sorted(row[0] for row in named) == sorted(SCHEMA)
        with client.query_row_block_stream("SELECT arrayJoin(range(200000)) AS n") as stream:
            assert sum(len(block) for block in stream) == 200_000
        for refused in ("INSERT INTO events VALUES (1)", "SELECT * FROM system.users"):
            with pytest.raises(DatabaseError):
                client.command(refused)
    with pytest.raises(DatabaseError):
        clickhouse_connect.get_client(username=world.ada.email, password=world.ada.token, database="system", **options)


def test_settings_cannot_be_loosened_on_the_port(world: AnalystWorld) -> None:
    loose = {
        "readonly": "0", "max_execution_time": "3600", "max_memory_usage": "0", "max_result_rows": "99999999",
        "max_rows_to_read": "0", "allow_ddl": "1", "max_query_size": "1", "format_schema": "/etc/passwd",
        "additional_table_filters": "{}", "max_threads": "64", "query_plan_merge_filters": "1",
        "optimize_move_to_prewhere": "1", "output_format_write_statistics": "1", "max_bytes_to_read": "1",
        "format_template_row": "/etc/passwd", "format_template_resultset": "/etc/passwd", "session_id": "x",
    }  # fmt: skip
    for name, value in loose.items():
        answer = world.ask(world.ada, "SELECT value FROM system.settings WHERE name = 'readonly'", **{name: value})
        assert answer.status_code != 200 or answer.text == "1\n", name
    limit = "SELECT value FROM system.settings WHERE name = 'max_execution_time'"
    for tiny in ("0.0000001", "1e-9", "-1", "nan"):
        assert world.ask(world.ada, limit, max_execution_time=tiny).status_code != 200, "that would be no limit"
    for high in ("0", "31", "inf", "1e400"):
        assert world.ask(world.ada, limit, max_execution_time=high).text == "30\n", "the limit holds"
    assert world.ask(world.ada, limit, max_execution_time="2").text == "2\n"
    threads = "SELECT value FROM system.settings WHERE name = 'max_threads'"
    assert world.ask(world.ada, threads, max_threads="64").text == f"{limits.THREADS}\n"
    assert world.ask(world.ada, "SELECT 1", max_threads="1").status_code == 200
    told = world.ask(world.ada, "SELECT name, value FROM system.settings WHERE name LIKE 'max_%'", readonly="0").text
    assert "max_execution_time\t30\n" in told
    assert world.ask(world.ada, "SELECT 1", database="system").status_code == 404
    system = {"X-ClickHouse-Database": "system"}
    assert world.http.post("/", content="SELECT 1", headers=system, auth=world.ada.auth).status_code == 404
    split = world.http.post(
        "/",
        params={"query": "SELECT * FROM clicks UNION ALL"},
        content="SELECT * FROM althing.events__g1",
        auth=world.ada.auth,
    )
    assert split.status_code == 403
    packed = gzip.compress(b"SELECT * FROM althing.events__g1")
    coded = {"Content-Encoding": "gzip"}
    assert world.http.post("/", content=packed, headers=coded, auth=world.ada.auth).status_code == 403
    session = {"session_id": "mine"}
    assert world.ask(world.ada, "CREATE TEMPORARY TABLE clicks AS SELECT 1", **session).status_code == 403
    assert world.ask(world.ada, "SELECT count() FROM clicks", **session).text == "3\n"
    read = world.http.get("/", params={"query": "SELECT count() FROM clicks"}, auth=world.ada.auth)
    assert read.text == "3\n"
    assert world.ask(world.ada, "SELECT 1", role="admin").status_code == 403
    brought = {"files": {"t": ("t", "1\n")}, "params": {"query": "SELECT * FROM t", "t_structure": "a UInt8"}}
    assert world.http.post("/", auth=world.ada.auth, **brought).status_code == 403  # type: ignore[arg-type]  # named arguments of several types
    assert world.ask(world.ada, "SELECT 1 FORMAT Template").status_code == 403
    assert world.ask(world.ada, "SELECT 1", default_format="Template").status_code in (400, 403)


def test_every_statement_is_written_down(world: AnalystWorld) -> None:
    zoe = world.asker("analyst")
    world.ask(zoe, "SELECT 1")
    world.ask(zoe, "DROP TABLE events")
    world.post(zoe, {"sql": "SELECT arrayJoin([1, 2, 3])"})
    world.post(zoe, {"sql": "SELECT * FROM system.users"})
    world.post(zoe, {"sql": "SELECT nothing FROM events"})
    world.ask(zoe, "SELECT 2", database="system")
    world.ask(zoe, "SELECT 3 FORMAT Template")
    assert [(door, outcome, rows) for door, outcome, _, rows in world.audited(zoe)] == [
        ("clickhouse", "done", 1),
        ("clickhouse", "refused", 0),
        ("sql page", "done", 3),
        ("sql page", "refused", 0),
        ("sql page", "failed", 0),
        ("clickhouse", "refused", 0),
        ("clickhouse", "refused", 0),
    ]
    history = world.service.get("/api/platform/sql/history?limit=5", zoe.person)
    assert history.json()[2]["sql"] == "SELECT nothing FROM events" and len(history.json()) == 5
    rest = world.service.get(history.links["next"]["url"], zoe.person).json()
    assert [one["sql"] for one in rest] == ["DROP TABLE events", "SELECT 1"]
    of_eve = world.service.get("/api/platform/sql/history", world.eve.person).json()
    assert not {one["id"] for one in of_eve} & {one["id"] for one in (*history.json(), *rest)}
    everybody = world.service.get("/api/admin/sql/history?limit=200", world.admin.person).json()
    assert {"DROP TABLE events", "SELECT nothing FROM events"} <= {
        one["sql"] for one in everybody if one["email"] == zoe.email
    }


def test_what_cannot_be_written_down_does_not_run(world: AnalystWorld) -> None:
    query_id = str(uuid4())
    assert world.post(world.ada, {"sql": "SELECT 1", "queryId": query_id}).status_code == 200
    assert world.post(world.ada, {"sql": "SELECT 1", "queryId": query_id}).status_code == 409


def test_the_limit_of_concurrent_statements_spans_both_entry_points(world: AnalystWorld) -> None:
    zoe, results = world.asker("analyst"), []

    def run(number: int) -> None:
        if number % 2:
            results.append(world.ask(zoe, f"{SLOW} -- {number}").status_code)
        else:
            results.append(world.post(zoe, {"sql": f"{SLOW} -- {number}"}).status_code)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(limits.RUNNING)]
    for thread in threads:
        thread.start()
    running = "SELECT id FROM sql.statement WHERE account_id = %s AND outcome = 'running'"
    postgres, account = world.service.postgres, (zoe.person.account_id,)
    wait_until(lambda: len(postgres.execute(running, account).fetchall()) == limits.RUNNING, 60, "all to run")
    assert world.post(zoe, {"sql": "SELECT 1"}).status_code == 429
    assert world.ask(zoe, "SELECT 1").status_code == 503
    assert world.ask(world.ada, "SELECT 1").status_code == 200
    ids = [row[0] for row in postgres.execute(running, account).fetchall()]
    for query_id in ids:
        world.cancel(zoe, query_id)
    for thread in threads:
        thread.join(90)
    assert len(results) == limits.RUNNING and 200 not in results
    wait_until(lambda: not postgres.execute(running, account).fetchall(), 60, "none to run")


def test_cancelling_is_the_owners(world: AnalystWorld) -> None:
    zoe, query_id, answers = world.asker("analyst"), str(uuid4()), []
    thread = threading.Thread(target=lambda: answers.append(world.post(zoe, {"sql": SLOW, "queryId": query_id})))
    thread.start()
    running = "SELECT FROM sql.statement WHERE id = %s AND outcome = 'running'"
    wait_until(lambda: world.service.postgres.execute(running, (query_id,)).fetchone() is not None, 60, "it to run")
    assert world.cancel(world.eve, query_id).status_code == 404
    assert world.cancel(world.member, query_id).status_code == 403

    def ended() -> bool:
        """It runs once ClickHouse knows it, so a first try may come too early."""
        world.cancel(zoe, query_id)
        thread.join(0.2)
        return bool(answers)

    wait_until(ended, 60, "its end")
    assert answers[0].status_code == 409 and answers[0].json()["code"] == "cancelled"
    assert world.cancel(zoe, query_id).status_code == 404
    assert [outcome for _, outcome, _, _ in world.audited(zoe)] == ["cancelled"]


def test_who_leaves_a_download_stops_the_statement(world: AnalystWorld) -> None:
    """Over both entry points: it stops, and is recorded as cancelled."""
    zoe = world.asker("analyst")
    many = (
        "SELECT a, b, repeat('x', 200) AS c FROM (SELECT arrayJoin(range(900)) AS a) AS x"
        " CROSS JOIN (SELECT arrayJoin(range(1000)) AS b) AS y"
    )
    body, headers = {"sql": many, "format": "csv"}, zoe.person.headers
    address = f"{world.service.address}/api/platform/sql"
    with httpx.stream("POST", address, json=body, headers=headers, timeout=90) as answer:
        assert next(answer.iter_raw(1000))
    asked = {"content": many, "auth": zoe.auth, "params": {"default_format": "CSV"}}
    with world.http.stream("POST", "/", **asked) as answer:  # type: ignore[arg-type]  # named arguments of several types
        assert next(answer.iter_raw(1000))
    wait_until(lambda: {row[1] for row in world.audited(zoe)} == {"cancelled"}, 60, "both to be cancelled")


def test_a_statement_that_died_with_its_process_is_shown_and_blocks_nothing(world: AnalystWorld) -> None:
    """At once, whatever its age: nobody holds its lock."""
    zoe = world.asker("analyst")
    for _ in range(limits.RUNNING):
        world.service.postgres.execute(
            "INSERT INTO sql.statement (id, account_id, door, text, outcome)"
            " VALUES (%s, %s, 'sql page', 'SELECT 9', 'running')",
            (uuid4(), zoe.person.account_id),
        )
    assert world.post(zoe, {"sql": "SELECT 1"}).status_code == 200
    assert world.ask(zoe, "SELECT 1").status_code == 200
    history = world.service.get("/api/platform/sql/history", zoe.person).json()
    assert [one["outcome"] for one in history] == ["done", "done", *["failed"] * limits.RUNNING]
    assert history[2]["message"] == "It ended with the process that ran it."


def test_answers_and_memory_are_limited(world: AnalystWorld) -> None:
    cut = world.post(world.ada, {"sql": "SELECT arrayJoin(range(50000)) AS n", "maxRows": 100}).json()
    assert len(cut["rows"]) == 100 and cut["truncated"] is True and cut["statistics"]["rows"] == 100
    serve_full_api = world.post(world.ada, {"sql": "SELECT arrayJoin(range(100)) AS n", "maxRows": 100}).json()
    assert len(serve_full_api["rows"]) == 100 and serve_full_api["truncated"] is False
    greedy = world.post(
        world.ada, {"sql": "SELECT length(groupArray(repeat('x', 1000000))) FROM (SELECT arrayJoin(range(5000)))"}
    )
    assert greedy.status_code == 400 and "memory" in greedy.json()["message"]
    ordered = "SELECT number FROM (SELECT arrayJoin(range(3000000)) AS number) ORDER BY number DESC"
    page = world.post(world.ada, {"sql": ordered, "maxRows": 3}).json()
    assert page["rows"] == [[2999999], [2999998], [2999997]] and page["truncated"] is True
    few = world.post(world.ada, {"sql": f"{ordered} LIMIT 2", "maxRows": 3}).json()
    assert len(few["rows"]) == 2 and few["truncated"] is False
    with pytest.raises(httpx.RemoteProtocolError):
        world.ask(world.ada, ordered)
    with pytest.raises(httpx.RemoteProtocolError):
        world.post(world.ada, {"sql": ordered, "format": "csv"})
    assert world.post(world.ada, {"sql": ordered, "format": "parquet"}).status_code == 400


@pytest.mark.parametrize("format_", ["csv", "ndjson", "parquet"])
def test_a_download_has_its_format_and_no_formulas(world: AnalystWorld, format_: str) -> None:
    answer = world.post(
        world.ada, {"sql": "SELECT country, count() AS n FROM clicks GROUP BY country", "format": format_}
    )
    assert answer.headers["content-disposition"] == f'attachment; filename="query.{format_}"'
    expected = {"csv": b'"country","n"\n"DE",3\n', "ndjson": b'{"country":"DE","n":3}\n'}
    assert answer.content[:4] == b"PAR1" if format_ == "parquet" else answer.content == expected[format_]
    telling = {"sql": "SELECT '=1+1' AS a, -2 AS b, 'x,\"=y' AS c, '@z' AS `=d`", "format": "csv"}
    plain = b'"a","b","c","\'=d"\n"\'=1+1",-2,"x,""=y","\'@z"\n'
    assert world.post(world.ada, telling).content == plain
    media = {"csv": "text/csv", "ndjson": "application/x-ndjson", "parquet": "application/vnd.apache.parquet"}[format_]
    chosen = world.post(world.ada, {"sql": "SELECT 1"}, headers={"Accept": media})
    assert chosen.headers["content-type"].startswith(media)


def test_schema_tells_everything(world: AnalystWorld) -> None:
    schema = world.service.get("/api/platform/sql/schema", world.ada.person).json()
    assert [one["name"] for one in schema["tables"]] == list(SCHEMA)
    assert all(column["comment"] for table in schema["tables"] for column in table["columns"])
    assert schema["limits"]["seconds"] == 30 and schema["connection"]["user"] == world.ada.email
    assert "uniqExact" in schema["functions"]


def test_without_the_validator_clickhouse_itself_shows_no_other_rows(world: AnalystWorld) -> None:
    """For a statement that bypasses the validator: any table of rows, with the settings of every statement."""
    postgres_url = world.service.settings.postgres_url
    assert postgres_url is not None
    with ConnectionPool(postgres_url, min_size=1, max_size=1, open=True) as pool:
        scope = analyst_accounts.scope(pool, Analyst(world.ada.person.account_id, world.ada.email, is_admin=False))
        admins = analyst_accounts.scope(pool, Analyst(world.admin.person.account_id, world.admin.email, is_admin=True))
    assert admins.websites == {world.admin_site}
    [own] = data_of([], scope)
    held = {"readonly": "1", **row_filter(scope), f"{own.name}_structure": own.structure}
    tables = world.service.rows(
        "SELECT DISTINCT table FROM system.columns WHERE database = 'althing' AND name = 'website_id'"
        " AND table IN (SELECT name FROM system.tables WHERE database = 'althing' AND total_rows > 0)"
    )
    assert {"events__g1", "traffic_15m__g1", "visitors_15m__g1"} <= {name for (name,) in tables}
    for (name,) in tables:
        for sql in (f"SELECT * FROM althing.{name}", f"SELECT * FROM (SELECT * FROM althing.{name} AS x)"):
            owner = (CLICKHOUSE_USER, CLICKHOUSE_PASSWORD)
            files = {own.name: own.content()}
            rows = world.http.post("/", data={"query": sql}, files=files, params=held, auth=owner)
            assert rows.status_code == 200 and str(world.eve_site) not in rows.text, name
            assert str(world.ada_site) in rows.text, name


def test_parameters_are_values_and_must_be_given(world: AnalystWorld) -> None:
    sql = "SELECT count() AS n FROM clicks WHERE country = {c:String}"
    assert world.post(world.ada, {"sql": sql, "parameters": {"c": "DE"}}).json()["rows"] == [["3"]]
    assert world.post(world.ada, {"sql": sql, "parameters": {"c": "' OR 1 = 1 --"}}).json()["rows"] == [["0"]]
    assert world.post(world.ada, {"sql": sql}).status_code == 400


def with_password(api: Api, asker: Asker) -> dict[str, str]:
    """Gives the person an account with a password; what proves again that it is they."""
    account_id, guard = asker.person.account_id, reservation_id(api.core.settings, asker.email)
    roles, by = (Role.MEMBER, Role.ANALYST), system_context()
    events = model.register(
        None, account_id=account_id, email_id=guard, email=asker.email, name="Ada", roles=roles, way="setup", context=by
    )
    api.core.store.append(events)
    api.query.postgres.execute(
        "INSERT INTO accounts.credential (account_id, password_hash) VALUES (%s, %s)",
        (account_id, api.hash),
    )
    return {"password": PASSWORD}


def test_a_token_needs_the_password_expires_and_ends_with_the_password(
    world: AnalystWorld, tmp_path_factory: pytest.TempPathFactory
) -> None:
    zoe, postgres, path = world.asker("analyst"), world.service.postgres, "/api/platform/sql/tokens"
    with serve_full_api(world.service, tmp_path_factory.mktemp("dist")) as api:
        proof = with_password(api, zoe)

        def make(**body: object) -> httpx.Response:
            return api.call("POST", path, zoe.person, json={"name": "Notebook", **body})

        assert make().status_code == 400
        assert (make(password="not that one").status_code, make(password="").status_code) == (403, 403)
        for days in (0, -1, MAX_TOKEN_DAYS + 1, 1.5, "7"):
            assert make(**proof, expiresInDays=days).status_code == 400, days
        made, week = make(**proof), make(**proof, expiresInDays=7)
        assert (made.status_code, week.status_code) == (201, 201), made.text
        listed = {one["id"]: one["expiresAt"] for one in api.call("GET", path, zoe.person).json()}
        for answer, days in ((made, DEFAULT_TOKEN_DAYS), (week, 7)):
            expires = datetime.fromisoformat(answer.json()["expiresAt"])
            assert abs(expires - datetime.now(UTC) - timedelta(days=days)) < timedelta(hours=1)
            assert datetime.fromisoformat(listed[answer.json()["id"]]) == expires
        with_first, with_week = (Asker(zoe.person, zoe.email, one.json()["token"], uuid4()) for one in (made, week))
        assert world.ask(with_first, "SELECT 1").status_code == world.ask(with_week, "SELECT 1").status_code == 200

        mails = "SELECT count(*) FROM kernel.mail WHERE account_id = %s AND kind = 'sql_token_expires'"
        for _ in range(2):
            warn_due(world.service.settings)
            assert postgres.execute(mails, (zoe.person.account_id,)).fetchone() == (1,), "for the one of a week"
        expire = "UPDATE sql.token SET expires_at = now() - interval '1 second' WHERE id = %s"
        postgres.execute(expire, (week.json()["id"],))
        assert world.ask(with_week, "SELECT 1").status_code == 403
        assert week.json()["id"] not in str(api.call("GET", path, zoe.person).json())

        change = {"currentPassword": PASSWORD, "newPassword": "a lighthouse, far out"}
        assert api.call("POST", "/api/platform/password/change", zoe.person, json=change).status_code == 204
        assert world.ask(with_first, "SELECT 1").status_code == 403
        assert api.call("GET", path, zoe.person).json() == []
        assert make(**proof).status_code == 403


def test_tokens_and_kept_queries_through_the_gateway(
    world: AnalystWorld, tmp_path_factory: pytest.TempPathFactory
) -> None:
    zoe = world.asker("analyst")
    with serve_full_api(world.service, tmp_path_factory.mktemp("dist")) as api:
        asked = {"name": " My notebook ", **with_password(api, zoe)}
        made = api.call("POST", "/api/platform/sql/tokens", zoe.person, json=asked).json()
        assert made["name"] == "My notebook" and made["token"].endswith(made["last4"])
        by_token = Asker(zoe.person, zoe.email, made["token"], made["id"])
        assert world.ask(by_token, "SELECT 1").text == "1\n"
        listed = api.call("GET", "/api/platform/sql/tokens", zoe.person).json()
        assert made["token"] not in str(listed)
        assert [one["id"] for one in listed if one["name"] == "My notebook" and one["lastUsedAt"]] == [made["id"]]
        address = f"/api/platform/sql/tokens/{made['id']}"
        assert api.call("DELETE", address, world.eve.person).status_code == 404
        assert api.call("DELETE", address, world.member.person).status_code == 403
        assert api.call("DELETE", address, zoe.person).status_code == 204
        assert api.call("DELETE", address, zoe.person).status_code == 404
        assert world.ask(by_token, "SELECT 1").status_code == 403
        trail = "SELECT action FROM kernel.audit WHERE actor_id = %s ORDER BY at"
        actions = world.service.postgres.execute(trail, (zoe.person.account_id,)).fetchall()
        assert [one for one in actions if one[0].startswith("analyst.")] == [
            ("analyst.token_issued",),
            ("analyst.token_revoked",),
        ]

        kept = {"title": "Sales", "sql": "SELECT 1"}
        for path, body in (("queries", kept), ("tokens", {"name": "x", "password": PASSWORD})):
            assert api.call("POST", f"/api/platform/sql/{path}", world.member.person, json=body).status_code == 403
            assert api.call("POST", f"/api/platform/sql/{path}", json=body).status_code == 401

        asked = api.call("POST", "/api/platform/sql", zoe.person, json={"sql": "SELECT count() FROM clicks"}).json()
        assert asked["rows"] == [["0"]]
        assert api.call("DELETE", f"/api/platform/sql/{asked['queryId']}", zoe.person).status_code == 404


def test_an_error_is_about_what_the_analyst_wrote(world: AnalystWorld) -> None:
    """Never about the rewritten statement that runs."""
    sql = "SELECT w.domain,\n  sum(t.clickz) AS clicks\nFROM traffic_15m AS t JOIN websites AS w ON w.id = t.website_id"
    refused = world.post(world.ada, {"sql": f"{sql} GROUP BY 1"}).json()
    assert refused["message"].startswith("Line 2, column 7: There is no column t.clickz. Did you mean t.clicks?")
    assert "althing." not in refused["message"] and len(refused["message"]) < 120
    [last] = world.service.get("/api/platform/sql/history?limit=1", world.ada.person).json()
    assert last["message"] == refused["message"]
    ungrouped = world.post(world.ada, {"sql": sql.replace("clickz", "clicks")}).json()
    assert ungrouped["message"].startswith("Line 1, column 8: The column w.domain is neither in GROUP BY nor")
    at_port = world.ask(world.ada, f"{sql} GROUP BY 1 FORMAT CSV")
    assert at_port.text.startswith(
        "Code: 47. DB::Exception: Line 2, column 7: There is no column t.clickz. Did you mean"
    )
    assert "(UNKNOWN_IDENTIFIER)" in at_port.text and "althing." not in at_port.text
    misspelt = world.ask(world.ada, "SELECT 1 FROM trafic_15m")
    assert "There is no table trafic_15m. Did you mean traffic_15m?" in misspelt.text
    [last] = world.service.get("/api/platform/sql/history?limit=1", world.ada.person).json()
    assert "Did you mean traffic_15m?" in last["message"]


def test_a_bad_value_of_a_parameter_is_named(world: AnalystWorld) -> None:
    condition = "website_id = {site:UUID} AND occurred_at >= {since:Date} AND length(path) < {n:UInt8}"
    sql = f"SELECT count() FROM clicks WHERE {condition}"
    good = {"site": str(world.ada_site), "since": "2026-01-01", "n": "200"}
    assert world.post(world.ada, {"sql": sql, "parameters": good}).json()["rows"] == [["3"]]
    for name, value, said in (
        ("site", "x'; DROP", "enter an id (UUID)"),
        ("since", "yesterday", "enter a date such as 2026-11-20"),
        ("n", "-1", "enter a whole number from 0 on"),
        ("n", "300", "enter a whole number from 0 on"),
    ):
        answer = world.post(world.ada, {"sql": sql, "parameters": {**good, name: value}})
        assert (answer.status_code, answer.json()["code"]) == (400, "bad_parameter"), answer.text
        assert answer.json()["errors"][0]["field"] == f"parameters.{name}" and said in answer.json()["message"]
    unset = world.post(world.ada, {"sql": sql, "parameters": {}}).json()
    assert unset["message"].startswith("Give the parameter ")


def test_no_more_tokens_than_allowed_when_many_are_made_at_once(
    world: AnalystWorld, tmp_path_factory: pytest.TempPathFactory
) -> None:
    zoe = world.asker("analyst")
    with serve_full_api(world.service, tmp_path_factory.mktemp("dist")) as api, ThreadPoolExecutor(8) as threads:
        proof = with_password(api, zoe)

        def make(number: int) -> int:
            body = {"name": str(number), **proof}
            return api.call("POST", "/api/platform/sql/tokens", zoe.person, json=body).status_code

        made = list(threads.map(make, range(MAX_TOKENS + 6)))
    assert sorted(made) == [201] * (MAX_TOKENS - 1) + [409] * 7, "the world gave one token already"


def test_the_notebook_of_the_documentation_runs(world: AnalystWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    notebook = json.loads((ROOT / "docs" / "notebooks" / "clicks-and-sales.ipynb").read_text())
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    monkeypatch.setenv("ALTHING_SQL_URL", world.clickhouse.address)
    monkeypatch.setenv("ALTHING_SQL_USER", world.ada.email)
    monkeypatch.setenv("ALTHING_SQL_TOKEN", world.ada.token)
    found: dict[str, Any] = {}
    for cell in cells:
        exec(compile("".join(cell["source"]), "notebook", "exec"), found)  # noqa: S102 - our own documentation
    assert found["per_website"].loc["ada.example", "clicks"] == 3
    assert found["per_website"].loc["ada.example", "commission"] == 2.5
    assert list(found["journeys"]["commission"]) == [2.5] and found["journeys"]["minutes"].ge(0).all()
    assert found["visitors"]["visitors"].sum() == 3


def test_curl_and_the_node_client_work(world: AnalystWorld) -> None:
    address, user, token = world.clickhouse.address, world.ada.email, world.ada.token
    run = ["curl", "-sS", "--max-time", "30", "-u", f"{user}:{token}", address, "-d"]
    told = subprocess.run([*run, "SELECT count() AS n FROM clicks FORMAT JSONCompact"], capture_output=True, check=True)
    assert json.loads(told.stdout)["data"] == [[3]]
    refused = subprocess.run([*run, "SELECT * FROM system.users"], capture_output=True, check=True)
    assert b"ACCESS_DENIED" in refused.stdout
    if not (NODE / "node_modules").is_dir():
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=NODE, check=True, timeout=240)
    node = subprocess.run(
        ["node", "analyst.mjs", address, user, token], cwd=NODE, capture_output=True, text=True, timeout=120
    )
    assert node.returncode == 0, node.stderr
    assert json.loads(node.stdout) == {
        "ping": True,
        "clicks": [{"n": "3"}],
        "bound": 3,
        "rows": 100000,
        "refused": "497",
    }
