"""Two forms in which programs name what they read, written as the validator reads it.

`althing.events.country`, or `system.tables.name` beside `system.tables AS t`: a column with its table's own name, also
where the table has an alias. `FROM VALUES ('a String', ...)`: rows in the statement, which become an array of tuples.
The results are trees of nodes and functions that the validator checks like any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from sqlglot import exp
from sqlglot.errors import SqlglotError

from infra.domain.sql_access.tables import DATABASE
from infra.domain.sql_access.validation_result import StatementRejected

_COLUMN: Final = re.compile(r"\s*[`\"]?(?P<name>[A-Za-z_]\w*)[`\"]?\s+(?P<type>[A-Za-z][\w(), ']*?)\s*", re.ASCII)
_BAD_VALUES: Final = "Write VALUES as rows of values, after a text with their names and types."


def shorten_columns(tree: exp.Expr) -> None:
    """Gives every column with its table's own name the name by which its SELECT knows the table."""
    for column in list(tree.find_all(exp.Column)):
        if column.table and not column.catalog:
            alias = _alias_for(column)
            if alias is not None:
                column.set("db", None)
                column.set("table", exp.to_identifier(alias, quoted=True))


def rewrite_values(tree: exp.Expr) -> None:
    """Puts a sub-select over an array in the place of VALUES. Raises `StatementRejected` for anything but rows."""
    for values in list(tree.find_all(exp.Values)):
        alias = values.args.get("alias")
        if any(value for name, value in values.args.items() if name not in ("expressions", "alias")):
            raise StatementRejected(_BAD_VALUES)
        values.replace(exp.Subquery(this=_rows(values.expressions), alias=alias))


def _alias_for(column: exp.Column) -> str | None:
    """Returns the alias for the qualifier of the column; None where this is an alias, or nothing that its SELECTs
    read."""
    select = column.find_ancestor(exp.Select)
    while select is not None:
        sources = list(_sources(select))
        if not column.db and any(alias == column.table for alias, _, _ in sources):
            return None
        for alias, database, name in sources:
            if name == column.table and column.db in ("", database):
                return alias
        select = select.find_ancestor(exp.Select)
    return None


def _sources(select: exp.Select) -> Iterator[tuple[str, str, str]]:
    """Alias, database and name of each table of a SELECT."""
    read: list[Any] = [select.args.get("from_"), *select.args.get("joins", ())]
    for source in read:
        table = source.this if source is not None else None
        if isinstance(table, exp.Table) and isinstance(table.this, exp.Identifier):
            yield table.alias or table.name, table.db or DATABASE, table.name
        elif isinstance(table, exp.Subquery) and table.alias:
            yield table.alias, "", ""


def _rows(given: Sequence[exp.Expr]) -> exp.Expr:
    """`SELECT CAST(row.1 AS type) AS name, ... FROM (SELECT arrayJoin([tuple(...), ...]) AS row)`."""
    rows: list[Sequence[exp.Expr]] = []
    columns: list[tuple[str, str]] | None = None
    listed = given[0].expressions if len(given) == 1 and isinstance(given[0], exp.Tuple) else list(given)
    for number, one in enumerate(listed):
        inner = one.expressions if isinstance(one, exp.Tuple) else [one]
        if number == 0 and len(inner) == 1 and inner[0].is_string and len(listed) > 1:
            columns = _columns(inner[0].name)
            if columns is not None:
                continue
        rows.append(inner)
    width = len(columns) if columns is not None else len(rows[0]) if rows else 0
    if not width or any(len(row) != width for row in rows):
        raise StatementRejected(_BAD_VALUES)
    named = columns or [(f"c{number + 1}", "") for number in range(width)]
    array = exp.Array(expressions=[exp.Anonymous(this="tuple", expressions=[*row, exp.Null()]) for row in rows])
    joined = exp.alias_(exp.Anonymous(this="arrayJoin", expressions=[array]), _ROW, quoted=True)
    inner_select = exp.Subquery(this=exp.Select(expressions=[joined]))
    return exp.Select(
        expressions=[_cell(place, name, type_) for place, (name, type_) in enumerate(named, 1)],
        from_=exp.From(this=inner_select),
    )


_ROW: Final = "row of values"


def _cell(place: int, name: str, type_: str) -> exp.Expr:
    row = exp.column(exp.to_identifier(_ROW, quoted=True))
    cell: exp.Expr = exp.Anonymous(this="tupleElement", expressions=[row, exp.Literal.number(place)])
    if type_:
        try:
            cell = exp.cast(cell, exp.DataType.build(type_, dialect="clickhouse"))
        except SqlglotError as failure:
            raise StatementRejected(_BAD_VALUES) from failure
    return exp.alias_(cell, name, quoted=True)


def _columns(structure: str) -> list[tuple[str, str]] | None:
    """Names and types of a structure; None if the text is none."""
    parts = re.split(r",(?![^(]*\))", structure)
    matches = [_COLUMN.fullmatch(part) for part in parts]
    return [(one["name"], one["type"]) for one in matches if one] if all(matches) else None
