"""Statements by which programs look around, as the SELECT that answers each.

SHOW, DESCRIBE, EXISTS and EXPLAIN reach the validator as a SELECT over the tables that describe the documented ones, or
over the tables that they explain: an answer is never the engine's own, which would speak of other tables, filters and
rows read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from infra.domain.sql_access.literals import text as literal
from infra.domain.sql_access.tables import DATABASE, SCHEMA
from infra.domain.sql_access.views import find

Kind = Literal["select", "describe", "explain"]


@dataclass(frozen=True, slots=True)
class ClientStatement:
    """`select` goes through the validator. `describe`: the types of its columns are the answer; `explain`: what it
    reads."""

    select: str
    kind: Kind = "select"


def read(text: str) -> ClientStatement:
    """Returns the statement that answers `text`; a statement of no such kind is its own answer. Raises
    `UnknownTable`."""
    for pattern, answer in _ANSWERS:
        if match := pattern.fullmatch(text.strip().rstrip(";").strip()):
            return answer(match)
    return ClientStatement(text)


def explained(text: str, tables: Sequence[str]) -> str:
    """The SELECT with the answer to EXPLAIN: the statement, and which documented tables it reads."""
    lines = [*(f"Read {DATABASE}.{name}: rows of your websites" for name in tables), "Statement:", *text.splitlines()]
    return f"SELECT arrayJoin([{', '.join(literal(line) for line in lines)}]) AS explain"


_MAX_SHOWN: Final = 80
_NAME: Final = r"(?:`(?:[^`\\]+)`|\"(?:[^\"\\]+)\"|\w+)"
_TABLE: Final = rf"(?:(?P<database>{_NAME})\s*\.\s*)?(?P<table>{_NAME})"
_FROM: Final = rf"(?:\s+(?:FROM|IN)\s+(?P<from>{_NAME}))?"
_LIKE: Final = (
    r"(?:\s+(?P<not>NOT\s+)?(?P<like>I?LIKE)\s+(?P<pattern>'(?:[^'\\]|\\.)*'))?(?:\s+LIMIT\s+(?P<limit>\d+))?"
)


def _bare(name: str | None) -> str:
    return (name or "").strip('`"')


def _listed(select: str, found: re.Match[str], *conditions: str, by: str = "name") -> ClientStatement:
    tested = [*conditions]
    if found["like"]:
        tested.append(f"{by} {'NOT ' if found['not'] else ''}{found['like'].upper()} {found['pattern']}")
    where = f" WHERE {' AND '.join(tested)}" if tested else ""
    limit = f" LIMIT {found['limit']}" if found["limit"] else ""
    return ClientStatement(f"{select}{where} ORDER BY {by}{limit}")


def _tables(found: re.Match[str]) -> ClientStatement:
    columns = "name, 'VIEW' AS table_type" if found["full"] else "name"
    database = _bare(found["from"]) or DATABASE
    return _listed(f"SELECT {columns} FROM system.tables", found, f"database = {literal(_known_database(database))}")  # noqa: S608 - quoted


def _known_database(name: str) -> str:
    return DATABASE if name == "default" else name


def _place(found: re.Match[str]) -> tuple[str, str]:
    return _known_database(_bare(found["database"]) or DATABASE), _bare(found["table"])


def _describe(found: re.Match[str]) -> ClientStatement:
    database, table = _place(found)
    _require(database, table)
    return ClientStatement(
        "SELECT name, type, '' AS default_type, '' AS default_expression, comment, '' AS codec_expression,"  # noqa: S608 - quoted
        f" '' AS ttl_expression FROM system.columns WHERE database = {literal(database)} AND table = {literal(table)}"
        " ORDER BY position"
    )


def _columns(found: re.Match[str]) -> ClientStatement:
    database, table = _known_database(_bare(found["from"] or found["database"]) or DATABASE), _bare(found["table"])
    _require(database, table)
    return _listed(
        "SELECT name AS field, type, 'NO' AS `null`, '' AS `key`, NULL AS `default`, '' AS extra FROM system.columns",
        found,
        f"database = {literal(database)}",
        f"table = {literal(table)}",
        by="field",
    )


def _require(database: str, table: str) -> None:
    if find("" if database == DATABASE else database, table) is None:
        full_name = f"{database}.{table}" if database != DATABASE else table
        raise UnknownTable(f"There is no table {full_name[:_MAX_SHOWN]}. Tables: {', '.join(sorted(SCHEMA))}.")


class UnknownTable(Exception):
    """There is no such table for analysts; the message says so to the author of the statement."""


def _create(found: re.Match[str]) -> ClientStatement:
    database, table = _place(found)
    _require(database, table)
    return ClientStatement(
        "SELECT create_table_query AS statement FROM system.tables"  # noqa: S608 - quoted
        f" WHERE database = {literal(database)} AND name = {literal(table)}"
    )


def _exists(found: re.Match[str]) -> ClientStatement:
    database, table = _place(found)
    is_there = find("" if database == DATABASE else database, table) is not None
    return ClientStatement(f"SELECT toUInt8({int(is_there)}) AS result")


def _exists_database(found: re.Match[str]) -> ClientStatement:
    databases = (DATABASE, "default", "system", "information_schema")
    return ClientStatement(f"SELECT toUInt8({int(_bare(found['table']).lower() in databases)}) AS result")


def _nothing(columns: str) -> Callable[[re.Match[str]], ClientStatement]:
    return lambda _: ClientStatement(f"SELECT {columns} WHERE 0")


_OPTIONS: Final = r"(?:\s+\w+\s*=\s*\w+(?:\s*,)?)*"
"""Each option in one way only: a text that could be divided in many would take very long to be refused."""


def _answers(
    patterns: Mapping[str, Callable[[re.Match[str]], ClientStatement]],
) -> tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], ClientStatement]], ...]:
    return tuple((re.compile(pattern, re.IGNORECASE | re.DOTALL), answer) for pattern, answer in patterns.items())


_ANSWERS: Final = _answers(
    {
        rf"SHOW\s+DATABASES{_LIKE}": lambda found: _listed("SELECT name FROM system.databases", found),
        rf"SHOW\s+(?P<full>FULL\s+)?TABLES{_FROM}{_LIKE}": _tables,
        rf"SHOW\s+(?:EXTENDED\s+)?(?:FULL\s+)?(?:COLUMNS|FIELDS)\s+(?:FROM|IN)\s+{_TABLE}{_FROM}{_LIKE}": _columns,
        rf"SHOW\s+FUNCTIONS{_LIKE}": lambda found: _listed("SELECT * FROM system.functions", found),
        rf"SHOW\s+CREATE\s+(?:TABLE\s+|VIEW\s+)?{_TABLE}": _create,
        rf"SHOW\s+DICTIONARIES{_FROM}{_LIKE}": _nothing("'' AS name"),
        rf"SHOW\s+(?:INDEX|INDEXES|INDICES|KEYS)\s+(?:FROM|IN)\s+{_TABLE}{_FROM}": _nothing(
            "'' AS `table`, 0 AS non_unique, '' AS key_name, 0 AS seq_in_index, '' AS column_name"
        ),
        rf"DESC(?:RIBE)?\s+(?:TABLE\s+)?{_TABLE}": _describe,
        r"DESC(?:RIBE)?\s+(?:TABLE\s+)?\((?P<select>.+)\)": lambda found: ClientStatement(found["select"], "describe"),
        rf"EXISTS\s+DATABASE\s+(?P<table>{_NAME})": _exists_database,
        rf"EXISTS\s+(?:TABLE\s+|VIEW\s+|DICTIONARY\s+)?{_TABLE}": _exists,
        rf"EXPLAIN(?:\s+(?:AST|SYNTAX|QUERY\s+TREE|PLAN|PIPELINE|ESTIMATE))?{_OPTIONS}\s*(?P<select>\(?\s*(?:SELECT|WITH)\b.+)":
            lambda found: ClientStatement(found["select"], "explain"),
    }
)  # fmt: skip
