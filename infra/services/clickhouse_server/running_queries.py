"""The queries that run now, so that they can be stopped: by the end of the process, or by `KILL QUERY`.

The engine gives its queries ids of its own, so a statement that names a client's ids is answered here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from infra.domain.sql_access.literals import text as literal
from infra.services.clickhouse_server import sql
from infra.services.clickhouse_server.errors import Code, error
from infra.services.clickhouse_server.users import PortUser

SYNC_WAIT_S = 30.0
_COLUMNS = "kill_status String, query_id String, user String, query String"
_MAX_SHOWN = 10_000


@dataclass(frozen=True)
class Running:
    """`mark` is what the engine knows it by (`Engine.kill`), `query_id` what its client does, `also` what the record of
    analysts' statements does. `stop` ends one that runs in a process of its own."""

    mark: str
    query_id: str
    user: str
    text: bytes
    is_read: bool
    also: str = ""
    stop: Callable[[], None] | None = None
    ended: asyncio.Event = field(default_factory=asyncio.Event)


class RunningQueries:
    """Lives in the event loop's thread."""

    def __init__(self) -> None:
        self._now: dict[str, Running] = {}

    @contextmanager
    def registered(self, entry: Running) -> Iterator[None]:
        self._now[entry.mark] = entry
        try:
            yield
        finally:
            del self._now[entry.mark]
            entry.ended.set()

    def reads(self) -> list[Running]:
        return [entry for entry in self._now.values() if entry.is_read]

    def named(self, query_id: str, user: PortUser) -> list[Running]:
        """Returns the queries with this id; a readonly user sees its own only."""
        return [
            entry
            for entry in self._now.values()
            if query_id in (entry.query_id, entry.also) and (not user.readonly or entry.user == user.name)
        ]

    async def gone(self, entries: Collection[Running]) -> bool:
        """Waits `SYNC_WAIT_S` at most until none of them runs; returns whether that came."""
        try:
            async with asyncio.timeout(SYNC_WAIT_S):
                for entry in entries:
                    await entry.ended.wait()
        except TimeoutError:
            return False
        return True


@dataclass(frozen=True)
class Kill:
    """`KILL QUERY WHERE query_id = '...'`; `waits`: with SYNC."""

    query_id: str
    waits: bool


def read_kill(head: bytes) -> Kill | None:
    """The client's id that a `KILL QUERY` names; None for one that does not speak of `query_id` (the engine's own).

    Raises `ClickHouseError` 48 for any other condition on `query_id`.
    """
    texts = [token.text.decode("utf-8", "replace") for token in sql.tokens(head)]
    words = [text.upper() for text in texts]
    if words[:2] != ["KILL", "QUERY"] or "QUERY_ID" not in words:
        return None
    if words[2:5] == ["WHERE", "QUERY_ID", "="] and texts[5:6] and texts[5].startswith("'"):
        rest = words[6 : words.index("FORMAT") if "FORMAT" in words else None]
        if rest in ([], ["SYNC"], ["ASYNC"], [";"]):
            return Kill(_text(texts[5]), waits="SYNC" in rest)
    raise error(Code.NOT_IMPLEMENTED, "KILL QUERY knows query_id = '...' only; for anything else leave query_id out")


def report(killed: Sequence[Running], status: str) -> bytes:
    """A SELECT whose result is what `KILL QUERY` answers."""
    rows = [
        (status, entry.query_id, entry.user, entry.text[:_MAX_SHOWN].decode("utf-8", "replace")) for entry in killed
    ]
    listed = rows or [("", "", "", "")]
    values = ", ".join("(" + ", ".join(literal(value) for value in row) + ")" for row in listed)
    condition = "" if rows else " WHERE 0"
    return f"SELECT * FROM values('{_COLUMNS}', {values}){condition}".encode()  # noqa: S608 - literals only


def _text(quoted: str) -> str:
    return quoted[1:-1].replace("''", "'").replace("\\'", "'").replace("\\\\", "\\")
