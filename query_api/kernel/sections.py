"""Tables of an export, read page by page: an export of any length holds neither memory nor a connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.kernel.config.settings import Settings
from query_api.kernel.postgres_reader import PostgresReader, Row

PAGE: Final = 1_000
_PLACE: Final = "export_place_"


@dataclass(frozen=True, slots=True)
class Section:
    """Some rows of one table. `key`: columns that order them, different in each of the rows; `shown`: columns, where
    not all may go out."""

    name: str
    source: str
    where: str
    key: tuple[str, ...] = ("id",)
    shown: str = "t.*"
    opened: Callable[[Settings, Row], Row] = lambda _, row: row
    """Decrypts the row's values."""


def pages(reader: PostgresReader, section: Section, bound: Mapping[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """The rows in the order of the key. `bound`: the values that `where` names."""
    columns = [f"t.{name}" for name in section.key]
    selected = ", ".join((section.shown, *(f"{column} AS {_PLACE}{i}" for i, column in enumerate(columns))))
    order = ", ".join(columns)
    after: list[Any] = []
    while True:
        sql = (
            f"SELECT {selected} FROM {section.source} AS t WHERE {section.where}"  # noqa: S608 - own text
            + (f" AND ({order}) > ({', '.join(f'%({_PLACE}{i})s' for i in range(len(after)))})" if after else "")
            + f" ORDER BY {order} LIMIT {PAGE}"
        )
        page = reader.rows(sql, {**bound, **{f"{_PLACE}{i}": value for i, value in enumerate(after)}})
        if page:
            after = [page[-1][f"{_PLACE}{i}"] for i in range(len(columns))]
            yield [{name: value for name, value in row.items() if not name.startswith(_PLACE)} for row in page]
        if len(page) < PAGE:
            return
