"""Writes `docs/settings.md` and `.env.example` from the table in `infra.settings`: `python -m infra.settings_docs`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from infra.settings import Settings

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "settings.md"
EXAMPLE = ROOT / ".env.example"


def main() -> int:
    for path, make in DOCUMENTS.items():
        path.write_text(make())
    return 0


def document() -> str:
    rows = "".join(
        f"| `{row.metadata['name']}` | {_default(row) or '–'} | {row.metadata['text'].replace('|', chr(92) + '|')} |\n"
        for row in _rows()
    )
    return (
        "# Settings\n\n"
        "Read once at the start, from the environment and from a file `.env` in the working directory (the\n"
        "environment wins). Every process reads the same names. An unknown `ALTHING_*` name or a bad value stops the\n"
        "start with one sentence that names it. The local stack works without any of them; `.env.example` lists them\n"
        "for copying.\n\n"
        "This page is generated from `infra/settings.py`: `python -m infra.settings_docs`.\n\n"
        f"| name | default | meaning |\n|---|---|---|\n{rows}"
    )


def example() -> str:
    rows = "".join(f"# {row.metadata['text']}\n# {row.metadata['name']}={_default(row)}\n\n" for row in _rows())
    return f"# Copy to .env and take away the `#` of what you set. See docs/settings.md.\n\n{rows}".rstrip("\n") + "\n"


DOCUMENTS: Mapping[Path, Any] = {DOCUMENT: document, EXAMPLE: example}


def _rows() -> Iterator[Field[Any]]:
    return iter(fields(Settings))


def _default(row: Field[Any]) -> str:
    if row.default is None or row.default == ():
        return ""
    if isinstance(row.default, bool):
        return "1" if row.default else "0"
    return str(row.default)


if __name__ == "__main__":
    sys.exit(main())
