"""Bodies that nobody sends by accident, without an account: each is refused in one short answer."""

from __future__ import annotations

import json

import pytest

from infra.kernel.http.problems import MAX_ERRORS
from tests.support.command import World, command_world

__all__ = ["command_world"]

MEMBERS = 110_000
PATHS = (
    "/api/platform/login",
    "/api/platform/register",
    "/api/auth/login",
    "/api/public/contact",
    "/api/public/newsletter/subscribe",
    "/api/public/early-access",
)


@pytest.mark.parametrize("path", PATHS)
def test_a_body_of_unknown_members_gets_a_short_answer(command_world: World, path: str) -> None:
    for count in (30, 60, 1_000, MEMBERS):
        body = json.dumps({f"u{index}": 1 for index in range(count)})
        answer = command_world.call("POST", path, content=body)
        assert answer.status_code in (400, 413), (count, answer.status_code)
        assert len(answer.content) < 4_000
        assert len(answer.json().get("errors", [])) <= MAX_ERRORS


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "body",
    ["[" * 10_000, '{"a":' * 10_000, "[" * 400_000 + "]" * 400_000, '{"email": ' + "[" * 500 + "]" * 500 + "}"],
)
def test_a_deep_body_is_refused(command_world: World, path: str, body: str) -> None:
    answer = command_world.call("POST", path, content=body)
    assert answer.status_code in (400, 413) and len(answer.content) < 1_000
