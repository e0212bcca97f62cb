"""Contrast of two colors, as WCAG 2.2 defines it (relative luminance, success criterion 1.4.3). Pure."""

from __future__ import annotations

from typing import Final

MIN_TEXT: Final = 4.5
"""Level AA, for text of any size."""


def contrast(one: str, other: str) -> float:
    """The ratio, 1 to 21, of two colors `#rrggbb`."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _luminance(color: str) -> float:
    red, green, blue = (_linear(int(color[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)
