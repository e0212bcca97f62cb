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
"""In the email; the picture has twice as many pixels, for dense screens."""

_SCALE: Final = 2
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
    before: Sequence[float] = ()

    def png(self, written: Callable[[float], str]) -> bytes:
        """The picture; `written`: a value on the axis."""
        picture = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), _BACKGROUND)
        draw = ImageDraw.Draw(picture)
        font = ImageFont.load_default(_FONT_SIZE * _SCALE)
        ticks = ticks_for(min([0.0, *self.values, *self.before]), max([0.0, *self.values, *self.before]))
        low, high = ticks[0], ticks[-1]

        def y_of(value: float) -> float:
            return (HEIGHT - _BOTTOM - (value - low) / (high - low) * (HEIGHT - _TOP - _BOTTOM)) * _SCALE

        def x_of(index: int) -> float:
            gaps = max(1, len(self.values) - 1)
            return (_LEFT + index / gaps * (WIDTH - _LEFT - _RIGHT)) * _SCALE

        for tick in ticks:
            y = y_of(tick)
            draw.line([(_LEFT * _SCALE, y), ((WIDTH - _RIGHT) * _SCALE, y)], fill=_GRID, width=_SCALE)
            draw.text(((_LEFT - 8) * _SCALE, y), written(tick), fill=_TEXT, font=font, anchor="rm")
        for index in shown_labels(len(self.labels)):
            anchor = "la" if index == 0 else "ra" if index == len(self.labels) - 1 else "ma"
            place = (x_of(index), (HEIGHT - _BOTTOM + 8) * _SCALE)
            draw.text(place, self.labels[index], fill=_TEXT, font=font, anchor=anchor)
        before = [(x_of(index), y_of(value)) for index, value in enumerate(self.before[: len(self.values)])]
        for begin, end in _dashes(before):
            draw.line([begin, end], fill=_BEFORE, width=2 * _SCALE)
        points = [(x_of(index), y_of(value)) for index, value in enumerate(self.values)]
        draw.line(points, fill=_LINE, width=2 * _SCALE + 1, joint="curve")
        if len(points) == 1:
            (x, y), radius = points[0], 3 * _SCALE
            draw.ellipse([x - radius, y - radius, x + radius, y + radius], fill=_LINE)
        file = io.BytesIO()
        picture.quantize(64).save(file, "PNG", optimize=True)
        return file.getvalue()


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
    """Which of `count` labels are written: the first, the last, and some between at one distance."""
    if count <= _MAX_LABELS:
        return list(range(count))
    every = ceil((count - 1) / (_MAX_LABELS - 1))
    return [*range(0, count - every, every), count - 1]


_Point = tuple[float, float]


def _dashes(points: Sequence[_Point]) -> list[tuple[_Point, _Point]]:
    """The strokes of a dashed line through `points`."""
    length, found, run, is_drawn = _DASH * _SCALE, [], 0.0, True
    for (x0, y0), (x1, y1) in pairwise(points):
        whole = ((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5
        at = 0.0
        while at < whole:
            step = min(length - run, whole - at)
            if is_drawn:
                found.append(
                    (
                        (x0 + (x1 - x0) * at / whole, y0 + (y1 - y0) * at / whole),
                        (x0 + (x1 - x0) * (at + step) / whole, y0 + (y1 - y0) * (at + step) / whole),
                    )
                )
            at, run = at + step, run + step
            if run >= length - 1e-9:
                run, is_drawn = 0.0, not is_drawn
    return found
