"""Every read model in Postgres against the events in topic `domain`, row by row and column by column.

The expected rows come from a replay of the read model's own handlers in memory. Read models that hold money are
compared with reference projections instead, which share nothing with the projectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, Final

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from infra.kernel.postgres.memory_rows import Difference, Key, MemoryRows, column_defaults, compare
from infra.kernel.postgres.rows import Row
from infra.ops.audit.reference_projections import REFERENCES, Place, Reference, commissions
from infra.ops.audit.report import AuditReport, DefectKind
from infra.ops.audit.row_findings import report_difference
from projectors.engine.read_model import ReadModel
from projectors.registry import REGISTRY
from schemas.base import ERASED, DomainEvent, personal_fields
from schemas.topics import DOMAIN

_ROWS_A_FETCH: Final = 2_000
_MAX_TEXT: Final = 64
"""Longer texts are stored as a digest, so that the posts of a large forum fit into memory."""


class _Unreadable(str):
    """A text of which nothing is left, because its person's key is gone."""


@dataclass
class _Audited:
    """A read model, the end of what it has read, its dead letters, and the rows that it must have."""

    model: ReadModel
    end: int
    rows: MemoryRows
    dead: set[int] = field(default_factory=set)

    @property
    def reference(self) -> Reference | None:
        return REFERENCES.get(self.model.name)

    def handles(self, event_class: type[DomainEvent]) -> bool:
        return self.reference is not None or event_class in self.model.handlers

    def apply(self, event: DomainEvent, place: Place) -> None:
        if self.reference is not None:
            self.reference(self.rows.rows, event, place)
        else:
            self.rows.position, self.rows.offset = place.position, place.offset
            self.model.handlers[type(event)](self.rows, event)


class ReadModels:
    """The read models as they were at one moment, each with its own place in the log."""

    def __init__(self, postgres: psycopg.Connection[Any]) -> None:
        self._postgres = postgres
        self._report = AuditReport()
        self._is_unreadable = False
        live = {name: rest for name, *rest in postgres.execute(_LIVE, (DOMAIN.name,))}
        self._audited: dict[str, _Audited] = {}
        for model in REGISTRY.postgres:
            if model.name in live:
                generation, end = live[model.name]
                defaults = column_defaults(postgres, "read", model.table(generation))
                self._audited[model.name] = _Audited(model, end, MemoryRows(model.key, defaults, self._normalized))
        for name, offset in postgres.execute(_DEAD_LETTERS, (DOMAIN.name,)):
            if name in self._audited:
                self._audited[name].dead.add(offset)
        self._by_event: dict[type[DomainEvent], list[_Audited]] = {}

    @property
    def end(self) -> int:
        """Events before this offset are in at least one read model."""
        return max((audited.end for audited in self._audited.values()), default=0)

    @property
    def conversions(self) -> set[Key]:
        """The conversions of the events, until `compare`."""
        return set(self._audited["conversions"].rows.rows) if "conversions" in self._audited else set()

    def replay(self, offset: int, event: DomainEvent, position: int) -> None:
        """Applies the next event to each read model that has read this far and did not dead-letter it."""
        event_class, place = type(event), Place(position, offset)
        if event_class not in self._by_event:
            self._by_event[event_class] = [each for each in self._audited.values() if each.handles(event_class)]
        self._is_unreadable = any(getattr(event, name) == ERASED for name in personal_fields(event_class))
        for audited in self._by_event[event_class]:
            if offset < audited.end and offset not in audited.dead:
                try:
                    audited.apply(event, place)
                except Exception as error:  # noqa: BLE001 - whatever a handler raises, it has not raised in the projector
                    what = f"domain[0]@{offset} cannot be replayed: {type(error).__name__}: {error}"
                    self._report.found(DefectKind.WRONG, f"read.{audited.model.name}", what)

    def compare(self, report: AuditReport) -> None:
        """Compares, after the last event, every row."""
        report.add(self._report)
        for audited in self._audited.values():
            if audited.model.name == "conversions":
                self._compare_money(commissions(audited.rows.rows), report)
            self._compare_one(audited, report)

    def _compare_one(self, audited: _Audited, report: AuditReport) -> None:
        model, rows = audited.model, audited.rows.rows
        check, compared = f"read.{model.name}", len(rows)
        for difference in compare(model.name, model.key, rows, self._actual(audited)):
            compared += difference.expected is None
            report_difference(report, check, difference, model.personal, _being_erased(difference, model.personal))
        if compared:
            report.checked[f"rows of {check}"] += compared

    def _actual(self, audited: _Audited) -> Iterator[Row]:
        with self._postgres.cursor("actual", row_factory=dict_row) as cursor:
            cursor.itersize = _ROWS_A_FETCH
            cursor.execute(audited.rows.select(sql.Identifier("read", audited.model.name)))
            for row in cursor:
                if audited.reference is None:
                    for column, value in row.items():
                        if type(value) is str and len(value) > _MAX_TEXT:
                            row[column] = _digest(value)
                yield row

    def _normalized(self, value: Any) -> Any:
        """The stored form of a value that a handler writes."""
        if not isinstance(value, str):
            return value
        if self._is_unreadable and ERASED in value:
            return _Unreadable(value)
        return _digest(value) if len(value) > _MAX_TEXT else value

    def _compare_money(self, expected: Mapping[Any, int], report: AuditReport) -> None:
        stored = dict(self._postgres.execute(_COMMISSIONS).fetchall())
        for website in expected.keys() | stored.keys():
            if expected.get(website, 0) != stored.get(website, 0):
                what = f"{stored.get(website, 0)} instead of {expected.get(website, 0)}"
                report.found(DefectKind.WRONG, "money", f"commission of website {website} is {what}")


@contextmanager
def read_models(postgres: psycopg.Connection[Any]) -> Iterator[ReadModels]:
    """The read models of this moment. `postgres` must be in autocommit mode and is the block's own until its end."""
    with postgres.transaction():
        postgres.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        # The session is idle while the log is read, so it has no idle timeout.
        postgres.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        yield ReadModels(postgres)


def _being_erased(found: Difference, personal: tuple[str, ...]) -> tuple[str, ...]:
    """A person's key goes a moment before the event that says so comes: until then either text is right."""
    is_under_way = found.expected is not None and any(
        isinstance(found.expected.get(column), _Unreadable) for column in personal
    )
    return personal if is_under_way else ()


def _digest(text: str) -> str:
    return "blake2b:" + blake2b(text.encode(), digest_size=16).hexdigest()


_LIVE: Final = (
    "SELECT q.projection, q.generation, q.next_offset FROM engine.position q JOIN engine.projection p "
    "ON p.name = q.projection AND p.live_generation = q.generation WHERE q.topic = %s"
)
_DEAD_LETTERS: Final = (
    'SELECT d.projection, d."offset" FROM engine.dead_letter d JOIN engine.projection p '
    "ON p.name = d.projection AND p.live_generation = d.generation WHERE d.topic = %s AND d.state <> 'retried'"
)
_COMMISSIONS: Final = "SELECT website_id, sum(commission) FROM read.conversions GROUP BY website_id"
