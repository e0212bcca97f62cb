"""Writes everything in the documentation that is generated from code: `make docs`, or `python -m infra.ops.docs`.

Some pages are generated as a whole. In others, the function NAME writes the text between
`<!-- generated: NAME -->` and `<!-- end -->`. A unit test fails while a page differs from what this command writes.

"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import projectors.docs
import schemas.docs
import schemas.networks_docs
from infra.domain.ad_platforms import docs as ad_platforms_docs
from infra.domain.sql_access import docs as analysts_docs
from infra.kernel.config import docs as settings_docs
from infra.kernel.config.paths import ROOT
from infra.ops import import_diagram

Parts = Mapping[str, Callable[[], str]]

PART: Final = re.compile(r"(<!-- generated: ([\w-]+) -->)(\n?).*?(<!-- end -->)", re.DOTALL)


def main() -> int:
    """Writes every page whose text differs; returns the exit code."""
    for path, text in documents().items():
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
            sys.stdout.write(f"wrote {path.relative_to(ROOT)}\n")
    return 0


def documents() -> dict[Path, str]:
    """Every page that is generated, as a whole or in parts, with its text as it should be."""
    written = {schemas.docs.PATH: schemas.docs.events_page(), import_diagram.PATH: import_diagram.diagram()}
    for pages in (settings_docs.DOCUMENTS, schemas.networks_docs.DOCUMENTS, ad_platforms_docs.DOCUMENTS):
        written |= {path: make() for path, make in pages.items()}
    part_texts = parts()
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        if path not in written and PART.search(text := path.read_text()):
            written[path] = with_parts(text, part_texts)
    return written


def parts() -> Parts:
    """The generated parts by name."""
    return {**analysts_docs.PARTS, **projectors.docs.PARTS}


def with_parts(page: str, known: Parts) -> str:
    """The page with its generated parts as they are now. A part whose marker ends the line is a block of its own.

    Raises `KeyError` for a name that no function has.
    """

    def written(found: re.Match[str]) -> str:
        begin, name, newline, end = found.groups()
        text = known[name]()
        return f"{begin}\n\n{text.strip()}\n\n{end}" if newline else f"{begin}{text}{end}"

    return PART.sub(written, page)


if __name__ == "__main__":
    sys.exit(main())
