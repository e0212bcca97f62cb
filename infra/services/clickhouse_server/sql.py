"""Reads just enough of a statement to route it: is it an INSERT with data, where does its data start, which FORMAT.

Only ClickHouse's lexical rules are applied here (quotes, comments, brackets); grammar and safety are left to the
engine's own parser (`readonly.py`, `engine.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

_SKIPPED = rb"""
    (?P<skip>\s+ | --[^\n]*(?:\n|\Z) | \#[ !][^\n]*(?:\n|\Z) | /\*.*?(?:\*/|\Z))
  | (?P<text>'(?:[^'\\]|\\.|'')*(?:'|\Z) | "(?:[^"\\]|\\.|"")*(?:"|\Z) | `(?:[^`\\]|\\.|``)*(?:`|\Z))
  | (?P<heredoc>(?P<tag>\$\w*\$).*?(?:(?P=tag)|\Z))
"""
_TOKEN = re.compile(
    _SKIPPED
    + rb"""
  | (?P<word>[A-Za-z_][\w$]*)
  | (?P<other>\d[\w.]* | .)
    """,
    re.VERBOSE | re.DOTALL,
)
_INSIDE = re.compile(
    rb"""
    (?P<run>(?:[A-Za-z_][\w$]* | \d[\w.]* | [^\w'"`$()\[\]{}\#/-])+) |
"""
    + _SKIPPED
    + rb" | (?P<other>.)",
    re.VERBOSE | re.DOTALL,
)
"""Inside of brackets: words and signs that neither open nor close anything are one match."""
_OPENING = (b"(", b"[", b"{")
_CLOSING = (b")", b"]", b"}")


@dataclass(frozen=True)
class ParsedStatement:
    """A statement as far as routing needs it.

    `kind` is its first keyword. An INSERT that takes data has `input_format`; `head` then ends before its SETTINGS,
    FORMAT or VALUES, `clause` is its SETTINGS and `data` is what the text held behind it all. Else `head` is the whole
    text and `output_format` its explicit trailing FORMAT. `from_input`: an INSERT ... SELECT ... FROM input(), whose
    data the engine would drop. `writes_file`: INTO OUTFILE.
    """

    kind: str
    head: bytes
    input_format: str | None = None
    clause: bytes = b""
    data: bytes = b""
    output_format: str | None = None
    from_input: bool = False
    writes_file: bool = False


def read_statement(text: bytes, *, data_follows: bool = False) -> ParsedStatement:
    """Reads a statement. `data_follows`: it is the `query` parameter, and a body with an INSERT's data follows."""
    words = tokens(text)
    first = next(words, None)
    kind = first.word if first is not None else ""
    if kind == "INSERT":
        return _insert(text, words, data_follows)
    rest = list(outer_tokens(text))[1:]
    writes_file = any(a.word == "INTO" and b.word == "OUTFILE" for a, b in pairwise(rest))
    return ParsedStatement(kind, text, output_format=_trailing_format(rest), writes_file=writes_file)


def split_at_commas(text: bytes) -> list[bytes]:
    """The parts of `text` between its commas outside of brackets and quotes."""
    ends = [token for token in tokens(text) if token.depth == 0 and token.text == b","]
    starts = [0, *(token.end for token in ends)]
    stops = [*(token.start for token in ends), len(text)]
    return [text[start:stop].strip() for start, stop in zip(starts, stops, strict=True)]


@dataclass(frozen=True)
class Token:
    """One word, literal or symbol; `depth` counts the brackets around it."""

    word: str  # upper case, empty for anything but an unquoted word
    text: bytes
    start: int
    end: int
    depth: int


def tokens(text: bytes) -> Iterator[Token]:
    """Yields the tokens of `text`, without blanks and comments."""
    depth = 0
    for match in _TOKEN.finditer(text):
        if match.lastgroup == "skip":
            continue
        token = match.group()
        if token in _CLOSING:
            depth -= 1
        yield _token(match, depth)
        if token in _OPENING:
            depth += 1


def outer_tokens(text: bytes) -> Iterator[Token]:
    """Yields the tokens of depth 0. Most of a long statement is inside of brackets, and is passed over in long runs."""
    depth = at = 0
    while match := (_INSIDE if depth > 0 else _TOKEN).match(text, at):
        at = match.end()
        token = match.group()
        if token in _CLOSING:
            depth -= 1
        if depth == 0 and match.lastgroup != "skip":
            yield _token(match, depth)
        if token in _OPENING:
            depth += 1


def _token(match: re.Match[bytes], depth: int) -> Token:
    text = match.group()
    word = text.decode("ascii", "replace").upper() if match.lastgroup == "word" else ""
    return Token(word, text, match.start(), match.end(), depth)


def _insert(text: bytes, words: Iterator[Token], data_follows: bool) -> ParsedStatement:
    selects = from_input = False
    last_but_one, previous = "", ""
    settings_at: int | None = None
    format_at = 0
    for token in words:
        if token.word in ("SELECT", "WITH") and previous not in ("INTO", "TABLE", "."):
            selects = True
        from_input |= previous == "INPUT" and token.text == b"("
        if token.depth == 0 and token.word:
            if previous == "FORMAT" and last_but_one not in ("INTO", "TABLE", "."):
                if selects:
                    return ParsedStatement("INSERT", text, from_input=from_input)
                name = token.text.decode("ascii")
                return _with_format(text[:format_at], settings_at, name, text[token.end :], data_follows)
            if token.word == "VALUES" and not selects and previous not in ("INTO", "TABLE", "."):
                return _cut(text[: token.start], settings_at, "Values", text[token.end :])
            if token.word == "FORMAT":
                format_at = token.start
            if token.word == "SETTINGS" and previous not in ("INTO", "TABLE", "."):
                settings_at = token.start
        last_but_one, previous = previous, token.word or token.text.decode("ascii", "replace")
    if data_follows and not selects:
        return _cut(text.rstrip().rstrip(b";"), settings_at, "Values", b"")
    return ParsedStatement("INSERT", text, from_input=from_input)


def _with_format(head: bytes, settings_at: int | None, name: str, tail: bytes, data_follows: bool) -> ParsedStatement:
    if data_follows:
        clause = tail.strip().rstrip(b";").strip()
        if clause[:8].upper() == b"SETTINGS":
            return ParsedStatement("INSERT", head, name, clause)
        if not clause:
            return _cut(head, settings_at, name, b"")
    return _cut(head, settings_at, name, _after_line_start(tail))


def _cut(head: bytes, settings_at: int | None, name: str, data: bytes) -> ParsedStatement:
    if settings_at is None:
        return ParsedStatement("INSERT", head, name, b"", data)
    return ParsedStatement("INSERT", head[:settings_at], name, head[settings_at:], data)


def _after_line_start(tail: bytes) -> bytes:
    """Data starts after the blanks behind the format's name and at most one line end, as the engine reads it."""
    stripped = tail.lstrip(b" \t\f")
    return stripped[2:] if stripped.startswith(b"\r\n") else stripped.removeprefix(b"\n")


def _trailing_format(found: list[Token]) -> str | None:
    for index in range(len(found) - 2, -1, -1):
        if found[index].word == "FORMAT" and found[index + 1].word:
            after = found[index + 2] if index + 2 < len(found) else None
            if after is None or after.text == b";" or after.word == "SETTINGS":
                return found[index + 1].text.decode("ascii")
    return None
