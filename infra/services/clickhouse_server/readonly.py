"""Restricts a readonly user to single statements that read tables, as the engine's own parser classifies them.

`classify_query` says that it is a single read and `EXPLAIN AST` lists its functions and table functions, after
parameters, escapes and comments are resolved, so there is no second parser that could disagree with the one that
runs the query. Where that listing hides names (APPLY, SHOW ... WHERE), the raw text is searched instead. The
engine's own `readonly=1` and the limits in `engine.py` are the next layer.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from infra.services.clickhouse_server.allow_list import IGNORED, SETTINGS
from infra.services.clickhouse_server.errors import ClickHouseError, Code, error

_TABLE_FUNCTIONS = {"numbers", "numbers_mt", "zeros", "zeros_mt", "generate_series", "generateseries", "values", "view"}
_DENIED = re.compile(
    r"file|filesystem\w*|catboost\w*|executable\w*|dictget\w*|dicthas|dictisin|joinget\w*|evalmlmethod|naivebayes\w*"
    r"|ai(redact|similarity|filter|classify|embed|extract|generate|translate)|getmacro|getclienthttpheader"
    r"|getserversetting|getserverport|showcertificate|addressto\w+|demangle|logtrace|sleep|sleepeachrow"
)
_WORD = re.compile(r"[A-Za-z_]\w*")
_FUNCTION = re.compile(r"^(\s*)Function (\S+)")
_IDENTIFIER = re.compile(r"^\s*(?:Table)?Identifier (\S+)")
_SELECTS = ("SelectWithUnionQuery", "SelectIntersectExceptQuery")
_OTHER_READS = (
    "ShowTables", "ShowColumns", "ShowIndexes", "ShowFunctions", "ShowEngines", "ShowSetting", "ShowCreateTableQuery",
    "ShowCreateViewQuery", "ShowCreateDatabaseQuery", "DescribeQuery", "ExistsTableQuery", "ExistsViewQuery",
    "ExistsDatabaseQuery",
)  # fmt: skip
_HIDES_NAMES = "ColumnsApplyTransformer"
_MAX_SHOWN = 80

Explain = Callable[[bytes], str]


def check(sql: bytes, explain: Explain) -> None:
    """Raises `ClickHouseError` (164 or 497) unless the one statement `sql`, which the engine's parser has classified as
    a read, only reads tables.

    `explain` runs an EXPLAIN AST and returns its text; the engine's syntax errors pass through.
    """
    tree = explain(b"EXPLAIN AST " + sql).splitlines()
    root = tree[0].strip().split(" ")[0] if tree else ""
    if root not in _SELECTS and root not in _OTHER_READS and not (root == "Explain" and _explains_select(tree)):
        raise error(Code.READONLY, f"Cannot execute query in readonly mode: {root[:_MAX_SHOWN]} is not a read")
    if (root in _OTHER_READS and not _describes_select(root, tree)) or any(_HIDES_NAMES in line for line in tree):
        _check_text(sql.decode("utf-8", "replace"))
    for above, line in zip(["", *tree], tree, strict=False):
        _check_node(above, line)


def _explains_select(tree: list[str]) -> bool:
    """Returns whether an EXPLAIN's children are a SELECT and, at most, the EXPLAIN's own options."""
    children = [line.strip().split(" ")[0] for line in tree[1:] if line.startswith(" ") and not line.startswith("  ")]
    return any(child in _SELECTS for child in children) and all(child in (*_SELECTS, "Set") for child in children)


def _describes_select(root: str, tree: list[str]) -> bool:
    """Returns whether it is DESCRIBE of a SELECT, whose names the listing has."""
    return root == "DescribeQuery" and any(line.strip().startswith(_SELECTS) for line in tree)


def _check_text(sql: str) -> None:
    if "\\" in sql:
        raise error(Code.ACCESS_DENIED, "Backslashes are not allowed in this kind of statement for a readonly user")
    for word in _WORD.findall(sql):
        if _DENIED.fullmatch(word.lower()):
            raise _denied(word)


def _check_node(above: str, line: str) -> None:
    identifier = _IDENTIFIER.match(line)
    if identifier is not None and "/" in line:
        raise error(Code.ACCESS_DENIED, "Not enough privileges: a name with a slash could be a file's")
    if identifier is not None and _DENIED.fullmatch(identifier.group(1).rpartition(".")[2].lower()):
        raise _denied(identifier.group(1))  # a function may be passed by its bare name: arrayMap(file, ...)
    function = _FUNCTION.match(line)
    if function is None:
        return
    name = function.group(2).lower()
    if above.strip().startswith("TableExpression"):
        if name not in _TABLE_FUNCTIONS:
            raise _denied(function.group(2))
    elif _DENIED.fullmatch(name):
        raise _denied(function.group(2))


def _denied(name: str) -> ClickHouseError:
    return error(Code.ACCESS_DENIED, f"Not enough privileges: {name[:_MAX_SHOWN]} is not allowed for a readonly user")


_MIN_LIMIT = 0.001
"""Seconds may be a fraction, and the engine reads one of less than a microsecond as 0, which is no limit at all."""

_LOWER_ONLY = ("max_execution_time", "max_result_rows", "max_result_bytes", "max_rows_to_read", "max_memory_usage")


def settings_for(
    asked: Mapping[str, str], limits: Mapping[str, str], current: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The settings of a readonly user's query: its limits, lowered on request, and those of `allow_list.SETTINGS`.

    A higher limit is the limit. What changes nothing is accepted and left out: `allow_list.IGNORED`, and a value that a
    setting has already (`current`: the engine's). Raises `ClickHouseError` 164 for any other.
    """
    settings = dict(limits)
    for name, value in _without_break(asked).items():
        if name in _LOWER_ONLY or name in limits:
            settings |= {name: value} if name not in limits else {name: _bounded(name, value, limits[name])}
        elif name in SETTINGS:
            settings[name] = value
        elif name not in IGNORED and name != "readonly" and not _same(value, (current or {}).get(name)):
            raise _refused(name)
    return settings


def _without_break(asked: Mapping[str, str]) -> Mapping[str, str]:
    """`result_overflow_mode = 'break'` requests the first `max_result_rows`: a LIMIT, which ends exactly there."""
    if asked.get("result_overflow_mode") != "break":
        return asked
    rest = {name: value for name, value in asked.items() if name not in ("result_overflow_mode", "max_result_rows")}
    most = asked.get("max_result_rows", "0")
    return {**rest, "limit": most} if most.isdecimal() and int(most) and "limit" not in rest else rest


def _bounded(name: str, value: str, limit: str) -> str:
    """The value, or the limit if it is none (0) or a higher one. Raises `ClickHouseError` 164 for what is no limit."""
    if _same(value, limit):
        return limit
    try:
        asked, most = float(value), float(limit)
    except ValueError:
        raise _refused(name) from None
    if most == 0 or not (asked == 0 or asked >= _MIN_LIMIT):
        raise _refused(name)
    if asked == 0 or asked > most:
        return limit
    return value


def _same(value: str, other: str | None) -> bool:
    if other is None or value == other:
        return other is not None
    words = {"true": "1", "false": "0"}
    return words.get(value.lower(), value) == words.get(other.lower(), other)


def _refused(name: str) -> ClickHouseError:
    return error(Code.READONLY, f"Cannot modify '{name}' setting in readonly mode")
