"""Topic `domain` against the event store, record by record and byte by byte, in commit order.

Both sides are read once, beside each other, so that memory does not grow with the history.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any, Final

import psycopg

from infra.kernel.log import StoredRecord
from infra.ops.audit.quiescence import exists, relayed_to
from infra.ops.audit.report import AuditReport, DefectKind
from schemas.envelope import STORED_COLUMNS, StoredRow, stored_headers

_CHECK: Final = "relay"
_ROWS_A_FETCH: Final = 2_000
_COLUMNS: Final = f"SELECT {STORED_COLUMNS} FROM events.stored_events"  # noqa: S608 - own text


class EventStoreSnapshot:
    """The stored events of one moment. `postgres` must be in a transaction of its own until `finish`."""

    def __init__(self, postgres: psycopg.Connection[Any], report: AuditReport) -> None:
        self._postgres, self._report = postgres, report
        self._is_there = exists(postgres, "events.stored_events")
        self._newest = 0
        self._relayed = self._relayed_to()
        self._cursor = postgres.cursor("stored_events")
        if self._is_there:
            self._cursor.itersize = _ROWS_A_FETCH
            self._cursor.execute(f"{_COLUMNS} ORDER BY notification_id")
        self._ahead: StoredRow | None = self._next()

    def compare(self, position: int, record: StoredRecord) -> None:
        """The next record of the topic, which says that it is the event at `position`."""
        if not self._is_there:
            return
        if position <= self._newest:  # the relay may repeat itself, but not change its mind
            stored = self._postgres.execute(f"{_COLUMNS} WHERE notification_id = %s", (position,)).fetchone()
            self._compare_one(position, record, stored)
            return
        self._newest = position
        self._skip_to(position)
        stored, self._ahead = (self._ahead, self._next()) if self._is_at(position) else (None, self._ahead)
        self._compare_one(position, record, stored)

    def finish(self) -> None:
        """Checks, after the topic's last record, that what the relay says that it has copied was there."""
        if self._is_there:
            self._skip_to(self._relayed + 1)
        with closing(self._cursor):
            pass

    def _skip_to(self, position: int) -> None:
        while self._ahead is not None and self._ahead[0] < position:
            self._report.checked["decisions in the event store"] += 1
            what = f"decision {self._ahead[0]} is not in topic domain, or not in order"
            self._report.found(DefectKind.MISSING, _CHECK, what)
            self._ahead = self._next()

    def _is_at(self, position: int) -> bool:
        return self._ahead is not None and self._ahead[0] == position

    def _compare_one(self, position: int, record: StoredRecord, found: StoredRow | None) -> None:
        name = f"domain[0]@{record.offset}"
        if found is None:
            self._report.found(
                DefectKind.WRONG, _CHECK, f"{name} is decision {position}, which is not in the event store"
            )
            return
        self._report.checked["decisions in the event store"] += 1
        if not _is_same(record, found):
            self._report.found(
                DefectKind.WRONG, _CHECK, f"{name} is not what the event store has as decision {position}"
            )

    def _next(self) -> StoredRow | None:
        return self._cursor.fetchone() if self._is_there else None

    def _relayed_to(self) -> int:
        return relayed_to(self._postgres) if exists(self._postgres, "engine.relay") else 0


def _is_same(record: StoredRecord, row: StoredRow) -> bool:
    try:
        headers = stored_headers(row)
    except ValueError:
        return False  # its topic is none that was ever stored
    return (record.key, record.value, record.headers) == (str(row[1]).encode(), bytes(row[4]), headers)
