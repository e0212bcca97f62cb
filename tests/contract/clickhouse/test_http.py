"""The ClickHouse front's HTTP interface: probes, users, errors, settings, methods, forms."""

from __future__ import annotations

import json

import httpx
import pytest

from tests.support.clickhouse import PASSWORD, USER, ClickHouse, ask


def test_probes_are_answered_without_a_password(server: ClickHouse, http: httpx.Client) -> None:
    for path in ("/ping", "/replicas_status", "/livez", "/readyz", "/"):
        answer = httpx.get(server.address + path, timeout=60)
        assert (answer.status_code, answer.text) == (200, "Ok.\n")
    assert httpx.head(f"{server.address}/replicas_status", timeout=60).status_code == 200
    head = httpx.head(f"{server.address}/ping", timeout=60)
    assert (head.status_code, head.content, head.headers["content-length"]) == (200, b"", "4")
    assert http.get("/nothing").status_code == 404


@pytest.mark.parametrize(
    ("headers", "params", "status", "code"),
    [
        ({}, {}, 401, "516"),
        ({"X-ClickHouse-User": USER, "X-ClickHouse-Key": "wrong"}, {}, 403, "516"),
        ({"X-ClickHouse-User": "nobody", "X-ClickHouse-Key": PASSWORD}, {}, 403, "516"),
        ({}, {"user": USER, "password": ""}, 403, "516"),
        ({"X-ClickHouse-User": USER, "X-ClickHouse-Key": PASSWORD}, {}, 200, None),
        ({}, {"user": USER, "password": PASSWORD}, 200, None),
        ({"Authorization": "Basic !!!"}, {}, 400, "36"),
    ],
)
def test_users_are_known_by_name_and_password(
    server: ClickHouse, headers: dict[str, str], params: dict[str, str], status: int, code: str | None
) -> None:
    answer = httpx.get(server.address, headers=headers, params={"query": "SELECT 1", **params}, timeout=60)
    assert (answer.status_code, answer.headers.get("x-clickhouse-exception-code")) == (status, code)
    assert ("www-authenticate" in answer.headers) == (status == 401)


@pytest.mark.parametrize(
    ("sql", "status", "code"),
    [
        ("SELECT * FROM missing", 404, 60),
        ("SELEC 1", 400, 62),
        ("SELECT nosuch(1)", 404, 46),
        ("SELECT 1; SELECT 2", 400, 62),
        ("", 400, 62),
        ("SELECT toUInt8('a')", 400, 6),
        ("SELECT 1 FORMAT Nosuch", 404, 73),
        ("SELECT throwIf(1)", 500, 395),
        ("SELECT 1 INTO OUTFILE '/tmp/althing-outfile'", 403, 497),
        ("INSERT INTO missing VALUES (1)", 404, 60),
        ("INSERT INTO picky VALUES (80)", 500, 469),
        ("INSERT INTO watched VALUES (80)", 500, 469),
        ("INSERT INTO x SELECT a FROM input('a UInt8') FORMAT CSV\n1", 501, 48),
    ],
)
def test_errors_have_clickhouses_codes(http: httpx.Client, sql: str, status: int, code: int) -> None:
    for table in (
        "TABLE IF NOT EXISTS picky (n UInt8, CONSTRAINT small CHECK n < 30) ENGINE = MergeTree ORDER BY n",
        "TABLE IF NOT EXISTS watched (n UInt8) ENGINE = MergeTree ORDER BY n",
        "MATERIALIZED VIEW IF NOT EXISTS watched_to_picky TO picky AS SELECT n FROM watched",
    ):
        ask(http, f"CREATE {table}").raise_for_status()
    answer = ask(http, sql)
    assert (answer.status_code, answer.headers["x-clickhouse-exception-code"]) == (status, str(code))
    assert answer.text.startswith(f"Code: {code}. DB::Exception: ")


def test_settings_parameters_and_headers(http: httpx.Client) -> None:
    answer = ask(
        http, "SELECT getSetting('max_block_size'), {s:String}", max_block_size=77, param_s="a\\tb", query_id="q-1"
    )
    assert answer.text == "77\ta\\tb\n"
    assert answer.headers["x-clickhouse-query-id"] == "q-1"
    assert answer.headers["x-clickhouse-timezone"]
    assert answer.headers["content-type"].startswith("text/tab-separated-values")
    assert answer.headers["x-clickhouse-format"] == "TabSeparated"
    assert json.loads(answer.headers["x-clickhouse-summary"])["result_rows"] == "1"
    assert ask(http, "SELECT 1", nosuch_setting=1).headers["x-clickhouse-exception-code"] == "115"
    assert ask(http, "SELECT 1", **{"max_threads=1, readonly": 1}).headers["x-clickhouse-exception-code"] == "115"
    assert ask(http, "SELECT 1 AS x", default_format="JSONEachRow").json() == {"x": 1}
    assert ask(http, "SELECT currentDatabase()").text == "althing\n"
    assert ask(http, "SELECT currentDatabase()", database="system").text == "system\n"
    assert ask(http, "SELECT 1", database="no`such").headers["x-clickhouse-exception-code"] == "81"


def test_a_statement_may_be_parted_between_query_and_body(http: httpx.Client) -> None:
    answer = http.post("/", params={"query": "SELECT 1 AS x UNION ALL"}, content="SELECT 2")
    assert sorted(answer.text.split()) == ["1", "2"]
    assert http.request("GET", "/", params={"query": "SELECT 3"}, content=" + 1").text == "3\n"


def test_database_and_format_may_come_as_headers(http: httpx.Client) -> None:
    headers = {"X-ClickHouse-Database": "system", "X-ClickHouse-Format": "JSONEachRow"}
    answer = http.post("/", content="SELECT currentDatabase() AS d", headers=headers)
    assert answer.json() == {"d": "system"}
    explicit = http.post("/", params={"database": "althing"}, content="SELECT currentDatabase()", headers=headers)
    assert explicit.json() == {"currentDatabase()": "althing"}


def test_sessions_of_plain_requests(http: httpx.Client, reader: httpx.Client) -> None:
    ask(http, "CREATE TEMPORARY TABLE mine AS SELECT 7 AS x", session_id="plain").raise_for_status()
    assert ask(http, "SELECT x FROM mine", session_id="plain").text == "7\n"
    assert ask(http, "SELECT x FROM mine").headers["x-clickhouse-exception-code"] == "60"
    assert ask(reader, "SELECT x FROM mine", session_id="plain").headers["x-clickhouse-exception-code"] == "60"
    for name in ("session_check", "close_session"):  # no documented client sends them
        assert ask(http, "SELECT 1", session_id="plain", **{name: 1}).headers["x-clickhouse-exception-code"] == "115"


@pytest.mark.parametrize("sql", ["SELECT {x:UInt8}", "SELECT {y:UInt8}"])
def test_a_bad_or_missing_parameter_is_named(http: httpx.Client, sql: str) -> None:
    answer = ask(http, sql, param_x="abc")
    assert answer.headers["x-clickhouse-exception-code"] in ("456", "457") and answer.status_code >= 400


def test_get_only_reads(http: httpx.Client) -> None:
    assert http.get("/", params={"query": "SELECT 2"}).text == "2\n"
    for sql in ("CREATE TABLE never (x UInt8) ENGINE = Memory", "INSERT INTO never VALUES (1)", "DROP TABLE never"):
        answer = http.get("/", params={"query": sql})
        assert (answer.status_code, answer.headers["x-clickhouse-exception-code"]) == (500, "164")


@pytest.mark.parametrize(
    "body",
    [b"", b"nothing", b"--b\r\n\r\nx", b'--b\r\nContent-Disposition: form-data; name="query"\r\n\r\nSELECT 1'],
)
def test_a_broken_form_is_refused(http: httpx.Client, body: bytes) -> None:
    answer = http.post("/", content=body, headers={"Content-Type": "multipart/form-data; boundary=b"})
    assert (answer.status_code, answer.headers["x-clickhouse-exception-code"]) == (400, "36")
