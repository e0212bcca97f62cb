"""Themes: readable in light and dark, small, and closed to everything but their tokens."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from infra.domain.publishing.contrast import contrast
from infra.domain.publishing.document import DocumentRejected
from infra.domain.publishing.theme import MAX_CSS, PAIRS, READY_THEMES, Palette, Theme, css_of
from tests.support.published_pages import site
from tests.support.stack import ROOT

PALETTE = READY_THEMES["slate"].light.model_dump()


def test_contrast_is_that_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)
    assert contrast("#ffffff", "#767676") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("preset", READY_THEMES)
def test_a_ready_theme_is_readable_in_light_and_dark(preset: Any) -> None:
    for palette in (READY_THEMES[preset].light, READY_THEMES[preset].dark):
        for text, ground in PAIRS:
            assert contrast(getattr(palette, text), getattr(palette, ground)) >= 4.5


@pytest.mark.parametrize("dark", ["off", "auto"])
@pytest.mark.parametrize("preset", READY_THEMES)
def test_a_style_sheet_is_small_and_loads_nothing(preset: Any, dark: Any) -> None:
    css = css_of(Theme(preset=preset, dark=dark, size="large", spacing="airy"))
    assert len(css.encode("ascii")) <= MAX_CSS
    assert not re.search(r"@import|url\(|expression|</|@font-face|\\(?!203A|2212)", css, re.I)
    assert css.count("{") == css.count("}") and ("prefers-color-scheme" in css) == (dark == "auto")
    assert set(re.findall(r"var\((--[\w-]+)\)", css)) <= set(re.findall(r"(--[\w-]+):", css))


def test_changes_of_a_ready_theme_are_in_its_style_sheet() -> None:
    css = css_of(Theme(preset="paper", light=Palette(**{**PALETTE, "accent": "#0A3B12"}), font="mono", corner="square"))
    assert "--accent:#0a3b12" in css and "--font:ui-monospace" in css and "--corner:0" in css


def test_colors_that_are_hard_to_read_are_rejected_with_their_contrast() -> None:
    with pytest.raises(DocumentRejected) as caught:
        site(theme={"light": {**PALETTE, "muted": "#999999"}})
    assert caught.value.message == (
        '"theme", "light" needs more contrast: muted (#999999) on ground (#ffffff) is 2.85:1; at least 4.5:1 is needed.'
    )


@pytest.mark.parametrize(
    "value",
    [
        "red",
        "#fff",
        "#12345g",
        "#123456;}",
        "#123456</style>",
        "#123456\n}body{",
        "url(x)",
        "var(--x)",
        "\\23 123456",
        "rgb(0,0,0)",
        "#1234567",
        "",
        "#１２３４５６",
    ],
)
def test_no_value_breaks_out_of_the_style_sheet(value: str) -> None:
    with pytest.raises(DocumentRejected):
        site(theme={"light": {**PALETTE, "text": value}})
    for name in ("font", "corner", "spacing", "size", "dark", "preset"):
        with pytest.raises(DocumentRejected):
            site(theme=json.loads(json.dumps({name: value})))


def test_the_editor_shows_the_same_ready_themes() -> None:
    """It previews colours before the server knows the choice, so it has a list of its own."""
    source = (ROOT / "web/src/features/publishing/lib/themes.ts").read_text()
    shown = re.findall(r"ready\(\s*'(\w+)',\s*'([^']+)',\s*'([^']+)',\s*'([^']+)',\s*\)", source)
    assert shown == [
        (
            preset,
            " ".join(ready.light.model_dump().values()),
            " ".join(ready.dark.model_dump().values()),
            f"{ready.font} {ready.heading_font} {ready.spacing} {ready.corner}",
        )
        for preset, ready in READY_THEMES.items()
    ]
