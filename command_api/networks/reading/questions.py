"""Says in plain English what a file leaves open, with an example from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from command_api.networks.reading.rows import ReportStatus
from infra.domain.report_files.layouts import LayoutQuestion
from schemas.networks import NETWORKS

MAX_CHOICES: Final = 500
_FIELDS: Final[Mapping[str, str]] = {
    "txid": "the transaction ID",
    "occurred_at": "the date of the sale",
    "commission": "the commission",
}
_STATUSES: Final = tuple(status.value for status in ReportStatus)


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
