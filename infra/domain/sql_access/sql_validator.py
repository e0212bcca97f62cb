"""The SQL validator: turns an analyst's text into SQL that reads only the analyst's rows.

The text is parsed; the tree may contain one SELECT (or UNION of such) of known nodes, known functions and documented
tables. Each table is replaced by a sub-select of its own columns and of the analyst's websites, so that nothing
outside it can be named, and SQL is generated from the tree: the engine never sees the text. A second check compares
every name before a bracket in the generated SQL with the same list.

It runs with `information_schema` as the current database, which has none of the product's tables, and CTEs get names
that no table has: a name that escaped the validator would not resolve.

Only this module parses analysts' texts; the services run it in a process without rights (`validator_pool`), and
insert the rows afterwards (`validation_result.fill`).
"""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from infra.domain.sql_access import functions, limits
from infra.domain.sql_access.dialect import AnalystSql, Trusted
from infra.domain.sql_access.source_names import rewrite_values, shorten_columns
from infra.domain.sql_access.tables import DATABASE, SCHEMA, AnalystView
from infra.domain.sql_access.validation_result import StatementRejected, StatementUnreadable, ValidatedStatement
from infra.domain.sql_access.views import find

logging.getLogger("sqlglot").setLevel(logging.ERROR)  # its warnings would quote analysts' texts


def read(sql: str, name: str) -> ValidatedStatement:
    """Validates `sql` of the analyst called `name`. Raises `StatementRejected`."""
    if len(sql.encode("utf-8", "replace")) > limits.TEXT_BYTES:
        raise StatementRejected(f"A statement may have at most {limits.TEXT_BYTES:,} bytes.")
    if sum(1 for _ in islice(_tokens(sql), limits.TEXT_WORDS + 1)) > limits.TEXT_WORDS:
        raise StatementRejected(f"A statement may have at most {limits.TEXT_WORDS:,} words and signs.")
    tree = _parse(sql)
    shorten_columns(tree)
    rewrite_values(tree)
    _check(tree)
    views = _replace_tables(tree)
    _answer_about_oneself(tree, name)
    try:
        _check_written(tree.sql(AnalystSql, comments=False))
        mark = f"place_{secrets.token_hex(16)}_"  # random: cannot occur in the text
        for number, (place, _) in enumerate(views):
            place.set("this", f"{mark}{number}_")
        written = tree.sql(AnalystSql, comments=False)
    except RecursionError as failure:
        raise _too_deep() from failure
    first, *rest = re.split(f"{mark}([0-9]+)_", written)
    tables = [views[int(number)][1] for number in rest[::2]]
    return ValidatedStatement((first, *rest[1::2]), tuple((view.database, view.name) for view in tables))


def _parse(sql: str) -> exp.Expr:
    if "\0" in sql:
        raise StatementRejected("A statement cannot hold a zero byte.")
    try:
        trees = [tree for tree in sqlglot.parse(sql, read=AnalystSql) if tree is not None]
    except RecursionError as failure:
        raise _too_deep() from failure
    except (SqlglotError, ValueError, KeyError, IndexError, AttributeError, TypeError) as failure:
        raise StatementUnreadable(f"This is no SELECT that can be read: {_first_line(failure)}") from failure
    if len(trees) > 1:
        raise StatementRejected("One statement at a time, please.")
    if not trees or not isinstance(trees[0], exp.Select | exp.SetOperation | exp.Subquery):
        raise StatementRejected("Only SELECT statements can run here.")
    tree = trees[0]
    assert isinstance(tree, exp.Expr)  # noqa: S101 - it is a query, see above
    return tree


def _too_deep() -> StatementRejected:
    return StatementRejected("The statement is nested too deeply.")


def _first_line(failure: Exception) -> str:
    """The parser's message, without colours, quoted text and the names of its classes."""
    line = re.sub(r"\x1b\[[0-9;]*m", "", str(failure)).partition("\n")[0]
    return re.sub(r" for <class '[^']*'>", "", line).rstrip(".")[:300]


_PLAIN: Final = functions.names(
    "Union Intersect Except With From Where Group Having Qualify Order Ordered Limit Offset Column Alias"
    " Literal Boolean Null Paren Tuple Array Bracket Slice Dot Cast CastToStrType DataTypeParam Interval Lambda Window"
    " WindowSpec WithFill Distinct Not Neg And Or Xor Add Sub Mul Div Mod IntDiv EQ NEQ NullSafeEQ NullSafeNEQ GT GTE"
    " LT LTE Is Like ILike Between DPipe Case If Exists Extract Quantile Filter Cube Rollup GroupingSets"
    " Subquery TableAlias CurrentDate Trusted"
)
"""Nodes that are allowed anywhere unchanged; the others have a check of their own below."""

_ARGUMENTS: Final = {
    kind: functions.names(arguments)
    for kind, arguments in {
        "Select": "with_ expressions distinct from_ joins where group having qualify windows order limit_by"
        " limit offset",
        "Table": "this db alias",
        "Subquery": "this alias with_ order limit offset",
        "Join": "this on side kind using method expressions",
        "CTE": "this alias scalar",
        "With": "expressions",
        "Star": "except_ replace",
        "Distinct": "expressions on",
        "In": "this expressions query field",
        "Union": "with_ this expression distinct by_name side kind on order limit offset",
        "Intersect": "with_ this expression distinct order limit offset",
        "Except": "with_ this expression distinct order limit offset",
    }.items()
}
_FUNCTIONS: Final = (
    exp.Anonymous, exp.AnonymousAggFunc, exp.ParameterizedAgg, exp.CombinedAggFunc, exp.CombinedParameterizedAgg,
)  # fmt: skip
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_BARE: Final = re.compile(r"\w+")
_NUMBER: Final = re.compile(r"[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?")
_BAD_IN_NAME: Final = re.compile(r"[\x00-\x1f\x7f\\\"'`]")
_TYPE: Final = re.compile(r"[A-Za-z0-9_(), .'/=+-]+")
_MAX_SHOWN: Final = 80
_AFTER_IN: Final = "After IN, write a list or a sub-select; for an array use has(array, value)."


def _check(tree: exp.Expr) -> None:
    for node in tree.walk():
        kind = type(node).__name__
        _check_arguments(kind, node)
        if isinstance(node, _FUNCTIONS):
            _check_function(node)
        elif kind in _CHECKS:
            _CHECKS[kind](node)
        elif kind.lower() not in _PLAIN and kind not in _ARGUMENTS:
            words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", kind).upper()
            raise StatementRejected(f"{words} is not available here.")


def _check_arguments(kind: str, node: exp.Expr) -> None:
    allowed: Container[str] = _ARGUMENTS.get(kind, node.args)
    for name, value in node.args.items():
        if value and name not in allowed:
            raise StatementRejected(f"{name.rstrip('_').replace('_', ' ').upper()} is not available here.")


def _check_function(node: exp.Expr) -> None:
    called = node.this
    if not isinstance(called, str):
        raise StatementRejected(f"Write the function {str(node.name)[:_MAX_SHOWN]} without quotes.")
    if not functions.is_allowed(called):
        raise StatementRejected(f"The function {called[:_MAX_SHOWN]} is not available here.")
    first, *more = [*node.expressions, None]
    named = isinstance(first, exp.Column | exp.Identifier) and len(more) > 1
    if named and called.lower() in functions.TAKES_FUNCTION:
        raise StatementRejected(f"Write the first argument of {called} as a lambda: x -> ...")


def _check_name(node: exp.Expr) -> None:
    if _BAD_IN_NAME.search(node.name) or not (node.args.get("quoted") or _BARE.fullmatch(node.name)):
        raise StatementRejected("A name cannot hold quotes, backslashes or control characters.")


def _check_literal(node: exp.Expr) -> None:
    if not node.args.get("is_string") and not _NUMBER.fullmatch(node.name):
        raise StatementRejected(f"{node.name[:_MAX_SHOWN]} is not a number.")


def _check_word(node: exp.Expr) -> None:
    if not _WORD.fullmatch(node.name):
        raise StatementRejected(f"{node.name[:_MAX_SHOWN]} cannot be used here.")


def _check_cte(node: exp.Expr) -> None:
    if not node.alias:
        raise StatementRejected("Give each part of WITH a name.")


def _check_in(node: exp.Expr) -> None:
    """`x IN name` reads a table in ClickHouse, also in brackets; a list of one name is no list."""
    field, listed = node.args.get("field"), node.expressions
    is_name = len(listed) == 1 and isinstance(_bare(listed[0]), exp.Column | exp.Identifier | exp.Dot)
    if is_name or (field is not None and not isinstance(field, exp.Placeholder)):
        raise StatementRejected(_AFTER_IN)


def _check_source(node: exp.Expr) -> None:
    """Rows come from a table or a sub-select; ARRAY JOIN takes arrays, and nothing is read there."""
    if str(node.args.get("kind") or "").upper() == "ARRAY":
        if any(node.find_all(exp.Query, exp.Table, exp.From)):
            raise StatementRejected("ARRAY JOIN takes columns here, not sub-selects.")
    elif not isinstance(node.this, exp.Table | exp.Subquery):
        raise StatementRejected("Rows come from a table or a sub-select.")


def _bare(node: exp.Expr) -> exp.Expr:
    while isinstance(node, exp.Paren | exp.Alias):
        node = node.this
    return node


def _check_type(node: exp.Expr) -> None:
    kind = node.args.get("kind") if isinstance(node, exp.Placeholder) else node
    written = kind.sql(AnalystSql) if isinstance(kind, exp.Expr) else str(kind or "")
    selects = isinstance(kind, exp.Expr) and kind.find(exp.Query) is not None
    if selects or not _TYPE.fullmatch(written) or "identifier" in written.lower():
        raise StatementRejected(
            f"{written[:_MAX_SHOWN] or 'A parameter without a type'} is not a type that can be used here."
        )
    if isinstance(node, exp.Placeholder) and not _WORD.fullmatch(str(node.this)):
        raise StatementRejected("Write a parameter as {name:Type}.")


_CHECKS: Final[Mapping[str, Callable[[exp.Expr], None]]] = {
    "Identifier": _check_name,
    "Literal": _check_literal,
    "Var": _check_word,
    "CTE": _check_cte,
    "In": _check_in,
    "From": _check_source,
    "Join": _check_source,
    "DataType": _check_type,
    "Placeholder": _check_type,
}


def _replace_tables(tree: exp.Expr) -> list[tuple[Trusted, AnalystView]]:
    """Puts a sub-select in the place of every table; returns those places, still empty."""
    names = {cte.alias: f"with__{cte.alias}" for cte in tree.find_all(exp.CTE) if not cte.args.get("scalar")}
    places: list[tuple[Trusted, AnalystView]] = []
    for table in list(tree.find_all(exp.Table)):
        if not isinstance(table.this, exp.Identifier):
            raise StatementRejected("Table functions are not available here.")
        name, database, alias = table.name, table.db, table.args.get("alias")
        if not database and name in names:
            table.set("this", exp.to_identifier(names[name], quoted=True))
            table.set("alias", alias or _alias(name))
            continue
        view = find(database, name)
        if view is None:
            full_name = f"{database}.{name}" if database else name
            raise StatementRejected(f"There is no table {full_name[:_MAX_SHOWN]}. Tables: {', '.join(sorted(SCHEMA))}.")
        place = Trusted(this="SELECT 1")
        table.replace(exp.Subquery(this=place, alias=alias or _alias(name)))
        places.append((place, view))
        if len(places) > limits.TABLES:
            raise StatementRejected(f"A statement may name tables at most {limits.TABLES} times.")
    for cte in tree.find_all(exp.CTE):
        if not cte.args.get("scalar"):
            cte.set("alias", _alias(names[cte.alias]))
    return places


def _alias(name: str) -> exp.TableAlias:
    return exp.TableAlias(this=exp.to_identifier(name, quoted=True))


def _answer_about_oneself(tree: exp.Expr, name: str) -> None:
    """The validator knows the user and the database; the engine does not."""
    answers = {
        **dict.fromkeys(("currentuser", "user"), name),
        **dict.fromkeys(("currentdatabase", "database", "displayname"), DATABASE),
    }
    for call in list(tree.find_all(exp.Anonymous)):
        answer = answers.get(str(call.this).lower())
        if answer is not None:
            if call.expressions:
                raise StatementRejected(f"{call.this} takes no arguments.")
            inside_alias = isinstance(call.parent, exp.Alias)
            literal = exp.Literal.string(answer)
            named = call.parent is not None and call.arg_key == "expressions" and isinstance(call.parent, exp.Select)
            call.replace(exp.alias_(literal, f"{call.this}()", quoted=True) if named and not inside_alias else literal)


_TOKEN: Final = re.compile(
    r"""(?P<text>'(?:[^'\\]|\\.)*') | (?P<quoted>"[^"\\]*") | (?P<word>[A-Za-z_][A-Za-z0-9_]*) | (?P<number>\d[\w.]*)
      | (?P<space>\s+) | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)
_KEYWORDS: Final = functions.names(
    "select distinct on from where prewhere group by having qualify order limit offset with as in not and or xor"
    " between like ilike is null case when then else end exists union all intersect except join left right full inner"
    " cross any asof semi anti array using over partition rows range preceding following window filter interval cast"
    " extract rollup cube grouping sets totals replace fill to step interpolate asc desc"
)
_TYPES: Final = functions.names(
    "array map tuple nullable lowcardinality decimal decimal32 decimal64 decimal128 decimal256 fixedstring datetime"
    " datetime64 enum enum8 enum16 simpleaggregatefunction aggregatefunction"
)


def _check_written(sql: str) -> None:
    """The second look, at signs alone: every name before an opening bracket is a keyword, a type or an allowed
    function, and whatever follows FROM, JOIN and IN is a bracket, a parameter, or a name that no table has."""
    signs = ["", "", "", *_tokens(sql)]
    words = [sign.lower() if _WORD.match(sign) else sign for sign in signs]
    for at in range(3, len(words)):
        word, previous = words[at], words[at - 1]
        if word == "(" and previous.startswith('"'):
            raise StatementRejected("A quoted name cannot stand before a bracket.")
        if (
            word == "("
            and _WORD.match(previous)
            and previous not in _KEYWORDS | _TYPES
            and not functions.is_allowed(previous)
        ):
            raise StatementRejected(f"{previous[:_MAX_SHOWN]} is not available here.")
        if _reads(words, at - 1) and word != "(" and not word.startswith('"with__'):
            raise StatementRejected("Rows come from a table or a sub-select.")
        if previous == "in" and word not in ("(", "{"):
            raise StatementRejected(_AFTER_IN)
        if word in ("`", "\\", "$", "@", "#", ";", "settings", "outfile", "infile"):
            raise StatementRejected(f"{signs[at].upper()} cannot be used here.")


def _reads(words: Sequence[str], at: int) -> bool:
    """Returns whether the word introduces a source of rows, and is no part of ARRAY JOIN or of another phrase."""
    if words[at] == "join":
        return words[at - 1] != "array"
    other = words[at - 1] in ("distinct", "fill") or words[at - 3] == "extract"
    return words[at] == "from" and not other


def _tokens(sql: str) -> Iterator[str]:
    for match in _TOKEN.finditer(sql):
        if match.lastgroup != "space":
            yield match.group()
