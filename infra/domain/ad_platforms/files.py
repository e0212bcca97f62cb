"""Files of conversions and of their corrections that Google Ads and Microsoft Advertising accept as uploads.

Times are in UTC, which the first line or the format itself says. Names and click ids were checked before: no cell needs
quotes for more than commas.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from schemas.currencies import decimal_text
from schemas.events.destinations import AdPlatform

_UTC_LINE: Final = "Parameters:TimeZone=+0000\r\n"
_TIME: Final = "%Y-%m-%d %H:%M:%S"
_BULK_TIME: Final = "%m/%d/%Y %H:%M:%S"


@dataclass(frozen=True, slots=True)
class UploadLine:
    """One line. `click_id`: name and value; corrections by order id need none. `adjusted_at`: none for a conversion.
    `value`: minor units; none for a retraction."""

    conversion_id: UUID
    event_name: str
    click_id: tuple[str, str] | None
    occurred_at: datetime
    value: int | None
    currency: str
    adjusted_at: datetime | None = None


def needs_click_id(platform: AdPlatform, *, is_correction: bool) -> bool:
    """Returns whether a line names the click: Google Ads finds what is corrected by the order id."""
    return not is_correction or platform is AdPlatform.MICROSOFT


def order_id(conversion_id: UUID) -> str:
    """The id by which a platform recognizes a conversion that it has already: no id of the network or the shop."""
    return conversion_id.hex


def conversion_file(platform: AdPlatform, lines: Iterable[UploadLine]) -> Iterator[str]:
    """The parts of a file of conversions. Raises `ValueError` for a platform without files."""
    if platform is AdPlatform.GOOGLE_ADS:
        yield _UTC_LINE + _row(_GOOGLE)
        for line in lines:
            name, value = _named(line)
            ids = [value if name == column else "" for column in ("gclid", "gbraid", "wbraid")]
            yield _row([ids[0], *_conversion(line), order_id(line.conversion_id), *ids[1:]])
    elif platform is AdPlatform.MICROSOFT:
        yield _UTC_LINE + _row(_MICROSOFT)
        for line in lines:
            yield _row([_named(line)[1], *_conversion(line)])
    else:
        raise ValueError(f"{platform} accepts no files")


def correction_file(platform: AdPlatform, lines: Iterable[UploadLine]) -> Iterator[str]:
    """The parts of a file of restatements and retractions. Raises `ValueError` for a platform without files."""
    if platform is AdPlatform.GOOGLE_ADS:
        yield _UTC_LINE + _row(_GOOGLE_CORRECTIONS)
        for line in lines:
            kind = "RETRACTION" if line.value is None else "RESTATEMENT"
            at = (line.adjusted_at or line.occurred_at).astimezone(UTC).strftime(_TIME)
            yield _row([order_id(line.conversion_id), "", line.event_name, "", at, kind, *_amount(line)])
    elif platform is AdPlatform.MICROSOFT:
        yield _row(_MICROSOFT_CORRECTIONS) + _row(["Format Version", "6.0", *[""] * 7])
        for line in lines:
            kind = "Retract" if line.value is None else "Restate"
            times = [
                at.astimezone(UTC).strftime(_BULK_TIME)
                for at in (line.occurred_at, line.adjusted_at or line.occurred_at)
            ]
            cells = [_named(line)[1], line.event_name, times[0], kind, times[1], *_amount(line)]
            yield _row(["Offline Conversion", "", *cells])
    else:
        raise ValueError(f"{platform} accepts no files")


def _conversion(line: UploadLine) -> list[str]:
    return [line.event_name, line.occurred_at.astimezone(UTC).strftime(_TIME), *_amount(line)]


def _amount(line: UploadLine) -> list[str]:
    return ["", ""] if line.value is None else [decimal_text(line.value, line.currency), line.currency]


def _named(line: UploadLine) -> tuple[str, str]:
    if line.click_id is None:
        raise ValueError("the line has no click id")
    return line.click_id


def _row(cells: Sequence[str]) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()


_GOOGLE: Final = (
    *("Google Click ID", "Conversion Name", "Conversion Time", "Conversion Value", "Conversion Currency"),
    *("Order ID", "GBRAID", "WBRAID"),
)
_MICROSOFT: Final = (
    *("Microsoft Click ID", "Conversion Name", "Conversion Time", "Conversion Value", "Conversion Currency"),
)
_GOOGLE_CORRECTIONS: Final = (
    *("Order ID", "Google Click ID", "Conversion Name", "Conversion Time", "Adjustment Time", "Adjustment Type"),
    *("Adjusted Value", "Adjusted Value Currency"),
)
_MICROSOFT_CORRECTIONS: Final = (
    *("Type", "Name", "Microsoft Click Id", "Conversion Name", "Conversion Time", "Adjustment Type"),
    *("Adjustment Time", "Adjustment Value", "Adjustment Currency Code"),
)
