"""Limits and tables of analysts for `docs/analysts.md`, generated from `tables` (`make docs`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from infra.domain.sql_access import limits
from infra.domain.sql_access.tables import SCHEMA


def tables() -> str:
    """Limits and every table with its columns, as Markdown."""
    parts = [_limits()]
    for view in SCHEMA.values():
        rows = "".join(f"| `{one.name}` | {one.type} | {one.comment} |\n" for one in view.columns)
        example = f"```sql\n{view.example}\n```\n\n" if view.example else ""
        parts.append(
            f"### {view.name}\n\n{view.comment}.\n\n{example}| column | type | meaning |\n|---|---|---|\n{rows}\n"
        )
    return "".join(parts)


def _limits() -> str:
    rows = (
        ("time", f"{limits.SECONDS} s"),
        ("time until its result has been read", f"{limits.DELIVERED_S} s"),
        ("rows read", f"{limits.ROWS_READ:,}"),
        ("memory", f"{limits.MEMORY_BYTES >> 20:,} MiB"),
        ("result on the page", f"{limits.PAGE_ROWS:,} rows"),
        ("result as a file or in a client", f"{limits.RESULT_ROWS:,} rows, {limits.RESULT_BYTES >> 20} MiB"),
        ("statements at the same time", str(limits.RUNNING)),
        ("length of a statement", f"{limits.TEXT_BYTES:,} bytes, {limits.TEXT_WORDS:,} words and signs"),
        ("tables named in a statement", str(limits.TABLES)),
    )
    return "| limit of one statement | |\n|---|---|\n" + "".join(f"| {name} | {most} |\n" for name, most in rows) + "\n"


PARTS: Final[Mapping[str, Callable[[], str]]] = {"analyst-tables": tables}
