"""Load with a ledger: sends through the tracking API what real sites send, and writes down what it was promised.

    python -m tests.support.load --seconds 30 --rate 500 --url http://127.0.0.1:8001 --website ID \
        --site-key pk_… --secret-key sk_… --postback-token pb_… --ledger load.jsonl

Every event and conversion has its ledger line on disk (fsync) before it is sent, and another after the answer
(`infra.auditing.ledger`). What got no clear answer (a reset, a timeout, 429, 5xx) is sent again with the same id,
honouring `Retry-After`, until it gets one or `--settle` seconds are over. The traffic is seeded; the seed is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import httpx

from schemas.identity import conversion_id

BROWSERS: Final = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 "
    "Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0",
)
TYPES: Final = ("click", "pageview", "pageview", "pageview", "signup_started")
REQUEST_TIMEOUT_S: Final = 10.0
RECENT: Final = 500


@dataclass(frozen=True)
class Target:
    """Where to send and with what: one website's keys. `slugs` are its links."""

    url: str
    website: str
    site_key: str
    secret_key: str
    postback_token: str
    slugs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Item:
    """One thing in a request: `id` of the event or conversion, and the columns that must be stored of it."""

    id: str
    kind: str
    expect: dict[str, Any]
    body: dict[str, Any]


@dataclass(frozen=True)
class Call:
    """One request: made once, sent until it is answered. `items` are in the order of the body."""

    name: str
    method: str
    path: str
    headers: dict[str, str]
    content: bytes
    items: tuple[Item, ...]


@dataclass
class Deadline:
    """When to give up on requests without an answer; set once no new ones are sent."""

    at: float = float("inf")


@dataclass
class Result:
    """What came of a run."""

    seed: int
    answers: Counter[str] = field(default_factory=Counter)
    retries: int = 0
    errors: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "seconds": round(self.seconds, 2),
            "retries": self.retries,
            "answers": dict(self.answers),
            "errors": dict(self.errors),
        }


class Ledger:
    """Appends lines and waits for the disk; lines that wait together share one fsync."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)
        self._pending: list[bytes] = []
        self._written: asyncio.Future[None] | None = None

    async def write(self, lines: Sequence[dict[str, Any]]) -> None:
        self._pending += [json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines]
        if self._written is None:
            self._written = asyncio.get_running_loop().create_future()
            asyncio.get_running_loop().call_soon(lambda: asyncio.ensure_future(self._flush()))
        await asyncio.shield(self._written)

    async def _flush(self) -> None:
        data, self._pending = b"".join(self._pending), []
        written, self._written = self._written, None
        await asyncio.to_thread(self._to_disk, data)
        assert written is not None
        written.set_result(None)

    def _to_disk(self, data: bytes) -> None:
        self._file.write(data)
        os.fdatasync(self._file.fileno())

    def close(self) -> None:
        self._file.close()


class Traffic:
    """What is sent, in order, from one seed."""

    def __init__(self, target: Target, seed: int) -> None:
        self._target, self._rng, self._seed = target, random.Random(seed), seed
        self._number = 0
        self.recent: deque[Item] = deque(maxlen=RECENT)
        """Events that were acknowledged: from these come the repeats."""
        self.clicks: deque[str] = deque(maxlen=RECENT)
        """Click ids from redirects: most sales name one."""
        self.sales: deque[str] = deque(maxlen=RECENT)
        """Conversions that were acknowledged, for whoever decides on them."""
        self._makers: list[tuple[float, Callable[[], Call]]] = [
            (30, self._single),
            (6, self._beacon),
            (10, self._batch),
            (6, self._lines),
            (6, self._gzipped),
            (8, self._repeat),
            (4, self._mixed),
            (3, self._conflict),
            (3, self._nonsense),
            (2, self._unknown_key),
            (8, self._sale),
            (4, self._lead),
            (5, self._postback),
            *([(5.0, self._redirect)] if target.slugs else []),
        ]

    def next(self) -> Call:
        [maker] = self._rng.choices([maker for _, maker in self._makers], [weight for weight, _ in self._makers])
        return maker()

    def _event(self) -> Item:
        self._number += 1
        rng = self._rng
        body: dict[str, Any] = {
            "id": str(UUID(int=rng.getrandbits(128), version=4)),
            "type": rng.choice(TYPES),
            "url": f"https://shop.example/{rng.choice(['', 'reviews', 'deals/1'])}?utm_source=news&x={self._number}",
            "referrer": rng.choice(["", "https://www.google.com/", "https://blog.example/post"]),
            "title": f"Página {self._number} “x” \U0001f600",
            "visitor_id": f"visitor-{rng.randrange(2000)}",
            "sub1": f"{self._seed}-{self._number}",
            "value": rng.randrange(-(10**6), 10**9),
            "currency": "EUR",
        }
        expect = {name: body[name] for name in ("type", "title", "sub1", "value", "currency")}
        return Item(body["id"], "event", expect, body)

    def _post(self, name: str, content: bytes, items: Sequence[Item], key: str, **headers: str) -> Call:
        common = {"authorization": f"Bearer {key}", "content-type": "application/json", **self._browser()}
        common |= {header.replace("_", "-"): value for header, value in headers.items()}
        return Call(name, "POST", "/track", common, content, tuple(items))

    def _browser(self) -> dict[str, str]:
        return {"user-agent": self._rng.choice(BROWSERS)}

    def _single(self) -> Call:
        item = self._event()
        return self._post("single", json.dumps(item.body).encode(), [item], self._target.site_key)

    def _beacon(self) -> Call:
        item = self._event()
        headers = {"content-type": "text/plain;charset=UTF-8", **self._browser()}
        content = json.dumps({**item.body, "site": self._target.site_key}).encode()
        return Call("beacon", "POST", "/track", headers, content, (item,))

    def _batch(self) -> Call:
        items = [self._event() for _ in range(self._rng.randrange(2, 60))]
        return self._post("batch", _array(items), items, self._target.secret_key)

    def _lines(self) -> Call:
        items = [self._event() for _ in range(self._rng.randrange(2, 60))]
        content = b"\n".join(json.dumps(item.body).encode() for item in items)
        return self._post("ndjson", content, items, self._target.secret_key, content_type="application/x-ndjson")

    def _gzipped(self) -> Call:
        items = [self._event() for _ in range(self._rng.randrange(20, 200))]
        content = gzip.compress(_array(items), mtime=0)
        return self._post("gzip", content, items, self._target.secret_key, content_encoding="gzip")

    def _repeat(self) -> Call:
        """Ids that are stored already, in another batch and order, beside new ones."""
        items = [self._event(), *self._rng.sample(list(self.recent), min(len(self.recent), 5))]
        self._rng.shuffle(items)
        return self._post("repeat", _array(items), items, self._target.secret_key)

    def _conflict(self) -> Call:
        """An id that is stored already, with other content: the first one stands."""
        if not self.recent:
            return self._single()
        known = self._rng.choice(list(self.recent))
        body = json.dumps({**known.body, "value": 1 + known.body["value"]}).encode()
        return self._post("conflict", body, [known], self._target.site_key)

    def _mixed(self) -> Call:
        """Good ones beside bad ones: the good ones must stay."""
        items = [self._event() for _ in range(6)]
        items[1] = _with(items[1], type="NOT A TYPE")
        items[4] = _with(items[4], value=1.5)
        return self._post("mixed", _array(items), items, self._target.secret_key)

    def _nonsense(self) -> Call:
        item = self._event()
        content = json.dumps(item.body).encode()[:-1]
        return self._post("nonsense", content, [item], self._target.site_key)

    def _unknown_key(self) -> Call:
        item = self._event()
        return self._post("unknown key", json.dumps(item.body).encode(), [item], self._target.site_key[:-4] + "0000")

    def _conversion(self, event: str) -> Item:
        self._number += 1
        txid = f"load-{self._seed}-{self._number}"
        amount = 0 if event == "signup" else self._rng.randrange(1, 10**7)
        key = str(conversion_id(UUID(self._target.website), event, txid))
        expect = {"txid": txid, "event": event, "amount": amount}
        body = {"txid": txid, "event": event}
        if self.clicks and self._rng.random() < 0.7:
            body["click_id"] = self._rng.choice(list(self.clicks))
        else:
            body["visitor_id"] = f"visitor-{self._rng.randrange(2000)}"
        return Item(key, "conversion", expect, body)

    def _sale(self) -> Call:
        item = self._conversion("purchase")
        content = json.dumps({**item.body, "amount": item.expect["amount"], "currency": "EUR"}).encode()
        return self._report("sale", "/track/sale", content, item)

    def _lead(self) -> Call:
        item = self._conversion("signup")
        return self._report("lead", "/track/lead", json.dumps(item.body).encode(), item)

    def _report(self, name: str, path: str, content: bytes, item: Item) -> Call:
        headers = {"authorization": f"Bearer {self._target.secret_key}", "content-type": "application/json"}
        return Call(name, "POST", path, headers | self._browser(), content, (item,))

    def _postback(self) -> Call:
        item = self._conversion("purchase")
        amount = item.expect["amount"]
        query = httpx.QueryParams(
            token=self._target.postback_token,
            txid=item.expect["txid"],
            event="purchase",
            amount=f"{amount // 100}.{amount % 100:02d}",
            currency="EUR",
            **{name: item.body[name] for name in ("click_id",) if name in item.body},
        )
        return Call("postback", "GET", f"/postback?{query}", self._browser(), b"", (item,))

    def _redirect(self) -> Call:
        return Call("redirect", "GET", f"/go/{self._rng.choice(self._target.slugs)}", self._browser(), b"", ())


def _array(items: Sequence[Item]) -> bytes:
    return json.dumps([item.body for item in items]).encode()


def _with(item: Item, **changes: Any) -> Item:
    return Item(item.id, item.kind, item.expect, {**item.body, **changes})


async def run(
    target: Target,
    ledger_path: Path,
    *,
    seconds: float,
    rate: float,
    seed: int,
    workers: int = 16,
    settle_s: float = 60.0,
    until: Callable[[], bool] = lambda: False,
    traffic: Traffic | None = None,
) -> Result:
    """Sends `rate` requests a second for `seconds` or `until` holds, then goes on with what has no answer for up to
    `settle_s`."""
    traffic, result, ledger = traffic or Traffic(target, seed), Result(seed), Ledger(ledger_path)
    started = time.monotonic()
    give_up = Deadline()
    limits = httpx.Limits(max_connections=workers, max_keepalive_connections=workers)
    try:
        async with httpx.AsyncClient(
            base_url=target.url, timeout=REQUEST_TIMEOUT_S, limits=limits, follow_redirects=False
        ) as client:
            turns = asyncio.Semaphore(workers)
            tasks: set[asyncio.Task[None]] = set()
            sent = 0
            while (passed := time.monotonic() - started) < seconds and not until():
                if sent >= passed * rate:
                    await asyncio.sleep(0.002)
                    continue
                await turns.acquire()
                sent += 1
                call = traffic.next()
                task = asyncio.create_task(_deliver(client, target, call, ledger, traffic, result, give_up))
                tasks.add(task)
                task.add_done_callback(lambda done: (tasks.discard(done), turns.release()))
            give_up.at = time.monotonic() + settle_s
            await asyncio.gather(*tasks)
    finally:
        ledger.close()
    result.seconds = time.monotonic() - started
    return result


async def _deliver(
    client: httpx.AsyncClient,
    target: Target,
    call: Call,
    ledger: Ledger,
    traffic: Traffic,
    result: Result,
    give_up: Deadline,
) -> None:
    await ledger.write(
        [{"id": i.id, "website": target.website, "kind": i.kind, "expect": i.expect} for i in call.items]
    )
    outcomes: list[str] | None = None
    wait_s = 0.05
    answer: httpx.Response | None = None
    while outcomes is None:
        try:
            answer = await client.request(call.method, call.path, headers=call.headers, content=call.content)
        except httpx.TransportError as error:
            result.errors[type(error).__name__] += 1
        else:
            result.answers[f"{call.name} {answer.status_code}"] += 1
            outcomes = _outcomes(call, answer)
            wait_s = max(wait_s, min(float(answer.headers.get("retry-after", 0)), 5.0))
        if outcomes is None:
            if time.monotonic() > give_up.at:
                outcomes = ["unknown"] * len(call.items)
                break
            result.retries += 1
            await asyncio.sleep(wait_s)
            wait_s = min(wait_s * 2, 2.0)
    await ledger.write(
        [
            {"id": item.id, "website": target.website, "answer": outcome}
            for item, outcome in zip(call.items, outcomes, strict=True)
        ]
    )
    _remember(traffic, call, outcomes, answer)


def _remember(traffic: Traffic, call: Call, outcomes: Sequence[str], answer: httpx.Response | None) -> None:
    accepted = [item for item, outcome in zip(call.items, outcomes, strict=True) if outcome == "accepted"]
    if call.name in ("single", "beacon", "batch", "ndjson", "gzip"):
        traffic.recent.extend(accepted)
    elif call.name in ("sale", "postback"):
        traffic.sales.extend(item.id for item in accepted)
    elif call.name == "redirect" and answer is not None and answer.status_code == 302:
        click_id = httpx.URL(answer.headers["location"]).params.get("click_id")
        traffic.clicks.extend([click_id] if click_id else [])


def _outcomes(call: Call, answer: httpx.Response) -> list[str] | None:
    """One per item; none = not answered: send it again."""
    if answer.status_code == 429 or answer.status_code >= 500:
        return None
    if answer.status_code >= 400:
        return ["refused"] * len(call.items)
    if answer.status_code not in (200, 202) or not call.path.startswith("/track") or call.path != "/track":
        return ["accepted"] * len(call.items)
    rejected = {bad["index"] for bad in answer.json()["rejected"]}
    return ["refused" if index in rejected else "accepted" for index in range(len(call.items))]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.support.load", description=__doc__.split("\n")[0])
    parser.add_argument("--url", default="http://127.0.0.1:8001")
    for name in ("website", "site-key", "secret-key", "postback-token"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--slug", action="append", default=[], help="a link to follow; may be given several times")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rate", type=float, default=200, help="requests a second")
    parser.add_argument("--workers", type=int, default=16)
    parser.add_argument("--settle", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    parser.add_argument("--ledger", type=Path, default=Path("load.jsonl"))
    given = parser.parse_args(argv)
    print(f"seed {given.seed}", file=sys.stderr)
    target = Target(given.url, given.website, given.site_key, given.secret_key, given.postback_token, tuple(given.slug))
    result = asyncio.run(
        run(
            target,
            given.ledger,
            seconds=given.seconds,
            rate=given.rate,
            seed=given.seed,
            workers=given.workers,
            settle_s=given.settle,
        )
    )
    print(json.dumps(result.as_json()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
