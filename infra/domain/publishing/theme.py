"""Themes: design tokens, nine ready ones, and the style sheet made from them.

A theme is a ready one by name, with changes. Colors are `#rrggbb`, everything else is a choice from a list, so no value
can contain anything but itself in the style sheet. It loads nothing: a font that the visitor's system has not is
declared by `infra.domain.publishing.fonts`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator

from infra.domain.publishing.contrast import MIN_TEXT, contrast

Preset = Literal["studio", "journal", "signal", "paper", "slate", "forest", "ocean", "ember", "midnight"]
Font = Literal["inter", "sans", "humanist", "serif", "slab", "mono"]
Size = Literal["small", "normal", "large"]
Spacing = Literal["compact", "normal", "airy"]
Corner = Literal["square", "soft", "round"]
Dark = Literal["off", "auto"]

MAX_CSS: Final = 8_192
PAIRS: Final = (
    *(("text", "ground"), ("text", "surface"), ("muted", "ground"), ("muted", "surface")),
    *(("accent", "ground"), ("accent", "surface"), ("on_accent", "accent")),
)
"""Text and ground: their contrast is at least 4.5:1 in every theme."""
_HEX: Final = re.compile(r"#[0-9a-f]{6}")
_FONTS: Final[Mapping[Font, str]] = {
    "inter": "Inter,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif",
    "sans": "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif",
    "humanist": "Seravek,'Gill Sans Nova',Ubuntu,Calibri,'DejaVu Sans',source-sans-pro,sans-serif",
    "serif": "'Iowan Old Style','Palatino Linotype','URW Palladio L',P052,Georgia,serif",
    "slab": "Rockwell,'Rockwell Nova','Roboto Slab','DejaVu Serif','Sitka Small',serif",
    "mono": "ui-monospace,'Cascadia Code','Source Code Pro',Menlo,Consolas,'DejaVu Sans Mono',monospace",
}
_SIZES: Final[Mapping[Size, str]] = {"small": "1rem", "normal": "1.0625rem", "large": "1.1875rem"}
_SPACES: Final[Mapping[Spacing, str]] = {"compact": ".75rem", "normal": "1rem", "airy": "1.375rem"}
_CORNERS: Final[Mapping[Corner, str]] = {"square": "0", "soft": ".375rem", "round": ".875rem"}


def _color(value: str) -> str:
    value = value.strip().lower()
    if not _HEX.fullmatch(value):
        raise ValueError("must be a color of six hexadecimal digits, such as #1f2937")
    return value


Color = Annotated[str, AfterValidator(_color)]


class _Tokens(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class Palette(_Tokens):
    """The colors of a theme. `surface`: of cards and table heads; `on_accent`: of texts on buttons; `line`: of lines
    that only decorate."""

    ground: Color
    surface: Color
    text: Color
    muted: Color
    accent: Color
    on_accent: Color
    line: Color

    @model_validator(mode="after")
    def _is_readable(self) -> Self:
        for text, ground, ratio in low_contrasts(self):
            raise ValueError(
                f"needs more contrast: {text} ({getattr(self, text)}) on {ground} ({getattr(self, ground)}) is"
                f" {ratio:.2f}:1; at least {MIN_TEXT}:1 is needed"
            )
        return self


class Theme(_Tokens):
    """A ready theme with changes; what is `None` is as the ready one has it. `dark` "auto" follows the visitor's
    system."""

    preset: Preset = "paper"
    light: Palette | None = None
    dark_colors: Palette | None = None
    dark: Dark = "auto"
    font: Font | None = None
    heading_font: Font | None = None
    size: Size = "normal"
    spacing: Spacing | None = None
    corner: Corner | None = None


class ReadyTheme(_Tokens):
    """All tokens of a ready theme."""

    label: str
    light: Palette
    dark: Palette
    font: Font
    heading_font: Font
    spacing: Spacing
    corner: Corner


def fonts_of(theme: Theme) -> frozenset[Font]:
    """The fonts of texts and headings."""
    ready = READY_THEMES[theme.preset]
    return frozenset((theme.font or ready.font, theme.heading_font or ready.heading_font))


def low_contrasts(palette: Palette) -> Iterator[tuple[str, str, float]]:
    """Pairs of text and ground below the minimum, with their ratio."""
    for text, ground in PAIRS:
        ratio = contrast(getattr(palette, text), getattr(palette, ground))
        if ratio < MIN_TEXT:
            yield text, ground, ratio


@lru_cache(maxsize=256)
def css_of(theme: Theme) -> str:
    """The style sheet of every page of a site with this theme, at most `MAX_CSS` bytes of ASCII."""
    ready = READY_THEMES[theme.preset]
    light = theme.light or ready.light
    tokens = {
        **_colors(light),
        "font": _FONTS[theme.font or ready.font],
        "heading": _FONTS[theme.heading_font or ready.heading_font],
        "size": _SIZES[theme.size],
        "space": _SPACES[theme.spacing or ready.spacing],
        "corner": _CORNERS[theme.corner or ready.corner],
    }
    scheme = "light dark" if theme.dark == "auto" else "light"
    css = f":root{{color-scheme:{scheme};{_declared(tokens)}}}"
    if theme.dark == "auto":
        dark = _declared(_colors(theme.dark_colors or ready.dark))
        css += f"@media(prefers-color-scheme:dark){{:root{{{dark}}}}}"
    return css + _sheet("site.css")


def art_css() -> str:
    """The further rules of a page with a drawing."""
    return _sheet("art.css")


def _colors(palette: Palette) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in palette.model_dump().items()}


def _declared(tokens: Mapping[str, str]) -> str:
    return ";".join(f"--{name}:{value}" for name, value in tokens.items())


@cache
def _sheet(name: str) -> str:
    """Rules that all themes share, without comments and needless blanks."""
    source = (files("infra.domain.publishing") / name).read_text("ascii")
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.S)
    source = re.sub(r"\s+", " ", source)
    return re.sub(r" ?([{};,>]) ?|(:) ", r"\1\2", source).replace(";}", "}").strip()


def _palette(ground: str, surface: str, text: str, muted: str, accent: str, on_accent: str, line: str) -> Palette:
    return Palette(
        ground=ground, surface=surface, text=text, muted=muted, accent=accent, on_accent=on_accent, line=line
    )  # fmt: skip


READY_THEMES: Final[Mapping[Preset, ReadyTheme]] = {
    "studio": ReadyTheme(
        label="Studio",
        light=_palette("#ffffff", "#f5f6fa", "#10131c", "#525a6b", "#3346d3", "#ffffff", "#e2e5ee"),
        dark=_palette("#0d1017", "#161b26", "#eef0f6", "#a4adbf", "#9aa9ff", "#0d1017", "#2a3142"),
        font="inter", heading_font="inter", spacing="airy", corner="round",
    ),
    "journal": ReadyTheme(
        label="Journal",
        light=_palette("#fcfaf6", "#f3efe7", "#1d1a16", "#5d564b", "#8a2b36", "#ffffff", "#e0d9cb"),
        dark=_palette("#171411", "#221e1a", "#f2ece3", "#b8ad9f", "#f2a5a0", "#171411", "#3b352d"),
        font="inter", heading_font="serif", spacing="airy", corner="soft",
    ),
    "signal": ReadyTheme(
        label="Signal",
        light=_palette("#f6faf8", "#ffffff", "#0c1d18", "#4a5d56", "#0b6b54", "#ffffff", "#d3e2dc"),
        dark=_palette("#08120f", "#10201b", "#e5f2ed", "#9cb4ab", "#5fdcb8", "#08120f", "#213a32"),
        font="inter", heading_font="inter", spacing="normal", corner="round",
    ),
    "paper": ReadyTheme(
        label="Paper",
        light=_palette("#fffdf8", "#f6f1e7", "#22201c", "#5f594e", "#8a3b12", "#ffffff", "#ddd4c3"),
        dark=_palette("#1b1916", "#26231f", "#f0ebe2", "#b5ac9d", "#f0a877", "#1b1916", "#423d35"),
        font="serif", heading_font="serif", spacing="normal", corner="soft",
    ),
    "slate": ReadyTheme(
        label="Slate",
        light=_palette("#ffffff", "#f3f5f8", "#18212f", "#4d5a6c", "#1d4ed8", "#ffffff", "#d5dce6"),
        dark=_palette("#10161f", "#1a2230", "#e8edf4", "#a3b0c2", "#8fb4ff", "#10161f", "#334056"),
        font="sans", heading_font="sans", spacing="normal", corner="soft",
    ),
    "forest": ReadyTheme(
        label="Forest",
        light=_palette("#fbfdf9", "#eef4ea", "#1b261d", "#4c5d4f", "#1f6b3a", "#ffffff", "#cfddcb"),
        dark=_palette("#121a14", "#1b261d", "#e6efe6", "#a4b8a6", "#7fd39a", "#121a14", "#34473a"),
        font="humanist", heading_font="humanist", spacing="airy", corner="round",
    ),
    "ocean": ReadyTheme(
        label="Ocean",
        light=_palette("#f9fdfe", "#e8f4f7", "#0f2530", "#46606c", "#0b6478", "#ffffff", "#c4dde4"),
        dark=_palette("#0c1a21", "#13262f", "#e2f1f5", "#9dbac4", "#6fd0e4", "#0c1a21", "#2b4752"),
        font="sans", heading_font="humanist", spacing="airy", corner="round",
    ),
    "ember": ReadyTheme(
        label="Ember",
        light=_palette("#ffffff", "#faf1f0", "#26191a", "#675052", "#b3202f", "#ffffff", "#ecd3d3"),
        dark=_palette("#1a1213", "#271b1c", "#f5e8e8", "#c3a8a9", "#ff9a9f", "#1a1213", "#4b3537"),
        font="sans", heading_font="slab", spacing="compact", corner="square",
    ),
    "midnight": ReadyTheme(
        label="Midnight",
        light=_palette("#f8f7fc", "#edebf7", "#1d1a2e", "#575271", "#5b2fc4", "#ffffff", "#d5d0ea"),
        dark=_palette("#13111f", "#1d1a2e", "#ebe8f8", "#aba4cc", "#b9a2ff", "#13111f", "#3a3558"),
        font="sans", heading_font="mono", spacing="normal", corner="soft",
    ),
}  # fmt: skip
"""Checked for contrast as every palette is."""
