"""Makes the browser script small: no comments, no needless space, short names for what it declares.

It knows as much of JavaScript as the script uses, which therefore keeps to: comments on lines of their own, strings in
double quotes, regular expressions that begin with a backslash, `[` or `(`, statements that end with `;` or a bracket,
none of them empty before a bracket, functions and variables in the syntax of 2009, `name:` for members of object
literals. All is inside of one function; a function in it that declares a name, itself or in its callbacks, means
nothing else by that name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

_TOKEN: Final = re.compile(
    r"""//[^\n]*|\s+|"(?:[^"\\]|\\.)*"|/(?=[\\\[(])(?:\\.|[^/\\])+/[a-z]*|[A-Za-z_$][\w$]*|\d[\w.]*|.""", re.S
)
_WORD: Final = re.compile(r"[\w$]")
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")
_KEYWORDS: Final = frozenset({"do", "if", "in"})
_LETTERS: Final = "etnrioaslcdupfhmgvbwykxjqzTNRIOASLCDUPFHMGVBWYKXJQZE"
"""The frequent ones of the language first: what repeats is packed better."""
_LOCALS: Final = 10
"""Letters that only the inner functions use, so that each of them may use the same ones."""


def minify(source: str) -> str:
    """The source, smaller, with the same meaning."""
    tokens = [token for token in _TOKEN.findall(source) if not token.isspace() and not token.startswith("//")]
    short = [_SHORT.get(token, token) for token in _without_last_semicolons(tokens)]
    return _joined(_renamed(short))


def _without_last_semicolons(tokens: Sequence[str]) -> list[str]:
    """Removes the semicolons that a bracket follows: it ends the statement as well."""
    after = [*tokens[1:], ""]
    return [token for token, following in zip(tokens, after, strict=True) if (token, following) != (";", "}")]


_SHORT: Final = {"true": "!0", "false": "!1"}


def _joined(tokens: Sequence[str]) -> str:
    """The text; a space only where two words would become one."""
    preceding = ["", *tokens[:-1]]
    spaced = (_WORD.match(last[-1:]) and _WORD.match(token) for last, token in zip(preceding, tokens, strict=True))
    return "".join(" " + token if space else token for space, token in zip(spaced, tokens, strict=True))


def _renamed(tokens: Sequence[str]) -> list[str]:
    """The tokens with new names; of those that functions share, the most frequent gets the shortest."""
    declared = set(_declared(tokens))
    is_ours = [text in declared and not _is_member(tokens, at) for at, text in enumerate(tokens)]
    taken = {text for text, ours in zip(tokens, is_ours, strict=True) if not ours} | _KEYWORDS
    free = [name for name in (*_LETTERS, *map("".join, product(_LETTERS, repeat=2))) if name not in taken]
    local: list[Mapping[str, str]] = [{}] * len(tokens)
    for start, end in _inner_functions(tokens):
        names = [name for name in dict.fromkeys(_declared(tokens[start:end])) if name != tokens[start + 1]]
        local[start:end] = [dict(zip(names, free[:_LOCALS], strict=False))] * (end - start)
        if len(names) > _LOCALS:
            raise ValueError(f"{tokens[start + 1]} declares more than {_LOCALS} names")
    shared = Counter(
        text for text, ours, names in zip(tokens, is_ours, local, strict=True) if ours and text not in names
    )
    outer = {name: new for (name, _), new in zip(shared.most_common(), free[_LOCALS:], strict=False)}
    named = zip(tokens, is_ours, local, strict=True)
    return [names.get(text) or outer[text] if ours else text for text, ours, names in named]


def _is_member(tokens: Sequence[str], at: int) -> bool:
    """Returns whether the name is one of a property: `.name`, `{ name: … }`."""
    before, after = tokens[max(at - 1, 0)], tokens[min(at + 1, len(tokens) - 1)]
    return before == "." or (after == ":" and before in ("{", ","))


def _inner_functions(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yields where the named functions begin and end that are directly in the outermost one."""
    depth, start = 0, 0
    for at, text in enumerate(tokens):
        if depth == 1 and text == "function" and _NAME.fullmatch(tokens[at + 1]):
            start = at
        depth += (text == "{") - (text == "}")
        if start and depth == 1 and text == "}":
            yield start, at + 1
            start = 0


def _declared(tokens: Sequence[str]) -> Iterator[str]:
    """The names of functions, of their parameters, of variables and of caught errors."""
    for at, text in enumerate(tokens):
        if text == "function" or (text == "catch" and tokens[at - 1] == "}"):
            yield from filter(_NAME.fullmatch, tokens[at + 1 : tokens.index(")", at)])
        elif text == "var":
            yield from _variables(tokens, at + 1)


def _variables(tokens: Sequence[str], at: int) -> Iterator[str]:
    """The names that a `var` declares: its first word, and each one after a comma outside of brackets."""
    depth, begins = 0, True
    while depth >= 0 and not (depth == 0 and tokens[at] == ";"):
        if begins:
            yield tokens[at]
        depth += (tokens[at] in "([{") - (tokens[at] in ")]}")
        begins = depth == 0 and tokens[at] == ","
        at += 1
