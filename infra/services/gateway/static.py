"""Serves the built web app from memory: every file is read once, compressed and tagged at the start.

Files under `assets/` carry a hash in their names and may be cached indefinitely; the build adds their brotli form
(`web/scripts/compress.mjs`). Every other address is a page of the app, which routes in the browser: `/analytics`
returns `analytics.html`, `/` returns `home.html`, which name what the page needs and for public pages contain their
text (`web/scripts/documents.mjs`). `pages.json` lists all pages, `$id` for a variable part: any other address is
404, with the app's own text for it. Pages are revalidated each time.
"""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from types import MappingProxyType
from urllib.parse import quote, urlsplit

import orjson

from infra.kernel.config.modules import is_off
from infra.kernel.http.request_limits import RawHeaders
from infra.services.gateway.headers import PAGE_HEADERS

Answer = tuple[int, list[tuple[bytes, bytes]], bytes]
_COMPRESSIBLE = ("text/", "application/javascript", "application/json", "image/svg+xml", "application/manifest+json")
_WORTH_COMPRESSING = 1024
_PLACEHOLDER = "https://origin.invalid"
"""The address that the build writes where the app's own one belongs."""
_FIGURE = re.compile(r'(<div data-figure="(\w+)"[^>]*>)(.*?)(</div>)', re.DOTALL)
_FIGURE_VALUE = re.compile(r"(<dd[^>]*>).*?(</dd>)", re.DOTALL)
"""A marketing figure of a built page, and its value."""
_URL = re.compile(rb"\s*<url>\s*<loc>([^<]*)</loc>.*?</url>", re.DOTALL)
"""An entry of the built sitemap."""
_KINDS = {".webp": "image/webp", ".woff2": "font/woff2"}
"""Those that Python does not know where the system has no list of its own."""
_NO_ADDRESS = (".gz", ".br", ".map")
_ADDRESSED = (".html", ".xml", ".txt")
_NOT_BUILT = b"""<!doctype html><html lang="en"><meta charset="utf-8"><title>Not built</title>
<p>The web app has not been built.
Run <code>make run</code>, or <code>npm run build</code> in <code>web</code>.</p></html>
"""


@dataclass(frozen=True)
class File:
    """One response body in up to three codings, with the values of its headers."""

    content: bytes
    gzip: bytes | None
    brotli: bytes | None
    tag: bytes
    content_type: bytes
    cache: bytes


class StaticSite:
    """The files of one folder. `extra` and `page` headers go on every answer; `origin` is the app's own address;
    `figures` are the operator's marketing figures, which replace those of the build, an empty one by nothing; `without`
    are the modules that are switched off: they have no page, and documents name them to the app."""

    def __init__(
        self,
        folder: Path,
        extra: RawHeaders = (),
        page: RawHeaders = PAGE_HEADERS,
        origin: str = _PLACEHOLDER,
        figures: Mapping[str, str] = MappingProxyType({}),
        without: tuple[str, ...] = (),
    ) -> None:
        self._extra = (*page, *extra)
        self._files = {
            "/" + path.relative_to(folder).as_posix(): _read(folder, path, origin.rstrip("/"), figures, without)
            for path in sorted(folder.rglob("*"))
            if path.is_file() and path.suffix not in _NO_ADDRESS
        }
        listed = self._files.get("/pages.json")
        pages = [] if listed is None else [page for page in orjson.loads(listed.content) if not is_off(page, without)]
        self._pages = None if listed is None else _Pages(pages)

    @property
    def is_built(self) -> bool:
        return "/index.html" in self._files

    def answer(self, path: str, accept_encoding: bytes, if_none_match: bytes) -> Answer:
        """Status, headers and body of `GET path`."""
        file, status = self._files.get(path), 200
        if file is None:
            if path.startswith("/assets/"):
                return 404, self._headers(b"text/plain; charset=utf-8", b"no-store"), b"not found\n"
            file, status = self.page(path)
        if file is None:
            return 503, self._headers(b"text/html; charset=utf-8", b"no-store"), _NOT_BUILT
        return self.answer_with(file, status, accept_encoding, if_none_match)

    def answer_with(self, file: File, status: int, accept_encoding: bytes, if_none_match: bytes) -> Answer:
        """The same for a document that was made of one of the built ones."""
        headers = self._headers(file.content_type, file.cache)
        headers.append((b"etag", file.tag))
        if file.gzip is not None:
            headers.append((b"vary", b"accept-encoding"))
        if status == 200 and file.tag in [tag.strip().removeprefix(b"W/") for tag in if_none_match.split(b",")]:
            return 304, headers, b""
        for coding, content in ((b"br", file.brotli), (b"gzip", file.gzip)):
            if content is not None and _takes(coding, accept_encoding):
                headers.append((b"content-encoding", coding))
                return status, headers, content
        return status, headers, file.content

    def page(self, path: str) -> tuple[File | None, int]:
        """The document of a page, and whether there is such a page: without a list, every address is one."""
        route = path.rstrip("/") or "/"
        index = self._files.get("/index.html")
        address = route if self._pages is None else self._pages.of(route)
        if address is None:
            return self.no_page() or (None, 404)
        name = "/home.html" if address == "/" else f"{address}.html"
        return self._files.get(name, index), 200

    def no_page(self) -> tuple[File, int] | None:
        """Returns the document that is answered where there is no page; None before the app is built."""
        file = self._files.get("/404.html", self._files.get("/index.html"))
        return None if file is None else (file, 404)

    def _headers(self, content_type: bytes, cache: bytes) -> list[tuple[bytes, bytes]]:
        return [(b"content-type", content_type), (b"cache-control", cache), *self._extra]


def page_file(content: bytes) -> File:
    """A document that is generated per request."""
    return _file(content, None, "text/html", b"no-cache", 4)


class _Pages:
    """Every address of the app, with the name of its document: `/forum/thread/7` is `/forum/thread/_`."""

    def __init__(self, routes: Iterable[str]) -> None:
        split = [route.split("/") for route in routes]
        self._exact = frozenset("/".join(parts) for parts in split if not any(p.startswith("$") for p in parts))
        self._patterns = [parts for parts in split if any(p.startswith("$") for p in parts)]

    def of(self, path: str) -> str | None:
        if path in self._exact:
            return path
        segments = path.split("/")
        for parts in self._patterns:
            if len(parts) != len(segments):
                continue
            if all(part == own or (part.startswith("$") and own) for part, own in zip(parts, segments, strict=True)):
                return "/".join("_" if p.startswith("$") else p for p in parts)
        return None


def _read(folder: Path, path: Path, origin: str, figures: Mapping[str, str], without: tuple[str, ...]) -> File:
    content = path.read_bytes()
    if path.suffix in _ADDRESSED:
        for placeholder, own in ((_PLACEHOLDER, origin), (quote(_PLACEHOLDER, ""), quote(origin, ""))):
            content = content.replace(placeholder.encode(), own.encode())
    if path.suffix == ".html":
        content = _FIGURE.sub(lambda found: _with_figure(found, figures), content.decode()).encode()
        if without:
            content = content.replace(b"<html", f'<html data-without="{" ".join(without)}"'.encode(), 1)
    if path.name == "sitemap.xml" and without:
        content = _URL.sub(lambda url: b"" if is_off(urlsplit(url[1].decode()).path, without) else url[0], content)
    kind = _KINDS.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    if kind == "text/javascript" or path.suffix in (".js", ".mjs"):
        kind = "application/javascript"
    hashed = path.relative_to(folder).parts[0] == "assets"
    beside = path.with_name(f"{path.name}.br")
    brotli = beside.read_bytes() if hashed and beside.is_file() else None
    return _file(content, brotli, kind, b"public, max-age=31536000, immutable" if hashed else b"no-cache", 9)


def _with_figure(found: re.Match[str], figures: Mapping[str, str]) -> str:
    begin, name, inside, end = found.groups()
    figure = figures.get(name)
    if figure is None:
        return found.group()
    if not figure:
        return ""
    return begin + _FIGURE_VALUE.sub(lambda value: f"{value[1]}{escape(figure)}{value[2]}", inside, count=1) + end


def _file(content: bytes, brotli: bytes | None, kind: str, cache: bytes, level: int) -> File:
    compressed = None
    if kind.startswith(_COMPRESSIBLE) and len(content) >= _WORTH_COMPRESSING:
        compressed = gzip.compress(content, level, mtime=0)
    charset = "; charset=utf-8" if kind.startswith(("text/", "application/javascript")) else ""
    return File(
        content=content,
        gzip=compressed,
        brotli=brotli if compressed is not None else None,
        tag=b'"' + hashlib.sha256(content).hexdigest()[:24].encode() + b'"',
        content_type=(kind + charset).encode(),
        cache=cache,
    )


def _takes(coding: bytes, accept_encoding: bytes) -> bool:
    """Returns whether the client takes the coding. A coding that is named counts before what `*` says of all others."""
    said = {}
    for part in accept_encoding.lower().split(b","):
        name, _, weight = part.partition(b";")
        said[name.strip()] = weight.replace(b" ", b"") not in (b"q=0", b"q=0.0", b"q=0.00", b"q=0.000")
    return said.get(coding, said.get(b"*", False))
