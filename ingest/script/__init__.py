"""`GET /t.js`: the browser script, made small once from the readable source beside this file, with the networks of
`schemas.networks` and the tracking address filled in."""

from __future__ import annotations

import gzip
import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Final

from infra.kernel.http.request_limits import Receive, Scope, Send
from ingest.context import IngestContext
from ingest.responses import CORS, send_bytes
from ingest.script.minify import minify
from schemas.networks import NETWORKS, NetworkKind

SOURCE: Final = Path(__file__).with_name("t.js")
_CACHED: Final = (b"cache-control", b"public, max-age=3600, stale-while-revalidate=86400")
_TABLE: Final = '"NETWORKS"'
_ADDRESS: Final = '"ADDRESS"'


async def script(context: IngestContext, scope: Scope, _receive: Receive, send: Send) -> None:
    """Answers with the script, gzipped where the browser takes it; 304 when it has it already."""
    headers: dict[bytes, bytes] = dict(scope["headers"])
    plain, packed, tag = built_script(context.settings.tracking_base_url)
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
def built_script(address: str = "") -> tuple[bytes, bytes, bytes]:
    """The small script: plain, gzipped, and its tag. Where it does not see from where it was loaded, it sends events to
    `address`."""
    source = json.dumps(address.rstrip("/") + "/t.js")
    small = minify(SOURCE.read_text())
    plain = small.replace(_TABLE, f'"{network_table()}"').replace(_ADDRESS, source).encode()
    return plain, gzip.compress(plain, 9, mtime=0), b'"' + sha256(plain).hexdigest()[:16].encode() + b'"'


def network_table() -> str:
    """The networks as the script reads them: between `|` slug, click id parameter, hosts (`.com`: the slug
    before it), and `?` before a parameter that marks its links."""
    return "|".join(
        " ".join(
            (one.slug, one.click_id, *(_short(one.slug, host) for host in one.hosts), *(f"?{m}" for m in one.marks))
        )
        for one in NETWORKS.values()
        if one.kind is not NetworkKind.GENERIC
    )


def _short(slug: str, host: str) -> str:
    return host.removeprefix(slug) if host.startswith(f"{slug}.") else host
