"""Runs cases of `bench_pipelines` in the ingest service of the tree that it is started in, without network and log.

`python ingest_worker.py FOLDER`: a line of standard input is a case, its answer the CPU microseconds per event. It uses
nothing of a tree but `ingest.service` and the file of the directory, so that it runs in older trees too.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import structlog
import uvloop

from ingest import service
from schemas.topics import CLICKS

SITE_KEY: Final = "pk_measured"
SECRET_KEY: Final = "sk_measured"
SLUG: Final = "measured"
BATCH: Final = 1_000
CONCURRENT: Final = 64
REQUESTS: Final = 512
BROWSER: Final = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36"
)
SETTINGS: Final = {
    "ALTHING_LOG": "postgres",
    "ALTHING_MASTER_KEY": "5a" * 32,
    "ALTHING_SITE_RATE": "1000000000",
    "ALTHING_SUSPICIOUS_CLICKS": "1000000000",
    "ALTHING_ADDRESS_REFUSALS": "1000000000",
    "ALTHING_CANARY": "0",
}
"""No limit is reached, and no engine is there."""


class EmptyLog:
    """Acknowledges at once, and keeps nothing."""

    def publish(self, _records: Sequence[Any]) -> Future[list[Any]]:
        done: Future[list[Any]] = Future()
        done.set_result([])
        return done

    def partitions(self, _topic: str) -> int:
        """As in a new installation."""
        return CLICKS.partitions

    def close(self) -> None:
        """Has nothing to close."""


@dataclass(frozen=True)
class Case:
    """Requests of one kind. `events`: in each; `status`: of every answer."""

    requests: list[dict[str, Any]]
    status: int
    events: int = 1
    count: int = REQUESTS


def scope_of(method: str, path: str, key: str = "") -> dict[str, Any]:
    target, _, query = path.partition("?")
    headers = [(b"host", b"t.example.com"), (b"user-agent", BROWSER.encode()), (b"content-type", b"application/json")]
    headers += [
        (b"accept", b"*/*"),
        (b"accept-language", b"en-GB,en;q=0.9"),
        (b"referer", b"https://shop.example.com/"),
    ]
    if key:
        headers.append((b"authorization", f"Bearer {key}".encode()))
    return {
        "type": "http",
        "method": method,
        "scheme": "http",
        "path": target,
        "query_string": query.encode(),
        "headers": headers,
        "client": ("203.0.113.7", 1),
    }


def request_of(method: str, path: str, content: object = None, key: str = "") -> dict[str, Any]:
    """A request; `scope` is copied for each time that it is sent."""
    body = b"" if content is None else json.dumps(content).encode()
    return {"scope": scope_of(method, path, key), "message": {"type": "http.request", "body": body}}


def page_view(number: int) -> dict[str, object]:
    """As the script sends it, about 200 bytes."""
    return {
        "type": "pageview",
        "url": f"https://shop.example.com/products/{number % 400}?utm_source=news&utm_medium=email",
        "referrer": "https://www.google.com/",
        "title": f"Product {number % 400}",
    }


def cases() -> dict[str, Case]:
    track, pages = f"/track?site={SITE_KEY}", [page_view(number) for number in range(BATCH)]
    named = [{**page, "visitor_id": f"v{n}", "session_id": f"s{n}"} for n, page in enumerate(pages)]
    reports = range(REQUESTS)
    return {
        "/track, one event": Case([request_of("POST", track, page) for page in pages[:400]], 202),
        f"/track, {BATCH:,} events": Case([request_of("POST", track, pages)], 202, BATCH, 8),
        f"/track, {BATCH:,} events of named visitors": Case([request_of("POST", track, named)], 202, BATCH, 8),
        "/track, one rejected event": Case([request_of("POST", track, {"type": "A"})], 400),
        f"/track, {BATCH:,} rejected events": Case([request_of("POST", track, [{"type": "A"}] * BATCH)], 400, BATCH, 8),
        "/t.gif": Case(
            [request_of("GET", f"/t.gif?site={SITE_KEY}&type=open&title=Mail%20{n}") for n in range(400)], 200
        ),
        "/go": Case([request_of("GET", f"/go/{SLUG}?sub1=mail")], 302),
        "/track/sale": Case(
            [
                request_of("POST", "/track/sale", {"txid": f"t{n}", "amount": 1999, "currency": "USD"}, SECRET_KEY)
                for n in reports
            ],
            202,
        ),
        "/postback": Case(
            [request_of("GET", f"/postback?token={SECRET_KEY}&txid=p{n}&amount=19.99&currency=USD") for n in reports],
            202,
        ),
    }


def write_directory(folder: Path) -> None:
    """What ingest knows from the file that it starts with: a website, two keys, a partner and a link."""
    website, partner = "0190a1b2-0000-7000-8000-00000000eb51", "0190a1b2-0000-7000-8000-00000000eb52"
    keys = [
        {"website_id": website, "hash": sha256(key.encode()).hexdigest(), "kind": kind, "origins": []}
        for key, kind in ((SITE_KEY, "site"), (SECRET_KEY, "secret"))
    ]
    link = {
        "id": "0190a1b2-0000-7000-8000-00000000eb53",
        "slug": SLUG,
        "code": 4711,
        "website_id": website,
        "partner_id": partner,
        "destination": "https://partner.example.com/?c={click_id}&s={sub1}",
        "subs": [["sub2", "footer"]],
        "is_active": True,
        "routing": {"rules": [], "variants": [], "expires_at": 0, "fallback": ""},
    }
    partners = [
        {
            "id": partner,
            "id_text": partner,
            "slug": "partner",
            "name": "Partner",
            "preset": "",
            "cookie_days": 30,
            "is_active": True,
        }
    ]
    content = {
        "read_at": time.time(),
        "websites": [{"id": website, "domain": "shop.example.com", "currency": "USD"}],
        "keys": keys,
        "links": [link],
        "partners": partners,
    }
    (folder / "ingest-directory.json").write_text(json.dumps(content))


async def started(folder: Path) -> Any:
    """The service of this tree over the directory that is written to `folder`, and over a log that keeps nothing."""
    os.environ.update(SETTINGS, ALTHING_DATA_DIR=str(folder))
    write_directory(folder)
    log, module = EmptyLog(), vars(service)
    module["open_log"] = lambda *_, **__: log
    app = service.Service(module["load"]())
    await app.start()
    return app


async def serve(folder: Path) -> None:
    app = await started(folder)
    measured = cases()
    for case in measured.values():
        await run(app, case)
    print("ready", flush=True)
    for line in sys.stdin:
        print(await run(app, measured[line.strip()]), flush=True)


async def run(app: Any, case: Case) -> float:
    """CPU microseconds per event. Raises `AssertionError` on an answer with another status."""
    answered = 0
    turn = 0

    async def worker() -> None:
        nonlocal answered, turn
        while turn < case.count:
            turn += 1
            request = case.requests[turn % len(case.requests)]
            message = request["message"]

            async def receive(message: dict[str, Any] = message) -> dict[str, Any]:
                return message

            async def send(message: dict[str, Any]) -> None:
                nonlocal answered
                if message["type"] == "http.response.start":
                    assert message["status"] == case.status, message
                    answered += 1

            await app(dict(request["scope"]), receive, send)

    started = time.process_time()
    await asyncio.gather(*(worker() for _ in range(CONCURRENT)))
    spent = time.process_time() - started
    assert answered == case.count, answered
    return spent / (case.count * case.events) * 1e6


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    uvloop.run(serve(Path(sys.argv[1])))
