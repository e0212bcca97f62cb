"""Progress of long work: a bar with rate and time left on a terminal, one line every 5 seconds otherwise."""

from __future__ import annotations

import sys
import time
from typing import Final, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINE_EVERY_S: Final = 5.0


class Meter:
    """Counts done things towards `total` (none: unknown) and shows it on standard error. Use as a context manager."""

    def __init__(self, label: str, total: int | None, *, quiet: bool = False) -> None:
        self._label, self._total, self._done = label, total, 0
        self._started = self._last_line = time.monotonic()
        self._quiet = quiet
        self._bar: Progress | None = None
        if sys.stderr.isatty() and not quiet:
            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("{task.fields[rate]}/s"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
            )
            self._task = self._bar.add_task(label, total=total, rate="0")

    def __enter__(self) -> Self:
        if self._bar:
            self._bar.start()
        return self

    def advance(self, count: int = 1) -> None:
        """`count` more are done."""
        self._done += count
        if self._bar:
            self._bar.update(self._task, completed=self._done, rate=f"{self.rate:,.0f}")
        elif time.monotonic() - self._last_line >= LINE_EVERY_S:
            self._print_line()

    @property
    def rate(self) -> float:
        """The number of things a second since the start."""
        return self._done / max(time.monotonic() - self._started, 1e-9)

    def __exit__(self, *_: object) -> None:
        if self._bar:
            self._bar.stop()
        elif not self._quiet:
            self._print_line()

    def _print_line(self) -> None:
        self._last_line = time.monotonic()
        if self._quiet:
            return
        of = f" of {self._total:,}, {self._time_left()} left" if self._total else ""
        sys.stderr.write(f"{self._label}: {self._done:,}{of} ({self.rate:,.0f}/s)\n")
        sys.stderr.flush()

    def _time_left(self) -> str:
        if not self._total or not self._done:
            return "unknown time"
        seconds = max(self._total - self._done, 0) / max(self.rate, 1e-9)
        return f"{seconds:.0f} s" if seconds < 120 else f"{seconds / 60:.0f} min"
