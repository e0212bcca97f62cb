"""CSV files of links: what each line says. Pure.

The export of links (`query_api/links/export.py`) has the same columns, so that a file can be edited and imported again.
What spreadsheets do to a file is understood: a byte order mark, semicolons or tabs in place of commas, columns in
another order, and the apostrophe that the export puts before what a spreadsheet would run as a formula.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from command_api.kernel.csv_imports import CsvFile, read_csv, require_line_limit
from command_api.kernel.decision import CommandRejected, invalid
from command_api.kernel.hostnames import MAX_URL_LENGTH
from command_api.links.model import MAX_TAGS, checked_slug
from command_api.links.splits import MAX_VARIANTS

MAX_LINES: Final = 1_000
MAX_CHARACTERS: Final = 700_000
"""Fits into the request limit of 1 MiB, also with the quotes that JSON escapes."""
SEPARATORS: Final = ",;\t"
READ_COLUMNS: Final = ("slug", "website", "partner", "destination", "variants", "tags", "folder", "state", "archived")
SHOWN_COLUMNS: Final = ("partner_name", "address", "created")
"""Columns of the export that an import ignores."""
MAX_WEIGHT: Final = 1_000
_SHOWN: Final = 60
_MAX_NAME: Final = 300
_UNREADABLE: Final = "\ufffd"
_FORMULA: Final = re.compile(r"\A'(?=[\t\r\n]| *[=+\-@＝＋－＠])|(?<=[;\t\r\n])((?:[ \"])*)'(?=[=+\-@＝＋－＠])")
_STATES: Final = {"on": True, "off": False}
_YES: Final = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class VariantText:
    """One side of a split. `partner`: slug or name; empty: the link's."""

    weight: int
    destination: str
    partner: str


@dataclass(frozen=True, slots=True)
class LinkLine:
    """A line (from 1, the header). None: the file has no such column, or nothing in it: it stays, or is the default of
    a new link. An empty `variants`, `tags` or `folder` takes away what the link has."""

    line: int
    slug: str
    website: str = ""
    partner: str = ""
    destination: str | None = None
    variants: tuple[VariantText, ...] | None = None
    tags: tuple[str, ...] | None = None
    folder: str | None = None
    is_active: bool | None = None
    is_archived: bool | None = None


@dataclass(frozen=True, slots=True)
class LinkLineFault:
    """Why a line cannot be imported; `column`: none where it concerns the line as a whole."""

    line: int
    slug: str
    column: str | None
    message: str


@dataclass(frozen=True, slots=True)
class LinkFile:
    """The lines that can be read, and what is wrong with the others."""

    lines: tuple[LinkLine, ...]
    faults: tuple[LinkLineFault, ...]


def parse(text: str) -> LinkFile:
    """Reads every line, valid or not. Raises `CommandRejected` when the file itself is invalid."""
    _require_readable(text)
    file = read_csv(text, MAX_CHARACTERS, SEPARATORS)
    _check_header(file.header)
    require_line_limit(file, MAX_LINES, "links")
    lines: list[LinkLine] = []
    faults: list[LinkLineFault] = []
    seen: dict[str, int] = {}
    for number, cells in file.lines:
        line = _line(number, file, cells, faults)
        if line is None:
            continue
        first = seen.setdefault(line.slug, number)
        if first == number:
            lines.append(line)
        else:
            faults.append(LinkLineFault(number, line.slug, "slug", f"Line {first} has the same slug."))
    return LinkFile(tuple(lines), tuple(faults))


def _require_readable(text: str) -> None:
    place = text.find(_UNREADABLE)
    if place >= 0:
        line = text.count("\n", 0, place) + 1
        message = f"Line {line} has a character that is not UTF-8. Save the file as “CSV UTF-8” and import it again."
        raise invalid("bad_encoding", message, "csv")


def _check_header(header: list[str]) -> None:
    if "slug" not in header:
        raise invalid("bad_header", f"The first line must name the columns: {', '.join(READ_COLUMNS)}.", "csv")
    unknown = [name for name in header if name not in READ_COLUMNS + SHOWN_COLUMNS]
    if unknown:
        named = ", ".join(name[:_SHOWN] or "an empty one" for name in unknown[:5])
        raise invalid("bad_header", f"Unknown column: {named}. Known: {', '.join(READ_COLUMNS)}.", "csv")
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise invalid("bad_header", f"The first line names the column {twice[0]} twice.", "csv")


def _line(number: int, file: CsvFile, cells: list[str], faults: list[LinkLineFault]) -> LinkLine | None:
    """The line; what is wrong with it is added to `faults`, and there is no line then."""
    if len(cells) != len(file.header):
        message = f"This line has {len(cells)} fields, the first has {len(file.header)}."
        faults.append(LinkLineFault(number, "", None, message))
        return None
    texts = {name: _FORMULA.sub(r"\1", cell) for name, cell in file.fields(cells).items()}
    slug, found, values = texts["slug"].lower(), len(faults), dict[str, Any]()
    for name, (field, read) in _READERS.items():
        if name not in texts:
            continue
        try:
            values[field] = read(texts[name])
        except CommandRejected as rejected:
            faults.append(LinkLineFault(number, slug[:_SHOWN], name, rejected.message))
    return LinkLine(number, **values) if len(faults) == found else None


def _slug(text: str) -> str:
    if not text:
        raise invalid("bad_slug", "Enter a slug.")
    return checked_slug(text.lower())


def _name(text: str) -> str:
    if len(text) > _MAX_NAME:
        raise invalid("bad_name", f"This has more than {_MAX_NAME} characters.")
    return text


def _destination(text: str) -> str | None:
    if len(text) > MAX_URL_LENGTH:
        raise invalid("bad_url", f"An address has at most {MAX_URL_LENGTH:,} characters.")
    return text or None


def _variants(text: str) -> tuple[VariantText, ...]:
    """`60 https://a.example/x | 40 https://b.example/y other-partner`: weight, destination, perhaps a partner."""
    parts = [part.strip() for part in re.split(r"\s\|\s", text)] if text else []
    if len(parts) == 1 or len(parts) > MAX_VARIANTS:
        raise invalid("bad_variants", f"A split has 2 to {MAX_VARIANTS} variants, separated by |.")
    return tuple(_variant(part) for part in parts)


def _variant(text: str) -> VariantText:
    weight, _, rest = text.partition(" ")
    destination, _, partner = rest.strip().partition(" ")
    if not re.fullmatch(r"[0-9]{1,4}", weight) or not 1 <= int(weight) <= MAX_WEIGHT:
        message = f"{_quoted(weight)} is not a weight from 1 to {MAX_WEIGHT:,}. A variant is a weight and an address."
        raise invalid("bad_weight", message)
    if not destination:
        raise invalid("bad_variants", f"The variant with weight {weight} has no address.")
    return VariantText(int(weight), _destination(destination) or "", _name(partner.strip()))


def _tags(text: str) -> tuple[str, ...]:
    tags = tuple(tag for part in text.split(",") if (tag := part.strip()))
    if len(tags) > MAX_TAGS:
        raise invalid("bad_tags", f"A link has at most {MAX_TAGS} tags.")
    return tags


def _one_of(values: Mapping[str, bool]) -> Callable[[str], bool | None]:
    def read(text: str) -> bool | None:
        if not text:
            return None
        if text.lower() not in values:
            raise invalid("bad_value", f"{_quoted(text)} is none of {', '.join(values)}.")
        return values[text.lower()]

    return read


def _quoted(text: str) -> str:
    return f"“{text[:_SHOWN]}”"


_READERS: Final[Mapping[str, tuple[str, Callable[[str], Any]]]] = {
    "slug": ("slug", _slug),
    "website": ("website", lambda text: _name(text).lower()),
    "partner": ("partner", _name),
    "destination": ("destination", _destination),
    "variants": ("variants", _variants),
    "tags": ("tags", _tags),
    "folder": ("folder", _name),
    "state": ("is_active", _one_of(_STATES)),
    "archived": ("is_archived", _one_of(_YES)),
}
"""Column to field, and how its text is read."""
