"""The lines of imports of costs, in `costs.import_row`: one for each day and traffic of a file.

`handlers` stores them once the file is read, compares them with those of applied imports (`ledger`), and marks which
count. All statements are part of the command's transaction.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Cursor
from psycopg.rows import tuple_row
from psycopg.types.json import Jsonb

from command_api.costs.imports.cost_rows import PaidTraffic
from command_api.costs.imports.ledger import StatedCost
from infra.domain.report_files.layouts import FileLayout, Inspection, RejectedLine
from schemas.base import Money

FILES: Final = ("costs", "import_file")
"""The table of the files' parts."""
DAYS: Final = 31
"""Days whose costs are compared at a time."""
MAX_REJECTED_SHOWN: Final = 100
REJECTED_LINES: Final[LiteralString] = (
    "SELECT line, code, message FROM costs.import_row WHERE import_id = %s AND kind = 'rejected' ORDER BY line LIMIT %s"
)
REJECTED: Final = "rejected"

Transaction = Cursor[Any]


@dataclass(frozen=True, slots=True)
class StagedCost:
    """The cost of a day and of some traffic in a file: the sum of `lines` lines, the first of which is `line`."""

    line: int
    lines: int
    day: date
    target: PaidTraffic
    amount: Money
    worth: Money
    rate: str | None
    kind: str = "new"


def lock(cursor: Transaction, website_id: UUID, platform: str) -> None:
    """Waits for other imports of the platform: what counts of a day depends on all of them."""
    cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"costs {website_id} {platform}",))


def replace_rows(
    cursor: Transaction,
    import_id: UUID,
    website_id: UUID,
    platform: str,
    staged: Sequence[StagedCost],
    rejected: Sequence[RejectedLine],
) -> None:
    """Stores the lines of a file in place of those that there are."""
    cursor.execute("DELETE FROM costs.import_row WHERE import_id = %s", (import_id,))
    with cursor.copy(_COPY) as copy:
        for one in staged:
            values = (one.amount.amount, one.amount.currency, one.worth.amount, one.worth.currency, one.rate)
            row = (import_id, one.line, website_id, platform, one.kind, one.lines, one.day, *one.target, *values)
            copy.write_row((*row, "", "", ""))
        for line in rejected:
            start = (import_id, line.line, website_id, platform, REJECTED, 1, None, "", "", "", "")
            texts = (line.code, line.message.replace("\0", ""), line.text.replace("\0", ""))
            copy.write_row((*start, None, None, None, None, None, *texts))


def days_of(cursor: Transaction, import_id: UUID) -> list[date]:
    """The days of which the import has costs."""
    return [day for (day,) in _rows(cursor, _DAYS_OF, import_id)]


def stated(
    cursor: Transaction, website_id: UUID, platform: str, days: Sequence[date], but: UUID
) -> dict[date, list[StatedCost]]:
    """The lines of applied imports for these days, `but` those of one."""
    return _by_day(_rows(cursor, _APPLIED, website_id, platform, list(days), but))


def own(cursor: Transaction, import_id: UUID, days: Sequence[date]) -> dict[date, list[StatedCost]]:
    """The lines of the import for these days."""
    return _by_day(_rows(cursor, _OWN, import_id, list(days)))


def set_kinds(cursor: Transaction, import_id: UUID, kinds: Mapping[int, str]) -> None:
    """Marks lines with what the import does."""
    cursor.execute(_KINDS, (list(kinds), list(kinds.values()), import_id))


def is_applied(cursor: Transaction, import_id: UUID) -> bool:
    """Returns whether the lines of the import count."""
    [(found,)] = _rows(cursor, _IS_APPLIED, import_id)
    return bool(found)


def let_count(cursor: Transaction, import_id: UUID, *, is_applied: bool) -> None:
    """Lets the lines of the import count, or not."""
    cursor.execute("UPDATE costs.import_row SET is_applied = %s WHERE import_id = %s", (is_applied, import_id))


def keep_inspection(cursor: Transaction, import_id: UUID, website_id: UUID, inspection: Inspection[FileLayout]) -> None:
    """Keeps how the file is read, to be shown."""
    layout = inspection.layout.model_dump(mode="json")
    values = (layout, list(inspection.headers), [list(row) for row in inspection.sample], list(inspection.notes))
    cursor.execute(_INSPECTED, (import_id, website_id, *(Jsonb(_clean(value)) for value in values)))


def _rows(cursor: Transaction, query: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
    return cursor.connection.cursor(row_factory=tuple_row).execute(query, values).fetchall()


def _by_day(rows: Iterable[tuple[Any, ...]]) -> dict[date, list[StatedCost]]:
    found: dict[date, list[StatedCost]] = {}
    for import_id, line, lines, day, source, campaign, term, content, amount, currency, worth, own, rate in rows:
        one = StatedCost(
            import_id,
            PaidTraffic(source, campaign, term, content),
            Money(amount=amount, currency=currency),
            Money(amount=worth, currency=own),
            rate,
            line,
            lines,
        )
        found.setdefault(day, []).append(one)
    return found


def _clean(value: Any) -> Any:
    """The value without NULs, which Postgres cannot store."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, list):
        return [_clean(each) for each in value]
    if isinstance(value, Mapping):
        return {_clean(name): _clean(each) for name, each in value.items()}
    return value


_STATED: Final = (
    "import_id, line, lines, day, source, campaign, term, content, amount, currency, worth, worth_currency, rate"
)
_COPY: Final = (
    "COPY costs.import_row (import_id, line, website_id, platform, kind, lines, day, source, campaign, term, content,"
    " amount, currency, worth, worth_currency, rate, code, message, text) FROM STDIN"
)
_DAYS_OF: Final = "SELECT DISTINCT day FROM costs.import_row WHERE import_id = %s AND kind <> 'rejected' ORDER BY day"
_APPLIED: Final = (
    f"SELECT {_STATED} FROM costs.import_row WHERE website_id = %s AND platform = %s AND day = ANY(%s)"  # noqa: S608 - own text
    " AND is_applied AND import_id <> %s AND kind <> 'rejected'"
)
_OWN: Final = (
    f"SELECT {_STATED} FROM costs.import_row WHERE import_id = %s AND day = ANY(%s)"  # noqa: S608 - own text
    " AND kind <> 'rejected'"
)
_KINDS: Final = (
    "UPDATE costs.import_row AS r SET kind = said.kind FROM unnest(%s::int[], %s::text[]) AS said (line, kind)"
    " WHERE r.import_id = %s AND r.line = said.line"
)
_IS_APPLIED: Final = "SELECT EXISTS (SELECT FROM costs.import_row WHERE import_id = %s AND is_applied)"
_INSPECTED: Final = (
    "INSERT INTO costs.import_layout (import_id, website_id, layout, headers, sample, notes)"
    " VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT (import_id) DO UPDATE SET layout = excluded.layout,"
    " headers = excluded.headers, sample = excluded.sample, notes = excluded.notes"
)
