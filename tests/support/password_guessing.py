"""An attacker who guesses passwords of one account at a steady rate, and the owner who signs in at the same time.

Requests go to a command service; `forward` gives the gateway's headers, which say which address they come from.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

import httpx

LOGIN: Final = "/api/platform/login"
EVERY_S: Final = 3.0
"""Between two sign-ins of one owner."""
TIMEOUT_S: Final = 10.0
Forward = Callable[[str], Mapping[str, str]]


@dataclass
class Owner:
    """An account's owner at one device: a browser keeps cookies, a program has none. `solves`: as the web app does."""

    name: str
    email: str
    password: str
    address: str
    headers: Mapping[str, str] = field(default_factory=dict)
    cookies: dict[str, str] = field(default_factory=dict)
    solves: bool = True
    taken: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Attack:
    """What came of the guesses, by status and code."""

    sent: int
    answers: Counter[str]


def attacked(
    url: str, forward: Forward, email: str, addresses: Sequence[str], per_s: float, lasts_s: float, *owners: Owner
) -> Attack:
    """Guesses for so long, while each owner signs in every three seconds and notes how long it took."""
    return asyncio.run(_attacked(url, forward, email, addresses, per_s, lasts_s, owners))


def solved(work: Mapping[str, Any]) -> str:
    """The `Proof-Of-Work` header that solves the challenge of a rejection."""
    challenge, bits = str(work["challenge"]), int(work["bits"])
    return f"{challenge};{','.join(str(_number(challenge, index, bits)) for index in range(int(work['puzzles'])))}"


def _number(challenge: str, index: int, bits: int) -> int:
    prefix, number = sha256(f"{challenge}:{index}:".encode()), 0
    while True:
        tried = prefix.copy()
        tried.update(b"%d" % number)
        if int.from_bytes(tried.digest()[:4], "big") >> (32 - bits) == 0:
            return number
        number += 1


async def _attacked(
    url: str,
    forward: Forward,
    email: str,
    addresses: Sequence[str],
    per_s: float,
    lasts_s: float,
    owners: Sequence[Owner],
) -> Attack:
    answers: Counter[str] = Counter()
    limits = httpx.Limits(max_connections=200)
    async with httpx.AsyncClient(base_url=url, timeout=TIMEOUT_S, limits=limits, verify=False) as attacker:  # noqa: S501 - plain http
        began, tries, sent = time.monotonic(), set[asyncio.Task[None]](), 0
        signing_in = [asyncio.create_task(_signing_in(url, forward, owner, began + lasts_s)) for owner in owners]

        async def guess(number: int) -> None:
            body = {"email": email, "password": f"not that one {number}"}
            headers = forward(addresses[number % len(addresses)])
            try:
                answer = await attacker.post(LOGIN, json=body, headers=headers)
                answers[f"{answer.status_code} {answer.json().get('code', '')}"] += 1
            except httpx.HTTPError as error:
                answers[type(error).__name__] += 1

        while (now := time.monotonic()) < began + lasts_s:
            while sent < (now - began) * per_s:
                tries.add(asyncio.create_task(guess(sent)))
                sent += 1
            await asyncio.sleep(0.01)
        await asyncio.gather(*signing_in)
        await asyncio.gather(*tries)
    return Attack(sent, answers)


async def _signing_in(url: str, forward: Forward, owner: Owner, until: float) -> None:
    due = time.monotonic()
    async with httpx.AsyncClient(base_url=url, timeout=TIMEOUT_S, verify=False) as client:  # noqa: S501 - plain http
        while due < until:
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            began = time.monotonic()
            answer = await _post(client, forward, owner, {})
            if owner.solves and (work := _work(answer)) is not None:
                answer = await _post(client, forward, owner, {"Proof-Of-Work": await asyncio.to_thread(solved, work)})
            owner.taken.append(time.monotonic() - began)
            if answer.status_code != 200:
                owner.refused.append(answer.text)
            due += EVERY_S


async def _post(client: httpx.AsyncClient, forward: Forward, owner: Owner, more: Mapping[str, str]) -> httpx.Response:
    client.cookies.clear()
    kept = {"Cookie": "; ".join(f"{name}={value}" for name, value in owner.cookies.items())} if owner.cookies else {}
    headers = {**forward(owner.address), **owner.headers, **kept, **more}
    return await client.post(LOGIN, json={"email": owner.email, "password": owner.password}, headers=headers)


def _work(answer: httpx.Response) -> Mapping[str, Any] | None:
    found: Callable[[], Any] = answer.json
    return found().get("work") if answer.status_code == 429 else None
