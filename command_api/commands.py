"""How a command becomes events: load, decide, write with optimistic concurrency, answer with the position.

Idempotency: a POST with `Idempotency-Key` stores its answer, sealed, in the transaction of its events. So the answer
is there exactly if the events are, whatever crashes: a repeat either finds it (and is answered the same, without a new
decision) or finds nothing because nothing happened. While the first is still being worked on, a second in the same
process gets 409 `idempotency_in_flight`; in two processes both decide, but one transaction commits, the other fails on
the key, rolls back whole and is answered from the first. No mark is left behind that a crash could orphan. A refusal
changes nothing and is not stored. Keys count per account and route, for two days.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from threading import Lock
from typing import Any, Final, Generic, TypeVar
from uuid import UUID

import orjson
from prometheus_client import Counter
from psycopg import Cursor
from psycopg.types.json import Jsonb
from pydantic import BaseModel

from command_api.store import Also, Conflict, DecisionStore
from command_api.trail import record_events
from infra.client import Client
from infra.identity import Pool
from infra.keyring import SubjectErased
from infra.problems import Problem
from infra.sealing import derived_key, keyed_hash, seal, unseal
from infra.settings import Settings
from schemas.base import DomainEvent

Answer = TypeVar("Answer", bound=BaseModel)

ATTEMPTS: Final = 4
KEY_LENGTH: Final = 255

log = logging.getLogger(__name__)
_RUNS = Counter("command_runs_total", "Commands by what they came to; refusals are not counted", ["outcome"])


@dataclass(frozen=True, slots=True)
class Decided(Generic[Answer]):
    """What a command came to: events to store, the answer, and rows that belong into the same transaction."""

    events: Sequence[DomainEvent]
    answer: Answer
    also: Also | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """An answer as it goes out."""

    status: int
    body: bytes
    headers: dict[str, str]


@dataclass(frozen=True, slots=True)
class Repeat:
    """What makes two requests the same one."""

    key: str
    account_id: UUID
    route: str
    request: bytes


@dataclass(frozen=True, slots=True)
class Caller:
    """Who runs a command and from where, for the audit trail."""

    account_id: UUID
    client: Client


class Commands:
    """Runs decisions against the store. Thread-safe."""

    def __init__(self, store: DecisionStore, pool: Pool, settings: Settings) -> None:
        self.store = store
        self.pool = pool
        self._seal_key = derived_key(settings, "idempotency")
        self._in_flight: set[bytes] = set()
        self._lock = Lock()

    def run(
        self,
        decide: Callable[[], Decided[Answer]],
        *,
        status: int,
        repeat: Repeat | None = None,
        caller: Caller | None = None,
    ) -> Done:
        """Decides and stores; decides anew when another writer was first, at most three times. What a caller's command
        decided is in the audit trail with it.

        Raises what `decide` raises, `Problem` 409 for a conflict that did not end, or a key of another request, and
        `SubjectErased` when the caller was erased meanwhile.
        """
        if repeat is None:
            return self._run(decide, status, None, caller)
        key = _key_hash(repeat)
        with self._lock:
            if key in self._in_flight:
                raise in_flight()
            self._in_flight.add(key)
        try:
            return self._run(decide, status, repeat, caller)
        finally:
            with self._lock:
                self._in_flight.discard(key)

    def _run(
        self, decide: Callable[[], Decided[Answer]], status: int, repeat: Repeat | None, caller: Caller | None
    ) -> Done:
        for _ in range(ATTEMPTS):
            if repeat is not None:
                before = self._answer_before(repeat)
                if before is not None:
                    _RUNS.labels("replayed").inc()
                    return before
            decided = decide()
            body = orjson.dumps(decided.answer.model_dump(mode="json", by_alias=True, exclude_unset=True))
            try:
                position = self.store.write(decided.events, self._also(decided, repeat, status, body, caller))
            except Conflict as conflict:
                log.info("another writer was first on %s", conflict.constraint)
                _RUNS.labels("conflict").inc()
                continue
            _RUNS.labels("done").inc()
            return Done(status, body, _headers(position))
        raise Problem(409, "busy", "This was changed by somebody else at the same moment. Please try again.")

    def _also(
        self, decided: Decided[Answer], repeat: Repeat | None, status: int, body: bytes, caller: Caller | None
    ) -> Also | None:
        if repeat is None and caller is None:
            return decided.also

        def also(cursor: Cursor[dict[str, Any]], position: int | None) -> None:
            if caller is not None and cursor.execute(_ERASED, (caller.account_id,)).fetchone() is not None:
                raise SubjectErased(f"{caller.account_id} was erased")
            if decided.also is not None:
                decided.also(cursor, position)
            if caller is not None:
                record_events(cursor, decided.events, caller.account_id, caller.client)
            if repeat is not None:
                self._store_answer(cursor, repeat, status, body, position)

        return also

    def _store_answer(
        self, cursor: Cursor[dict[str, Any]], repeat: Repeat, status: int, body: bytes, position: int | None
    ) -> None:
        cursor.execute(
            "INSERT INTO auth.idempotency (key_hash, account_id, route, request_hash, status, body, headers)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s)",
            (
                _key_hash(repeat),
                repeat.account_id,
                repeat.route,
                self._request_hash(repeat),
                status,
                seal(self._seal_key, body.decode(), "idempotency"),
                Jsonb(_headers(position)),
            ),
        )

    def _answer_before(self, repeat: Repeat) -> Done | None:
        with self.pool.connection() as connection:
            row = connection.execute(
                "SELECT request_hash, status, body, headers FROM auth.idempotency WHERE key_hash = %s",
                (_key_hash(repeat),),
            ).fetchone()
        if row is None:
            return None
        request_hash, status, sealed, headers = row.values() if isinstance(row, dict) else row
        if not compare_digest(bytes(request_hash), self._request_hash(repeat)):
            message = "This Idempotency-Key was used for another request."
            raise Problem(409, "idempotency_mismatch", message)
        body = unseal(self._seal_key, sealed, "idempotency").encode()
        return Done(status, body, {**headers, "Idempotency-Replayed": "true"})

    def _request_hash(self, repeat: Repeat) -> bytes:
        return bytes.fromhex(keyed_hash(self._seal_key, repeat.request.decode()))


_ERASED: Final = "SELECT 1 FROM auth.subject_key WHERE subject_id = %s AND erased_at IS NOT NULL"
"""Whoever was erased between signing in and this moment leaves nothing behind: no offer that another accepts."""


def in_flight() -> Problem:
    message = "A request with this Idempotency-Key is still being worked on."
    return Problem(409, "idempotency_in_flight", message, headers={"Retry-After": "1"})


def _headers(position: int | None) -> dict[str, str]:
    return {} if position is None else {"X-Position": f"domain@{position}"}


def _key_hash(repeat: Repeat) -> bytes:
    return sha256(f"{repeat.account_id}\n{repeat.route}\n{repeat.key}".encode()).digest()
