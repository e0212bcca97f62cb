"""Rows in memory: what a table must hold after a replay of the events, and its comparison with the table.

Verification of inline projections and the audit of read models replay events through the product's handlers into
`MemoryRows` and compare every row with Postgres.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, LiteralString, cast

from psycopg import Connection, sql
from psycopg.rows import dict_row, tuple_row

from infra.kernel.postgres.rows import Row

Key = tuple[Any, ...]


class MemoryRows:
    """The writes of `infra.kernel.postgres.rows.Rows` on a dictionary of rows by key.

    `defaults` (see `column_defaults`): the columns of a row that no write gave; without them, those are absent.
    `normalize` maps each written value to the stored one: an audit stores a digest of a long text, which a handler
    may copy from row to row.
    """

    def __init__(
        self,
        key: Sequence[str],
        defaults: Mapping[str, Any] | None = None,
        normalize: Callable[[Any], Any] = lambda value: value,
    ) -> None:
        self._key = tuple(key)
        self._key_columns = frozenset(key)
        self._defaults = dict(defaults or {})
        self._normalize = normalize
        self._indexes: dict[tuple[str, ...], dict[Key, set[Key]]] = {}
        """Keys of rows by the values of columns that a condition has named: a condition is no scan."""
        self.rows: dict[Key, Row] = {}
        self.position = 0
        self.offset = 0

    def select(self, table: sql.Identifier) -> sql.Composed:
        """The statement that reads the same columns of a table."""
        return sql.SQL("select {} from {}").format(sql.SQL(", ").join(map(sql.Identifier, self._defaults)), table)

    def insert(self, **values: Any) -> None:
        """See `Rows.insert`. Raises `ValueError` for a key that exists."""
        if self._key_of(values) in self.rows:
            raise ValueError(f"{self._key_of(values)} exists already")
        self._write(self._key_of(values), values)

    def put(self, **values: Any) -> None:
        """See `Rows.put`."""
        self._write(self._key_of(values), values)

    def increment(self, key: Mapping[str, Any], **differences: int) -> None:
        """See `Rows.increment`."""
        place = self._key_of(key)
        row = self.rows.get(place)
        self._write(place, {**key, **(differences if row is None else _sums(row, differences))})

    def update(self, where: Mapping[str, Any], **values: Any) -> None:
        """See `Rows.update`."""
        for place in self._matching(where):
            self._write(place, values)

    def add(self, where: Mapping[str, Any], **differences: int) -> None:
        """See `Rows.add`."""
        for place in self._matching(where):
            self._write(place, _sums(self.rows[place], differences))

    def name_after(self, where: Mapping[str, Any], column: str, source: str, prefix: str) -> None:
        """See `Rows.name_after`."""
        for place in self._matching(where):
            name = self.rows[place].get(source)
            self._write(place, {column: None if name is None else f"{prefix}{name}"})

    def delete(self, **where: Any) -> None:
        """See `Rows.delete`."""
        for place in self._matching(where):
            self._unlist(place, self._indexes)
            del self.rows[place]

    def get(self, **key: Any) -> Row | None:
        """See `Rows.get`."""
        keys = self._matching(key)
        return dict(self.rows[keys[0]]) if keys else None

    def _write(self, place: Key, values: Mapping[str, Any]) -> None:
        row = self.rows.get(place)
        moved = [columns for columns in self._indexes if row is None or not values.keys().isdisjoint(columns)]
        if row is None:
            row = self.rows[place] = dict(self._defaults)
        else:
            self._unlist(place, moved)
        for name, value in values.items():
            row[name] = self._normalize(value)
        for columns in moved:
            self._indexes[columns].setdefault(_values(row, columns), set()).add(place)

    def _unlist(self, place: Key, indexes: Iterable[tuple[str, ...]]) -> None:
        row = self.rows[place]
        for columns in indexes:
            self._indexes[columns][_values(row, columns)].discard(place)

    def _matching(self, where: Mapping[str, Any]) -> list[Key]:
        wanted = {name: self._normalize(value) for name, value in where.items()}
        if None in wanted.values():
            return []
        if wanted.keys() >= self._key_columns:
            place = self._key_of(wanted)
            row = self.rows.get(place)
            return [place] if row is not None and all(row.get(name) == wanted[name] for name in wanted) else []
        columns = tuple(sorted(wanted))
        return list(self._index(columns).get(_values(wanted, columns), ()))

    def _index(self, columns: tuple[str, ...]) -> Mapping[Key, set[Key]]:
        if columns not in self._indexes:
            index = self._indexes[columns] = {}
            for place, row in self.rows.items():
                index.setdefault(_values(row, columns), set()).add(place)
        return self._indexes[columns]

    def _key_of(self, values: Mapping[str, Any]) -> Key:
        return tuple(values[name] for name in self._key)


@dataclass(frozen=True, slots=True)
class Difference:
    """One row that differs. `expected`: from the events, `actual`: in the table; `None` for no row."""

    table: str
    key: Key
    expected: Row | None
    actual: Row | None


def compare(table: str, key: Sequence[str], expected: dict[Key, Row], actual: Iterable[Row]) -> Iterator[Difference]:
    """The rows that differ. Takes the rows that `actual` has out of `expected`."""
    for row in actual:
        place = tuple(row[column] for column in key)
        wanted = expected.pop(place, None)
        if wanted != row:
            yield Difference(table, place, wanted, row)
    for place, wanted in expected.items():
        yield Difference(table, place, wanted, None)


def column_defaults(connection: Connection[Any], schema: str, table: str) -> Row:
    """The columns of a table that Postgres does not generate, each with its default."""
    with connection.cursor(row_factory=tuple_row) as cursor:
        columns = cursor.execute(_COLUMNS, (schema, table)).fetchall()
    defaults = sql.SQL(", ").join(
        sql.SQL("{} as {}").format(sql.SQL(cast(LiteralString, default)), sql.Identifier(name))
        for name, default in columns
    )
    with connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(sql.SQL("select {}").format(defaults)).fetchone()
    assert row is not None  # noqa: S101 - a select without a table has a row
    return row


def _sums(row: Row, differences: Mapping[str, int]) -> Row:
    """Adds the differences. As in SQL, nothing plus a number is nothing."""
    present = {name: row.get(name, 0) for name in differences}
    return {
        name: None if present[name] is None else present[name] + difference for name, difference in differences.items()
    }


def _values(row: Mapping[str, Any], columns: tuple[str, ...]) -> Key:
    return tuple(row.get(name) for name in columns)


_COLUMNS: Final = """
select a.attname, coalesce(pg_get_expr(d.adbin, d.adrelid), 'null')
from pg_attribute as a left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
where a.attrelid = format('%%I.%%I', %s::text, %s::text)::regclass
    and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
order by a.attnum"""
