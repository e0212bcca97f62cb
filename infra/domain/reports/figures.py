"""Numbers, days and changes as people read them in an email. Pure."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Final

from schemas.currencies import digits

_SIGNS: Final = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹", "CAD": "CA$", "AUD": "A$", "NZD": "NZ$"}
_MINUS: Final = "-"
NO_BREAK: Final = "\u00a0"


def money_text(amount: Decimal | float, currency: str, places: int | None = None) -> str:
    """`$1,284.30`; `SEK 1,284.30` where the currency has no sign of its own here."""
    places = digits(currency) if places is None else places
    sign = _SIGNS.get(currency, f"{currency}{NO_BREAK}")
    return f"{_MINUS if amount < 0 else ''}{sign}{abs(amount):,.{places}f}"


def count_text(number: int) -> str:
    return f"{number:,}"


def compact_text(number: float) -> str:
    """`12.5k` on an axis."""
    for size, sign in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k")):
        if abs(number) >= size:
            return f"{number / size:.4g}{sign}"
    return f"{number:.4g}"


def percent_text(number: float) -> str:
    return f"{number:,.2f}%"


def change_of(now: Decimal | float, earlier: Decimal | float) -> int | None:
    """Returns by how many percent a number changed; none if there is nothing to compare with."""
    return round((Decimal(str(now)) - Decimal(str(earlier))) / abs(Decimal(str(earlier))) * 100) if earlier else None


def change_text(percent: int | None) -> str:
    """`+12%`, `-3%`, `no change`; empty if there is nothing to compare with."""
    if percent is None:
        return ""
    return f"{percent:+,d}%" if percent else "no change"


def day_text(day: date) -> str:
    """`Nov 16, 2026`."""
    return f"{day:%b} {day.day}, {day.year}"


def days_text(first: date, last: date) -> str:
    """`Nov 16–22`, `Oct 28–Nov 3`; a whole month is `November 2026`; years are named where there are two."""
    if first.day == 1 and first.month == last.month and (date.fromordinal(last.toordinal() + 1)).day == 1:
        return f"{first:%B %Y}"
    begin, end = f"{first:%b} {first.day}", f"{last:%b} {last.day}"
    if first.year != last.year:
        return f"{begin}, {first.year}–{end}, {last.year}"
    return f"{begin}–{last.day}" if first.month == last.month else f"{begin}–{end}"
