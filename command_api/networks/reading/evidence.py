"""Goes through a file once and collects what it says about its dates, amounts, words and lines that are no rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Final

from command_api.networks.reading.row_reader import RowReader
from command_api.networks.reading.rows import ReportLayout
from command_api.networks.reading.statuses import word
from infra.domain.report_files.amounts import NOTHING, MarkEvidence
from infra.domain.report_files.dates import BadDate, OrderEvidence, read_moment
from infra.domain.report_files.layouts import RejectedLine
from infra.domain.report_files.source import Exact, FileRecord

MAX_INSPECTED: Final = 500_000
MAX_WORDS: Final = 50
SAMPLE_ROWS: Final = 20
_DATES: Final = (
    "occurred_at", "clicked_at", "updated_at", "validated_at", "amended_at", "reversed_at", "processed_at", "paid_at",
)  # fmt: skip
_AMOUNTS: Final = ("commission", "sale")


class FileEvidence:
    """Facts that the records of a file show. `reader` recognizes lines that are no rows."""

    def __init__(self, headers: Sequence[str], layout: ReportLayout, reader: RowReader, today: date) -> None:
        places = {header: at for at, header in reversed(list(enumerate(headers)))}
        columns = {name: places[header] for name, header in layout.columns.items() if header in places}
        self._dates = [columns[name] for name in _DATES if name in columns]
        self._amounts = [columns[name] for name in _AMOUNTS if name in columns]
        self._status, self._has_clock = columns.get("status"), "occurred_time" in columns
        self._reader = reader
        self.order, self.mark = OrderEvidence(today), MarkEvidence()
        self.words: dict[str, None] = {}
        """Words of the status column, as they are written."""
        self.sample: list[tuple[str, ...]] = []
        self.rows = self.last_line = 0
        self.is_whole, self.is_without_zone = True, False
        """`is_without_zone`: times of day stand without a zone."""
        self.skipped: list[int] = []
        """Lines that add up others, or repeat the header."""

    def collect(self, records: Iterable[FileRecord | RejectedLine]) -> None:
        """Raises `UnreadableReport` where the source does."""
        for record in records:
            self.last_line = record.line
            if isinstance(record, RejectedLine):
                continue
            if self._reader.skips(record):
                self.skipped.append(record.line)
                continue
            self._take(record.cells)
            if self.rows >= MAX_INSPECTED:
                self.is_whole = False
                break

    def _take(self, cells: Sequence[str]) -> None:
        self.rows += 1
        if len(self.sample) < SAMPLE_ROWS:
            self.sample.append(tuple(map(str, cells)))
            if self._dates and self._dates[0] < len(cells):
                self.is_without_zone |= _lacks_zone(cells[self._dates[0]], has_clock=self._has_clock)
        for at in self._dates:
            if at < len(cells):
                self.order.add(cells[at])
        for at in self._amounts:
            if at < len(cells):
                self.mark.add(cells[at])
        if self._status is not None and len(self.words) < MAX_WORDS:
            self.words[cells[self._status].strip() if self._status < len(cells) else ""] = None


def unknown_words(evidence: FileEvidence, known: Iterable[str]) -> tuple[str, ...]:
    """The file's words for statuses that are not `known`, in lower case."""
    names = {word(each) for each in known}
    found = (word(text) for text in evidence.words if text.lower() not in NOTHING)
    return tuple(dict.fromkeys(text for text in found if text not in names))


def _lacks_zone(text: str, *, has_clock: bool) -> bool:
    if isinstance(text, Exact):
        return False
    for order in ("dmy", "mdy", "ymd"):
        try:
            moment = read_moment(text, order)
        except BadDate:
            continue
        return moment is not None and moment.zone is None and (moment.clock is not None or has_clock)
    return False
