"""Expensive requests against ingest, sent in a loop from several connections, and an honest client beside them.

python -m tests.support.hostile_requests ADDRESS SECONDS CONNECTIONS FILE SOURCE     sends FILE, for `hammering`
"""

from __future__ import annotations

import asyncio
import gzip
import json
import pickle
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from tests.support.engines import ROOT
from tests.support.user_agents import BROWSER

MIB: Final = 1024 * 1024
CONNECTIONS: Final = 8
JSON: Final = "application/json"
LINES: Final = "application/x-ndjson"
_PAUSE_S: Final = 0.002


@dataclass(frozen=True)
class Attack:
    """One request. `{key}` in path or headers: a site key, as everybody can read it in a page."""

    path: str = "/track"
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    method: str = "POST"

    def request(self, key: str) -> bytes:
        lines = [f"{self.method} {self.path.replace('{key}', key)} HTTP/1.1", "host: localhost"]
        if "user-agent" not in self.headers:
            lines.append(f"user-agent: {BROWSER}")
        lines += [f"{name}: {value.replace('{key}', key)}" for name, value in self.headers.items()]
        if self.body and "transfer-encoding" not in self.headers:
            lines.append(f"content-length: {len(self.body)}")
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + self.body


def array_of(part: bytes, size: int = MIB) -> bytes:
    """As many parts as fit."""
    return b"[" + b",".join([part] * ((size - 2) // (len(part) + 1))) + b"]"


def packed(body: bytes) -> Attack:
    return Attack(body=gzip.compress(body), headers={"content-encoding": "gzip", "content-type": JSON})


def keyed(body: bytes, kind: str = JSON, path: str = "/track?site={key}") -> Attack:
    return Attack(path, body, {"content-type": kind})


def with_event(part: bytes, site: bytes) -> bytes:
    """A batch that begins with an event which names its website."""
    return b'[{"type":"a","site":"' + site + b'"},' + part[1:]


TINY: Final = array_of(b'{"type":"a"}', 13 * 10_000)
FLOATS: Final = b'{"type":"a","props":{"a":[' + b",".join([b"1e308"] * 5_000) + b"]}}"
DEEP: Final = b'{"type":"a","props":{"a":' + b"[" * 900 + b"]" * 900 + b"}}"

ATTACKS: Final[Mapping[str, Attack]] = {
    "gzip of {}, no key": packed(array_of(b"{}")),
    "gzip of 1, no key": packed(array_of(b"1")),
    "gzip of [], no key": packed(array_of(b"[]")),
    'gzip of "", no key': packed(array_of(b'""')),
    "{} with a key": keyed(array_of(b"{}")),
    "1 with a key": keyed(array_of(b"1")),
    '{"a":1} with a key': keyed(array_of(b'{"a":1}')),
    "10,000 tiny events": keyed(TINY),
    "10,000 refused events": keyed(array_of(b'{"type":1}', 11 * 9_999)),
    "10,000 refused events, the last cut off": keyed(array_of(b'{"type":"A"}', 13 * 9_999)[:-1] + b",{]"),
    "large exponents": keyed(array_of(FLOATS)),
    "deep props": keyed(array_of(DEEP)),
    "1 MiB of [": keyed(b"[" * MIB),
    "1 MiB of [ and blanks": keyed(b"[ " * (MIB // 2)),
    '1 MiB of "': keyed(b"[" + b'"' * (MIB - 1)),
    '1 MiB of \\"': keyed(b'["' + b'\\"' * (MIB // 2 - 1)),
    "1 MiB of digits": keyed(b"[" + b"1" * (MIB - 1)),
    "1 MiB of blanks": keyed(b"[" + b" " * (MIB - 2) + b"]"),
    "one part of 1 MiB": keyed(b'[{"type":"a","props":[' + b'"",' * 340_000 + b"1]}]"),
    "lines: 1,000,000 blank": keyed(b"\n" * 1_000_000, LINES),
    "lines: {}": keyed(b"{}\n" * (MIB // 3), LINES),
    "a title of escapes": keyed(b'{"type":"a","title":"' + b'\\"' * 15_000 + b'"}'),
    "a huge integer": keyed(b'{"type":"a","value":' + b"9" * 30_000 + b"}"),
    "sale: props of large exponents": keyed(
        b'{"txid":"t","amount":1,"currency":"USD","props":{"a":[' + b",".join([b"1e308"] * 5_000) + b"]}}",
        path="/track/sale?site={key}",
    ),
    "lead: 1 MiB": keyed(b'{"txid":"' + b"a" * (MIB - 100) + b'"}', path="/track/lead?site={key}"),
    "postback: a form of 1 MiB of %41": Attack(
        "/postback", b"a=" + b"%41" * 349_000, {"content-type": "application/x-www-form-urlencoded"}
    ),
    "postback: 1 MiB of JSON": Attack(
        "/postback",
        json.dumps({f"k{n}": 1 for n in range(80_000)}).encode()[:MIB],
        {"content-type": JSON},
    ),
    "pixel: a query of %": Attack("/t.gif?site={key}&url=" + "%" * 30_000, method="GET"),
    "pixel: a query of &": Attack("/t.gif?" + "&" * 30_000, method="GET"),
    "an unknown link": Attack("/go/nothing-here", method="GET"),
    "8,000 headers": Attack("/t.js", headers={f"a{n}": "" for n in range(3_000)}, method="GET"),
    "a content type of 30 KB": Attack(
        "/track?site={key}", b'{"type":"a"}', {"content-type": "application/json;" + "a;" * 15_000}
    ),
    "cookies of 30 KB": Attack("/go/nothing-here", headers={"cookie": "a=b; " * 6_000}, method="GET"),
    "a user agent of brackets": Attack("/t.gif?site={key}", headers={"user-agent": "(" * 1_000}, method="GET"),
    "chunks of one byte": Attack(
        "/track?site={key}", b"1\r\n \r\n" * 100_000 + b"0\r\n\r\n", {"transfer-encoding": "chunked"}
    ),
    "20,000 requests at once": Attack("/livez", method="GET", body=b""),
}


def requests_of(names: list[str], key: str) -> list[bytes]:
    """The bytes of these attacks."""
    made = [ATTACKS[name].request(key) for name in names]
    return [one * 20_000 if name == "20,000 requests at once" else one for name, one in zip(names, made, strict=True)]


@contextmanager
def hammering(
    address: tuple[str, int],
    requests: list[bytes],
    seconds: float,
    connections: int = CONNECTIONS,
    source: str = "127.0.0.1",
) -> Iterator[Counter[str]]:
    """Sends the requests meanwhile, each connection one after the other, from the address `source`; gives the answers'
    statuses at the end."""
    answers: Counter[str] = Counter()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "requests"
        file.write_bytes(pickle.dumps(requests))
        process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                __name__,
                f"{address[0]}:{address[1]}",
                str(seconds),
                str(connections),
                str(file),
                source,
            ],
            cwd=ROOT,
            stdout=subprocess.PIPE,
        )
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"sending\n"
            yield answers
            told, _ = process.communicate(timeout=60 + seconds)
            answers.update(json.loads(told))
        finally:
            process.kill()
            process.wait()


class Honest:
    """A visitor and a website beside the attack: the time that each of their requests takes, in seconds."""

    def __init__(self, address: tuple[str, int], key: str, slug: str) -> None:
        self._address = address
        event = json.dumps({"type": "pageview", "url": "https://own.example/", "site": key}).encode()
        self._calls = (
            ("/track", "POST", f"/track?site={key}", event, 202),
            ("/go", "GET", f"/go/{slug}", b"", 302),
            ("/t.js", "GET", "/t.js", b"", 200),
        )

    def measure(self, seconds: float) -> dict[str, list[float]]:
        """Calls everything in turn. Raises `AssertionError` on an answer that is not the right one."""
        took: dict[str, list[float]] = {name: [] for name, *_ in self._calls}
        connection = HTTPConnection(*self._address, timeout=60)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            for name, method, path, body, expected in self._calls:
                started = time.perf_counter()
                connection.request(method, path, body or None, {"user-agent": BROWSER, "content-type": JSON})
                answer = connection.getresponse()
                content = answer.read()
                took[name].append(time.perf_counter() - started)
                assert answer.status == expected, (name, answer.status, content)
            time.sleep(_PAUSE_S)
        connection.close()
        return took


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


async def _send(address: str, seconds: float, connections: int, requests: list[bytes], source: str) -> Counter[str]:
    host, port = address.split(":")
    answers: Counter[str] = Counter()
    end = time.monotonic() + seconds
    turn = iter(range(2**62))

    async def one() -> None:
        writer: asyncio.StreamWriter | None = None
        while time.monotonic() < end:
            request = requests[next(turn) % len(requests)]
            try:
                if writer is None:
                    reader, writer = await asyncio.open_connection(
                        host, int(port), limit=4 * MIB, local_addr=(source, 0)
                    )
                writer.write(request)
                head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
                answers[head[9:12].decode()] += 1
                length = next(
                    (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
                )
                await reader.readexactly(length)
                if b"connection: close" in head.lower() or len(request) > 2 * MIB or b"/livez" in request[:20]:
                    raise ConnectionError
            except (OSError, asyncio.IncompleteReadError, TimeoutError, asyncio.LimitOverrunError):
                if writer is not None:
                    writer.close()
                    with suppress(OSError):
                        await writer.wait_closed()
                writer = None

    print("sending", flush=True)
    await asyncio.gather(*(one() for _ in range(connections)))
    return answers


if __name__ == "__main__":
    _given = sys.argv[1:]
    _requests = pickle.loads(Path(_given[3]).read_bytes())  # noqa: S301 - written by `hammering`
    print(json.dumps(asyncio.run(_send(_given[0], float(_given[1]), int(_given[2]), _requests, _given[4]))))
