"""The tools of all commands: connections to a running stack, and output for people or machines."""

from __future__ import annotations

import getpass
import os
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, Final, Protocol

import orjson
import psycopg
from psycopg import Connection
from rich.console import Console
from rich.table import Table

from infra.kernel.config.loading import load
from infra.kernel.config.settings import Settings
from infra.kernel.log import Log, open_log
from infra.kernel.postgres.pool import required_url
from projectors.engine.clickhouse import BACKFILL_TIMEOUT_S, ClickHouse, HttpClickHouse
from projectors.engine.projection import Registry
from projectors.registry import REGISTRY

DONE: Final = 0
FAILED: Final = 1
FOUND: Final = 2
RECORDER: Final = "operations:recording"
"""The lock that the command service holds while it makes events of what was done."""


class OtherProjections(Protocol):
    """Projections that another package keeps and that `althing projections` shows as well."""

    def rows(self, connection: Connection[Any]) -> Sequence[dict[str, Any]]:
        """Returns one row per projection, as `projections list --json` writes it."""

    def run(self, arguments: Namespace, tools: Tools) -> int | None:
        """Runs the command of one of them; returns `None` if `arguments` name none."""


@dataclass(frozen=True)
class Tools:
    """Open connections of one command."""

    settings: Settings
    connection: Connection[Any]
    clickhouse: ClickHouse
    log: Log
    registry: Registry
    other: OtherProjections | None


@contextmanager
def tools(other: OtherProjections | None = None) -> Iterator[Tools]:
    """Connects to what the settings name. Raises `psycopg.OperationalError` or `SettingsError`."""
    settings = load()
    with psycopg.connect(required_url(settings), autocommit=True, connect_timeout=3) as connection:
        connection.execute("set timezone = 'UTC'")
        with closing(open_log(settings)) as the_log:
            clickhouse = HttpClickHouse(settings, answer_timeout_s=BACKFILL_TIMEOUT_S)
            yield Tools(settings, connection, clickhouse, the_log, REGISTRY, other)


def operator() -> str:
    """Returns the user who runs this command, by the machine's name for them."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def tell_if_unrecorded(connection: Connection[Any]) -> None:
    """Reports that no command service runs; until one does, the request waits in Postgres to become an event."""
    row = connection.execute("select pg_try_advisory_lock(hashtextextended(%s, 0))", (RECORDER,)).fetchone()
    if row is None or not row[0]:
        return
    connection.execute("select pg_advisory_unlock(hashtextextended(%s, 0))", (RECORDER,))
    complain("this is written down in engine.request; it becomes an event as soon as the command service runs.")


def write_json(value: Any) -> None:
    """Writes one JSON document to standard output."""
    document = asdict(value) if is_dataclass(value) and not isinstance(value, type) else value
    sys.stdout.buffer.write(orjson.dumps(document, default=str, option=orjson.OPT_APPEND_NEWLINE))
    sys.stdout.buffer.flush()


def write_table(headings: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table that fits the terminal, or plain columns in a pipe."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*(shown(value) for value in row))
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def write_pairs(pairs: Mapping[str, Any]) -> None:
    """Names and values, one per line."""
    width = max(map(len, pairs), default=0)
    for name, value in pairs.items():
        say(f"{name:<{width}}  {shown(value)}")


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def complain(line: str) -> None:
    sys.stderr.write(f"althing: {line}\n")


def shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.1f}"
    return str(value)
