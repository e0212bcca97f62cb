"""Topic `domain` against the event store, the conversion rows in ClickHouse and `read.conversions` in Postgres.

The events are folded here once more, from the log's beginning, in this module's own words.
"""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, Final
from uuid import UUID

import psycopg

from infra.auditing.clickhouse import Reader
from infra.auditing.quiet import exists
from infra.auditing.records import Ends, read
from infra.auditing.report import Kind, Report
from infra.log import Log
from schemas.envelope import Enveloped, UndecodableEvent, decode
from schemas.events.conversions import (
    Change,
    ConversionApproved,
    ConversionAttributed,
    ConversionRecorded,
    ConversionRejected,
    ConversionReversed,
)
from schemas.topics import CONVERSIONS, DOMAIN
from schemas.tracking import NO_ID, ConversionReported, log_time

Changed = ConversionRecorded | ConversionAttributed | ConversionApproved | ConversionRejected | ConversionReversed

_ROW: Final = (
    "website_id, conversion_id, partner_id, occurred_at, d_pending, d_approved, d_rejected, d_reversed, "
    "c_pending, c_approved, c_reversed"
)


@dataclass(slots=True)
class _Conversion:
    """A conversion as its events leave it."""

    website_id: UUID
    status: str
    amount: int
    currency: str
    commission: int
    reversed_amount: int = 0
    reversed_commission: int = 0


def audit_decided(log: Log, clickhouse: Reader, postgres: psycopg.Connection[Any], ends: Ends) -> Report:
    """Compares everything decided before `ends`."""
    report = Report()
    kept, kept_to = _read_conversions(postgres)
    dead = _dead_letters(postgres)
    end = ends[DOMAIN.name, 0]
    rows = _conversion_rows(clickhouse, end)
    folded: dict[UUID, _Conversion] = {}
    positions: set[int] = set()
    for offset, found in _first_ones(log, max(end, kept_to), positions, dead, report):
        event = found.event
        if isinstance(event, Changed):
            if offset < end:
                _audit_row(offset, event, rows.pop(offset, []), offset in dead, report)
            if offset < kept_to:
                _fold(folded, event)
    for offset, without in rows.items():
        report.found(Kind.WRONG, "conversion rows", f"{len(without)} rows for domain[0]@{offset} have no such event")
    _audit_kept(folded, kept, report)
    _audit_store(postgres, positions, end, report)
    _audit_reports(log, postgres, ends, folded, report)
    return report


def _first_ones(
    log: Log, end: int, positions: set[int], dead: set[int], report: Report
) -> Iterator[tuple[int, Enveloped]]:
    """The events in commit order; the relay may repeat some, and whoever reads them drops what lies behind."""
    newest = 0
    for record in read(log, DOMAIN.name, 0, end):
        try:
            found = decode(record.value, record.headers)
        except UndecodableEvent as error:
            if record.offset not in dead:
                report.found(Kind.WRONG, "domain", f"domain[0]@{record.offset} cannot be read: {error}")
            continue
        report.checked["records of topic domain"] += 1
        positions.add(found.position)
        if found.position > newest:
            newest = found.position
            yield record.offset, found


def _audit_row(offset: int, event: Changed, rows: list[dict[str, Any]], is_dead: bool, report: Report) -> None:
    change, facts, name = event.change, event.facts, f"domain[0]@{offset}"
    if facts.attribution is None:
        if rows:
            report.found(Kind.WRONG, "conversion rows", f"{name} has no click yet, but {len(rows)} rows")
        return
    report.checked["conversion changes"] += 1
    if len(rows) != 1:
        if len(rows) > 1:
            report.found(Kind.DUPLICATE, "conversion rows", f"{name} has {len(rows)} rows", len(rows) - 1)
        elif _moves(change) and not is_dead:
            report.found(Kind.MISSING, "conversion rows", f"{name} has no row")
        return
    expected = {
        "website_id": str(facts.website_id),
        "conversion_id": str(event.originator_id),
        "partner_id": str(facts.attribution.partner_id or NO_ID),
        "occurred_at": log_time(facts.occurred_at),
        "d_pending": change.pending,
        "d_approved": change.approved,
        "d_rejected": change.rejected,
        "d_reversed": change.reversed,
        "c_pending": change.commission_pending,
        "c_approved": change.commission_approved,
        "c_reversed": change.commission_reversed,
    }
    wrong = [f"{key}={rows[0][key]} instead of {value}" for key, value in expected.items() if rows[0][key] != value]
    if wrong:
        report.found(Kind.WRONG, "conversion rows", f"{name}: {', '.join(wrong)}")


def _moves(change: Change) -> bool:
    return any(value for value in change.model_dump(exclude={"currency"}).values())


def _fold(folded: dict[UUID, _Conversion], event: Changed) -> None:
    change, key = event.change, event.originator_id
    if isinstance(event, ConversionRecorded):
        facts = event.facts
        folded[key] = _Conversion(facts.website_id, "pending", facts.amount.amount, facts.amount.currency, 0)
    state = folded[key]
    state.commission += change.commission_pending + change.commission_approved
    state.reversed_commission += change.commission_reversed
    if isinstance(event, ConversionApproved):
        state.status = "approved"
    elif isinstance(event, ConversionRejected):
        state.status = "rejected"
    elif isinstance(event, ConversionReversed):
        state.reversed_amount += event.amount.amount
        state.status = "reversed" if event.whole else state.status


def _audit_kept(folded: dict[UUID, _Conversion], kept: dict[UUID, _Conversion], report: Report) -> None:
    for key in folded.keys() | kept.keys():
        report.checked["rows of read.conversions"] += 1
        expected, found = folded.get(key), kept.get(key)
        if found is None:
            report.found(Kind.MISSING, "read.conversions", f"conversion {key} has no row")
        elif expected is None:
            report.found(Kind.WRONG, "read.conversions", f"row {key} has no event")
        elif expected != found:
            wrong = [
                f"{name}={value} instead of {getattr(expected, name)}"
                for name, value in asdict(found).items()
                if value != getattr(expected, name)
            ]
            report.found(Kind.WRONG, "read.conversions", f"conversion {key}: {', '.join(wrong)}")
    expected_sums, found_sums = _commission(folded), _commission(kept)
    for website in expected_sums.keys() | found_sums.keys():
        if expected_sums[website] != found_sums[website]:
            what = f"commission of website {website} is {found_sums[website]} instead of {expected_sums[website]}"
            report.found(Kind.WRONG, "money", what)


def _commission(conversions: dict[UUID, _Conversion]) -> dict[UUID, int]:
    sums: dict[UUID, int] = defaultdict(int)
    for conversion in conversions.values():
        sums[conversion.website_id] += conversion.commission
    return sums


def _audit_store(postgres: psycopg.Connection[Any], positions: set[int], end: int, report: Report) -> None:
    """Everything decided is in the log: the relay lost nothing."""
    if not exists(postgres, "events.stored_events"):
        return
    newest = max(positions, default=0)
    for (position,) in postgres.execute(
        "SELECT notification_id FROM events.stored_events WHERE notification_id <= %s ORDER BY 1", (newest,)
    ):
        report.checked["decisions in the event store"] += 1
        if position in positions:
            positions.discard(position)
        else:
            report.found(Kind.MISSING, "relay", f"decision {position} is not in topic domain")
    for position in sorted(positions):
        report.found(Kind.WRONG, "relay", f"domain@{position} is not in the event store")


def _audit_reports(
    log: Log, postgres: psycopg.Connection[Any], ends: Ends, folded: dict[UUID, _Conversion], report: Report
) -> None:
    """Every reported lead or sale became a conversion, or was refused with a reason."""
    if not exists(postgres, "policy.refused_report"):
        return
    refused = {row[0] for row in postgres.execute("SELECT conversion_id FROM policy.refused_report")}
    for partition in range(CONVERSIONS.partitions):
        for record in read(log, CONVERSIONS.name, partition, ends[CONVERSIONS.name, partition]):
            reported = ConversionReported.model_validate_json(record.value)
            report.checked["reports of conversions"] += 1
            is_new = reported.amount is not None
            if is_new and reported.conversion_id not in folded and reported.conversion_id not in refused:
                what = f"conversion {reported.conversion_id} (conversions[{partition}]@{record.offset}) was not decided"
                report.found(Kind.MISSING, "conversions", what)


def _conversion_rows(clickhouse: Reader, end: int) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = defaultdict(list)
    query = f"SELECT _offset, {_ROW} FROM events WHERE _topic = '{DOMAIN.name}' AND _offset < {end}"
    for row in clickhouse.rows(query):
        found[row["_offset"]].append(row)
    return found


def _read_conversions(postgres: psycopg.Connection[Any]) -> tuple[dict[UUID, _Conversion], int]:
    """The read model and its position, of one moment."""
    with postgres.transaction():
        postgres.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        rows = postgres.execute(
            "SELECT id, website_id, status, amount, currency, commission, reversed_amount, reversed_commission "
            "FROM read.conversions"
        ).fetchall()
        position = postgres.execute(
            "SELECT q.next_offset FROM engine.position q JOIN engine.projection p "
            "ON p.name = q.projection AND p.live_generation = q.generation "
            "WHERE p.name = 'conversions' AND q.topic = %s",
            (DOMAIN.name,),
        ).fetchone()
    return {row[0]: _Conversion(*row[1:]) for row in rows}, int(position[0]) if position else 0


def _dead_letters(postgres: psycopg.Connection[Any]) -> set[int]:
    rows = postgres.execute(
        """SELECT "offset" FROM engine.dead_letter WHERE topic = %s AND state <> 'retried'""", (DOMAIN.name,)
    )
    return {offset for (offset,) in rows}
