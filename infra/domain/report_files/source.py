"""Records of a file as texts, whichever its format is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Protocol

from infra.domain.report_files.layouts import MAX_QUOTED, RejectedLine

MAX_COLUMNS: Final = 500


class Exact(str):
    """A number as JSON or a workbook holds it: its decimal mark is a point, whatever texts of the file use."""

    __slots__ = ()


class FileRecord(NamedTuple):
    """One record of the file, as texts. `line`: as in `NetworkRow`."""

    line: int
    cells: Sequence[str]


class RecordSource(Protocol):
    """A file that can be read from its beginning any number of times."""

    def records(self) -> Iterator[FileRecord | RejectedLine]:
        """Every record but blank ones, and what is none. Raises `UnreadableReport`."""
        ...


def quoted(cells: Sequence[str] | str) -> str:
    """The beginning of a line, for people."""
    text = cells if isinstance(cells, str) else " ".join(cell for cell in cells if cell)
    return "".join(char if char.isprintable() else " " for char in text[:MAX_QUOTED])
