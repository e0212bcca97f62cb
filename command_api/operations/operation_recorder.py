"""Records operations on projections and dead letters as events: actor, reason and outcome.

`engine.request` -> `OperationRecorder` -> command `RecordOperation` -> event store. The row is marked in the
transaction of its event, so each request becomes exactly one event, also after an outage. A request that cannot become
an event is a dead letter (`/api/admin/dead-letters`), and the others go on; it is tried again when an admin retries it.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import Event
from typing import Any, Final

import orjson
import structlog
from psycopg.rows import dict_row

from command_api.kernel.container import Container
from command_api.kernel.decision import system_context
from command_api.kernel.event_store import UNAVAILABLE
from command_api.kernel.leader_election import Connection, notified
from command_api.operations.commands import RecordOperation
from command_api.operations.projection_handlers import AlreadyRecorded
from infra.kernel.http.problems import Problem
from infra.kernel.log import StoredRecord
from infra.kernel.subscriptions import dead_letters
from infra.kernel.subscriptions.dead_letters import REFUSED, FailedRecord
from infra.kernel.subscriptions.positions import WorkerKey

NAME: Final = "operations:recording"
CHANNEL: Final = "operation_ended"
RETRY_WAIT_S: Final = 1.0
"""After a page, of which something may be postponed."""
MAX_WAIT_S: Final = 10.0
BATCH_SIZE: Final = 100
KEY: Final = WorkerKey(NAME, 0, "operations", 0)
"""The key under which its dead letters are listed; it reads a table, no topic."""

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)


class OperationRecorder:
    """`run` is the work of a `command_api.kernel.leader_election.Leader`."""

    def __init__(self, container: Container) -> None:
        self._container = container

    def run(self, connection: Connection, stop: Event) -> None:
        """Records until `stop`. Raises errors of the store and psycopg, without data loss."""
        connection.execute(f"LISTEN {CHANNEL}")
        connection.execute(f"LISTEN {dead_letters.CHANNEL}")
        while not stop.is_set():
            with connection.cursor(row_factory=dict_row) as cursor:
                page = cursor.execute(_DUE, (BATCH_SIZE,)).fetchall()
            for row in page:
                self._record(connection, row)
            if len(page) < BATCH_SIZE and not stop.is_set():
                notified(connection, RETRY_WAIT_S if page else MAX_WAIT_S, stop)

    def _record(self, connection: Connection, row: Mapping[str, Any]) -> None:
        record = _as_record(row)
        letter_id = dead_letters.letter_id(KEY, record.offset)
        try:
            self._container.commands.dispatch(RecordOperation(row), system_context())
        except (AlreadyRecorded, Problem) as error:
            log.info("operation_record_postponed", error=error)
        except UNAVAILABLE:
            raise
        except Exception as error:
            log.exception("operation_record_failed", request_id=row["id"])
            why = f"{type(error).__name__}: {error}"
            dead_letters.write(connection, KEY, [FailedRecord(record, REFUSED, why)])
            dead_letters.still_bad(connection, letter_id, why)
        else:
            dead_letters.decide(connection, [letter_id], "retried")


def _as_record(row: Mapping[str, Any]) -> StoredRecord:
    """The request as a dead letter shows it. The offset is derived from its id: requests have no order of their own."""
    value = orjson.dumps(dict(row), default=str)
    return StoredRecord(KEY.topic, KEY.partition, row["id"].int >> 68, 0, str(row["id"]).encode(), value, ())


_DUE: Final = """
SELECT id, projection, action, reason, dead_letter_id, actor_id, operator, network, device, state, generation, result,
    error, finished_at
FROM engine.request AS r WHERE recorded_at IS NULL AND state IN ('done', 'refused', 'cancelled')
AND NOT EXISTS (SELECT FROM engine.dead_letter AS d WHERE d.projection = 'operations:recording'
    AND d.key = convert_to(r.id::text, 'UTF8') AND d.state <> 'retried' AND d.retry_requested_at IS NULL)
ORDER BY finished_at LIMIT %s"""
