"""Says in plain English what a file leaves open, with an example from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Final

from babel import Locale

from command_api.networks.reading.rows import ReportStatus
from infra.domain.report_files.dates import ORDERS, OrderEvidence
from infra.domain.report_files.layouts import LayoutQuestion
from schemas.networks import NETWORKS

MAX_CHOICES: Final = 500
_FIELDS: Final[Mapping[str, str]] = {
    "txid": "the transaction ID",
    "occurred_at": "the date of the sale",
    "commission": "the commission",
}
_STATUSES: Final = tuple(status.value for status in ReportStatus)


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


def about_column(field: str, headers: Sequence[str]) -> LayoutQuestion:
    message = f"Which column has {_FIELDS[field]}?"
    return LayoutQuestion(f"columns.{field}", message, tuple(header for header in headers if header)[:MAX_CHOICES])


def about_duplicate(field: str, headers: Sequence[str]) -> LayoutQuestion:
    message = f'The file has {len(headers)} columns named "{headers[0]}" with different values. Which one is meant?'
    return LayoutQuestion(f"columns.{field}", message, tuple(headers), is_blocking=False)


def about_status(word: str) -> LayoutQuestion:
    if not word:
        message = "This report has no column for the status. What are its sales?"
        return LayoutQuestion("status:", message, _STATUSES, is_blocking=False)
    return LayoutQuestion(
        f"status:{word[:100]}", f'What does the status "{word[:100]}" mean?', _STATUSES, is_blocking=False
    )


def about_currency(header: str, choices: Iterable[str]) -> LayoutQuestion:
    listed = tuple(choices)
    if not header:
        message = "The report names no currency. Its amounts are read in the currency of your account at the network."
        return LayoutQuestion("currency", message, (), is_blocking=False)
    return LayoutQuestion("currency", f'Which currency is meant by "{header}"?', listed, is_blocking=False)


def about_timezone() -> LayoutQuestion:
    message = "The times in this report name no time zone. Without a choice they are read in the website's time zone."
    return LayoutQuestion("timezone", message, (), is_blocking=False)


def about_network(network: str, other: str) -> LayoutQuestion:
    message = f"This looks like a report of {NETWORKS[other].name}, not of {NETWORKS[network].name}."
    return LayoutQuestion("other_network", message, (other, network))


def _day_text(order: str, day: date, *, with_year: bool) -> str:
    month = Locale("en").months["format"]["wide"][day.month]
    text = f"{month} {day.day}" if order == "mdy" else f"{day.day} {month}"
    return f"{text} {day.year}" if with_year else text


def _listed(texts: Sequence[str]) -> str:
    return " or ".join((", ".join(texts[:-1]), texts[-1])) if len(texts) > 1 else "".join(texts)
