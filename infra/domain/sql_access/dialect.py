"""The validator's dialect of ClickHouse SQL: functions keep their names, and string literals are written in one
safe way."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from sqlglot import exp
from sqlglot.dialects.clickhouse import ClickHouse
from sqlglot.generators.clickhouse import ClickHouseGenerator
from sqlglot.parsers.clickhouse import ClickHouseParser
from sqlglot.tokenizer_core import TokenType

from infra.domain.sql_access.literals import text


class Trusted(exp.Expression):
    """SQL of our own in the place of a table. No parser makes one."""

    arg_types: ClassVar[dict[str, bool]] = {"this": True}


LIMIT_BY: Final = "limit_by"
"""Argument of a SELECT: its LIMIT BY."""

_KEPT_PARSERS: Final = ("CAST", "EXTRACT", "QUANTILE")


class AnalystSql(ClickHouse):
    """Every function but a few with a syntax of their own stays what it is called, so that it can be looked up."""

    class Parser(ClickHouseParser):
        """Parses unknown functions as plain calls: sqlglot's own mapping would rename them."""

        FUNCTIONS: ClassVar[dict[str, Any]] = {}
        FUNCTION_PARSERS: ClassVar[dict[str, Any]] = {
            name: parser for name, parser in ClickHouseParser.FUNCTION_PARSERS.items() if name in _KEPT_PARSERS
        }
        QUERY_MODIFIER_PARSERS: ClassVar[dict[Any, Any]] = {
            **ClickHouseParser.QUERY_MODIFIER_PARSERS,
            TokenType.LIMIT: lambda parser: _limit(parser),
        }

    class Generator(ClickHouseGenerator):
        """Writes string literals with the escaping of `text`, and `Trusted` SQL unchanged."""

        TRANSFORMS: ClassVar[dict[Any, Any]] = {
            **ClickHouseGenerator.TRANSFORMS,
            Trusted: lambda _, node: str(node.args["this"]),
        }

        def offset_limit_modifiers(self, expression: exp.Expr, fetch: bool, limit: Any) -> list[str]:
            by = self.sql(expression, LIMIT_BY)
            return [by, *super().offset_limit_modifiers(expression, fetch, limit)]

        def literal_sql(self, expression: exp.Literal) -> str:
            return text(expression.this) if expression.is_string else str(expression.this)


def _limit(parser: Any) -> tuple[str, exp.Expr | None]:
    """LIMIT, or LIMIT BY, after which LIMIT may follow: the library keeps one of both only."""
    limit = parser._parse_limit()
    return (LIMIT_BY if limit is not None and limit.expressions else "limit"), limit
