"""`python -m tests.support.zero_latency_client FOLDER`: a client that is faster than any over the network.

It sends its session's next query in the very moment in which it gets the last of an answer, before the server does
anything else: the ClickHouse front is called as the web server calls it. A line tells each query and the next status.
"""

from __future__ import annotations

import asyncio
import hashlib
import sys
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from infra.services.clickhouse_server.app import ClickHouseServer, Limits
from infra.services.clickhouse_server.engine import Engine
from infra.services.clickhouse_server.users import PortUser

NAME, PASSWORD = "eager", "a password"
QUERIES = (
    "CREATE TEMPORARY TABLE mine (x UInt64)",
    "INSERT INTO mine SELECT 1",
    "SELECT x FROM mine",
    "SELECT number FROM numbers(3000000) FORMAT TSV",
    "SELECT no_such_column",
)


def main(folder: Path) -> None:
    engine = Engine(folder, 1 << 30)
    engine.create_database("althing")
    user = PortUser(NAME, hashlib.sha256(PASSWORD.encode()).digest(), readonly=False)
    front = ClickHouseServer(engine, {NAME: user}, default_database="althing", limits=Limits())
    asyncio.run(_ask_eagerly(front))
    front.close()


async def _ask_eagerly(front: ClickHouseServer) -> None:
    for query in QUERIES:
        told: list[int] = []

        async def at_the_end(told: list[int] = told) -> None:
            told.append(await _ask(front, "SELECT 1"))

        await _ask(front, query, at_the_end)
        print(f"{query}: {told}")


async def _ask(front: ClickHouseServer, query: str, at_the_end: Any = None) -> int:
    """The status. `at_the_end` runs while the last part of the answer is being sent."""
    asked = urlencode({"query": query, "session_id": "one"}, quote_via=quote).encode()
    headers = [(b"x-clickhouse-user", NAME.encode()), (b"x-clickhouse-key", PASSWORD.encode()), (b"host", b"x")]
    status, ended = 0, asyncio.Event()

    async def receive() -> MutableMapping[str, Any]:
        if not received:
            received.append(True)
            return {"type": "http.request", "body": b"", "more_body": False}
        await ended.wait()
        return {"type": "http.disconnect"}

    async def send(message: MutableMapping[str, Any]) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        elif not message.get("more_body") and at_the_end is not None:
            await at_the_end()

    received: list[bool] = []
    scope = {"type": "http", "method": "POST", "path": "/", "query_string": asked, "headers": headers}
    await front(scope, receive, send)
    ended.set()
    return status


if __name__ == "__main__":
    main(Path(sys.argv[1]))
