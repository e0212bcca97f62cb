"""How long honest sign-in and tracking take while eight callers send what costs most, on one stack.

`python -m tests.bench fairness`. Each attacker has an address of its own, and sends the next request once the last one
is answered: without an account, with the public key, or as one member.
"""

from __future__ import annotations

import json
import multiprocessing
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.synchronize import Event as EventOfProcesses
from uuid import uuid4

import httpx

from tests.bench import Figure, figure
from tests.bench.stack_client import EMAIL, PASSWORD, Owner, Site
from tests.support.hostile_requests import percentile
from tests.support.stack import Stack, stack
from tests.support.user_agents import BROWSER
from tests.support.worst_requests import full_page, large_picture, long_filters

COMMAND = "python -m tests.bench fairness"
SECONDS = 20.0
PAUSE_S = 0.05
TIMEOUT_S = 60.0
PAGES = 8
UNKNOWN = json.dumps({f"u{index}": 1 for index in range(110_000)}).encode()[: 1024 * 1024]

LIMIT = (
    "limited by the two cores, which pages and pictures of the attackers, Postgres and the attackers themselves share "
    "with it: 61 × before pages were rendered in processes of their own, no other with the attackers in another "
    "process or with a switch interval of 0.5 ms"
)
"""Why sign-in misses its aim."""

Send = Callable[[httpx.Client], httpx.Response]


@dataclass
class Honest:
    """Signs in and tracks in turn, each time from another address: limits of one address are not what is measured."""

    made: Stack
    site: Site
    took: dict[str, list[float]] = field(default_factory=lambda: {"sign-in": [], "tracking": []})
    failed: int = 0
    _number: int = 0

    def measure(self, seconds: float) -> dict[str, list[float]]:
        """Milliseconds of each request within so many seconds."""
        self.took = {"sign-in": [], "tracking": []}
        until = time.monotonic() + seconds
        with httpx.Client(timeout=TIMEOUT_S) as http:
            while time.monotonic() < until:
                self._number += 1
                address = f"198.51.{self._number // 250 % 250}.{self._number % 250 + 1}"
                self._time("sign-in", partial(self._sign_in, http, address))
                for _ in range(3):
                    self._time("tracking", partial(self._track, http))
                time.sleep(PAUSE_S)
        return self.took

    def _time(self, what: str, send: Callable[[], httpx.Response]) -> None:
        began = time.perf_counter()
        answer = send()
        self.took[what].append((time.perf_counter() - began) * 1000)
        self.failed += answer.status_code >= 400

    def _sign_in(self, http: httpx.Client, address: str) -> httpx.Response:
        body = {"email": EMAIL, "password": PASSWORD}
        return http.post(f"{self.made.app}/api/platform/login", json=body, headers={"X-Forwarded-For": address})

    def _track(self, http: httpx.Client) -> httpx.Response:
        event = {"type": "pageview", "url": "https://bench.example/", "site": self.site.site_key}
        return http.post(f"{self.made.tracking}/track", json=event, headers={"User-Agent": BROWSER})


def run(seconds: float = SECONDS) -> list[Figure]:
    """The slowest hundredth of each, beside a quiet stack."""
    settings = {
        "ALTHING_ADMIN_EMAIL": EMAIL,
        "ALTHING_ADMIN_PASSWORD": PASSWORD,
        "TRUSTED_PROXIES": "127.0.0.1/32",
    }
    with stack(settings) as made:
        owner = Owner(made)
        site = owner.website("bench.example")
        # Another account: the honest one signs in so often that the oldest sessions of that account end.
        attacker = owner.member()
        attacks = attacks_of(made, attacker, attacker.website("attacker.example"))
        honest = Honest(made, site)
        honest.measure(3)
        quiet = honest.measure(seconds)
        with attacking(attacks) as answers:
            beside = honest.measure(seconds)
        after = honest.measure(5)
    said = "; ".join(f"{name}: {', '.join(f'{s} {n}×' for s, n in sorted(of.items()))}" for name, of in answers.items())
    figures = []
    for what in quiet:
        for name, took in (("beside eight of the worst", beside), ("after them", after)):
            value, baseline = percentile(took[what], 0.99), percentile(quiet[what], 0.99)
            limit = f"; {LIMIT}" if value > 5 * baseline and what == "sign-in" else ""
            note = f"{value / baseline:.1f} × quiet, {len(took[what])} requests, {honest.failed} refused; {said}{limit}"
            figures.append(
                figure(COMMAND, f"{what} {name}, p99", value, "ms", baseline=baseline, against="quiet",
                       aim="≤ 5 × quiet", note=note)
            )  # fmt: skip
    return figures


@contextmanager
def attacking(attacks: dict[str, Send]) -> Iterator[dict[str, Counter[int]]]:
    """The attacks in a process of their own until the block ends, after which it gives the statuses that each was
    answered with: what they take of this interpreter would be measured as well."""
    forked = multiprocessing.get_context("fork")
    end, results = forked.Event(), forked.SimpleQueue()
    process = forked.Process(target=lambda: results.put(_attacked(attacks, end)), daemon=True)
    process.start()
    answers = dict[str, Counter[int]]()
    try:
        yield answers
    finally:
        end.set()
        answers.update(results.get())
        process.join()


def _attacked(attacks: dict[str, Send], end: EventOfProcesses) -> dict[str, Counter[int]]:
    """Each attack in a thread of its own until `end`."""
    answers = {name: Counter[int]() for name in attacks}

    def attack(number: int, name: str, send: Send) -> None:
        with httpx.Client(timeout=TIMEOUT_S, headers={"X-Forwarded-For": f"203.0.113.{number}"}) as http:
            while not end.wait(0.002):
                try:
                    answers[name][send(http).status_code] += 1
                except httpx.HTTPError:
                    answers[name][0] += 1

    threads = [
        threading.Thread(target=attack, args=(number, name, send), daemon=True)
        for number, (name, send) in enumerate(attacks.items(), 1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


def attacks_of(made: Stack, owner: Owner, site: Site) -> dict[str, Send]:
    """Eight requests: four without an account, one of them with the public key, and four of a member."""
    token = {"Authorization": owner.http.headers["Authorization"]}
    api = f"{made.app}/api"
    page_path, publish_path = _site_of_full_pages(owner, site)
    first = {"name": "Mine", "websiteId": None, "state": {"filters": ["page:is:/"]}}
    view = owner.command("POST", "/api/platform/views", first).json()["id"]
    images = f"{api}/platform/social-posts/{_social_post(owner, site)}/images"
    picture, page, filters = large_picture(), {"document": full_page(), "basedOn": 1}, long_filters()
    partners = json.dumps([{"type": "click", "partner": str(uuid4())} for _ in range(9_000)]).encode()
    as_json, as_png = {"Content-Type": "application/json"}, {**token, "Content-Type": "image/png"}
    return {
        "unknown members": lambda http: http.post(f"{api}/platform/login", content=UNKNOWN, headers=as_json),
        "deep": lambda http: http.post(f"{api}/public/contact", content=b"[" * 60_000, headers=as_json),
        "description": lambda http: http.get(f"{api}/docs"),
        "unknown partners": lambda http: http.post(
            f"{made.tracking}/track?site={site.site_key}", content=partners, headers=as_json
        ),
        "page": lambda http: http.put(f"{made.app}{page_path}", json=page, headers=token),
        "publish": lambda http: http.post(f"{made.app}{publish_path}", headers=token),
        "picture": lambda http: http.post(images, content=picture, headers=as_png),
        "view": lambda http: http.patch(f"{api}/platform/views/{view}", json=filters, headers=token),
    }


def _site_of_full_pages(owner: Owner, site: Site) -> tuple[str, str]:
    made = owner.command("POST", "/api/platform/sites", {"websiteId": site.id, "name": "Full", "slug": "full"}).json()
    ids = [str(uuid4()) for _ in range(PAGES)]
    pages = [{"id": one, "path": f"p{number}" if number else "", "title": "P"} for number, one in enumerate(ids)]
    document = {"document": {"name": "Full", "pages": pages}, "basedOn": 1}
    owner.command("PUT", f"/api/platform/sites/{made['id']}/document", document)
    paths = [f"/api/platform/sites/{made['id']}/pages/{one}" for one in ids]
    for number, path in enumerate(paths):
        owner.command("PUT", path, {"document": full_page(number), "basedOn": 0})
    return paths[0], f"/api/platform/sites/{made['id']}/publish"


def _social_post(owner: Owner, site: Site) -> str:
    channel = {"websiteId": site.id, "network": "instagram", "handle": "bench.tests"}
    made = owner.command("POST", "/api/platform/social-channels", channel).json()
    post = {"address": "https://www.instagram.com/p/DAbCdEf/", "publishedAt": "2026-11-01T12:00:00Z"}
    return str(owner.command("POST", f"/api/platform/social-channels/{made['id']}/posts", post).json()["id"])
