"""The rows that the attribution policy keeps beside the events, in their transaction; and what it tells of refusals."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID, uuid5

import orjson
from psycopg import Cursor
from psycopg.types.json import Jsonb

from command_api.leader import Connection
from command_api.policies.decide import Refusal as Refused
from infra.log import Record, StoredRecord
from infra.log.signature import UNSIGNED
from schemas import tracking
from schemas.identity import NAMESPACE
from schemas.topics import REJECTED
from schemas.tracking import ConversionReported, from_log_time

NAME: Final = "policy:attribution"
WAITING_LIFE: Final = timedelta(days=30)
"""Events may be sent up to 30 days late, so a click may come that long after its sale."""
RETRIES: Final = 50


def keep_waiting(cursor: Cursor[dict[str, Any]], conversion_id: UUID, received_at: datetime) -> None:
    """Has the conversion's click looked for again, soon and then ever more rarely."""
    cursor.execute(
        "INSERT INTO policy.waiting (conversion_id, received_at, next_at, until)"
        " VALUES (%s, %s, now() + interval '1 second', greatest(%s, now()) + %s)"
        " ON CONFLICT (conversion_id) DO UPDATE SET next_at = excluded.next_at",
        (conversion_id, received_at, received_at, WAITING_LIFE),
    )


def keep_refused(cursor: Cursor[dict[str, Any]], report: ConversionReported, refused: Refused) -> None:
    cursor.execute(
        "INSERT INTO policy.refused_report (report_id, conversion_id, website_id, code, message, at)"
        " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (report_id) DO NOTHING",
        (
            report.report_id,
            report.conversion_id,
            report.website_id,
            refused.code,
            refused.message,
            from_log_time(report.received_at),
        ),
    )


def keep_without_rate(cursor: Cursor[dict[str, Any]], report: ConversionReported) -> None:
    cursor.execute(
        "INSERT INTO policy.without_rate (report_id, conversion_id, report) VALUES (%s, %s, %s)"
        " ON CONFLICT (report_id) DO NOTHING",
        (report.report_id, report.conversion_id, Jsonb(_storable(report.model_dump(mode="json")))),
    )


def keep_dead_letter(cursor: Cursor[dict[str, Any]], record: StoredRecord, reason: str) -> None:
    cursor.execute(
        'INSERT INTO engine.dead_letter (id, projection, generation, topic, partition, "offset", reason, error, key,'
        " value, headers) VALUES (%s, %s, 0, %s, %s, %s, %s, %s, %s, %s, %s)"
        " ON CONFLICT (id) DO UPDATE SET attempts = engine.dead_letter.attempts + 1",
        (
            uuid5(NAMESPACE, f"dead-letter\n{NAME}\n{record.topic}\n{record.partition}\n{record.offset}"),
            NAME,
            record.topic,
            record.partition,
            record.offset,
            _storable(reason.partition(":")[0]),
            _storable(reason)[:4000],
            record.key,
            record.value,
            Jsonb([[name, value.hex()] for name, value in record.headers]),
        ),
    )


def report_of(value: bytes) -> ConversionReported:
    """The report in a record of topic `conversions`, without NULs. Raises pydantic's `ValidationError`."""
    report = ConversionReported.model_validate_json(value)
    if b"\\u0000" not in value:
        return report
    return ConversionReported.model_validate_json(orjson.dumps(_storable(report.model_dump(mode="json"))))


def dead_letters_to_retry(connection: Connection, topic: str, partition: int) -> list[tuple[UUID, StoredRecord]]:
    """Dead letters of a partition that somebody asked to decide again (`althing dlq retry`), the oldest first."""
    rows = connection.execute(
        'SELECT id, "offset", key, value, headers FROM engine.dead_letter WHERE projection = %s AND topic = %s'
        " AND partition = %s AND state = 'open' AND retry_requested_at IS NOT NULL AND reason <> %s"
        ' ORDER BY "offset" LIMIT %s',
        (NAME, topic, partition, UNSIGNED, RETRIES),
    ).fetchall()
    return [  # only signed ones come to be dead letters of another reason
        (letter_id, StoredRecord(topic, partition, offset, 0, bytes(key), bytes(value), _headers(headers), True))
        for letter_id, offset, key, value, headers in rows
    ]


def end_dead_letter(cursor: Cursor[dict[str, Any]], letter_id: UUID) -> None:
    cursor.execute(
        "UPDATE engine.dead_letter SET state = 'retried', decided_at = now(), retry_requested_at = NULL WHERE id = %s",
        (letter_id,),
    )


def keep_dead_letter_open(connection: Connection, letter_id: UUID, reason: str) -> None:
    connection.execute(
        "UPDATE engine.dead_letter SET attempts = attempts + 1, error = %s, retry_requested_at = NULL WHERE id = %s",
        (_storable(reason)[:4000], letter_id),
    )


def refusal_record(report: ConversionReported, refused: Refused) -> Record:
    refusal = tracking.Refusal(
        id=uuid5(NAMESPACE, f"refused-report\n{report.report_id}\n{refused.code}"),
        website_id=report.website_id,
        at=report.received_at,
        outcome=tracking.Outcome.INVALID,
        code=refused.code,
        message=refused.message,
        endpoint={"sale": "/track/sale", "lead": "/track/lead"}.get(report.reported_by, f"/{report.reported_by}"),
        sample=f"txid {report.txid}"[:200],
    )
    return Record(REJECTED.name, str(report.website_id).encode(), refusal.model_dump_json().encode())


def _storable(value: Any) -> Any:
    """Postgres keeps no NUL in text or jsonb; one that a sender put there must not hold up the partition."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, dict):
        return {_storable(name): _storable(inner) for name, inner in value.items()}
    return value


def _headers(stored: list[list[str]]) -> tuple[tuple[str, bytes], ...]:
    return tuple((name, bytes.fromhex(value)) for name, value in stored)
