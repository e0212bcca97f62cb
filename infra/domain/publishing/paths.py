"""Paths of pages: `""` is the home page; `reviews/tents` is two levels deep and served at `/reviews/tents/`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

MAX_PATH: Final = 120
MAX_DEPTH: Final = 3
MAX_SEGMENT: Final = 60
RESERVED: Final = frozenset(
    {"go", "track", "postback", "t", "sitemap", "feed", "robots", "images", "subscribe", "unsubscribe"}
    | {"t.js", "t.gif", "sitemap.xml", "feed.xml", "robots.txt", "404.html", ".well-known"}
    | {"404", "index", "api", "internal", "metrics", "livez", "readyz", "assets", "static", "favicon", "preview"}
)
"""First parts of a path that serving needs: the tracking API, the site's own files, and the files of static hosts."""
_SEGMENT: Final = re.compile(r"[a-z0-9]+(?:-+[a-z0-9]+)*")


def checked_path(path: str) -> str:
    """The path unchanged. Raises `ValueError` with what is allowed."""
    if path == "":
        return path
    segments = path.split("/")
    if segments[0] in RESERVED or "index" in segments:
        word = segments[0] if segments[0] in RESERVED else "index"
        raise ValueError(f'must not use "{word}", which is reserved for serving the site')
    if len(path) > MAX_PATH or any(len(segment) > MAX_SEGMENT for segment in segments):
        raise ValueError(f"must have at most {MAX_PATH} characters, and {MAX_SEGMENT} between two slashes")
    if len(segments) > MAX_DEPTH:
        raise ValueError(f"must have at most {MAX_DEPTH} parts")
    if not all(_SEGMENT.fullmatch(segment) for segment in segments):
        raise ValueError(
            'must be lowercase letters, digits and hyphens, with "/" between parts, such as "reviews/tents"'
        )
    return path


def collision(paths: Iterable[str]) -> tuple[int, int] | None:
    """The positions of the first two equal paths."""
    seen: dict[str, int] = {}
    for at, path in enumerate(paths):
        if path in seen:
            return seen[path], at
        seen[path] = at
    return None


def file_of(path: str) -> str:
    """The file that serves the path on a static host."""
    return f"{path}/index.html" if path else "index.html"


def ancestors(path: str) -> list[str]:
    """The paths above, the home page first; none above the home page."""
    segments = path.split("/") if path else []
    return ["/".join(segments[:depth]) for depth in range(len(segments))]


def relative(source: str, target: str) -> str:
    """The address of page `target` in page `source`, the same under any base."""
    up = "../" * (source.count("/") + 1 if source else 0)
    return f"{up}{target}/" if target else up or "./"
