"""Writes the tables into `docs/analysts.md` from `infra.analysts.tables`: `python -m infra.analysts.docs`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from infra.analysts import limits
from infra.analysts.tables import SCHEMA

PAGE: Final = Path(__file__).resolve().parents[2] / "docs" / "analysts.md"
BEGIN: Final = "<!-- tables: python -m infra.analysts.docs -->\n"
END: Final = "<!-- end of tables -->\n"


def main() -> int:
    PAGE.write_text(with_tables(PAGE.read_text()))
    return 0


def with_tables(page: str) -> str:
    """The page with its tables as they are now."""
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n{tables()}{END}{tail}"


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


if __name__ == "__main__":
    sys.exit(main())
