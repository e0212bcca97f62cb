"""No address and no raw user agent of a visitor is in the log, whichever way an event comes."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.support.ingest_in_process import KEY, SECRET_KEY, SLUG, KeepingLog, ingest_context, request

ADDRESS = "192.0.2.1"
"""The peer of every request (`tests.support.ingest_in_process`)."""
AGENT = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.7777.42 Safari/537.36"
HEADERS = {"user-agent": AGENT, "accept-language": "is", "accept": "*/*"}
EVENT = {"type": "pageview", "url": "https://attacked.example/a"}
SALE = {"txid": "A-1", "amount": 500, "currency": "USD", "visitor_id": "v-1"}
WAYS = {
    "script": ("POST", f"/track?site={KEY}", EVENT),
    "pixel": ("GET", f"/t.gif?site={KEY}&url=https%3A%2F%2Fattacked.example%2Fa", None),
    "link": ("GET", f"/go/{SLUG}", None),
    "sale": ("POST", "/track/sale", SALE),
    "refused": ("POST", f"/track?site={KEY}", {"type": "?"}),
}


@pytest.mark.parametrize("way", WAYS)
def test_no_address_and_no_raw_user_agent_is_stored(way: str) -> None:
    method, path, body = WAYS[way]

    async def send() -> KeepingLog:
        log = KeepingLog()
        context = ingest_context(log)
        key = {"authorization": f"Bearer {SECRET_KEY}"} if way == "sale" else {}
        sent = b"" if body is None else json.dumps(body).encode()
        await request(context, path, sent, method, {**HEADERS, **key, "content-type": "application/json"})
        context.rejections.flush()
        return log

    records = asyncio.run(send()).records
    assert records
    for record in records:
        stored = b" ".join([record.value, record.key or b"", *(value for _, value in record.headers)])
        assert ADDRESS.encode() not in stored and AGENT.encode() not in stored
        assert b"131.0.7777" not in stored, "not even the exact version of the browser"
