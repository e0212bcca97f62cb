"""The ClickHouse engine inside this process: one data directory, a fresh connection per query.

A connection costs a tenth of a millisecond and carries its own settings and current database, so nothing of one
request can leak into the next. All calls here block; the engine releases Python's lock while it works.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from infra.domain.sql_access.literals import text as literal
from infra.services.clickhouse_server import config, deduplication_logs
from infra.services.clickhouse_server.errors import Code, error, from_engine

_chdb: Any = importlib.import_module("chdb._chdb")  # without stubs
_SETTING_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")
_GLOB = re.compile(r"[*?{}\[\]]")
_UNSTREAMABLE = "Streaming query is not supported"


@dataclass(frozen=True)
class Stats:
    """The engine's counts of what it read and wrote, for X-ClickHouse-Summary."""

    read_rows: int = 0
    read_bytes: int = 0
    written_rows: int = 0
    written_bytes: int = 0
    total_rows_to_read: int = 0
    result_rows: int = 0
    elapsed_ns: int = 0


class Engine:
    """Owns the data directory until `close`. Raises `ClickHouseError` from every call that the engine refuses."""

    def __init__(self, data_dir: Path, memory_bytes: int) -> None:
        self.folder = data_dir.absolute()
        server_config = config.write(data_dir, memory_bytes)
        data = data_dir.absolute() / "data"
        data.mkdir(exist_ok=True)
        deduplication_logs.repair(data)
        self._where = f"{data}?config-file={quote(str(server_config))}"
        self._anchor = self.open()  # the engine lives as long as one connection is open
        # Only now: before, the directory could have been another process's.
        self.incoming = _empty_directory(data_dir.absolute() / "incoming")
        self.version = self.scalar("SELECT version()")
        self.timezone = self.scalar("SELECT timezone()")

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """The value of each setting on a new connection."""
        with self.connection() as connection:
            content, _ = connection.run("SELECT name, value FROM system.settings", "JSONCompactEachRow")
        return {str(name): str(value) for name, value in map(json.loads, content.splitlines())}

    def create_database(self, name: str) -> None:
        self._anchor.run(f"CREATE DATABASE IF NOT EXISTS {identifier(name)}")

    def scalar(self, sql: str) -> str:
        with self.connection() as connection:
            return connection.run(sql)[0].decode().rstrip("\n")

    def open(self) -> Connection:
        """A connection that the caller closes."""
        try:
            return Connection(_chdb.connect(self._where))
        except RuntimeError as failure:
            raise from_engine(failure) from failure

    def connection(self) -> AbstractContextManager[Connection]:
        """A connection for a block."""
        return closing(self.open())

    def kill(self, mark: str) -> None:
        """Cancels the query that runs with this mark (see `Connection.apply`); does nothing if it has ended."""
        with self.connection() as connection:
            connection.run(f"KILL QUERY WHERE startsWith(Settings['log_comment'], {literal(mark)}) ASYNC")

    def close(self) -> None:
        self._anchor.close()


class Connection:
    """One engine connection: used by one thread at a time, closed by who opened it."""

    def __init__(self, raw: Any) -> None:
        self._raw = raw

    def apply(self, settings: Mapping[str, str]) -> None:
        """Sets `settings` for this connection; unknown names and bad values get the engine's own error."""
        if not settings:
            return
        for name in settings:
            if not _SETTING_NAME.fullmatch(name):
                raise error(Code.UNKNOWN_SETTING, f"Unknown setting '{name[:100]}'")
        self.run("SET " + ", ".join(f"{name} = {literal(value)}" for name, value in settings.items()), "Null")

    def use(self, database: str) -> None:
        self.run(f"USE {identifier(database)}", "Null")

    def classify(self, sql: bytes) -> tuple[int, bool]:
        """Returns how many statements the engine's parser sees (0: it cannot parse it), and whether it only reads."""
        classified = self._raw.classify_query(sql)
        return int(classified["statement_count"]), bool(classified["query_class"] == _chdb.query_class.READ_ONLY)

    def run(
        self, sql: bytes | str, output_format: str = "TabSeparated", parameters: Mapping[str, str] | None = None
    ) -> tuple[bytes, Stats]:
        """Runs one statement to its end and returns its whole result."""
        try:
            result = self._raw.query(sql, output_format, params=dict(parameters or {}))
        except RuntimeError as failure:
            raise from_engine(failure) from failure
        stats = Stats(
            result.storage_rows_read(),
            result.storage_bytes_read(),
            result.rows_written(),
            result.bytes_written(),
            result.storage_rows_read(),
            result.rows_read(),
            int(result.elapsed() * 1e9),
        )
        return result.bytes(), stats

    def stream(self, sql: bytes, output_format: str, parameters: Mapping[str, str]) -> ResultStream | None:
        """Starts a SELECT whose result comes in chunks; None if this kind of statement cannot be streamed."""
        progress: dict[str, int] = {}
        self._raw.set_progress_callback(progress.update)
        try:
            return ResultStream(self._raw, self._raw.send_query(sql, output_format, params=dict(parameters)), progress)
        except RuntimeError as failure:
            self._raw.set_progress_callback(None)
            if _UNSTREAMABLE in str(failure):
                return None
            raise from_engine(failure) from failure

    def insert(self, into: bytes, clause: bytes, input_format: str, data: Path, parameters: Mapping[str, str]) -> Stats:
        """Inserts what file `data` holds; durable on return. `into` is `INSERT INTO t (...)`, `clause` its SETTINGS.

        Not the engine's `send_insert`: chdb 4.4 reports success there when the write itself fails (a constraint, a
        view that throws, a full disk), and nothing of the block is stored.
        """
        source = f" FROM INFILE {literal(str(data))} COMPRESSION 'none' ".encode()
        return self.run(into + source + clause + f" FORMAT {input_format}".encode(), "Null", parameters)[1]

    def close(self) -> None:
        self._raw.close()


class ResultStream:
    """Chunks of a running SELECT, each a document of its own in the output format."""

    def __init__(self, raw: Any, handle: Any, progress: Mapping[str, int]) -> None:
        self._raw = raw
        self._handle = handle
        self._progress = progress
        self._rows = 0

    def fetch(self) -> tuple[bytes, bool]:
        """The next chunk and whether it is the last (which may be empty)."""
        try:
            result = self._raw.streaming_fetch_result(self._handle)
        except RuntimeError as failure:
            raise from_engine(failure) from failure
        if result is None:
            return b"", True
        rows = result.rows_read()
        self._rows += rows
        return result.bytes(), rows == 0

    def cancel(self) -> None:
        try:
            self._raw.streaming_cancel_query(self._handle)
        except RuntimeError as failure:
            raise from_engine(failure) from failure

    def stats(self) -> Stats:
        names = ("read_rows", "read_bytes", "total_rows_to_read", "elapsed_ns")
        return Stats(**{name: self._progress.get(name, 0) for name in names}, result_rows=self._rows)


def _empty_directory(path: Path) -> Path:
    """Empties and returns the directory where bodies of inserts wait; what a killed process left there was never
    acknowledged."""
    path.mkdir(exist_ok=True)
    for left in path.iterdir():
        left.unlink()
    if _GLOB.search(str(path)):
        raise error(Code.BAD_ARGUMENTS, f"The data directory's name must not hold any of *?{{}}[]: {path}")
    return path


def identifier(name: str) -> str:
    if "\0" in name:
        raise error(Code.BAD_ARGUMENTS, "A name cannot hold a zero byte")
    escaped = name.replace("\\", "\\\\").replace("`", "\\`")
    return f"`{escaped}`"
