"""Arguments for `fuzz_functions`: lists that a function may accept, and large values of the types that it accepted.

Lists come from the function's own examples, then from the types that its documentation names, then from a list of
common ones. What the engine accepts once is grown by type: longer texts, arrays and maps, larger numbers.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Final

MAX_LISTS: Final = 40
Arguments = tuple[str, ...]

_BY_TYPE: Final = {
    "Lambda function": ("x -> (x > 1)", "(x, y) -> (x > y)", "(k, v) -> (v > 1)"),
    "String": ("'aB1 c,d'", "'2026-01-02 03:04:05'", "'127.0.0.1'", "'day'", "'UTC'"),
    "FixedString": ("toFixedString('0123456789abcdef', 16)",),
    "Int": ("3", "toUInt64(3)"),
    "Float": ("0.5",),
    "Decimal": ("toDecimal64(1.5, 3)",),
    "DateTime64": ("toDateTime64('2026-01-02 03:04:05', 3)",),
    "DateTime": ("toDateTime('2026-01-02 03:04:05')",),
    "Date": ("toDate('2026-01-02')",),
    "Interval": ("INTERVAL 1 DAY",),
    "Array": ("[1, 2, 3]", "['a', 'b']", "[0.5, 1.5]", "[(0., 0.), (10., 0.), (10., 10.)]"),
    "Map": ("map('a', 1, 'b', 2)",),
    "Tuple": ("(1, 2)", "(0.5, 1.5)"),
    "UUID": ("generateUUIDv7()",),
    "IPv4": ("toIPv4('127.0.0.1')",),
    "IPv6": ("toIPv6('::1')",),
    "AggregateFunction": ("bitmapBuild([1, 2, 3])", "initializeAggregation('sumState', 1)"),
    "Const": ("2",),
}
_ONE: Final = ("'aB1 c,d'", "3", "0.5", "[1, 2, 3]", "toDateTime('2026-01-02 03:04:05')", "map('a', 1)", "(1, 2)")
_COMMON: Final[tuple[Arguments, ...]] = (
    (),
    *((one,) for one in _ONE),
    ("'aB1 c,d'", "'B'"),
    ("3", "2"),
    ("[1, 2, 3]", "2"),
    ("[1, 2, 3]", "[1, 2, 3]"),
    ("x -> (x > 1)", "[1, 2, 3]"),
    ("'aB1 c,d'", "2"),
    ("'aB1 c,d'", "'B'", "'c'"),
    ("3", "2", "1"),
    ("toDateTime('2026-01-02 03:04:05')", "2"),
    ("toIPv4('127.0.0.1')",),
    ("generateUUIDv7()",),
    ("bitmapBuild([1, 2, 3])", "bitmapBuild([1, 2])"),
)
_PARAMETERS: Final = ("", "(0.5)", "(5)", "('sum')")


@dataclass(frozen=True)
class Function:
    """A row of `system.functions`; aliases are left out."""

    name: str
    is_aggregate: bool
    arguments: str
    examples: str

    def call(self, arguments: Arguments, parameters: str = "") -> str:
        return f"`{self.name}`{parameters}({', '.join(arguments)})"

    def calls(self) -> Iterator[tuple[str, Arguments]]:
        """Parameters (of an aggregate) and arguments that it may accept, the likeliest first."""
        lists = list(dict.fromkeys((*self._of_examples(), *self._of_types(), *_COMMON)))[:MAX_LISTS]
        yield from product(_PARAMETERS if self.is_aggregate else ("",), lists)

    def _of_examples(self) -> Iterator[Arguments]:
        for found in islice(re.finditer(rf"(?<!\w){re.escape(self.name)}\(", self.examples, re.IGNORECASE), 6):
            if (arguments := _arguments(self.examples[found.end() :])) is not None:
                yield arguments

    def _of_types(self) -> Iterator[Arguments]:
        kinds = [_kinds(line) for line in re.split(r"(?:^|\s)- `", self.arguments)[1:]]
        for count in range(len(kinds), 0, -1):
            yield from islice(product(*kinds[:count]), 8)


def _kinds(line: str) -> tuple[str, ...]:
    """Values of the types that the description of one argument links to."""
    linked = re.findall(r"\[`([^`]+)`\]", line)
    found = [value for one in linked for name, values in _BY_TYPE.items() if name in one for value in values]
    return tuple(dict.fromkeys(found)) or _ONE


def _arguments(text: str) -> Arguments | None:
    """The text before the bracket that closes `text`, split at its commas; None if nothing closes it."""
    depth, parts, begun, quoted = 0, list[str](), 0, False
    for at, sign in enumerate(text):
        if sign == "'" and text[at - 1 : at] != "\\":
            quoted = not quoted
        elif quoted:
            continue
        elif sign in "([{":
            depth += 1
        elif sign in ")]}" and depth:
            depth -= 1
        elif sign == ")":
            parts.append(text[begun:at].strip())
            return tuple(part for part in parts if part)
        elif sign == "," and not depth:
            parts.append(text[begun:at].strip())
            begun = at + 1
    return None


def grown(argument: str, kind: str) -> Sequence[str]:
    """Large values of the type `kind`, made from one that was accepted; only itself where none is known."""
    if "->" in argument:
        return (argument.replace("->", "-> length(repeat('ab', 10000)) > 0 AND", 1), argument)
    if kind.startswith("String"):
        return (f"repeat({argument}, 4000)", "repeat('aB1 ', 16000)", "concat(repeat('ab', 30000), 'c')",
                "'(a{0,500}b|a{0,501}c)'", argument)  # fmt: skip
    if re.match(r"U?Int(16|32|64|128|256)?\b|UInt8|Int8", kind):
        return ("1000000", "toUInt64(18446744073709551615)", "60000", "-1", argument)
    if kind.startswith(("Float", "BFloat")):
        return ("1e18", "1e-300", argument)
    if kind.startswith("Array"):
        return (f"arrayMap(i -> ({argument})[1 + i % length({argument})], range(200000))",
                f"arrayMap(i -> ({argument})[1 + i % length({argument})], range(3000))", argument)  # fmt: skip
    if kind.startswith("Map(String"):
        values = f"mapValues({argument})[1]"
        return (f"mapFromArrays(arrayMap(i -> toString(i), range(50000)), arrayMap(i -> {values}, range(50000)))",
                argument)  # fmt: skip
    if kind.startswith("AggregateFunction(groupBitmap"):
        return ("bitmapBuild(range(1000000))", argument)
    if kind.startswith("DateTime"):
        return ("toDateTime('2106-02-07 06:28:15')", argument)
    if kind.startswith("Interval"):
        return ("INTERVAL 1000000 YEAR", "INTERVAL 1 SECOND", argument)
    return (argument,)


def statements(function: Function, parameters: str, choices: Sequence[Sequence[str]], seed: int) -> Iterator[str]:
    """With all arguments as large as they can be, then with some of them; alone, over rows, in lambdas in lambdas."""
    lists = list(islice(product(*choices), 200))
    rest = lists[1:]
    random.Random(f"{seed}{function.name}").shuffle(rest)
    for arguments in (*lists[:1], *rest):
        call = function.call(arguments, parameters)
        if function.is_aggregate:
            yield f"SELECT ignore({call}) FROM numbers(1000)"
            continue
        yield f"SELECT ignore({call})"
        yield f"SELECT count() FROM numbers(1000) WHERE NOT ignore(number, {_over_rows(function, arguments)})"
        yield f"SELECT ignore(arrayMap(x -> arrayMap(y -> {call}, range(100)), range(100)))"


def _over_rows(function: Function, arguments: Arguments) -> str:
    """The first argument that is no lambda comes as a column, so that nothing is computed once for all rows."""
    first = next((at for at, one in enumerate(arguments) if "->" not in one), None)
    return function.call(tuple(f"materialize({one})" if at == first else one for at, one in enumerate(arguments)))
