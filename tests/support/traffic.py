"""What real sites send, made from one seed: the requests of the load generator (`tests.support.load`)."""

from __future__ import annotations

import gzip
import json
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
        """Conversions that were acknowledged, for the code that decides on them."""
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
