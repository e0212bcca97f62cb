"""Says in plain English what a file of any kind leaves open, with an example from it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from babel import Locale

from infra.domain.report_files.dates import ORDERS, OrderEvidence
from infra.domain.report_files.layouts import LayoutQuestion


def about_date_order(evidence: OrderEvidence) -> LayoutQuestion:
    readings = evidence.readings()
    if not readings:
        return LayoutQuestion("date_order", "The file has dates in different orders. Which one is right?", ORDERS)
    years = {day.year for _, day in readings}
    texts = [_day_text(order, day, with_year=len(years) > 1) for order, day in readings]
    return LayoutQuestion(
        "date_order", f"{evidence.unsure} can be {_listed(texts)}.", tuple(order for order, _ in readings)
    )


def about_decimal_mark(text: str) -> LayoutQuestion:
    digits = text.replace(",", "").replace(".", "")
    fraction = text.replace(",", ".")
    return LayoutQuestion("decimal_mark", f"{text} can be {digits} or {fraction}.", (".", ","))


def _day_text(order: str, day: date, *, with_year: bool) -> str:
    month = Locale("en").months["format"]["wide"][day.month]
    text = f"{month} {day.day}" if order == "mdy" else f"{day.day} {month}"
    return f"{text} {day.year}" if with_year else text


def _listed(texts: Sequence[str]) -> str:
    return " or ".join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else "".join(texts)
