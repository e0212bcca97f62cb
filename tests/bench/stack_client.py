"""What the bench of the whole stack talks with: an owner with websites, a watcher of the live stream, a sender."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx

from tests.support.stack import Stack

EMAIL, PASSWORD = "bench@althing.example", "a long bench password"
TIMEOUT_S = 30.0


@dataclass(frozen=True)
class Site:
    """A website and its keys."""

    id: str
    secret_key: str
    site_key: str


class Owner:
    """The admin of the stack, or who has the `token`, signed in, through the gateway."""

    def __init__(self, stack: Stack, token: str = "") -> None:
        self.stack = stack
        self.http = httpx.Client(base_url=stack.app, timeout=TIMEOUT_S)
        signs_in = {"email": EMAIL, "password": PASSWORD}
        token = token or self.http.post("/api/platform/login", json=signs_in).raise_for_status().json()["token"]
        self.http.headers["Authorization"] = f"Bearer {token}"

    def member(self) -> Owner:
        """A member, who registers with an invite of this person."""
        code = self.command("POST", "/api/platform/invite-codes", {}).json()["code"]
        person = {"email": "member@althing.example", "password": PASSWORD, "name": "Member", "inviteCode": code}
        made = httpx.post(f"{self.stack.app}/api/platform/register", json=person, timeout=TIMEOUT_S).raise_for_status()
        return Owner(self.stack, made.json()["token"])

    def website(self, domain: str) -> Site:
        made = self.command("POST", "/api/platform/websites", {"domain": domain, "timezone": "UTC", "currency": "USD"})
        self._wait_for(made)
        return Site(*(made.json()[name] for name in ("id", "secretKey", "siteKey")))

    def partner(self, slug: str) -> str:
        body = {
            "name": slug, "slug": slug, "baseUrl": f"https://{slug}.example", "commission": 10.0, "isActive": 1,
            "description": "", "cookieDays": 30,
        }  # fmt: skip
        made = self.command("POST", "/api/admin/partners", body)
        self._wait_for(made)
        return str(made.json()["id"])

    def link(self, site: Site, partner: str, slug: str) -> str:
        body = {"websiteId": site.id, "partnerId": partner, "slug": slug}
        made = self.command("POST", "/api/platform/links", body)
        self._wait_for(made)
        return str(made.json()["id"])

    def command(self, method: str, path: str, body: dict[str, Any]) -> httpx.Response:
        return self.http.request(method, path, json=body).raise_for_status()

    def _wait_for(self, made: httpx.Response) -> None:
        self.http.headers["X-Wait-For"] = made.headers["X-Position"]


@contextmanager
def watching(owner: Owner, site: Site) -> Iterator[Callable[[str, float], float]]:
    """Watches the website's live stream; yields `seen(event id, timeout)`: when (perf_counter) the event came in."""
    arrived: dict[str, float] = {}
    changed = threading.Condition()
    ended = threading.Event()
    opened = threading.Event()

    def follow() -> None:
        url = f"/api/platform/analytics/live?websiteId={site.id}"
        with owner.http.stream("GET", url, timeout=httpx.Timeout(TIMEOUT_S)) as answer:
            answer.raise_for_status()
            for line in answer.iter_lines():
                if ended.is_set():
                    return
                if line.startswith("data: "):
                    now = time.perf_counter()
                    with changed:
                        for event in json.loads(line[6:])["recent"]:
                            arrived.setdefault(event["id"], now)
                        changed.notify_all()
                    opened.set()

    def seen(event_id: str, timeout_s: float) -> float:
        with changed:
            assert changed.wait_for(lambda: event_id in arrived, timeout_s), "a click did not come in the live stream"
            return arrived[event_id]

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    assert opened.wait(TIMEOUT_S), "the live stream did not open"
    try:
        yield seen
    finally:
        ended.set()


@contextmanager
def background(stack: Stack, site: Site, make: Callable[[], Sequence[dict[str, Any]]], rate: float) -> Iterator[None]:
    """Sends `make()` as a batch, `rate` times a second, until the block ends."""
    ended = threading.Event()

    def send() -> None:
        with httpx.Client(base_url=stack.tracking, headers=bearer(site), timeout=TIMEOUT_S) as http:
            due = time.monotonic()
            while not ended.is_set():
                http.post("/track", json=make()).raise_for_status()
                due += 1 / rate
                ended.wait(max(0.0, due - time.monotonic()))

    thread = threading.Thread(target=send, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(TIMEOUT_S)


async def pour(stack: Stack, bodies: Sequence[tuple[Site, bytes]], at_once: int) -> None:
    """Sends every body to `/track`, `at_once` at a time; what is turned away (429, 503) is sent again."""
    remaining = iter(bodies)
    async with httpx.AsyncClient(base_url=stack.tracking, timeout=TIMEOUT_S) as http:

        async def once(site: Site, body: bytes) -> float | None:
            """None once it is acknowledged, else how long to wait before the next try."""
            headers = {**bearer(site), "Content-Type": "application/json"}
            answer = await http.post("/track", content=body, headers=headers)
            if answer.status_code in (429, 503):
                return float(answer.headers.get("Retry-After", "1"))
            assert answer.status_code == 202 and not answer.json()["rejected"], answer.text[:500]
            return None

        async def some() -> None:
            for site, body in remaining:
                wait_s = await once(site, body)
                while wait_s is not None:
                    await asyncio.sleep(wait_s)
                    wait_s = await once(site, body)

        await asyncio.gather(*(some() for _ in range(at_once)))


def bearer(site: Site) -> dict[str, str]:
    return {"Authorization": f"Bearer {site.secret_key}"}
