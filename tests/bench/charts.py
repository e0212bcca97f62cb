"""Line charts as SVG text, readable on light and dark pages: small panels side by side, each with its own scale."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT, COLUMNS = 360, 230, 3
_LEFT, _RIGHT, _TOP, _BOTTOM = 54, 26, 34, 58
_COLORS: Final = 4


@dataclass(frozen=True)
class Panel:
    """One chart: `series` by name, at most four. `ticks`: places on the x axis, with their labels. `limit`: an aim,
    drawn as a dashed line. `is_log`: both axes are logarithmic, so that a straight line is a power of x."""

    title: str
    series: Mapping[str, Points]
    ticks: Mapping[float, str]
    limit: float | None = None
    is_log: bool = False


def svg(panels: Sequence[Panel]) -> str:
    """One picture of all panels, three in a row. Raises `ValueError` for a panel without points."""
    rows = math.ceil(len(panels) / COLUMNS)
    columns = min(COLUMNS, len(panels))
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {columns * WIDTH} {rows * HEIGHT}" role="img">{_STYLE}'
    ]
    for number, panel in enumerate(panels):
        x, y = number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT
        parts.append(f'<g transform="translate({x} {y})">\n{_panel(panel)}\n</g>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _panel(panel: Panel) -> str:
    points = [point for line in panel.series.values() for point in line]
    if not points:
        raise ValueError(f"{panel.title}: there is nothing to draw")
    xs = [*(x for x, _ in points), *panel.ticks]
    ys = [y for _, y in points] + ([panel.limit] if panel.limit is not None else [])
    across = _Axis(min(xs), max(xs), _LEFT, WIDTH - _RIGHT, panel.is_log)
    low, high, steps = _rounded(min(ys), max(ys), panel.is_log)
    up = _Axis(low, high, HEIGHT - _BOTTOM, _TOP, panel.is_log)
    parts = [_text(_LEFT, 18, panel.title, "title")]
    for step in steps:
        parts.append(f'<path class="grid" d="M{_LEFT} {up.at(step):.1f}H{WIDTH - _RIGHT}"/>')
        parts.append(_text(_LEFT - 6, up.at(step) + 4, _short(step), "left"))
    anchors = {min(panel.ticks): "plain", max(panel.ticks): "left"}  # the outer labels stay inside the panel
    parts += [
        _text(across.at(x), HEIGHT - _BOTTOM + 16, label, anchors.get(x, "middle")) for x, label in panel.ticks.items()
    ]
    if panel.limit is not None:
        parts.append(f'<path class="limit" d="M{_LEFT} {up.at(panel.limit):.1f}H{WIDTH - _RIGHT}"/>')
    for number, (name, line) in enumerate(panel.series.items()):
        places = [(across.at(x), up.at(y)) for x, y in line]
        path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts.append(f'<g class="s{number % _COLORS}"><path class="line" d="M{path}"/>')
        if len(places) <= 12:
            parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in places]
        column, row = number % 2, number // 2
        x, y = _LEFT + column * 145, HEIGHT - 22 + row * 15
        parts.append(f'<circle cx="{x}" cy="{y - 4}" r="4"/></g>{_text(x + 9, y, name, "small")}')
    return "\n".join(parts)


@dataclass(frozen=True)
class _Axis:
    """Maps values to places; `start` is where `low` is."""

    low: float
    high: float
    start: float
    end: float
    is_log: bool

    def at(self, value: float) -> float:
        low, high = self.low, self.high
        if self.is_log:
            low, high, value = math.log(low), math.log(high), math.log(value)
        return self.start + (value - low) / ((high - low) or 1) * (self.end - self.start)


def _rounded(low: float, high: float, is_log: bool) -> tuple[float, float, list[float]]:
    """Ends of an axis around both values, and its steps."""
    if is_log:
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
        if first == last:
            last += 1
        return 10.0**first, 10.0**last, [10.0**power for power in range(first, last + 1)]
    step = 10 ** math.floor(math.log10(high or 1))
    step = next(each for each in (step / 5, step / 2, step, 2 * step) if high / each <= 5)
    count = max(1, math.ceil(high / step - 1e-9))
    return min(0.0, low), count * step, [number * step for number in range(count + 1)]


def _short(value: float) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def _text(x: float, y: float, text: str, style: str) -> str:
    return f'<text class="{style}" x="{x:g}" y="{y:g}">{escape(text)}</text>'


_STYLE: Final = """<style>
svg{--page:#fff;--ink:#1f2937;--line:#cbd5e1;background:var(--page);font:12px system-ui,sans-serif}
.s0{--c:#2563eb}.s1{--c:#b45309}.s2{--c:#0f766e}.s3{--c:#7c3aed}
@media(prefers-color-scheme:dark){svg{--page:#0f172a;--ink:#e2e8f0;--line:#475569}
.s0{--c:#60a5fa}.s1{--c:#fbbf24}.s2{--c:#2dd4bf}.s3{--c:#a78bfa}}
text{fill:var(--ink)}.title{font-weight:600;font-size:13px}.left{text-anchor:end}.middle{text-anchor:middle}
.small{font-size:11px}.grid{stroke:var(--line);stroke-width:.7}.limit{stroke:#dc2626;stroke-dasharray:5 4}
.line{fill:none;stroke:var(--c);stroke-width:2}circle{fill:var(--c)}</style>"""
