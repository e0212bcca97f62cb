"""Rows that the attribution policy stores in the transaction of its events, and its records of rejections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Any, Final, LiteralString
from uuid import UUID, uuid5

import orjson
from prometheus_client import Gauge
from psycopg import Connection
from psycopg.types.json import Jsonb

from command_api.conversions.attribution.decision import ReportRejection
from command_api.conversions.attribution.held import Place, stored_places
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from infra.kernel.log import Log, Record
from schemas import tracking
from schemas.events.conversions import Reported
from schemas.identity import NAMESPACE
from schemas.message_ids import CORRELATION_ID, MessageIds
from schemas.topics import REJECTED
from schemas.tracking import ConversionReported, from_log_time
from schemas.uuid7 import uuid7

NAME: Final = "policy:attribution"
PENDING_ATTRIBUTION: Final = "pending-attribution"
AWAITING_EXCHANGE_RATE: Final = "awaiting-exchange-rate"
"""Process managers; their timeouts are conversions."""
COUNTS: Final = "conversion-counts"
PENDING_LIFETIME: Final = timedelta(days=30)
"""Events may arrive up to 30 days late, so a click may arrive that long after its sale."""
FIRST_RETRY: Final = timedelta(seconds=1)
COUNT_INTERVAL: Final = timedelta(seconds=15)
ACK_TIMEOUT_S: Final = 15.0

_WAITING = Gauge("policy_waiting", "Conversions whose click has not come")
_WITHOUT_RATE = Gauge("policy_without_rate", "Reports of conversions that wait for an exchange rate")


@dataclass(frozen=True, slots=True)
class RejectedReport:
    """A report that is not counted. `claim`: what it says, if it was sent with the public site key."""

    report: ConversionReported
    reason: ReportRejection
    claim: Reported | None = None


def save_pending_attribution(
    uow: UnitOfWork, reports: Sequence[ConversionReported], passed_over: Mapping[UUID, Iterable[Place]]
) -> None:
    """Schedules further attribution attempts for the conversions of the reports. `passed_over`: bots' clicks of each,
    besides those that are stored."""
    if reports:
        received = [from_log_time(report.received_at) for report in reports]
        ids = [report.conversion_id for report in reports]
        places = [_stored(passed_over.get(conversion_id, ())) for conversion_id in ids]
        uow.cursor.execute(_ADD_PENDING, (PENDING_LIFETIME, ids, received, places))
        _make_due_soon(uow, PENDING_ATTRIBUTION, reports)


def update_pending_attribution(
    uow: UnitOfWork, conversion_id: UUID, next_at: datetime | None, passed_over: Iterable[Place], *, needs_rate: bool
) -> None:
    """Schedules the next attempt, or ends them. `passed_over`: bots' clicks that this one passed over."""
    if next_at is None:
        uow.cursor.execute("DELETE FROM conversions.pending_attribution WHERE conversion_id = %s", (conversion_id,))
    else:
        uow.cursor.execute(
            "UPDATE conversions.pending_attribution SET needs_rate = %s, passed_over = %s WHERE conversion_id = %s",
            (needs_rate, _stored(passed_over), conversion_id),
        )
    uow.set_timeout(PENDING_ATTRIBUTION, conversion_id, next_at)


def follow_assigned(uow: Appended, conversion_id: UUID, *, has_click: bool) -> None:
    """Ends the search for the click of a conversion that a person assigned; from now on the details of the chosen click
    are looked for, if there is one."""
    uow.cursor.execute("DELETE FROM conversions.pending_attribution WHERE conversion_id = %s", (conversion_id,))
    if has_click:
        uow.cursor.execute(_ADD_PENDING, (PENDING_LIFETIME, [conversion_id], [uow.context.at], [None]))
    uow.set_timeout(PENDING_ATTRIBUTION, conversion_id, uow.context.at + FIRST_RETRY if has_click else None)


def save_rejected_reports(uow: UnitOfWork, rejected: Sequence[RejectedReport]) -> None:
    """Keeps the reasons, and of claims what they say. A report that awaited a rate may be rejected once more."""
    if rejected:
        uow.cursor.executemany(
            "INSERT INTO conversions.rejected_report (report_id, conversion_id, website_id, code, message, at, claim)"
            " VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT (report_id) DO UPDATE SET code = excluded.code,"
            " message = excluded.message, claim = coalesce(excluded.claim, rejected_report.claim)",
            [
                (
                    each.report.report_id,
                    each.report.conversion_id,
                    each.report.website_id,
                    each.reason.code,
                    each.reason.message,
                    from_log_time(each.report.received_at),
                    Jsonb(_without_nul(each.claim.model_dump(mode="json"))) if each.claim is not None else None,
                )
                for each in rejected
            ],
        )


def save_awaiting_exchange_rate(uow: UnitOfWork, reports: Sequence[ConversionReported]) -> None:
    """Keeps the reports in their order until an exchange rate is recorded."""
    if reports:
        uow.cursor.executemany(
            "INSERT INTO conversions.awaiting_exchange_rate (report_id, conversion_id, report) VALUES (%s, %s, %s)"
            " ON CONFLICT (report_id) DO NOTHING",
            [
                (report.report_id, report.conversion_id, Jsonb(_without_nul(report.model_dump(mode="json"))))
                for report in reports
            ],
        )
        _make_due_soon(uow, AWAITING_EXCHANGE_RATE, reports)


def retry_awaiting_exchange_rate(uow: UnitOfWork, conversion_ids: Sequence[UUID]) -> None:
    """Decides the waiting reports of the conversions again: beside other reports they may need no rate."""
    uow.set_timeouts(AWAITING_EXCHANGE_RATE, conversion_ids, datetime.now(UTC) + FIRST_RETRY)


def remove_awaiting_exchange_rate(
    uow: UnitOfWork, conversion_id: UUID, report_ids: Sequence[UUID], next_at: datetime | None
) -> dict[UUID, UUID]:
    """Removes decided reports, and schedules the others of the conversion. Returns the erasures that were noted on the
    removed ones (`forgetting`), each with its website."""
    removed = uow.cursor.execute(
        "DELETE FROM conversions.awaiting_exchange_rate WHERE report_id = ANY(%s) RETURNING erasure_id, website_id",
        (list(report_ids),),
    ).fetchall()
    uow.set_timeout(AWAITING_EXCHANGE_RATE, conversion_id, next_at)
    return {row["erasure_id"]: row["website_id"] for row in removed if row["erasure_id"] is not None}


def make_due(uow: UnitOfWork) -> None:
    """Makes all that a new rate may decide due, in the transaction of the rate's event: rates of other pairs may follow
    from it. A further rate of the transaction finds them due."""
    for process, query in ((AWAITING_EXCHANGE_RATE, _AWAITING_RATE), (PENDING_ATTRIBUTION, _PENDING_RATE)):
        rows = uow.select(query, process, uow.context.at)
        uow.set_timeouts(process, (conversion_id for (conversion_id,) in rows), uow.context.at)


def count(connection: Connection[Any], _stop: Event) -> None:
    """A recurring job: updates the metrics of what waits."""
    row = connection.execute(
        "SELECT (SELECT count(*) FROM conversions.pending_attribution),"
        " (SELECT count(*) FROM conversions.awaiting_exchange_rate)"
    ).fetchone()
    assert row is not None  # noqa: S101 - a query of counts returns one row
    _WAITING.set(row[0])
    _WITHOUT_RATE.set(row[1])


def _make_due_soon(uow: UnitOfWork, process: str, reports: Sequence[ConversionReported]) -> None:
    """Makes the reports' conversions due soon: a click may be projected, or a rate recorded, at this moment."""
    uow.set_timeouts(process, (report.conversion_id for report in reports), datetime.now(UTC) + FIRST_RETRY)


def parse_report(value: bytes) -> ConversionReported:
    """The report in a record of topic `conversions`, without NULs. Raises pydantic's `ValidationError`."""
    report = ConversionReported.model_validate_json(value)
    if b"\\u0000" not in value:
        return report
    return ConversionReported.model_validate_json(orjson.dumps(_without_nul(report.model_dump(mode="json"))))


def ids_of(report: ConversionReported) -> MessageIds:
    """The ids of the events that one decision of the report makes."""
    return MessageIds(uuid7(), report.correlation_id, str(report.report_id))


def rejection_record(rejected: RejectedReport) -> Record:
    report, reason = rejected.report, rejected.reason
    rejection = tracking.Refusal(
        id=uuid5(NAMESPACE, f"refused-report\n{report.report_id}\n{reason.code}"),
        website_id=report.website_id,
        at=report.received_at,
        outcome=tracking.Outcome.INVALID,
        code=reason.code,
        message=reason.message,
        endpoint={"sale": "/track/sale", "lead": "/track/lead"}.get(report.reported_by, f"/{report.reported_by}"),
        sample=f"txid {report.txid}"[:200],
        report_id=report.report_id,
    )
    headers = ((CORRELATION_ID, report.correlation_id.encode()),)
    return Record(
        REJECTED.name, str(report.website_id).encode(), rejection.model_dump_json(exclude={"request"}).encode(), headers
    )


def publish_rejections(events: Log, rejected: Sequence[RejectedReport]) -> None:
    """Appends the rejections to topic `rejected`; until its owner can see them, nothing of the decision is stored."""
    if rejected:
        events.publish([rejection_record(each) for each in rejected]).result(ACK_TIMEOUT_S)


def _stored(passed_over: Iterable[Place]) -> Jsonb | None:
    places = stored_places(passed_over)
    return Jsonb(places) if places else None


def _without_nul(value: Any) -> Any:
    """Removes NUL characters, which Postgres cannot store in text or jsonb."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, dict):
        return {_without_nul(name): _without_nul(inner) for name, inner in value.items()}
    return value


_ADD_PENDING: Final = (
    "INSERT INTO conversions.pending_attribution (conversion_id, received_at, until, passed_over)"
    " SELECT DISTINCT ON (id) id, received_at, greatest(received_at, now()) + %s, passed_over"
    " FROM unnest(%s::uuid[], %s::timestamptz[], %s::jsonb[]) AS reported (id, received_at, passed_over)"
    " ORDER BY id, received_at ON CONFLICT (conversion_id) DO UPDATE SET passed_over ="
    " coalesce(excluded.passed_over, pending_attribution.passed_over)"
)
_AWAITING_RATE: Final[LiteralString] = (
    "SELECT DISTINCT a.conversion_id FROM conversions.awaiting_exchange_rate AS a WHERE NOT EXISTS ("
    "SELECT FROM kernel.timeout AS t WHERE t.process = %s AND t.id = a.conversion_id AND t.due_at = %s)"
)
_PENDING_RATE: Final[LiteralString] = (
    "SELECT p.conversion_id FROM conversions.pending_attribution AS p WHERE p.needs_rate AND NOT EXISTS ("
    "SELECT FROM kernel.timeout AS t WHERE t.process = %s AND t.id = p.conversion_id AND t.due_at = %s)"
)
