"""Every read model in Postgres against the events in topic `domain`, row by row and column by column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import psycopg
from psycopg import sql
from psycopg.rows import dict_row

from infra.auditing import lead_folds, listing_folds
from infra.auditing.folding import FOLDS, KEYS, Key, Row, Rows, commissions
from infra.auditing.forum_folds import Blanked, kept
from infra.auditing.insight_folds import STARTS
from infra.auditing.matching_folds import LONG, PERSONAL
from infra.auditing.report import Kind, Report
from schemas.base import ERASED, DomainEvent
from schemas.topics import DOMAIN

_PERSONAL = {
    "accounts": ("email", "name"),
    "account_details": ("company",),
    "invite_joins": ("name",),
    "forum_members": ("name", "handle"),
    "forum_threads": ("title",),
    "forum_posts": ("text",),
    "forum_edits": ("text",),
    "forum_flags": ("note",),
    "forum_suspensions": ("reason",),
    "forum_log": ("reason",),
    "websites": ("domain",),
    "activity": ("description",),
    "custom_domains": ("domain", "token"),
    **lead_folds.PERSONAL,
    **PERSONAL,
    "offer_messages": ("text",),
    "escrows": ("dispute_text",),
    **listing_folds.PERSONAL,
}
_LONG = {
    "forum_threads": ("title",),
    "forum_posts": ("text",),
    "forum_edits": ("text",),
    "offer_messages": ("text",),
    **LONG,
    **listing_folds.LONG,
}
"""Columns of texts that are compared as `forum_folds.kept` has them."""
_DERIVED = {"forum_threads": ("search",), "forum_posts": ("search",)}
"""Columns that Postgres works out of others."""
_ROWS_A_FETCH = 2_000


class ReadModels:
    """All read models as they were at one moment, each with its own place in the log."""

    def __init__(self, postgres: psycopg.Connection[Any]) -> None:
        self._postgres = postgres
        self._ends = dict(postgres.execute(_POSITIONS, (DOMAIN.name,)).fetchall())
        self._dead: set[tuple[str, int]] = {
            (name, offset) for name, offset in postgres.execute(_DEAD_LETTERS, (DOMAIN.name,))
        }
        self._folded: dict[str, Rows] = {name: STARTS.get(name, dict)() for name in FOLDS}

    @property
    def end(self) -> int:
        """Events before this offset are in at least one read model."""
        return max((self._ends.get(name, 0) for name in FOLDS), default=0)

    @property
    def conversions(self) -> set[Key]:
        """The conversions that the events tell of."""
        return set(self._folded["conversions"])

    def fold(self, offset: int, event: DomainEvent, position: int) -> None:
        """Applies the next event to each read model that has read so far and could take it."""
        for name, fold in FOLDS.items():
            if offset < self._ends.get(name, 0) and (name, offset) not in self._dead:
                rows = self._folded[name]
                fold(rows, event, position)
                if name == "conversion_steps" and (row := rows.get((event.originator_id, event.originator_version))):
                    row["log_offset"] = offset

    def compare(self, report: Report) -> None:
        """After the last event: compares every row."""
        for name, expected in self._folded.items():
            if name in self._ends:
                self._compare_one(name, expected, report)

    def _compare_one(self, name: str, expected: Rows, report: Report) -> None:
        check, seen, money = f"read.{name}", set[Key](), Rows()
        for row in self._kept(name):
            report.checked[f"rows of {check}"] += 1
            key = tuple(row[column] for column in KEYS[name])
            if name == "conversions":
                money[key] = {"website_id": row["website_id"], "commission": row["commission"]}
            wanted = expected.get(key)
            if wanted is None:
                report.found(Kind.WRONG, check, f"row {_shown(key)} has no event")
            elif key in seen:
                report.found(Kind.DUPLICATE, check, f"row {_shown(key)} is there twice")
            elif found := _differences(name, row, wanted):
                report.found(Kind.WRONG, check, f"row {_shown(key)}: {', '.join(found)}")
            seen.add(key)
        for key in expected.keys() - seen:
            report.checked[f"rows of {check}"] += 1
            report.found(Kind.MISSING, check, f"{_shown(key)} has no row")
        if name == "conversions":
            _compare_money(commissions(expected), commissions(money), report)

    def _kept(self, name: str) -> Iterator[Row]:
        with self._postgres.cursor("kept", row_factory=dict_row) as cursor:
            cursor.itersize = _ROWS_A_FETCH
            cursor.execute(sql.SQL("SELECT * FROM {}").format(sql.Identifier("read", name)))
            for row in cursor:
                for column in _LONG.get(name, ()):
                    row[column] = kept(row[column]) if row[column] is not None else None
                for column in _DERIVED.get(name, ()):
                    del row[column]
                yield row


@contextmanager
def read_models(postgres: psycopg.Connection[Any]) -> Iterator[ReadModels]:
    """The read models of this moment. `postgres` must be in autocommit mode and is the block's own until its end."""
    with postgres.transaction():
        postgres.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        # While the log is read, this session has nothing to do for as long as that takes.
        postgres.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        yield ReadModels(postgres)


def _differences(name: str, row: Row, wanted: Row) -> list[str]:
    left_out = _being_erased(row, wanted, _PERSONAL.get(name, ()))
    return [
        f"{column}={_shown_value(name, column, row)} instead of {_shown_value(name, column, wanted)}"
        for column in (*wanted, *(row.keys() - wanted.keys()))
        if column not in left_out and row.get(column, ...) != wanted.get(column, ...)
    ]


def _being_erased(row: Row, wanted: Row, personal: tuple[str, ...]) -> tuple[str, ...]:
    """A person's key goes a moment before the event that says so comes: until then either text is right."""
    if wanted.get("erased_at") is not None or any(isinstance(wanted[column], Blanked) for column in personal):
        return ()
    return personal if any(ERASED in (row[column], wanted[column]) for column in personal) else ()


def _shown(key: Key) -> str:
    return " ".join(map(str, key))


def _shown_value(name: str, column: str, row: Mapping[str, Any]) -> str:
    """What personal fields hold is nobody's business."""
    if column not in row:
        return "nothing"
    return "(hidden)" if column in _PERSONAL.get(name, ()) else str(row[column])


def _compare_money(expected: Mapping[Any, int], found: Mapping[Any, int], report: Report) -> None:
    for website in expected.keys() | found.keys():
        if expected.get(website, 0) != found.get(website, 0):
            what = f"commission of website {website} is {found.get(website, 0)} instead of {expected.get(website, 0)}"
            report.found(Kind.WRONG, "money", what)


_POSITIONS = (
    "SELECT q.projection, q.next_offset FROM engine.position q JOIN engine.projection p "
    "ON p.name = q.projection AND p.live_generation = q.generation WHERE q.topic = %s"
)
_DEAD_LETTERS = (
    'SELECT d.projection, d."offset" FROM engine.dead_letter d JOIN engine.projection p '
    "ON p.name = d.projection AND p.live_generation = d.generation WHERE d.topic = %s AND d.state <> 'retried'"
)
