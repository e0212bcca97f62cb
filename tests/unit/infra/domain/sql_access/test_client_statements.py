"""Given a statement by which a program looks around, then a SELECT over the documented tables answers it."""

from __future__ import annotations

from uuid import uuid4

import pytest

from infra.domain.sql_access import client_statements, described, sql_validator
from infra.domain.sql_access.client_statements import ClientStatement, UnknownTable
from infra.domain.sql_access.tables import EVENTS
from infra.domain.sql_access.validation_result import StatementRejected, fill
from infra.domain.sql_access.views import Scope

ADA = Scope("ada@example.com", frozenset([uuid4()]), lambda _: [])


def sql(text: str) -> str:
    """What would run."""
    return fill(sql_validator.read(client_statements.read(text).select, ADA.name), ADA).sql


@pytest.mark.parametrize(
    ("text", "select"),
    [
        ("SHOW DATABASES;", "SELECT name FROM system.databases ORDER BY name"),
        ("show tables", "SELECT name FROM system.tables WHERE database = 'althing' ORDER BY name"),
        (
            "SHOW TABLES FROM \"althing\" NOT LIKE 'x\\'%' LIMIT 5",
            "SELECT name FROM system.tables WHERE database = 'althing' AND name NOT LIKE 'x\\'%' ORDER BY name LIMIT 5",
        ),
        ("EXISTS TABLE `althing`.`events`", "SELECT toUInt8(1) AS result"),
        ("EXISTS system.tables", "SELECT toUInt8(1) AS result"),
        ("exists table events__g1", "SELECT toUInt8(0) AS result"),
        ("EXISTS DATABASE nothing", "SELECT toUInt8(0) AS result"),
        ("SELECT 'SHOW TABLES'", "SELECT 'SHOW TABLES'"),
        ("SHOW PROCESSLIST", "SHOW PROCESSLIST"),
    ],
)
def test_a_select_is_read_out_of_what_clients_send(text: str, select: str) -> None:
    assert client_statements.read(text) == ClientStatement(select)


def test_a_select_is_described_or_explained() -> None:
    assert client_statements.read("DESCRIBE (SELECT 1)") == ClientStatement("SELECT 1", "describe")
    for text in ("EXPLAIN SELECT 1", "explain plan header = 1, actions = 0 SELECT 1", "EXPLAIN QUERY TREE SELECT 1"):
        assert client_statements.read(text) == ClientStatement("SELECT 1", "explain")
    told = client_statements.explained("SELECT 'it''s'", ["events"])
    assert "Read althing.events: rows of your websites" in told and "rows_" not in told
    assert sql(told)


@pytest.mark.parametrize(
    "text",
    ["DESCRIBE althing.events__g1", "DESC system.users", "SHOW CREATE TABLE x.events", "SHOW COLUMNS FROM users"],
)
def test_a_table_that_is_not_there(text: str) -> None:
    with pytest.raises(UnknownTable):
        client_statements.read(text)


def test_a_column_with_its_tables_own_name() -> None:
    for text, written in (
        ("SELECT althing.events.country FROM althing.events", 'SELECT "events".country FROM'),
        ("SELECT events.country, e.path FROM events AS e", 'SELECT "e".country, e.path FROM'),
        ("SELECT t.name, system.tables.name FROM system.tables AS t", 'SELECT t.name, "t".name FROM'),
        ("SELECT e.path FROM clicks AS events JOIN events AS e USING (event_id)", "SELECT e.path FROM"),
        ("SELECT events.path FROM clicks AS events JOIN events AS e USING (event_id)", "SELECT events.path FROM"),
    ):
        assert sql(text).startswith(written), text


def test_rows_in_the_statement() -> None:
    assert sql("SELECT * FROM VALUES ('a String, b Decimal(9, 2)', ('x', 1), ('y', 2)) AS v").startswith(
        'SELECT * FROM (SELECT CAST(tupleElement("row of values", 1) AS String) AS "a",'
        ' CAST(tupleElement("row of values", 2) AS Decimal(9, 2)) AS "b" FROM (SELECT arrayJoin([tuple(\'x\', 1, NULL),'
    )
    assert '"c2"' in sql("SELECT c1 FROM VALUES (1, 'a'), (2, 'b')")
    for text in ("('a String', (1, 2))", "((1), (1, 2))", "('a Object(''json'')', 'x')", "(file('x'))", "()"):
        with pytest.raises(StatementRejected):
            sql(f"SELECT * FROM VALUES {text}")


def test_the_description_is_of_the_documented_tables() -> None:
    for (database, name), view in described._TABLES.items():
        written = sql(f"SELECT * FROM {database}.{name}")
        assert all(f" AS {column.name}" in written or view.source for column in view.columns), name
        assert "__g" not in written and "website_id IN" not in written
    shown = described.create_statement(EVENTS)
    assert shown.startswith("CREATE VIEW althing.events\n(\n    `website_id` UUID COMMENT ") and "SELECT" not in shown


@pytest.mark.parametrize("part", ["aaa=", " a=1  ", "a = 1 ,", "a=1,,"])
def test_a_text_that_is_nearly_one_is_refused_at_once(part: str) -> None:
    """A pattern that could divide it in many ways would not end."""
    text = "EXPLAIN " + part * 200 + "!"
    assert client_statements.read(text).select == text
