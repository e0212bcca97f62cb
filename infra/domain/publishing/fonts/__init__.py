"""The web font of published sites: Inter, by scripts, under the SIL Open Font License (`LICENSE.txt`).

Its files are served with a site's pages; a browser loads those alone whose characters a page has. Their names have the
hash of their content, so they never change.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

WOFF2: Final = "font/woff2"
_SCRIPTS: Final = {
    "latin": "U+0-FF,U+131,U+152-153,U+2BB-2BC,U+2C6,U+2DA,U+2DC,U+304,U+308,U+329,U+2000-206F,U+20AC,U+2122,U+2191,"
    "U+2193,U+2212,U+2215,U+FEFF,U+FFFD",
    "latin-ext": "U+100-130,U+132-151,U+154-2BA,U+2BD-2C5,U+2C7-2CC,U+2CE-2D7,U+2DD-2FF,U+1D00-1DBF,U+1E00-1E9F,"
    "U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,U+A720-A7FF",
    "cyrillic": "U+301,U+400-45F,U+490-491,U+4B0-4B1,U+2116",
    "greek": "U+370-377,U+37A-37F,U+384-38A,U+38C,U+38E-3A1,U+3A3-3FF",
}
"""The characters of each file."""


@dataclass(frozen=True, slots=True)
class FontFile:
    """A file of the font. `path`: relative to the home page; `characters`: a range of CSS."""

    path: str
    characters: str
    body: bytes


@cache
def font_files() -> tuple[FontFile, ...]:
    """The files, that of Latin first."""
    return tuple(_file(script, characters) for script, characters in _SCRIPTS.items())


def font_css(home: str) -> str:
    """The declarations of the font for a page that writes the address of the home page as `home`."""
    return "".join(
        "@font-face{font-family:Inter;font-weight:100 900;font-display:swap;"
        f"src:url({home}{file.path})format('woff2');unicode-range:{file.characters}}}"
        for file in font_files()
    )


def _file(script: str, characters: str) -> FontFile:
    body = (files(__name__) / f"inter-{script}-wght-normal.woff2").read_bytes()
    return FontFile(f"assets/inter-{script}.{sha256(body).hexdigest()[:16]}.woff2", characters, body)
