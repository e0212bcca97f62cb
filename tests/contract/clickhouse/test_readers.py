"""Limits that a readonly user of the ClickHouse server cannot pass.

Every refusal was tried against the engine without the validator.
"""

from __future__ import annotations

import httpx
import pytest

from tests.support.clickhouse import ask


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT file('/etc/hostname')",
        "SELECT `fi\\x6ce`('/etc/hostname')",
        "SELECT FILE /* */ ('/etc/hostname')",
        "SELECT * APPLY(file) FROM (SELECT '/etc/hostname')",
        "SELECT * APPLY(`fi\\x6ce`) FROM (SELECT '/etc/hostname')",
        "SELECT arrayMap(file, ['/etc/hostname'])",
        "SELECT arrayMap(x -> file(x), ['/etc/hostname'])",
        "WITH f AS (SELECT file('/etc/hostname')) SELECT * FROM f",
        "SELECT 1 UNION ALL SELECT length(file('/etc/hostname'))",
        "SHOW TABLES WHERE file('/etc/hostname') != ''",
        "EXPLAIN SELECT file('/etc/hostname')",
        "SELECT * FROM file('/etc/hostname', 'LineAsString')",
        "SELECT * FROM `/etc/hostname`",
        "SELECT 1 WHERE 'x' IN `/etc/hostname`",
        "SELECT * FROM {t:Identifier}",
        "DESCRIBE TABLE file('/etc/hostname')",
        "DESCRIBE TABLE `/etc/hostname`",
        "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
        "SELECT * FROM view(SELECT file('/etc/hostname'))",
        "SELECT * FROM merge('althing', '.*')",
        "SELECT * FROM remote('127.0.0.1', 'system', 'one')",
        "SELECT 1 INTO OUTFILE '/tmp/althing-outfile'",
        "SELECT 1 SETTINGS max_execution_time = 0",
        "SELECT 1 SETTINGS readonly = 0",
        "KILL QUERY WHERE 1",
        "SET readonly = 0",
        "SYSTEM RELOAD CONFIG",
        "INSERT INTO readers VALUES (1)",
        "CREATE TEMPORARY TABLE t (x UInt8)",
        "DROP TABLE readers",
        "ALTER TABLE readers DELETE WHERE 1",
        "OPTIMIZE TABLE readers",
        "BACKUP DATABASE althing TO File('/tmp/x')",
        "SELECT * FROM url('http://127.0.0.1:1/x', 'CSV', 'a String')",
        "SELECT * FROM s3('http://127.0.0.1:1/x', 'CSV', 'a String')",
        "SELECT * FROM remote('127.0.0.1:1', system.one)",
        "SELECT * FROM executable('id', 'CSV', 'a String')",
        "SELECT * FROM merge('system', 'one')",
        "SELECT * FROM system.filesystem",
        "SELECT * FROM system.users",
        "SELECT * FROM dictionary('x')",
        "SELECT 1 INTO OUTFILE '/tmp/althing-reader'",
        "INSERT INTO FUNCTION file('/tmp/althing-reader', 'CSV') SELECT 1",
        "CREATE DICTIONARY d (a UInt64) PRIMARY KEY a SOURCE(FILE(path '/etc/passwd' format 'CSV')) LAYOUT(FLAT())",
        "SELECT * REPLACE(file('/etc/hostname') AS a) FROM (SELECT 1 AS a)",
        "SELECT sum(1) OVER (ORDER BY file('/etc/hostname'))",
        "SELECT 1 LIMIT length(file('/etc/hostname'))",
        "SELECT * FROM values('x String', (file('/etc/hostname')))",
        "SELECT 1 FORMAT Template SETTINGS format_template_row = '/etc/passwd'",
        "SELECT getServerSetting('path')",
        "EXECUTE AS default SELECT 1",
        "SYSTEM SHUTDOWN",
        "GRANT ALL ON *.* TO default",
        "SELECT 1; DROP TABLE readers",
        "EXPLAIN TABLE OVERRIDE mysql('127.0.0.1:1', 'a', 'b', 'c', 'd') COLUMNS (a Int)",
    ],
)
def test_what_writes_or_leaves_the_database_is_refused(http: httpx.Client, reader: httpx.Client, sql: str) -> None:
    ask(http, "CREATE TABLE IF NOT EXISTS readers (x UInt8) ENGINE = MergeTree ORDER BY x").raise_for_status()
    answer = ask(reader, sql, param_t="/etc/hostname")
    assert answer.status_code in (400, 403, 500), answer.text
    assert answer.headers["x-clickhouse-exception-code"] in ("62", "164", "497"), answer.text
    assert ask(http, "EXISTS TABLE readers").text == "1\n"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count() FROM readers",
        "WITH x AS (SELECT 1 AS a) SELECT sum(a) FROM x WHERE a IN (SELECT number FROM numbers(3))",
        "(SELECT 1) UNION ALL (SELECT 2)",
        "SELECT 'file(''/etc/hostname'')' AS url, splitByChar('/', 'a/b')[1]",
        "SHOW TABLES",
        "DESCRIBE TABLE readers",
        "SHOW CREATE TABLE readers",
        "EXISTS TABLE readers",
        "EXPLAIN SELECT count() FROM readers",
        "SELECT name FROM system.columns WHERE table = 'readers' FORMAT JSON",
        "-- a comment\nSELECT 1;",
    ],
)
def test_what_only_reads_is_answered(http: httpx.Client, reader: httpx.Client, sql: str) -> None:
    ask(http, "CREATE TABLE IF NOT EXISTS readers (x UInt8) ENGINE = MergeTree ORDER BY x").raise_for_status()
    answer = ask(reader, sql)
    assert answer.status_code == 200, answer.text


def test_have_limits_that_they_cannot_raise(reader: httpx.Client) -> None:
    assert ask(reader, "SELECT getSetting('max_execution_time'), getSetting('readonly')").text == "60\t1\n"
    for value in ("61", "0"):
        shown = ask(reader, "SELECT getSetting('max_execution_time'), getSetting('readonly')", max_execution_time=value)
        assert shown.text == "60\t1\n"
    for name, value in (("max_execution_time", "-1"), ("allow_ddl", "0"), ("allow_introspection_functions", "0")):
        refused = ask(reader, "SELECT 1", **{name: value})
        assert (refused.status_code, refused.headers["x-clickhouse-exception-code"]) == (500, "164")
    lowered = ask(reader, "SELECT count() FROM numbers(1000000000000)", max_execution_time="0.2")
    assert (lowered.status_code, lowered.headers["x-clickhouse-exception-code"]) == (408, "159")


def test_settings_within_a_query_do_not_lift_a_readers_limits(reader: httpx.Client) -> None:
    lifted = "SETTINGS max_execution_time = 0, max_memory_usage = 0, readonly = 0, max_threads = 64"
    shown = "getSetting('max_execution_time'), getSetting('max_memory_usage'), getSetting('readonly')"
    for sql in (f"SELECT * FROM (SELECT {shown} {lifted})", f"WITH a AS (SELECT {shown} {lifted}) SELECT * FROM a"):
        assert ask(reader, sql).text == f"60\t{1 << 30}\t1\n"
    many = (
        "SELECT length(groupArray(number)) FROM (SELECT number FROM numbers(400000000) SETTINGS max_memory_usage = 0)"
    )
    assert ask(reader, many).headers["x-clickhouse-exception-code"] == "241"
