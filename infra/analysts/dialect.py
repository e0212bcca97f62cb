"""ClickHouse's SQL as the gate reads and writes it: functions keep their names, and text is written in one safe way."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from sqlglot import exp
from sqlglot.dialects.clickhouse import ClickHouse
from sqlglot.generators.clickhouse import ClickHouseGenerator
from sqlglot.parsers.clickhouse import ClickHouseParser


class Trusted(exp.Expression):
    """SQL of our own in the place of a table. No parser makes one."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


_KEPT_PARSERS: Final = ("CAST", "EXTRACT", "QUANTILE")


class AnalystSql(ClickHouse):
    """Every function but a few with a syntax of their own stays what it is called, so that it can be looked up."""

    class Parser(ClickHouseParser):
        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            name: parser for name, parser in ClickHouseParser.FUNCTION_PARSERS.items() if name in _KEPT_PARSERS
        }

    class Generator(ClickHouseGenerator):
        TRANSFORMS: ClassVar[dict[Any, Any]] = {
            **ClickHouseGenerator.TRANSFORMS,
            Trusted: lambda _, node: str(node.args["this"]),
        }

        def literal_sql(self, expression: exp.Literal) -> str:
            return text(expression.this) if expression.is_string else str(expression.this)


def text(value: str) -> str:
    """A string literal that ClickHouse reads back as exactly this."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
