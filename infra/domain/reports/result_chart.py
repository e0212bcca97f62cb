"""The chart of a statement's result as a picture: whether there is one, and what it shows. Pure.

The same choice as on the SQL page (`web/src/features/sql/lib/values.ts`): the first column that is no number names the
points, every column of numbers is a series, and times make lines, all else bars.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final

from infra.domain.reports.charts import Frame, shown_labels

MAX_POINTS: Final = 500
MAX_SERIES: Final = 6
MAX_SIZE: Final = 1e100
"""The scale of larger numbers, and of smaller fractions, can't be computed: gaps, and zero."""
COLORS: Final = (
    ("blue", "#2f63e6"),
    ("green", "#05a069"),
    ("orange", "#df7d00"),
    ("purple", "#ab47c5"),
    ("cyan", "#0099c4"),
    ("red", "#dd3849"),
)
"""The colors of the series, in their order, as on the page; the names are for the text beside the picture."""

_NUMBER: Final = re.compile(r"(?:LowCardinality\(|Nullable\()*(?:U?Int\d+|Float\d+|Decimal)")
_TIME: Final = re.compile(r"(?:LowCardinality\(|Nullable\()*Date")
_MAX_LABEL: Final = 12
_BAR_SHARE: Final = 0.8


@dataclass(frozen=True, slots=True)
class ResultChart:
    """`series`: values of one column each, one for each of `labels`; none where a value has no place on a
    scale."""

    x: str
    labels: Sequence[str]
    names: Sequence[str]
    series: Sequence[Sequence[float | None]]
    is_line: bool

    def png(self, written: Callable[[float], str]) -> bytes:
        """The picture; `written`: a value on the axis."""
        frame = Frame([value for values in self.series for value in values if value is not None], written)
        count = len(self.labels)
        for index in shown_labels(count):
            frame.label(self._x(index), _short(self.labels[index]), index, count)
        for order, values in enumerate(self.series):
            color = COLORS[order][1]
            if self.is_line:
                for run in _runs(values):
                    frame.line([frame.point(self._x(index), value) for index, value in run], color)
            else:
                self._bars(frame, order, values, color)
        return frame.png()

    def described(self) -> str:
        """The chart in words."""
        kind = "Line" if self.is_line else "Bar"
        names = ", ".join(f"{name} ({COLORS[order][0]})" for order, name in enumerate(self.names))
        return f"{kind} chart of {names} by {self.x}."

    def _x(self, index: int) -> float:
        count = len(self.labels)
        return index / max(1, count - 1) if self.is_line else (index + 0.5) / count

    def _bars(self, frame: Frame, order: int, values: Sequence[float | None], color: str) -> None:
        width = _BAR_SHARE / len(self.labels) / len(self.series)
        for index, value in enumerate(values):
            if value is None:
                continue
            left = self._x(index) + (order - len(self.series) / 2) * width
            (x0, y0), (x1, y1) = frame.point(left, 0), frame.point(left + width, value)
            frame.draw.rectangle([x0, min(y0, y1), max(x0, x1 - 1), max(y0, y1)], fill=color)


def chart_of(names: Sequence[str], types: Sequence[str], rows: Sequence[Sequence[str]]) -> ResultChart | None:
    """The chart of the first rows, whose cells are texts; none without rows, or without a column of numbers besides the
    one that names the points."""
    label = next((index for index, type_ in enumerate(types) if not _NUMBER.match(type_)), 0)
    chosen = [index for index, type_ in enumerate(types) if _NUMBER.match(type_) and index != label][:MAX_SERIES]
    points = rows[:MAX_POINTS]
    if not chosen or not points:
        return None
    return ResultChart(
        x=names[label],
        labels=[row[label] for row in points],
        names=[names[index] for index in chosen],
        series=[[_finite(row[index]) for row in points] for index in chosen],
        is_line=bool(_TIME.match(types[label])),
    )


def _finite(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    if not isfinite(number) or abs(number) > MAX_SIZE:
        return None
    return number if abs(number) > 1 / MAX_SIZE else 0.0


def _runs(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    """The parts of a line between the gaps."""
    runs: list[list[tuple[int, float]]] = [[]]
    for index, value in enumerate(values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append((index, value))
    return [run for run in runs if run]


def _short(text: str) -> str:
    return text if len(text) <= _MAX_LABEL else f"{text[: _MAX_LABEL - 1]}…"
