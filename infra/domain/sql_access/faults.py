"""Errors of a statement in terms of what its author wrote.

ClickHouse runs rewritten SQL, in which sub-selects stand for tables (`sql_validator`), and its errors quote that. Here
they lose the quotation, and get the line and column in the author's own text, and a suggestion for a misspelt name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from infra.domain.sql_access import functions
from infra.domain.sql_access.tables import SCHEMA


@dataclass(frozen=True, slots=True)
class Fault:
    """`message` begins with the place, where it is known. `parameter`: the one whose value is missing or wrong."""

    message: str
    parameter: str = ""


def explain(message: str, sql: str) -> Fault:
    """Explains what `message`, of the validator or of ClickHouse, says about the statement `sql`."""
    for pattern, explanation in _EXPLANATIONS:
        if match := pattern.search(message):
            return explanation(match, sql)
    return Fault(_without_quotation(message, sql))


def words_of_type(type_: str) -> str:
    """Returns the description of what a person enters as a value of the ClickHouse type."""
    lowered = type_.lower()
    return next((words for kind, words in _TYPES.items() if lowered.startswith(kind)), f"a value of type {type_}")


def without_texts(sql: str) -> str:
    """The statement with blanks in the place of literals and comments; lines and columns stay."""
    return _UNSPOKEN.sub(lambda found: re.sub(r"[^\n]", " ", found.group()), sql)


@dataclass(frozen=True, slots=True)
class _Place:
    line: int
    column: int

    def says(self, message: str) -> Fault:
        return Fault(f"Line {self.line}, column {self.column}: {message}")


def _misspelt_column(found: re.Match[str], sql: str) -> Fault:
    name = found["name"]
    meant = re.search(r"Maybe you meant: \['([^'\]]+)'", found.string)
    similar = meant[1] if meant else _similar(name.rpartition(".")[2], _columns_in(sql))
    return _at_name(sql, name, f"There is no column {name}.{_suggestion(similar)}")


def _misspelt_table(found: re.Match[str], sql: str) -> Fault:
    similar = _similar(found["name"].rpartition(".")[2], SCHEMA)
    return _at_name(sql, found["name"], f"{found['said']}{_suggestion(similar)}{found['rest']}")


def _misspelt_function(found: re.Match[str], sql: str) -> Fault:
    similar = _similar(found["name"], functions.SPELLED)
    return _at_name(sql, found["name"], f"{found['said']}{_suggestion(similar)}")


def _named(found: re.Match[str], sql: str) -> Fault:
    return _at_name(sql, found["name"], found.string)


def _not_grouped(found: re.Match[str], sql: str) -> Fault:
    name = found["name"]
    column = name if _find(sql, name) else name.rpartition(".")[2]
    message = f"The column {column} is neither in GROUP BY nor in an aggregate function such as sum or any."
    return _at_name(sql, column, message)


def _unreadable(found: re.Match[str], sql: str) -> Fault:
    """The parser names the end of the token that it did not expect."""
    line, end = int(found["line"]), int(found["column"])
    text = sql.split("\n")[line - 1] if line <= sql.count("\n") + 1 else ""
    token = re.search(r"\w+$", text[:end])
    start = token.start() if token else max(0, min(end, len(text)) - 1)
    unexpected = "Unexpected" in found["said"] and text[start:end].strip()
    reason = f'unexpected "{text[start:end].strip()[:_MAX_SHOWN]}"' if unexpected else found["said"].strip()
    return _Place(line, start + 1).says(f"This is no SELECT that can be read: {reason}.")


def _unset(found: re.Match[str], _sql: str) -> Fault:
    name = found["name"]
    return Fault(f"Give the parameter {name} a value.", name)


def _bad_value(found: re.Match[str], _sql: str) -> Fault:
    name, value = found["name"], found["value"][:_MAX_SHOWN]
    return Fault(f'"{value}" is not valid for the parameter {name}: enter {words_of_type(found["type"])}.', name)


def _engine_syntax(_found: re.Match[str], _sql: str) -> Fault:
    return Fault("ClickHouse cannot read this statement: check the arguments of functions and the order of clauses.")


_MAX_SHOWN: Final = 80
_NAME: Final = r"[`'](?P<name>[^`']{1,200})[`']"
_TYPES: Final[Mapping[str, str]] = {
    "uuid": "an id (UUID)",
    "datetime": "a time such as 2026-11-20 14:30:00",
    "date": "a date such as 2026-11-20",
    "int": "a whole number in its range",
    "uint": "a whole number from 0 on, in its range",
    "float": "a number",
    "decimal": "a number",
    "bool": "true or false",
    "array": "a list such as ['a','b']",
}
_EXPLANATIONS: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], str], Fault]], ...]] = (
    (re.compile(rf"^Unknown expression(?: or \w+)* identifier {_NAME}"), _misspelt_column),
    (re.compile(rf"^Identifier {_NAME} cannot be resolved"), _misspelt_column),
    (re.compile(rf"^Column {_NAME} is not under aggregate function"), _not_grouped),
    (re.compile(rf"^Substitution {_NAME} is not set"), _unset),
    (re.compile(rf"[Vv]alue (?P<value>.*?) cannot be parsed as (?P<type>.+?) for query parameter {_NAME}", re.DOTALL),
     _bad_value),
    (re.compile(r"^Syntax error: failed at position"), _engine_syntax),
    (re.compile(r"^This is no SELECT that can be read: (?P<said>.*?)\.? Line (?P<line>\d+), Col: (?P<column>\d+)"),
     _unreadable),
    (re.compile(r"^(?P<said>There is no table (?P<name>\w+(?:\.\w+)*)\.)(?P<rest>.*)", re.DOTALL), _misspelt_table),
    (re.compile(r"^(?P<said>The function (?P<name>\w+) is not available here\.)"), _misspelt_function),
    (re.compile(r"^Write the function (?P<name>\w+)"), _named),
    (re.compile(r"^(?P<name>\w+(?:\.\w+)*) (?:is not available here|cannot be used here|is not a number|takes no)"),
     _named),
)  # fmt: skip
_QUOTATION: Final = re.compile(
    r"(?:[.:,]?\s+[Ii]n (?:scope|query)\b|[.:,]?\s+[Ww]hile (?:executing|processing)\b).*$", re.DOTALL
)
_INNER: Final = re.compile(
    r"defaultValueOfTypeName|\bFROM althing\.|website_id IN \(|\brows_[0-9a-f]{16}|\(SELECT ", re.IGNORECASE
)
"""Matches what only the rewritten statement has, or a quotation of more than a few words."""


def _without_quotation(message: str, sql: str) -> str:
    text = _QUOTATION.sub("", message).replace("with__", "").strip().rstrip(".")
    if _INNER.search(text):
        return "The statement failed. Simplify it step by step to find the part that fails."
    function = re.search(r"\bfunction (\w+)", text)
    fault = _at_name(sql, function[1], f"{text}.") if function else Fault(f"{text}.")
    return fault.message


def _at_name(sql: str, name: str, message: str) -> Fault:
    match = _find(sql, name) or _find(sql, name.rpartition(".")[2], "")
    if match is None:
        return Fault(message)
    head = sql[: match.start()]
    return _Place(head.count("\n") + 1, match.start() - head.rfind("\n")).says(message)


_UNSPOKEN: Final = re.compile(r"'(?:[^'\\]|\\.)*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
"""Texts and comments: a name in them is none."""


def _find(sql: str, name: str, qualifier: str = ".") -> re.Match[str] | None:
    """Returns the match of the name, but not after a `qualifier`."""
    spaced = r"\s*\.\s*".join(re.escape(part) for part in name.split("."))
    return re.search(rf"(?<![\w{qualifier}]){spaced}(?!\w)", without_texts(sql), re.IGNORECASE)


def _columns_in(sql: str) -> list[str]:
    """The columns of the tables that the statement names; of all tables where it names none."""
    words = {word.lower() for word in re.findall(r"\w+", sql)}
    tables = [view for name, view in SCHEMA.items() if name in words] or list(SCHEMA.values())
    return [column.name for view in tables for column in view.columns]


def _similar(name: str, known: Iterable[str]) -> str:
    by_lower = {one.lower(): one for one in known}
    matches = get_close_matches(name.lower()[:_MAX_SHOWN], by_lower, 1, 0.7)
    return by_lower[matches[0]] if matches else ""


def _suggestion(known: str) -> str:
    return f" Did you mean {known}?" if known else ""
