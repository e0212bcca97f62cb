"""Sessions (`session_id`): an engine connection kept between requests, for temporary tables, SET and USE.

Bounded in number; one request at a time; forgotten when unused for the session's timeout.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from infra.domain.sql_access.literals import text as literal
from infra.services.clickhouse_server.engine import Connection, Engine
from infra.services.clickhouse_server.errors import ClickHouseError, Code, error

MAX_SESSIONS = 100


@dataclass
class PinnedSession:
    """A pinned connection; used between `Sessions.acquire` and `Sessions.release` only."""

    connection: Connection
    timeout_s: int
    busy: bool = True
    used_at: float = 0.0
    started: bool = False
    _applied: dict[str, str] = field(default_factory=dict)
    _own: dict[str, str] = field(default_factory=dict)

    def apply(self, settings: Mapping[str, str]) -> None:
        """Makes `settings` hold for the next query only: what an earlier request had set, and this one does not, goes
        back to what the session itself had (by its own SET) before."""
        gone = {name: self._own.pop(name) for name in self._applied if name not in settings}
        changed = {name: value for name, value in settings.items() if self._applied.get(name) != value}
        for name in changed.keys() - self._own.keys():
            self._own[name] = self._current(name)
        for name, value in gone.items():
            self.connection.run(f"SET {name} = {value}", "Null")
            self._applied.pop(name)
        try:
            self.connection.apply(changed)
        except ClickHouseError:
            for name in changed:
                with suppress(ClickHouseError):
                    self.connection.run(f"SET {name} = {self._own.pop(name)}", "Null")
                self._applied.pop(name, None)
            raise
        self._applied = dict(settings)

    def _current(self, name: str) -> str:
        answer = self.connection.run(
            "SELECT value FROM system.settings WHERE name = {name:String} AND changed",
            "LineAsString",
            {"name": name},
        )[0]
        return literal(answer.decode().rstrip("\n")) if answer else "DEFAULT"


class Sessions:
    """The sessions of all users; lives in the event loop's thread."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._open: dict[tuple[str, str], PinnedSession] = {}

    def acquire(self, user: str, session_id: str, timeout_s: int) -> PinnedSession:
        """The session, locked. Raises `ClickHouseError`: 373 in use, 731 too many."""
        self._forget_expired()
        key = (user, session_id)
        session = self._open.get(key)
        if session is None:
            if len(self._open) >= MAX_SESSIONS:
                raise error(Code.USER_SESSION_LIMIT_EXCEEDED, f"Too many sessions: at most {MAX_SESSIONS} can be open")
            session = self._open[key] = PinnedSession(self._engine.open(), timeout_s)
        elif session.busy:
            raise error(Code.SESSION_IS_LOCKED, f"Session {session_id[:100]} is locked by a concurrent client")
        session.busy, session.timeout_s = True, timeout_s
        return session

    def release(self, user: str, session_id: str) -> None:
        session = self._open[(user, session_id)]
        session.busy, session.used_at = False, time.monotonic()

    def close(self) -> None:
        for session in self._open.values():
            session.connection.close()
        self._open.clear()

    def _forget_expired(self) -> None:
        now = time.monotonic()
        for key, session in list(self._open.items()):
            if not session.busy and now - session.used_at > session.timeout_s:
                del self._open[key]
                session.connection.close()
