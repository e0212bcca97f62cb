"""One partition of the Postgres log, read from an offset that the caller owns; a NOTIFY ends the waiting early."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from threading import Condition, Event, Thread
from time import monotonic
from typing import Any, Final

import msgspec
import psycopg
from psycopg_pool import ConnectionPool, PoolTimeout

from infra.kernel.log.port import Headers, LogUnavailable, OffsetOutOfRange, StoredRecord
from infra.kernel.log.postgres_deadlines import Deadlines
from infra.kernel.log.signature import Signer, split

PAGE_BYTES: Final = 32 * 1024 * 1024
"""A read gives at most about this much, whatever `max_records` says."""

ANSWER_TIMEOUT_S: Final = 10.0

_POLL_S: Final = 1.0
_HEADERS: Final = msgspec.msgpack.Decoder(Headers)


class PostgresSource:
    """`infra.kernel.log.Source` on Postgres."""

    def __init__(
        self,
        readers: ConnectionPool[Any],
        deadlines: Deadlines,
        bell: Bell,
        topic: str,
        partition: int,
        offset: int,
        signer: Signer | None = None,
    ) -> None:
        self._signer = signer
        self._readers, self._deadlines, self._bell = readers, deadlines, bell
        self._topic, self._partition, self._next = topic, partition, offset

    def read(self, max_records: int, timeout_s: float) -> list[StoredRecord]:
        """Queries the next page; without records, waits for a NOTIFY and looks again each `_POLL_S`."""
        deadline = monotonic() + timeout_s
        while True:
            rung = self._bell.rung(self._topic, self._partition)
            try:
                records = self._page(max_records)
            except (psycopg.Error, PoolTimeout) as error:
                raise LogUnavailable(f"Postgres does not give {self._shown()}: {error}") from error
            left = deadline - monotonic()
            if records or left <= 0:
                return records
            self._bell.wait(self._topic, self._partition, rung, min(left, _POLL_S))

    def seek(self, offset: int) -> None:
        """Sets the next offset; costs no query."""
        self._next = offset

    def close(self) -> None:
        """Does nothing: connections belong to the log."""

    def _page(self, max_records: int) -> list[StoredRecord]:
        with self._readers.connection() as connection, self._deadlines.within(ANSWER_TIMEOUT_S, connection):
            rows = connection.execute(
                _PAGE,
                {"t": self._topic, "p": self._partition, "o": self._next, "n": max_records, "b": PAGE_BYTES},
                binary=True,
            ).fetchall()
            if not rows:
                self._check_range(connection)
                return []
        self._next = rows[-1][0] + 1
        return [self._record(*row) for row in rows]

    def _record(self, offset: int, at: int, key: bytes, value: bytes, packed: bytes | None) -> StoredRecord:
        headers, signature = split(_HEADERS.decode(packed)) if packed else ((), None)
        place = self._topic, self._partition
        if self._signer is None or signature is None:
            return StoredRecord(*place, offset, at, key, value, headers)
        record = StoredRecord(*place, offset, at, key, value, headers, is_signed=True)
        return self._signer.checked([record], [(0, signature)])[0]

    def _check_range(self, connection: psycopg.Connection[Any]) -> None:
        row = connection.execute(
            "SELECT next_offset FROM log.partition WHERE topic = %s AND partition = %s", (self._topic, self._partition)
        ).fetchone()
        if row is None:
            raise psycopg.DataError("it is not created yet")
        if self._next > row[0] or self._next < 0:
            raise OffsetOutOfRange(f"{self._shown()} is not in the log, which ends at {row[0]}")

    def _shown(self) -> str:
        return f"{self._topic}[{self._partition}]@{self._next}"


_PAGE: Final = """
WITH page AS (
    SELECT "offset", sum(size) OVER (ORDER BY "offset") - size AS before
    FROM (SELECT "offset", size FROM log.record
          WHERE topic = %(t)s AND partition = %(p)s AND "offset" >= %(o)s ORDER BY "offset" LIMIT %(n)s) AS ahead
)
SELECT "offset", timestamp_ms, key, value, headers FROM log.record
WHERE topic = %(t)s AND partition = %(p)s AND "offset" >= %(o)s
    AND "offset" <= (SELECT max("offset") FROM page WHERE before < %(b)s)
ORDER BY "offset"
"""


class Bell:
    """One LISTEN connection for all readers of a `PostgresLog`; opened when the first reader waits."""

    def __init__(self, url: str, connection: Mapping[str, Any]) -> None:
        self._url, self._settings = url, dict(connection)
        self._counts: Counter[str] = Counter()
        self._reconnected = 0
        self._changed = Condition()
        self._closing = Event()
        self._thread: Thread | None = None

    def rung(self, topic: str, partition: int) -> int:
        """Returns how often this partition was written to, as far as heard; read it before looking."""
        with self._changed:
            return self._counts[f"{topic}:{partition}"] + self._reconnected

    def wait(self, topic: str, partition: int, rung: int, timeout_s: float) -> None:
        """Waits until the count differs from `rung`, or the time is over."""
        name = f"{topic}:{partition}"
        with self._changed:
            if self._thread is None:
                self._thread = Thread(target=self._listen, name="postgres-log-bell", daemon=True)
                self._thread.start()
            self._changed.wait_for(
                lambda: self._counts[name] + self._reconnected != rung or self._closing.is_set(), timeout_s
            )

    def close(self) -> None:
        """Ends the listening thread and wakes everything that waits."""
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def _listen(self) -> None:
        while not self._closing.is_set():
            try:
                with psycopg.connect(self._url, autocommit=True, **self._settings) as connection:
                    connection.execute("LISTEN log")
                    self._ring_all()
                    while not self._closing.is_set():
                        self._ring(connection)
            except (psycopg.Error, OSError):
                self._closing.wait(_POLL_S)

    def _ring(self, connection: psycopg.Connection[Any]) -> None:
        names = [heard.payload for heard in connection.notifies(timeout=0.5, stop_after=1)]
        if names:
            with self._changed:
                self._counts.update(names)
                self._changed.notify_all()

    def _ring_all(self) -> None:
        """Wakes all sources once: notifications from before LISTEN took effect were lost."""
        with self._changed:
            self._reconnected += 1
            self._changed.notify_all()
