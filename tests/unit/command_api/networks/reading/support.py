"""Reads reports that tests write: inspected, its layout taken as it is, then read."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any, Final

import openpyxl
import pytest

from command_api.networks.reading.reports import inspect, read
from command_api.networks.reading.rows import NetworkRow, ReportInspection, ReportLayoutChanges
from infra.domain.report_files.layouts import RejectedLine, UnreadableReport

TODAY: Final = date(2026, 11, 30)


def at(month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    """An instant of 2026, UTC."""
    return datetime(2026, month, day, hour, minute, second, tzinfo=UTC)


def look(content: str | bytes, network: str = "default", given: ReportLayoutChanges | None = None) -> ReportInspection:
    return inspect(io.BytesIO(_bytes(content)), network, given, today=TODAY)


def entries(
    content: str | bytes,
    network: str = "default",
    given: ReportLayoutChanges | None = None,
    *,
    timezone: str = "UTC",
    currency: str = "EUR",
) -> list[NetworkRow | RejectedLine]:
    """What reading yields with the layout that was detected."""
    file = io.BytesIO(_bytes(content))
    layout = inspect(file, network, given, today=TODAY).layout
    return list(read(file, network, layout, timezone=timezone, currency=currency, today=TODAY))


def rows(
    content: str | bytes,
    network: str = "default",
    given: ReportLayoutChanges | None = None,
    *,
    timezone: str = "UTC",
    currency: str = "EUR",
) -> list[NetworkRow]:
    """The rows; nothing is rejected."""
    found = entries(content, network, given, timezone=timezone, currency=currency)
    assert not [entry for entry in found if isinstance(entry, RejectedLine)]
    return [entry for entry in found if isinstance(entry, NetworkRow)]


def rejected_lines(content: str | bytes, network: str = "default") -> list[tuple[int, str]]:
    """Line and code of what is rejected."""
    found = entries(content, network)
    return [(entry.line, entry.code) for entry in found if isinstance(entry, RejectedLine)]


def refusal(content: str | bytes, network: str = "default") -> UnreadableReport:
    """Why the whole file is refused."""
    with pytest.raises(UnreadableReport) as raised:
        entries(content, network)
    return raised.value


def questions(inspection: ReportInspection) -> dict[str, tuple[str, ...]]:
    """Field -> choices."""
    return {question.field: question.choices for question in inspection.questions}


def table(*lines: str, ending: str = "\n") -> str:
    return ending.join(lines) + ending


def sales(*lines: str, header: str = "Transaction ID,Date,Commission,Currency,Status") -> str:
    """A comma-separated report."""
    return table(header, *lines)


def as_json(value: Any) -> str:
    return json.dumps(value)


def workbook(sheets: Mapping[str, Iterable[Sequence[Any]]]) -> bytes:
    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, lines in sheets.items():
        sheet = made.create_sheet(name)
        for line in lines:
            sheet.append(list(line))
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content
