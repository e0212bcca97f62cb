"""Reads one line of a web server's access log: whether it is a page view, and its fields. `log_formats` reads the
formats."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from ingest.event import PageLine
from ingest.importing.log_formats import METHOD, LoggedRequest, W3cColumns, read_json, read_load_balancer, read_text


class Reason(StrEnum):
    """The reasons for which a line is no page view."""

    NOT_GET = "not_get"
    STATUS = "status"
    ASSET = "asset"
    MALFORMED = "malformed"
    EXPIRED = "expired"
    """The line is older than what the website keeps."""


class LineReader:
    """Reads the lines of one file, which may change its format. `own_domain`: the website's, whose name is no
    visitor's."""

    def __init__(self, own_domain: str = "") -> None:
        self._own_domain = own_domain.lower()
        self._columns = W3cColumns()

    def read(self, line: bytes) -> PageLine | Reason | None:
        """A page view is a GET that was answered 200-299 or 304, of a path whose last segment is empty, has no dot, or
        ends in .html, .htm or .php. Every other line has the first reason that applies. None: no line of a request,
        but one that says what the others mean (`#Fields:`)."""
        if line.startswith(b"{"):
            logged = read_json(line)
        else:
            text = line.decode("utf-8", "replace")
            if text.startswith("#"):
                self._columns.take_directive(text)
                return None
            logged = self._columns.read(text) or read_text(text, self._own_domain) or read_load_balancer(text)
        return page_of(logged) if logged is not None and METHOD.fullmatch(logged.method) else Reason.MALFORMED


def page_of(request: LoggedRequest) -> PageLine | Reason:
    """The page view that the request is, or why it is none."""
    if request.method != "GET":
        return Reason.NOT_GET
    if not (200 <= request.status <= 299 or request.status == 304):
        return Reason.STATUS
    target = _without_host(request.target)
    last = target.partition("?")[0].rpartition("/")[2]
    if "." in last and not last.endswith(PAGE_ENDINGS):
        return Reason.ASSET
    return PageLine(request.client, request.at, target, request.referrer, request.user_agent)


def _without_host(target: str) -> str:
    """The target without scheme and host, which requests to proxies contain."""
    scheme, separator, rest = target.partition("://")
    if not separator or "/" in scheme or "?" in scheme:
        return target
    return "/" + rest.partition("/")[2]


PAGE_ENDINGS: Final = (".html", ".htm", ".php")
