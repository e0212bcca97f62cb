"""The SQL validator alone: refused statements, accepted statements, and their rewritten form."""

from __future__ import annotations

import csv
import io
import re
from contextlib import suppress
from uuid import UUID, uuid4

import pytest
import sqlglot

from infra.domain.sql_access import cluster, functions, limits, sql_validator
from infra.domain.sql_access.dialect import AnalystSql
from infra.domain.sql_access.tables import SCHEMA
from infra.domain.sql_access.validation_result import ExecutableStatement, StatementRejected, fill
from infra.domain.sql_access.views import MAX_NAMED, Scope, TooManyNames, row_filter
from query_api.sql.safe_csv import PlainCsv
from tests.support.sandbox_escapes import SANDBOX_ESCAPES

OWN = UUID("11111111-2222-4333-8444-555555555555")
ADA = Scope("ada@example.com", frozenset([OWN]), lambda _: [])
NOBODY = Scope("x", frozenset(), lambda _: [])
NEEDS_ENGINE = frozenset(
    name
    for name in SANDBOX_ESCAPES
    if name.startswith(("SELECT _topic", "SELECT * EXCEPT(path), _o", "WITH events__g1 AS (SELECT * FROM events__g1)"))
    or name.startswith("SELECT * FROM (WITH events__g1")
)
"""They name what is nowhere: the engine says so (tests/api/sql/test_entry_points.py)."""


def admit(sql: str, scope: Scope) -> ExecutableStatement:
    """The statement that runs, for both entry points."""
    return fill(sql_validator.read(sql, scope.name), scope)


@pytest.mark.parametrize("scope", [ADA, NOBODY], ids=["analyst", "without websites"])
def test_no_way_out(scope: Scope) -> None:
    admitted = []
    for name in sorted(SANDBOX_ESCAPES.keys() - NEEDS_ENGINE):
        with suppress(StatementRejected):
            admit(SANDBOX_ESCAPES[name], scope)
            admitted.append(name)
    assert admitted == []


OWN_ROWS = f"website_id IN (SELECT website_id FROM {ADA.mark}_own)"
HONEST = (
    "SELECT toStartOfHour(bucket) AS h, sum(clicks) FROM traffic_15m GROUP BY h ORDER BY h LIMIT 10",
    "SELECT quantile(0.9)(value), countIf(is_bot), uniqCombinedMerge(12)(visitors) FROM visitors_15m, clicks",
    "WITH big AS (SELECT country, count() AS n FROM clicks GROUP BY country) SELECT * FROM big WHERE n > 1",
    "WITH events AS (SELECT 1 AS a) SELECT a FROM events",
    "WITH 10 AS n SELECT n, count() FROM clicks",
    "SELECT * EXCEPT (path) REPLACE (upper(country) AS country) FROM clicks",
    "SELECT c.country, p.name FROM clicks AS c LEFT JOIN partners AS p ON p.id = c.partner_id",
    "SELECT country FROM clicks WHERE visitor IN (SELECT visitor FROM pageviews) AND country IN ('DE', 'FR')",
    "SELECT path FROM pageviews WHERE path LIKE '/a\\\\_%' OR match(path, '^/x') ORDER BY path LIMIT 3 OFFSET 2",
    "SELECT row_number() OVER (PARTITION BY country ORDER BY occurred_at) FROM clicks",
    "SELECT {country:String}, arrayMap(x -> x + 1, [1, 2]), (1, 2).1, map('a', 1)['a'] FROM clicks",
    "SELECT country, count() FROM clicks GROUP BY country WITH TOTALS",
    "SELECT day, n FROM (SELECT toDate(occurred_at) AS day, count() AS n FROM clicks GROUP BY day) WHERE n > 1",
    "SELECT 1 UNION ALL SELECT 2 ORDER BY 1",
    "SELECT sub, count() FROM clicks ARRAY JOIN [sub1, sub2] AS sub GROUP BY sub",
    "SELECT JSONExtractString(props, 'plan'), CAST(value AS Decimal(18, 2)), value::Float64 FROM althing.events",
    "SELECT if(is_bot, 1, 2), multiIf(value > 1, 'a', 'b'), CASE WHEN is_bot THEN 1 ELSE 0 END FROM clicks, events",
    "SELECT now() - INTERVAL 7 DAY, date_trunc('month', occurred_at), extract(YEAR FROM occurred_at) FROM `clicks`",
    "SELECT country, path FROM pageviews ORDER BY occurred_at DESC LIMIT 3 BY country LIMIT 5, 10",
    "SELECT country FROM clicks LIMIT 1, 2 BY country, device",
    "SELECT table, name FROM system.columns -- a comment",
    "select Count(*) from CLICKS" .replace("CLICKS", "clicks"),
)  # fmt: skip


@pytest.mark.parametrize("text", [*HONEST, *(view.example for view in SCHEMA.values() if view.example)])
def test_honest_questions_pass(text: str) -> None:
    admitted = admit(text, ADA)
    assert admit(text, NOBODY).sql
    for table in sqlglot.parse_one(admitted.sql, read=AnalystSql).find_all(sqlglot.exp.Table):
        select = table.find_ancestor(sqlglot.exp.Select)
        assert select is not None
        of_ours = table.db == "althing"
        assert not of_ours or OWN_ROWS in select.sql("clickhouse"), "a table is read without the filter"
        of_mine = table.name.startswith(("with__", f"{ADA.mark}_"))
        assert of_ours or of_mine or not isinstance(table.this, sqlglot.exp.Identifier)


def test_every_table_is_filtered_where_it_is_read() -> None:
    sql = admit("SELECT * FROM clicks AS a JOIN events AS b USING (event_id)", ADA).sql
    assert sql.count(f"({OWN_ROWS})") == 2
    assert admit("SELECT * FROM clicks", NOBODY).data[0].content() == b""
    assert admit("SELECT 1 FROM clicks, partners", ADA).tables == ("clicks", "partners")


def test_names_of_with_stand_for_no_table() -> None:
    sql = admit("WITH clicks AS (SELECT 1 AS x) SELECT clicks.x FROM clicks", ADA).sql
    assert "althing" not in sql and '"with__clicks"' in sql


@pytest.mark.parametrize(
    "value", ["a'b", "a\\", "\\'", "'; DROP TABLE x --", "\n\t", "*/ /*", "ü\u2028", "$$", "\\x27"]
)
def test_text_stays_text(value: str) -> None:
    quoted = value.replace("\\", "\\\\").replace("'", "''")
    sql = admit(f"SELECT '{quoted}' AS x, count() FROM clicks", ADA).sql
    [literal, *_] = sqlglot.parse_one(sql, read="clickhouse").find_all(sqlglot.exp.Literal)
    assert literal.this == value
    named = admit("SELECT * FROM partners", Scope("x", frozenset(), lambda _: [(OWN, value, value)]))
    [_, partners] = named.data
    fields = partners.content().decode().removesuffix("\n").split("\t")
    assert [_unescaped(one) for one in fields] == [str(OWN), value, value]


def _unescaped(field: str) -> str:
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), field)


def test_the_validator_answers_current_user_and_database() -> None:
    assert admit("SELECT currentUser(), currentDatabase() AS d", ADA).sql == (
        "SELECT 'ada@example.com' AS \"currentUser()\", 'althing' AS d"
    )


def test_descriptions_tell_of_our_tables_only() -> None:
    sql = admit("SELECT * FROM system.tables, information_schema.columns", ADA).sql
    assert "FROM system." not in sql and "'traffic_15m'" in sql


def test_too_many_names_are_refused_not_cut() -> None:
    rows = [(uuid4(), "a", "b")] * (MAX_NAMED + 1)
    with pytest.raises(TooManyNames):
        admit("SELECT * FROM partners", Scope("x", frozenset(), lambda _: rows))


def test_combinators_do_not_open_other_functions() -> None:
    assert functions.is_allowed("sumIfMerge") and functions.is_allowed("UNIQEXACT")
    assert not any(functions.is_allowed(name) for name in ("fileIf", "sleepMerge", "if_file", "dictGetIf", "urlIf", ""))


def test_limits_are_settings() -> None:
    settings = limits.settings()
    assert settings["max_execution_time"] == "30" and settings["result_overflow_mode"] == "throw"


def test_a_server_of_ones_own_gets_the_same_wall() -> None:
    statements = [*cluster.isolation_statements(), *cluster.analyst_statements("ada@example.com", [OWN])]
    granted = [one for one in statements if one.startswith("GRANT")]
    assert all(re.fullmatch(r"GRANT (SELECT ON analysts\.\w+|althing_analyst) TO \S+", one) for one in granted)
    views = [one for one in statements if one.startswith("CREATE OR REPLACE VIEW")]
    assert len(views) == len([view for view in SCHEMA.values() if view.source])
    assert all("SQL SECURITY DEFINER" in one and "user = currentUser()" in one and "{own}" not in one for one in views)
    profile = next(one for one in statements if "SETTINGS PROFILE OR REPLACE" in one)
    assert "readonly = 1 READONLY" in profile and "max_execution_time = 30 READONLY" in profile
    assert f"INSERT INTO analysts.access VALUES ('ada@example.com', '{OWN}', false)" in statements
    with pytest.raises(ValueError, match="quotes"):
        list(cluster.analyst_statements("a` TO x; --", []))


def test_limit_by_and_limit_stay_two() -> None:
    sql = admit("SELECT country FROM clicks ORDER BY visitor LIMIT 2 BY country LIMIT 5 OFFSET 1", ADA).sql
    assert sql.endswith("ORDER BY visitor LIMIT 2 BY country LIMIT 5 OFFSET 1")
    for text in ("LIMIT 1 BY country LIMIT 1 BY device", "LIMIT 1 LIMIT 2", "LIMIT 1 BY file('x') LIMIT 1"):
        with pytest.raises(StatementRejected):
            admit(f"SELECT country FROM clicks {text}", ADA)


def test_websites_and_names_are_no_part_of_the_text() -> None:
    """So that a statement and its settings are as long for 500 websites as for one."""
    many = frozenset(uuid4() for _ in range(500))
    rows = [(uuid4(), f"partner {number}", "b") for number in range(1000)]
    text = "SELECT * FROM events AS e JOIN partners AS p ON p.id = e.partner_id JOIN partners AS q ON q.id = p.id"
    one, all_ = (Scope("x", sites, lambda _: rows, ("events__g1",), ADA.mark) for sites in (frozenset([OWN]), many))
    assert admit(text, one).sql == admit(text, all_).sql and row_filter(one) == row_filter(all_)
    [own, partners] = admit(text, all_).data
    assert own.content().split() == [str(website).encode() for website in sorted(many)]
    assert (own.structure, partners.structure) == ("website_id UUID", "id UUID, name String, slug String")
    assert partners.content().count(b"\n") == 1000


def test_no_name_of_a_statement_stands_for_the_rows_beside_it() -> None:
    mark = admit("SELECT 1", Scope("x", frozenset([OWN]), lambda _: [])).data[0].name
    assert mark != admit("SELECT 1", Scope("x", frozenset([OWN]), lambda _: [])).data[0].name
    with pytest.raises(StatementRejected, match="There is no table"):
        admit(f"SELECT * FROM {ADA.mark}_own", ADA)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 1000])
def test_a_file_holds_no_formulas(size: int) -> None:
    rows = [
        ["a", "=b"],
        ["=1+1", "+2"],
        ["-x", "@y"],
        ["\tz", "x\n=1"],
        ['x,"=1', '"=1'],
        ["ü＝", "＝1"],
        ["", "plain"],
    ]
    lines = [",".join('"' + cell.replace('"', '""') + '"' for cell in row) + ",-5\n" for row in rows]
    whole, plain = "".join(lines).encode(), PlainCsv()
    made = b"".join(plain.take(whole[at : at + size]) for at in range(0, len(whole), size)) + plain.rest()
    read = list(csv.reader(io.StringIO(made.decode(), newline="")))
    rows[3][1] = "x\n'=1"  # a line that some programs take for a row
    assert [row[:2] for row in read] == [
        [f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "＝")) else cell for cell in row] for row in rows
    ]
    assert {row[2] for row in read} == {"-5"}
