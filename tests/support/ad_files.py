"""Reads files for Google Ads and Microsoft Advertising by the documented rules, and refuses what the platforms refuse.

Written from the rules alone: it shares nothing with what makes the files.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal

GOOGLE = ("Google Click ID", "Conversion Name", "Conversion Time", "Conversion Value", "Conversion Currency")
GOOGLE_MORE = {"Order ID", "GBRAID", "WBRAID", "Ad User Data", "Ad Personalization", "Email", "Phone Number"}
MICROSOFT = ("Microsoft Click ID", "Conversion Name", "Conversion Time", "Conversion Value", "Conversion Currency")
GOOGLE_CORRECTIONS = {
    *("Order ID", "Google Click ID", "Conversion Name", "Conversion Time", "Adjustment Time", "Adjustment Type"),
    *("Adjusted Value", "Adjusted Value Currency"),
}


class FileRefused(Exception):
    """The upload page would not take the file, or a line of it."""


@dataclass(frozen=True)
class Line:
    """A line that the platform takes."""

    key: tuple[str, ...]
    name: str
    at: datetime | None
    value: Decimal | None
    currency: str
    click_id: str
    kind: str = "conversion"


def read_google(text: str) -> list[Line]:
    """The conversions of a file. One conversion per action and order id: others are duplicates."""
    rows = _rows(_after_time_zone(text))
    header = rows[0]
    if tuple(header[:5]) != GOOGLE or not set(header[5:]) <= GOOGLE_MORE or len(set(header)) != len(header):
        raise FileRefused(f"columns {header}")
    lines: dict[tuple[str, ...], Line] = {}
    for row in (_named(header, cells) for cells in rows[1:]):
        ids = [row.get(name, "") for name in ("Google Click ID", "GBRAID", "WBRAID")]
        given = [one for one in ids if one]
        if len(given) != 1 or not re.fullmatch(r"[A-Za-z0-9_.-]+", given[0]):
            raise FileRefused(f"click ids {ids}")
        line = _conversion(row, given[0])
        key = (line.name, row.get("Order ID") or f"{given[0]} {line.at}")
        lines.setdefault(key, Line(key, line.name, line.at, line.value, line.currency, line.click_id))
    return list(lines.values())


def read_google_corrections(text: str, known: list[Line]) -> list[Line]:
    """The corrections of a file; each names a conversion that the platform knows."""
    rows = _rows(_after_time_zone(text))
    header = rows[0]
    if not set(header) <= GOOGLE_CORRECTIONS or len(set(header)) != len(header):
        raise FileRefused(f"columns {header}")
    lines = []
    for row in (_named(header, cells) for cells in rows[1:]):
        found = [line for line in known if line.key == (row["Conversion Name"], row["Order ID"])]
        at = datetime.strptime(row["Adjustment Time"], "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
        if not found or found[0].at is None or at <= found[0].at:
            raise FileRefused(f"no conversion before {row}")
        lines.append(_correction(row, found[0], row["Adjustment Type"], ("RETRACTION", "RESTATEMENT")))
    return lines


def read_microsoft(text: str) -> list[Line]:
    """The conversions of a file. The same click id and time is a duplicate."""
    rows = _rows(_after_time_zone(text))
    header = rows[0]
    if tuple(header) != MICROSOFT:
        raise FileRefused(f"columns {header}")
    lines: dict[tuple[str, ...], Line] = {}
    for row in (_named(header, cells) for cells in rows[1:]):
        click = row["Microsoft Click ID"]
        if not re.fullmatch(r"[A-Za-z0-9_-]{4,128}", click):
            raise FileRefused(f"click id {click}")
        line = _conversion(row, click)
        key = (line.name, click, str(line.at))
        lines.setdefault(key, Line(key, line.name, line.at, line.value, line.currency, click))
    return list(lines.values())


def read_microsoft_corrections(text: str, known: list[Line]) -> list[Line]:
    """The corrections of a bulk file: rows of `Offline Conversion` with name, time and click id of the conversion."""
    rows = _rows(text)
    header = rows[0]
    if header[0] != "Type" or rows[1][0] != "Format Version":
        raise FileRefused(f"no bulk file: {rows[:2]}")
    lines = []
    for row in (_named(header, cells) for cells in rows[2:]):
        if row["Type"] != "Offline Conversion":
            raise FileRefused(f"type {row['Type']}")
        at = datetime.strptime(row["Conversion Time"], "%m/%d/%Y %H:%M:%S").replace(tzinfo=UTC)
        found = [line for line in known if line.key == (row["Conversion Name"], row["Microsoft Click Id"], str(at))]
        if not found:
            raise FileRefused(f"no conversion before {row}")
        renamed = {
            **row,
            "Adjusted Value": row["Adjustment Value"],
            "Adjusted Value Currency": row["Adjustment Currency Code"],
        }
        lines.append(_correction(renamed, found[0], row["Adjustment Type"], ("Retract", "Restate")))
    return lines


def _conversion(row: dict[str, str], click: str) -> Line:
    name, text = row["Conversion Name"], row["Conversion Time"]
    if not name or name[0] in "=+-@":
        raise FileRefused(f"name {name!r}")
    try:
        at = datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=UTC)
    except ValueError as error:
        raise FileRefused(f"time {text}") from error
    if at > datetime.now(UTC):
        raise FileRefused(f"time {text} is in the future")
    if not re.fullmatch("[A-Z]{3}", row["Conversion Currency"]):
        raise FileRefused(f"currency {row['Conversion Currency']}")
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", row["Conversion Value"]):
        raise FileRefused(f"value {row['Conversion Value']}")
    return Line((), name, at, Decimal(row["Conversion Value"]), row["Conversion Currency"], click)


def _correction(row: dict[str, str], known: Line, kind: str, kinds: tuple[str, str]) -> Line:
    retraction, restatement = kinds
    if kind == retraction:
        if row["Adjusted Value"]:
            raise FileRefused("a retraction has no value")
        return Line(known.key, known.name, known.at, None, "", known.click_id, "retraction")
    if kind != restatement or row["Adjusted Value Currency"] != known.currency:
        raise FileRefused(f"correction {row}")
    value = Decimal(row["Adjusted Value"])
    return Line(known.key, known.name, known.at, value, known.currency, known.click_id, "restatement")


def _after_time_zone(text: str) -> str:
    first, _, rest = text.partition("\n")
    if first.strip() != "Parameters:TimeZone=+0000":
        raise FileRefused(f"the first line is {first!r}")
    return rest


def _rows(text: str) -> list[list[str]]:
    rows = list(csv.reader(io.StringIO(text)))
    if any(len(row) != len(rows[0]) for row in rows):
        raise FileRefused("a line has other columns than the header")
    return rows


def _named(header: list[str], cells: list[str]) -> dict[str, str]:
    return dict(zip(header, cells, strict=True))
