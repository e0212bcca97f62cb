"""A link that is in view counts once in a page view, however often and with whatever ids that is sent."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from uuid import UUID

import pytest

from tests.support.ingest_in_process import KEY, SECRET_KEY, KeepingLog, ingest_context, request

SEEN: dict[str, Any] = {
    "type": "link.impression",
    "url": "https://attacked.example/best",
    "value": 1,
    "view": "0.4711",
    "placement": "Top · 1",
    "props": {"url": "shop.example/a", "network": "awin"},
}


def ids_of(*events: dict[str, Any], key: str = KEY) -> list[tuple[str, tuple[tuple[str, bytes], ...]]]:
    """Id and headers of each record: the projector counts equal ones once."""

    async def send() -> KeepingLog:
        log = KeepingLog()
        context = ingest_context(log)
        body = json.dumps(events).encode()
        assert await request(context, "/track", body, headers={"authorization": f"Bearer {key}"}) == 202
        return log

    return [(record.key.decode(), tuple(record.headers)) for record in asyncio.run(send()).records if record.key]


@pytest.mark.parametrize(
    "again",
    [
        {},
        {"id": str(UUID(int=5))},
        {"value": 7},
        {"title": "Another", "visitor_id": "v-2"},
        {"props": {"network": "cj", "url": "shop.example/a"}},
    ],
)
def test_a_repeat_in_one_view_has_the_same_id_and_content(again: dict[str, Any]) -> None:
    first, second = ids_of({**SEEN, "id": str(UUID(int=4))}, {**SEEN, **again})
    assert first == second and first[1]


@pytest.mark.parametrize(
    "other",
    [
        {"view": "0.4712"},
        {"placement": "Top · 2"},
        {"props": {"url": "shop.example/b"}},
        {"props": {"n": 1}},
    ],
)
def test_another_view_place_or_link_counts(other: dict[str, Any]) -> None:
    first, second = ids_of(SEEN, {**SEEN, **other})
    assert first != second


@pytest.mark.parametrize("view", [None, "", "x" * 65])
def test_without_the_name_of_a_view_each_counts(view: str | None) -> None:
    first, second = ids_of({**SEEN, "view": view}, {**SEEN, "view": view})
    assert first[0] != second[0]


def test_the_websites_server_and_other_types_have_ids_of_their_own() -> None:
    first, second = ids_of(SEEN, SEEN, key=SECRET_KEY)
    assert first[0] != second[0]
    first, second = ids_of({**SEEN, "type": "pageview"}, {**SEEN, "type": "pageview"})
    assert first[0] != second[0]
