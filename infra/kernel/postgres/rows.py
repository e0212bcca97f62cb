"""Row writes of projections: the one interface that handlers of read models and inline projections write through.

`PostgresRows` writes to a table inside the caller's transaction. `infra.kernel.postgres.memory_rows.MemoryRows` applies
the same calls to a dictionary: verification and audit replay events with the product's handlers and compare the result
with the table.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Final, Protocol, cast

from psycopg import Connection, sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

FLUSH_ROWS: Final = 100

Row = dict[str, Any]


class Rows(Protocol):
    """The operations of a handler on the rows of one table. `dict` values, and lists of them, are stored as jsonb.

    `position` is the place of the event in commit order, `offset` that in the topic. In a condition, `None` matches no
    row.
    """

    position: int
    offset: int

    def insert(self, **values: Any) -> None:
        """Inserts a row that must be new; the transaction fails when its key or another unique value exists."""

    def put(self, **values: Any) -> None:
        """Inserts the row, or replaces the given columns of the row with the same key."""

    def increment(self, key: Mapping[str, Any], **differences: int) -> None:
        """Adds to number columns of the row; a missing row counts from zero."""

    def update(self, where: Mapping[str, Any], **values: Any) -> None:
        """Sets columns of the rows that match `where`, but none of the key. No match is no error: the row's first event
        may be parked."""

    def add(self, where: Mapping[str, Any], **differences: int) -> None:
        """Adds to number columns of the rows that match `where`."""

    def name_after(self, where: Mapping[str, Any], column: str, source: str, prefix: str) -> None:
        """Sets a text column of the rows that match `where` to `prefix` and the row's own `source`."""

    def delete(self, **where: Any) -> None:
        """Deletes the rows that match `where`."""

    def get(self, **key: Any) -> Row | None:
        """Returns the row with the key, or `None`."""


class PostgresRows:
    """Writes to one table inside the caller's transaction; equal statements are sent together."""

    def __init__(self, connection: Connection[Any], table: str, key: Sequence[str], *, schema: str = "read") -> None:
        self._connection = connection
        self._table = sql.Identifier(schema, table)
        self._key = tuple(key)
        self._statement: sql.Composed | None = None
        self._shape: tuple[Any, ...] = ()
        self._waiting: list[list[Any]] = []
        self.position = 0
        self.offset = 0

    def insert(self, **values: Any) -> None:
        """See `Rows.insert`."""
        self._write(("insert", *values), values.values(), lambda: self._insert(values))

    def put(self, **values: Any) -> None:
        """See `Rows.put`."""

        def statement() -> sql.Composed:
            changes = [sql.SQL("{0} = excluded.{0}").format(_id(name)) for name in values if name not in self._key]
            return self._upsert(values, changes)

        self._write(("put", *values), values.values(), statement)

    def increment(self, key: Mapping[str, Any], **differences: int) -> None:
        """See `Rows.increment`."""

        def statement() -> sql.Composed:
            changes = [sql.SQL("{0} = present.{0} + excluded.{0}").format(_id(name)) for name in differences]
            return self._upsert([*key, *differences], changes)

        self._write(("increment", *key, *differences), [*key.values(), *differences.values()], statement)

    def update(self, where: Mapping[str, Any], **values: Any) -> None:
        """See `Rows.update`."""
        self._change("update", where, values, "{0} = {1}")

    def add(self, where: Mapping[str, Any], **differences: int) -> None:
        """See `Rows.add`."""
        self._change("add", where, differences, "{0} = {0} + {1}")

    def name_after(self, where: Mapping[str, Any], column: str, source: str, prefix: str) -> None:
        """See `Rows.name_after`."""

        def statement() -> sql.Composed:
            form = sql.SQL("{} = {} || {}::text").format(_id(column), sql.Literal(prefix), _id(source))
            return sql.SQL("update {} set {} where {}").format(self._table, form, _terms(where))

        self._write(("name_after", column, source, prefix, *where), where.values(), statement)

    def delete(self, **where: Any) -> None:
        """See `Rows.delete`."""
        statement = sql.SQL("delete from {} where {}")
        self._write(("delete", *where), where.values(), lambda: statement.format(self._table, _terms(where)))

    def get(self, **key: Any) -> Row | None:
        """See `Rows.get`. Sees the writes before it."""
        self.flush()
        with self._connection.cursor(row_factory=dict_row) as cursor:
            statement = sql.SQL("select * from {} where {}").format(self._table, _terms(key))
            return cursor.execute(statement, list(key.values())).fetchone()

    def flush(self) -> None:
        """Sends the gathered writes."""
        if self._waiting:
            waiting, self._waiting = self._waiting, []
            with self._connection.cursor() as cursor:
                cursor.executemany(cast(sql.Composed, self._statement), waiting)

    def forget(self) -> None:
        """Drops the gathered writes that are not sent yet."""
        self._waiting = []

    def _insert(self, names: Collection[str]) -> sql.Composed:
        return sql.SQL("insert into {} as present ({}) values ({})").format(
            self._table,
            sql.SQL(", ").join(map(_id, names)),
            sql.SQL(", ").join([sql.Placeholder()] * len(names)),
        )

    def _upsert(self, names: Collection[str], changes: Sequence[sql.Composed]) -> sql.Composed:
        return sql.SQL("{} on conflict ({}) do {}").format(
            self._insert(names),
            sql.SQL(", ").join(map(_id, self._key)),
            sql.SQL("update set {}").format(sql.SQL(", ").join(changes)) if changes else sql.SQL("nothing"),
        )

    def _change(self, kind: str, where: Mapping[str, Any], values: Mapping[str, Any], form: str) -> None:
        if not values:
            return

        def statement() -> sql.Composed:
            sets = [sql.SQL(form).format(_id(name), sql.Placeholder()) for name in values]
            return sql.SQL("update {} set {} where {}").format(self._table, sql.SQL(", ").join(sets), _terms(where))

        self._write((kind, tuple(where), tuple(values)), [*values.values(), *where.values()], statement)

    def _write(self, shape: tuple[Any, ...], values: Iterable[Any], statement: Callable[[], sql.Composed]) -> None:
        """Gathers a row for the statement of this shape, which is made when the shape changes."""
        if shape != self._shape:
            self.flush()
            self._shape, self._statement = shape, statement()
        self._waiting.append([Jsonb(value) if _is_json(value) else value for value in values])
        if len(self._waiting) >= FLUSH_ROWS:
            self.flush()


def _is_json(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and bool(value) and isinstance(value[0], dict))


def _id(name: str) -> sql.Identifier:
    return sql.Identifier(name)


def _terms(where: Mapping[str, Any]) -> sql.Composed:
    terms = [sql.SQL("{} = {}").format(_id(name), sql.Placeholder()) for name in where]
    return sql.SQL(" and ").join(terms)
