"""Pictures of the demonstration's listings: a browser window with the website's name and a chart, drawn here."""

from __future__ import annotations

import random
from colorsys import hls_to_rgb
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont

_SIZE = (1_200, 750)
_MARGIN, _BAR = 60, 70


def picture(title: str, domain: str, *, chart: bool = False) -> bytes:
    """A PNG that is the same for the same texts: the website's home page, or its visitors by month."""
    rng = random.Random(f"{domain}/{chart}")  # noqa: S311 - a drawing, not a secret
    hue = rng.random()
    image = Image.new("RGB", _SIZE, _color(hue, 0.93))
    draw = ImageDraw.Draw(image)
    width, height = _SIZE
    draw.rounded_rectangle((_MARGIN, _MARGIN, width - _MARGIN, height), 18, fill="white")
    draw.rounded_rectangle((_MARGIN, _MARGIN, width - _MARGIN, _MARGIN + _BAR), 18, fill=_color(hue, 0.84))
    for dot in range(3):
        left = _MARGIN + 24 + 34 * dot
        draw.ellipse((left, _MARGIN + 25, left + 20, _MARGIN + 45), fill=_color(hue, 0.62))
    draw.text((_MARGIN + 150, _MARGIN + 20), domain, font=ImageFont.load_default(28), fill=_color(hue, 0.25))
    draw.text((_MARGIN + 50, _MARGIN + 120), title, font=ImageFont.load_default(46), fill=_color(hue, 0.2))
    if chart:
        _chart(draw, rng, hue)
    else:
        _page(draw, rng, hue)
    written = BytesIO()
    image.save(written, "PNG")
    return written.getvalue()


def _chart(draw: ImageDraw.ImageDraw, rng: random.Random, hue: float) -> None:
    value, bottom = 0.35, _SIZE[1] - 60
    for month in range(12):
        value = min(1.0, max(0.2, value + rng.uniform(-0.05, 0.12)))
        left = _MARGIN + 60 + 84 * month
        draw.rounded_rectangle((left, bottom - round(330 * value), left + 54, bottom), 8, fill=_color(hue, 0.5))
    draw.line((_MARGIN + 50, bottom, _SIZE[0] - _MARGIN - 50, bottom), fill=_color(hue, 0.7), width=3)


def _page(draw: ImageDraw.ImageDraw, rng: random.Random, hue: float) -> None:
    for line in range(3):
        top = _MARGIN + 210 + 34 * line
        draw.rounded_rectangle(
            (_MARGIN + 50, top, _MARGIN + 50 + rng.randrange(560, 900), top + 16), 8, _color(hue, 0.86)
        )
    for card in range(3):
        left, top = _MARGIN + 50 + 336 * card, _MARGIN + 350
        draw.rounded_rectangle((left, top, left + 306, _SIZE[1]), 14, fill=_color((hue + 0.08 * card) % 1, 0.9))
        draw.ellipse((left + 98, top + 50, left + 208, top + 160), fill=_color((hue + 0.08 * card) % 1, 0.6))
        draw.rounded_rectangle((left + 40, top + 200, left + 266, top + 222), 8, fill=_color(hue, 0.75))


def _color(hue: float, lightness: float) -> tuple[int, int, int]:
    red, green, blue = hls_to_rgb(hue, lightness, 0.45)
    return round(255 * red), round(255 * green), round(255 * blue)
