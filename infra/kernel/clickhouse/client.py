"""How services reach ClickHouse: clickhouse-connect over HTTP, the same for the embedded engine and a cluster.

`client` makes one client, `ClientPool` lends a bounded number of them to threads, `insert_rows` is the projectors'
exact insert: rows as newline-delimited JSON with a deduplication token, so that a retry changes nothing.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import SplitResult, unquote, urlsplit

import clickhouse_connect
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import ClickHouseError as ClickHouseError  # what every call here raises
from clickhouse_connect.driver.httputil import default_pool_manager
from clickhouse_connect.driver.models import SettingDef

from infra.kernel.config.settings import Settings

CONNECT_TIMEOUT_S = 5
READ_TIMEOUT_S = 120
POOL_WAIT_S = 10.0
CONNECTIONS = 64
"""Connections that a process keeps open: more than any process has querying threads."""

# Older servers default the materialized-view setting to 0: always sent. async_insert would acknowledge from memory.
_EVERY_INSERT: Mapping[str, Any] = {"async_insert": 0, "deduplicate_blocks_in_dependent_materialized_views": 1}
_EXACT: Mapping[str, Any] = {
    **_EVERY_INSERT,
    "input_format_allow_errors_num": 0,
    "input_format_allow_errors_ratio": 0,
    "input_format_skip_unknown_fields": 0,
    "date_time_input_format": "best_effort",
}
_TABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_SERVER_SETTINGS: Final[dict[tuple[str, str | None], dict[str, SettingDef]]] = {}
"""The settings that the server knows, and which of them may be set, by `CLICKHOUSE_URL` and version."""


class NotConfiguredError(RuntimeError):
    """No CLICKHOUSE_URL: the service was started outside the local stack and without one."""


def address(url: str) -> str:
    """Scheme, host and port of what `CLICKHOUSE_URL` names; ClickHouse's usual port where it names none."""
    parts = urlsplit(url)
    host, port = _host_and_port(parts)
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def client(settings: Settings, *, read_timeout_s: int = READ_TIMEOUT_S) -> Client:
    """A client for `CLICKHOUSE_URL` (user, password and, as its path, the database are in it).

    It may be used by several threads (no session is kept). Compression is on, except on this machine's own loopback.
    Raises `ClickHouseError` if the server does not answer within `CONNECT_TIMEOUT_S`.
    """
    if settings.clickhouse_url is None:
        raise NotConfiguredError("CLICKHOUSE_URL is not set: ClickHouse's HTTP address is needed.")
    # All clients of a process share these. The library keeps eight; what a ninth thread opens would be thrown away
    # after each statement, with a warning.
    default_pool_manager().connection_pool_kw["maxsize"] = CONNECTIONS
    parts = urlsplit(settings.clickhouse_url)
    host, port = _host_and_port(parts)
    made = clickhouse_connect.get_client(
        host=host,
        port=port,
        username=unquote(parts.username or "default"),
        password=unquote(parts.password or ""),
        database=parts.path.strip("/") or "althing",
        interface=parts.scheme,
        compress=host not in _LOOPBACK,
        connect_timeout=CONNECT_TIMEOUT_S,
        send_receive_timeout=read_timeout_s,
        autogenerate_session_id=False,
        settings=dict(_EVERY_INSERT),
    )
    # More than a thousand objects, which each client would keep for itself.
    server_settings = _SERVER_SETTINGS.setdefault((settings.clickhouse_url, made.server_version), made.server_settings)
    made.server_settings = server_settings
    return made


def _host_and_port(parts: SplitResult) -> tuple[str, int]:
    return parts.hostname or "127.0.0.1", parts.port or (8443 if parts.scheme == "https" else 8123)


def insert_rows(
    to: Client, table: str, ndjson: bytes, token: str, *, settings: Mapping[str, Any] | None = None
) -> None:
    """Inserts `ndjson` (one JSON object per line) into `table`, all or nothing per block, durable on return.

    `token` names exactly these rows: inserting them again under it, after any failure, adds nothing, to the table or to
    the targets of its materialized views (each needs `non_replicated_deduplication_window`). Other rows under a used
    token would be dropped silently, and so would these be, should the server have been killed between noting the token
    and keeping the rows: `projectors.engine.repair` looks for that. An unknown field or a bad value
    raises `ClickHouseError` and inserts nothing.
    """
    if not _TABLE.fullmatch(table):
        raise ValueError(f"{table!r} is not a table's name")
    if not token:
        raise ValueError("an exact insert needs a token")
    exact = {**_EXACT, "insert_deduplication_token": token, **(settings or {})}
    to.raw_insert(table, insert_block=ndjson, settings=exact, fmt="JSONEachRow")


class ClientPool:
    """At most `size` clients for any number of threads; a thread waits `POOL_WAIT_S` for one, then `TimeoutError`."""

    def __init__(self, settings: Settings, size: int, *, read_timeout_s: int = READ_TIMEOUT_S) -> None:
        self._settings = settings
        self._read_timeout_s = read_timeout_s
        self._free = threading.BoundedSemaphore(size)
        self._idle: list[Client] = []

    @contextmanager
    def use(self) -> Iterator[Client]:
        """Lends one client; it is made when none is idle."""
        if not self._free.acquire(timeout=POOL_WAIT_S):
            raise TimeoutError("No ClickHouse client became free in time.")
        try:
            try:
                lent = self._idle.pop()
            except IndexError:  # to look first would not do: another thread may take the last one in between
                lent = client(self._settings, read_timeout_s=self._read_timeout_s)
            try:
                yield lent
            finally:
                self._idle.append(lent)
        finally:
            self._free.release()

    def close(self) -> None:
        """Closes the idle clients; clients in use stay open."""
        while self._idle:
            self._idle.pop().close()
