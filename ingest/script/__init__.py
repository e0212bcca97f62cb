"""`GET /t.js`: the browser script, made small once at the start from the readable source beside this file, with the
networks of `schemas.networks` filled in."""

from __future__ import annotations

import gzip
import re
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from infra.kernel.http.request_limits import Receive, Scope, Send
from ingest.context import IngestContext
from ingest.responses import CORS, send_bytes
from schemas.networks import NETWORKS, NetworkKind

SOURCE: Final = Path(__file__).with_name("t.js")
_CACHED: Final = (b"cache-control", b"public, max-age=3600, stale-while-revalidate=86400")
_TABLE: Final = '"NETWORKS"'
_COMMENT: Final = re.compile(r"^\s*//.*$", re.M)
_SPACE_AROUND: Final = re.compile(r"\s*([{}()=+\-*/%<>!?:;,&|\[\]])\s*")


async def script(_context: IngestContext, scope: Scope, _receive: Receive, send: Send) -> None:
    """Answers with the script, gzipped where the browser takes it; 304 when it has it already."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    plain, packed, tag = built_script()
    common = [(b"etag", tag), (b"vary", b"accept-encoding"), _CACHED, *CORS]
    if headers.get(b"if-none-match") == tag:
        await send_bytes(send, 304, b"", tuple(common))
        return
    common.append((b"content-type", b"text/javascript; charset=utf-8"))
    if b"gzip" in headers.get(b"accept-encoding", b""):
        await send_bytes(send, 200, packed, ((b"content-encoding", b"gzip"), *common))
    else:
        await send_bytes(send, 200, plain, tuple(common))


@cache
def built_script() -> tuple[bytes, bytes, bytes]:
    """The small script: plain, gzipped, and its tag."""
    plain = minify(SOURCE.read_text()).replace(_TABLE, f'"{network_table()}"').encode()
    return plain, gzip.compress(plain, 9, mtime=0), b'"' + sha256(plain).hexdigest()[:16].encode() + b'"'


def network_table() -> str:
    """The networks as the script reads them: between `|` slug, click id parameter, hosts, and `?` before a parameter
    that marks its links."""
    return "|".join(
        " ".join((one.slug, one.click_id, *one.hosts, *(f"?{mark}" for mark in one.marks)))
        for one in NETWORKS.values()
        if one.kind is not NetworkKind.GENERIC
    )


def minify(source: str) -> str:
    """The source without comments and needless space. It relies on the source's rules: comments stand on lines of
    their own, every statement ends with `;` or a bracket, strings and regular expressions hold no sign with space
    around it."""
    text = _COMMENT.sub("", source)
    text = " ".join(line.strip() for line in text.splitlines() if line.strip())
    return _SPACE_AROUND.sub(r"\1", text).strip()
