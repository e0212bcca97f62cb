"""How many posts one answer renders."""

from __future__ import annotations

import pytest

from query_api.forum.posts import MAX_RENDERED, rendered_at_once

HALF = MAX_RENDERED // 2


@pytest.mark.parametrize(
    ("lengths", "first", "expected"),
    [
        ([10, 10, 10], 0, range(3)),
        ([HALF, HALF, 1], 0, range(2)),
        ([1, HALF, HALF], 2, range(1, 3)),
        ([HALF, 100, 100, 100, HALF], 2, range(4)),
        ([MAX_RENDERED * 2, 1], 0, range(1)),
        ([1, MAX_RENDERED * 2, 1], 1, range(1, 2)),
    ],
    ids=["all", "from the first", "from the last", "around one", "a long one alone", "a long one in the middle"],
)
def test_posts_are_rendered_from_one_on_up_to_so_many_characters(
    lengths: list[int], first: int, expected: range
) -> None:
    assert rendered_at_once(lengths, first) == expected


def test_no_post_is_no_post() -> None:
    assert len(rendered_at_once([], -1)) == 0
