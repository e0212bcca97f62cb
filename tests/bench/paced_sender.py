"""Sends requests at a fixed rate over kept connections, as cheaply as Python can: all bytes are ready before."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from urllib.parse import urlsplit

PATIENCE_S = 60.0


def request(url: str, headers: dict[str, str], body: bytes) -> bytes:
    """One HTTP/1.1 POST as it goes over the wire."""
    parts = urlsplit(url)
    lines = [f"POST {parts.path}?{parts.query} HTTP/1.1", f"Host: {parts.netloc}", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in {"Content-Type": "application/json", **headers}.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def send(url: str, requests: Sequence[bytes], rate: float, connections: int, accepted: int = 202) -> list[float]:
    """Sends each request once, `rate` a second; returns the milliseconds until each was acknowledged with the status
    `accepted`. A request that is due while every connection waits is sent late, and its time counts from when it was
    due."""
    parts = urlsplit(url)
    began = time.monotonic()
    took: list[float] = []
    left = iter(enumerate(requests))

    async def one_connection() -> None:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
        try:
            for number, raw in left:
                due = began + number / rate
                await asyncio.sleep(max(0.0, due - time.monotonic()))
                writer.write(raw)
                status, body = await asyncio.wait_for(response(reader), PATIENCE_S)
                assert status == accepted and b'"code"' not in body, (status, body[:500])
                took.append(1000 * (time.monotonic() - due))
        finally:
            writer.close()

    await asyncio.gather(*(one_connection() for _ in range(connections)))
    return took


async def response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Status and body of the next response. Raises `ConnectionError` for one without a length: nothing can follow."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = next((line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), None)
    if length is None:
        raise ConnectionError(head.decode(errors="replace"))
    return int(head[9:12]), await reader.readexactly(int(length.partition(b":")[2]))
