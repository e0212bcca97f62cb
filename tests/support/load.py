"""Load with a ledger: sends through the tracking API what real sites send, and writes down what it was promised.

    python -m tests.support.load --seconds 30 --rate 500 --url http://127.0.0.1:8001 --website ID \
        --site-key pk_… --secret-key sk_… --postback-token pb_… --ledger load.jsonl

Every event and conversion has its ledger line on disk (fsync) before it is sent, and another after the answer
(`infra.ops.audit.load_ledger`). What got no clear answer (a reset, a timeout, 429, 5xx) is sent again with the same id,
honouring `Retry-After`, until it gets one or `--settle` seconds are over. The traffic is seeded; the seed is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx

from tests.support.traffic import Call, Target, Traffic

REQUEST_TIMEOUT_S: Final = 10.0


@dataclass
class Deadline:
    """When to stop waiting for requests without an answer; set once no new ones are sent."""

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
    result: Result | None = None,
) -> Result:
    """Sends `rate` requests a second for `seconds` or `until` holds, then goes on with what has no answer for up to
    `settle_s`."""
    traffic, result, ledger = traffic or Traffic(target, seed), result or Result(seed), Ledger(ledger_path)
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

            def ended(task: asyncio.Task[None]) -> None:
                tasks.discard(task)
                turns.release()

            while (passed := time.monotonic() - started) < seconds and not until():
                if (early_s := sent / rate - passed) > 0 or turns.locked():
                    await asyncio.sleep(min(max(early_s, 0.002), 0.05))
                    continue
                await turns.acquire()
                sent += 1
                call = traffic.next()
                task = asyncio.create_task(_deliver(client, target, call, ledger, traffic, result, give_up))
                tasks.add(task)
                task.add_done_callback(ended)
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
