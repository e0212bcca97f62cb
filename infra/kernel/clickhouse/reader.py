"""Reads ClickHouse by plain HTTP, results streamed: for the audit and recurring jobs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from struct import Struct
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import httpx
import orjson

from infra.kernel.config.settings import Settings, SettingsError

_SETTINGS: Final = {
    "output_format_json_quote_64bit_integers": "0",
    "output_format_binary_write_json_as_string": "0",
    "max_execution_time": "600",
}


class ClickHouseFailed(Exception):
    """ClickHouse did not answer, or refused the query."""


class Reader:
    """Runs queries. Use as a context manager. Methods raise `ClickHouseFailed`."""

    def __init__(self, settings: Settings) -> None:
        if settings.clickhouse_url is None:
            raise SettingsError("CLICKHOUSE_URL is not set and no stack runs here; start one with `althing up`.")
        url = urlsplit(settings.clickhouse_url)
        self._database = url.path.strip("/") or "default"
        self._client = httpx.Client(
            base_url=f"{url.scheme}://{url.hostname}:{url.port or (8443 if url.scheme == 'https' else 8123)}",
            auth=(unquote(url.username or "default"), unquote(url.password or "")),
            timeout=httpx.Timeout(660, connect=5),
        )

    def rows(self, query: str) -> list[dict[str, Any]]:
        """The result, whole."""
        with self._answer(f"{query} FORMAT JSONEachRow") as answer:
            return [orjson.loads(line) for line in _checked(answer).iter_lines() if line]

    def packed(self, query: str, layout: Struct) -> Iterator[tuple[Any, ...]]:
        """The result row by row, for columns of fixed width, as RowBinary has them."""
        with self._answer(f"{query} FORMAT RowBinary") as answer:
            rest = b""
            for part in _checked(answer).iter_bytes():
                data = rest + part
                whole = len(data) - len(data) % layout.size
                yield from layout.iter_unpack(data[:whole])
                rest = data[whole:]
            if rest:
                raise ClickHouseFailed(f"the answer ends within a row: {rest[:500]!r}")

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @contextmanager
    def _answer(self, query: str) -> Iterator[httpx.Response]:
        parameters = {"database": self._database, **_SETTINGS}
        try:
            with self._client.stream("POST", "/", params=parameters, content=query.encode()) as answer:
                yield answer
        except httpx.TransportError as error:
            raise ClickHouseFailed(f"it does not answer: {error or type(error).__name__}") from error


def _checked(answer: httpx.Response) -> httpx.Response:
    if answer.status_code != 200:
        answer.read()
        raise ClickHouseFailed(answer.text[:1000])
    return answer
