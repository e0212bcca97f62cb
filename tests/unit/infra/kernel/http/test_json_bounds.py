"""How many values a JSON body may have, and how deep."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from infra.kernel.http.json_bounds import MAX_DEPTH, OutOfBounds, check_bounds

LONG = "x" * 200
"""Beyond the size that is never read."""


@pytest.mark.parametrize(
    "body",
    [
        {str(number): LONG for number in range(10)},
        [LONG] * 10,
        {"a": {str(number): LONG for number in range(9)}},
        [[LONG] * 4, [LONG] * 4],
    ],
)
def test_so_many_values_and_no_more(body: object) -> None:
    """The members of an object and the elements of a list count, at every depth."""
    sent = json.dumps(body).encode()
    check_bounds(sent, 10)
    with pytest.raises(OutOfBounds, match="at most 9 values"):
        check_bounds(sent, 9)


def test_so_deep_and_no_deeper() -> None:
    def nested(depth: int) -> bytes:
        return (b"[" * depth + f'"{LONG}"'.encode() + b"]" * depth).ljust(300)

    check_bounds(nested(MAX_DEPTH), 1_000)
    for depth in (MAX_DEPTH + 1, 5_000, 400_000):
        with pytest.raises(OutOfBounds, match="levels deep"):
            check_bounds(nested(depth), 1_000)


@pytest.mark.parametrize(
    "of",
    [
        lambda members: b'{"a": NaN, ' + members + b"}",
        lambda members: b'{"a": 1e999, ' + members + b"}",
        lambda members: b'\xef\xbb\xbf{"a": 1, ' + members + b"}",
        lambda members: ('{"a": 1, ' + members.decode() + "}").encode("utf-16"),
        lambda members: b'{"a": "\\ud800", ' + members + b"}",
    ],
)
def test_it_reads_what_the_routes_read(of: Callable[[bytes], bytes]) -> None:
    """A parser that refuses NaN, a mark of the byte order or UTF-16 would let through what the next one takes."""
    members = b", ".join(b'"%d": 1' % number for number in range(1_000))
    with pytest.raises(OutOfBounds):
        check_bounds(of(members), 100)


def test_what_is_no_json_is_left_to_its_route() -> None:
    check_bounds(b"{" + b'"a": 1, ' * 1_000, 10)
    check_bounds(b"\xff\xd8\xff" * 1_000, 10)
