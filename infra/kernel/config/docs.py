"""`docs/settings.md` and `.env.example`, generated from the table in `infra.kernel.config.settings`. `make docs` writes
them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, fields
from pathlib import Path
from typing import Any

from infra.kernel.config.paths import ROOT
from infra.kernel.config.settings import FILE_SUFFIX, SECRET_NAMES, Settings

DOCUMENT = ROOT / "docs" / "settings.md"
EXAMPLE = ROOT / ".env.example"


def document() -> str:
    """The text of `docs/settings.md`: one row per setting."""
    rows = "".join(
        f"| `{row.metadata['name']}` | {_default(row) or '–'} | {row.metadata['text'].replace('|', chr(92) + '|')} |\n"
        for row in fields(Settings)
    )
    secrets = ", ".join(f"`{row.metadata['name']}`" for row in fields(Settings) if row.metadata["name"] in SECRET_NAMES)
    return (
        "# Settings\n\n"
        "Read once at the start, from the environment and from a file `.env` in the working directory (the\n"
        "environment takes precedence). Every process reads the same names. An unknown `ALTHING_*` name or an invalid\n"
        "value stops the start with one message that names it; `althing doctor` lists all problems. The local stack\n"
        "works without any setting; `.env.example` lists them for copying.\n\n"
        "Under systemd the value may also be in a file named like the setting in `$CREDENTIALS_DIRECTORY`\n"
        "(`LoadCredential=`). A setting that is set in the environment or `.env` and as a credential\n"
        "stops the start.\n\n"
        f"A secret can be in a file: `NAME{FILE_SUFFIX}` names the file instead of `NAME` with the value. Spaces and\n"
        f"line breaks around the value are dropped; an empty file sets nothing; both names at once stop the start.\n"
        f"Secrets are {secrets}.\n\n"
        "Generated from `infra/kernel/config/settings.py` by `make docs`; do not edit.\n\n"
        f"| name | default | meaning |\n|---|---|---|\n{rows}"
    )


def example() -> str:
    """The text of `.env.example`: every setting with its default, commented out."""
    rows = "".join(
        f"# {row.metadata['text']}\n# {row.metadata['name']}={_default(row)}\n\n" for row in fields(Settings)
    )
    return (
        f"# Copy to .env and remove the `#` before each name that you set. See docs/settings.md.\n\n{rows}".rstrip("\n")
        + "\n"
    )


DOCUMENTS: Mapping[Path, Callable[[], str]] = {DOCUMENT: document, EXAMPLE: example}


def _default(row: Field[Any]) -> str:
    if row.default is None or row.default == ():
        return ""
    if isinstance(row.default, bool):
        return "1" if row.default else "0"
    return str(row.default)
