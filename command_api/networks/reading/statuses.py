"""Reads the words with which networks name the status of a sale."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from command_api.networks.reading.rows import ReportStatus
from infra.domain.report_reading import read_status
from schemas.network_reports import NetworkReports

YES: Final = frozenset({"1", "true", "yes", "y", "ja", "j", "paid", "x", "ausgezahlt", "bezahlt", "settled"})
"""Words of a flag that is set, in lower case."""
_SPACES: Final = re.compile(r"[\s_-]+")


def word(text: str) -> str:
    """A word as it is compared: lower case, blanks for `_` and `-`."""
    return _SPACES.sub(" ", text).strip().casefold()


class StatusWords:
    """The words of one file: what a person said first, then the network's own, then the common ones."""

    def __init__(self, reports: NetworkReports, said: Mapping[str, ReportStatus]) -> None:
        self._words = {word(text): ReportStatus(status) for text, status in {**reports.statuses, **said}.items()}
        self._without = ReportStatus(said[""]) if "" in said else ReportStatus(reports.status or ReportStatus.PENDING)
        self._known: dict[str, ReportStatus | None] = {"": self._without}

    def read(self, text: str) -> ReportStatus | None:
        """None: the word is not known. An empty one: the status of rows without one."""
        if text not in self._known:
            if len(self._known) > 1_000:
                self._known = {"": self._without}
            self._known[text] = self._words.get(word(text)) or _common(text)
        return self._known[text]


def _common(text: str) -> ReportStatus | None:
    if text.strip().isdigit():
        return None
    status = read_status(text, {})
    return ReportStatus(status) if status and status != "hold" else ReportStatus.PENDING if status else None
