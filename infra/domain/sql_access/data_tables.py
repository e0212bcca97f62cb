"""Rows that travel beside a statement instead of in its text: ClickHouse's external tables.

A statement reads them by name, and they exist for that statement only. However many websites an account has, its
statement and its settings keep their length.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from infra.domain.sql_access.tables import AnalystColumn

FORMAT: Final = "TabSeparated"


@dataclass(frozen=True, slots=True)
class DataTable:
    """An external table: its name, and its rows in the order of `columns`."""

    name: str
    columns: Sequence[AnalystColumn]
    rows: Iterable[Sequence[Any]]

    @property
    def structure(self) -> str:
        """The columns as ClickHouse reads them: `website_id UUID, ...`."""
        return ", ".join(f"{column.name} {column.type}" for column in self.columns)

    def content(self) -> bytes:
        """The rows in `FORMAT`."""
        lines = ("\t".join(_field(value) for value in row) + "\n" for row in self.rows)
        return "".join(lines).encode("utf-8", "replace")


def _field(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(value).translate(_ESCAPED)


_ESCAPED: Final[Mapping[int, str]] = str.maketrans(
    {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\0", "\b": "\\b", "\f": "\\f"}
)
