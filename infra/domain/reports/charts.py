"""Line charts as pictures for emails, whose readers run no script and often show no SVG."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import ceil, floor, log10
from typing import Final

from PIL import Image, ImageDraw, ImageFont

WIDTH: Final = 600
HEIGHT: Final = 220
"""The height in the email; the picture has twice as many pixels, for dense screens."""

SCALE: Final = 2
Point = tuple[float, float]
_LEFT, _RIGHT, _TOP, _BOTTOM = 58, 12, 12, 26
_BACKGROUND: Final = "#ffffff"
_TEXT: Final = "#5b6472"
_GRID: Final = "#e5e8ee"
_LINE: Final = "#2563eb"
_BEFORE: Final = "#9aa3b2"
_MAX_LABELS: Final = 7
_TICKS: Final = 4
_FONT_SIZE: Final = 11
_DASH: Final = 5.0


@dataclass(frozen=True, slots=True)
class Chart:
    """A line of `values`, one for each of `labels`, and a dashed one of the period before, aligned at its begin."""

    labels: Sequence[str]
    values: Sequence[float]
    compared: Sequence[float] = ()

    def png(self, written: Callable[[float], str]) -> bytes:
        """The picture; `written`: a value on the axis."""
        frame = Frame([*self.values, *self.compared], written)
        for index in shown_labels(len(self.labels)):
            frame.label(self._x(index), self.labels[index], index, len(self.labels))
        compared = [frame.point(self._x(index), value) for index, value in enumerate(self.compared[: len(self.values)])]
        for begin, end in _dashes(compared):
            frame.draw.line([begin, end], fill=_BEFORE, width=2 * SCALE)
        frame.line([frame.point(self._x(index), value) for index, value in enumerate(self.values)], _LINE)
        return frame.png()

    def _x(self, index: int) -> float:
        return index / max(1, len(self.values) - 1)


class Frame:
    """An empty chart with a grid and a scale for `values`. Places across are from 0 to 1."""

    def __init__(self, values: Sequence[float], written: Callable[[float], str]) -> None:
        self._picture = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), _BACKGROUND)
        self._font = ImageFont.load_default(_FONT_SIZE * SCALE)
        self.draw = ImageDraw.Draw(self._picture)
        ticks = ticks_for(min([0.0, *values]), max([0.0, *values]))
        self._low, self._high = ticks[0], ticks[-1]
        for tick in ticks:
            left, y = self.point(0, tick)
            self.draw.line([(left, y), self.point(1, tick)], fill=_GRID, width=SCALE)
            self._text((left - 8 * SCALE, y), written(tick), "rm")

    def point(self, across: float, value: float) -> Point:
        """Returns the position of a value in the picture."""
        share = (value - self._low) / (self._high - self._low)
        return (
            (_LEFT + across * (WIDTH - _LEFT - _RIGHT)) * SCALE,
            (HEIGHT - _BOTTOM - share * (HEIGHT - _TOP - _BOTTOM)) * SCALE,
        )

    def label(self, across: float, text: str, index: int, count: int) -> None:
        """Writes a label below the chart; the first and the last of `count` stay inside."""
        anchor = "la" if index == 0 else "ra" if index == count - 1 else "ma"
        self._text((self.point(across, self._low)[0], (HEIGHT - _BOTTOM + 8) * SCALE), text, anchor)

    def line(self, points: Sequence[Point], color: str) -> None:
        self.draw.line(points, fill=color, width=2 * SCALE + 1, joint="curve")
        if len(points) == 1:
            (x, y), radius = points[0], 3 * SCALE
            self.draw.ellipse([x - radius, y - radius, x + radius, y + radius], fill=color)

    def png(self) -> bytes:
        file = io.BytesIO()
        self._picture.quantize(64).save(file, "PNG", optimize=True)
        return file.getvalue()

    def _text(self, place: Point, text: str, anchor: str) -> None:
        self.draw.text(place, text, fill=_TEXT, font=self._font, anchor=anchor)


def ticks_for(low: float, high: float) -> list[float]:
    """Round numbers from at most `low` to at least `high`, at least two."""
    rough = max(high - low, 1e-9) / _TICKS
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    if high - low == 0:
        return [0.0, 1.0]
    first, last = floor(low / step), ceil(high / step - 1e-9)
    return [number * step for number in range(first, last + 1)]


def shown_labels(count: int) -> list[int]:
    """Returns the indexes of those of `count` labels that are written: the first, the last, and some between at one
    distance."""
    if count <= _MAX_LABELS:
        return list(range(count))
    every = ceil((count - 1) / (_MAX_LABELS - 1))
    return [*range(0, count - every, every), count - 1]


def _dashes(points: Sequence[Point]) -> list[tuple[Point, Point]]:
    """The strokes of a dashed line through `points`."""
    length, strokes, run, is_drawn = _DASH * SCALE, [], 0.0, True
    for (x0, y0), (x1, y1) in pairwise(points):
        whole = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        at = 0.0
        while at < whole:
            step = min(length - run, whole - at)
            if is_drawn:
                strokes.append(
                    (
                        (x0 + (x1 - x0) * at / whole, y0 + (y1 - y0) * at / whole),
                        (x0 + (x1 - x0) * (at + step) / whole, y0 + (y1 - y0) * (at + step) / whole),
                    )
                )
            at, run = at + step, run + step
            if run >= length - 1e-9:
                run, is_drawn = 0.0, not is_drawn
    return strokes
