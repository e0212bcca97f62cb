"""Awin, CJ and impact.com as their report APIs behave: windows, pages, rates, credentials; and as they fail.

Each server has a ledger of its own, which a test may change between two calls. `respond` answers a call without a
socket, `ServerOutbound` carries calls to it in process, `listening` puts it on loopback.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any, Protocol
from urllib.parse import parse_qs, urlsplit

import httpx

from infra.kernel.net.outbound_http import Outbound, OutboundFailed, OutboundResponse, OutboundTooLarge
from schemas.zones import ZoneInfo

CJ_FIELDS = frozenset(
    re.findall(
        r"\w+",
        "commissionId originalActionId original correctionReason actionStatus validationStatus actionType advertiserId"
        " advertiserName websiteId clickDate eventDate postingDate lockingDate orderId shopperId pubCommissionAmountUsd"
        " pubCommissionAmountPubCurrency saleAmountUsd saleAmountPubCurrency",
    )
)
MINUTE = timedelta(minutes=1)
CUT = "cut"
"""A fault: the connection ends in the middle of the answer."""


@dataclass
class ServedAnswer:
    status: int
    body: Any
    headers: dict[str, str] = field(default_factory=dict)
    is_cut: bool = False

    @property
    def content(self) -> bytes:
        text = json.dumps(self.body).encode()
        return text[: len(text) // 2] if self.is_cut else text


class Server(Protocol):
    """Answers calls in process."""

    def respond(self, method: str, target: str, headers: Mapping[str, str], content: bytes) -> ServedAnswer: ...


@dataclass(frozen=True)
class ServedCall:
    method: str
    path: str
    query: Mapping[str, str]
    content: bytes


@dataclass
class Sale:
    """A sale as a network holds it. `changed_at`: the last decision or amendment."""

    id: int
    sold_at: datetime
    commission: str = "1.10"
    amount: str = "22.00"
    status: str = "pending"
    changed_at: datetime | None = None
    is_amended: bool = False
    click_ref: str = ""


@dataclass
class NetworkServer(ABC):
    """`faults`: by number of the call, what it answers instead (a status, or `CUT`). `after_call`: what happens at the
    network after the call of that number. `calls`: when each came."""

    now: Callable[[], datetime]
    sales: list[Sale] = field(default_factory=list)
    token: str = "a-token"
    calls_a_minute: int | None = None
    faults: dict[int, int | str] = field(default_factory=dict)
    after_call: dict[int, Callable[[], None]] = field(default_factory=dict)
    calls: list[datetime] = field(default_factory=list)
    targets: list[str] = field(default_factory=list)
    too_fast: int = 0

    def respond(self, method: str, target: str, headers: Mapping[str, str], content: bytes) -> ServedAnswer:
        number, at = len(self.calls), self.now()
        recent = [each for each in self.calls if each > at - MINUTE]
        self.calls.append(at)
        self.targets.append(target)
        answer = self._guarded(method, target, headers, content, len(recent))
        fault = self.faults.get(number)
        if fault == CUT:
            answer.is_cut = True
        elif isinstance(fault, int):
            answer = ServedAnswer(fault, {"error": "a fault of this test"})
        self.after_call.get(number, lambda: None)()
        return answer

    def _guarded(
        self, method: str, target: str, headers: Mapping[str, str], content: bytes, recent: int
    ) -> ServedAnswer:
        if self.calls_a_minute is not None and recent >= self.calls_a_minute:
            self.too_fast += 1
            return ServedAnswer(429, {"error": "too many requests"})
        if headers.get("Authorization") != self.authorization:
            return ServedAnswer(401, {"error": "unauthorized"})
        parts = urlsplit(target)
        query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
        return self.answer(ServedCall(method, parts.path, query, content))

    @property
    def authorization(self) -> str:
        return f"Bearer {self.token}"

    @abstractmethod
    def answer(self, call: ServedCall) -> ServedAnswer: ...


@dataclass
class AwinServer(NetworkServer):
    """Times are in the zone that is requested, else in `zone`."""

    calls_a_minute: int | None = 20
    publisher: str = "4711"
    zone: str = "America/Los_Angeles"

    def answer(self, call: ServedCall) -> ServedAnswer:
        query = call.query
        if call.method != "GET" or call.path != f"/publishers/{self.publisher}/transactions/":
            return ServedAnswer(404, {"error": "not found"})
        zone = ZoneInfo(query.get("timezone", self.zone))
        start, end = (datetime.strptime(query[name], "%Y-%m-%dT%H:%M:%S") for name in ("startDate", "endDate"))  # noqa: DTZ007
        if end < start or end - start > timedelta(days=31):
            return ServedAnswer(400, {"error": "the date range is longer than 31 days"})
        since, until = start.replace(tzinfo=zone), end.replace(tzinfo=zone)
        kind = query.get("dateType", "transaction")
        found = [sale for sale in self.sales if self._is_in(sale, kind, since, until)]
        return ServedAnswer(200, [self._row(sale, zone) for sale in found])

    @staticmethod
    def _is_in(sale: Sale, kind: str, since: datetime, until: datetime) -> bool:
        moment = sale.sold_at if kind == "transaction" else sale.changed_at
        if moment is None or (kind == "amendment") > sale.is_amended:
            return False
        return since <= moment.replace(microsecond=0) <= until

    def _row(self, sale: Sale, zone: ZoneInfo) -> dict[str, Any]:
        return {
            "id": sale.id,
            "url": "https://shop.example/private",
            "advertiserId": 77,
            "publisherId": int(self.publisher),
            "commissionStatus": sale.status,
            "commissionAmount": {"amount": float(sale.commission), "currency": "EUR"},
            "saleAmount": {"amount": float(sale.amount), "currency": "EUR"},
            "ipHash": "117",
            "clickRefs": {"clickRef": sale.click_ref},
            "transactionDate": _local(sale.sold_at, zone),
            "validationDate": None if sale.changed_at is None else _local(sale.changed_at, zone),
            "type": "Commission group transaction",
            "amended": sale.is_amended,
            "paidToPublisher": False,
        }


def _local(moment: datetime, zone: ZoneInfo) -> str:
    return moment.astimezone(zone).strftime("%Y-%m-%dT%H:%M:%S")


@dataclass
class CjServer(NetworkServer):
    """Answers `limit` records, and says so. `names_end`: it also says where to go on."""

    calls_a_minute: int | None = 25
    publisher: str = "5511"
    limit: int = 4
    names_end: bool = True
    longest: timedelta = timedelta(days=31)

    def answer(self, call: ServedCall) -> ServedAnswer:
        if call.method != "POST" or call.path != "/query":
            return ServedAnswer(404, {"error": "not found"})
        text = json.loads(call.content)["query"]
        given = dict(re.findall(r'(\w+): "([^"]*)"', text))
        fields = re.search(r"records \{([^}]*)\}", text)
        if f'forPublishers: ["{self.publisher}"]' not in text or fields is None:
            return ServedAnswer(200, {"errors": [{"message": "bad query"}]})
        names = fields.group(1).split()
        if not set(names) <= CJ_FIELDS:
            return ServedAnswer(200, {"errors": [{"message": "no such field"}]})
        kind = "Posting" if "sincePostingDate" in given else "Locking"
        since, until = (datetime.fromisoformat(given[f"{end}{kind}Date"]) for end in ("since", "before"))
        if until - since > self.longest:
            return ServedAnswer(200, {"errors": [{"message": "the range is too long"}]})
        behind = int(given.get("sinceCommissionId", "0"))
        found = sorted((sale for sale in self.sales if self._is_in(sale, kind, since, until)), key=lambda sale: sale.id)
        rest = [sale for sale in found if sale.id > behind]
        shown = rest[: self.limit]
        answer = {
            "count": len(shown),
            "payloadComplete": len(shown) == len(rest),
            "maxCommissionId": str(shown[-1].id) if shown and self.names_end else None,
            "records": [{name: self._row(sale)[name] for name in names} for sale in shown],
        }
        return ServedAnswer(200, {"data": {"publisherCommissions": answer}})

    @staticmethod
    def _is_in(sale: Sale, kind: str, since: datetime, until: datetime) -> bool:
        moment = sale.sold_at if kind == "Posting" else sale.changed_at
        return moment is not None and since <= moment < until

    @staticmethod
    def _row(sale: Sale) -> dict[str, Any]:
        return {
            "commissionId": str(sale.id),
            "originalActionId": str(sale.id),
            "original": True,
            "correctionReason": None,
            "actionStatus": {"pending": "NEW", "approved": "LOCKED"}.get(sale.status, "CLOSED"),
            "validationStatus": "PENDING",
            "actionType": "sale",
            "advertiserId": "77",
            "advertiserName": "Shop",
            "websiteId": "1",
            "clickDate": None,
            "eventDate": sale.sold_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "postingDate": sale.sold_at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "lockingDate": (sale.changed_at or sale.sold_at).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "orderId": f"o{sale.id}",
            "shopperId": sale.click_ref,
            "pubCommissionAmountUsd": float(sale.commission),
            "pubCommissionAmountPubCurrency": float(sale.commission),
            "saleAmountUsd": float(sale.amount),
            "saleAmountPubCurrency": float(sale.amount),
        }


@dataclass
class ImpactServer(NetworkServer):
    """Pages of at most `page_size`; times with the offset of its own zone."""

    account: str = "IRabc"
    page_size: int = 4
    zone: str = "America/Los_Angeles"
    updates: list[tuple[datetime, Sale]] = field(default_factory=list)
    """Each change, as the sale was then."""
    remaining: str | None = None

    @property
    def authorization(self) -> str:
        return f"Basic {b64encode(f'{self.account}:{self.token}'.encode()).decode()}"

    def answer(self, call: ServedCall) -> ServedAnswer:
        query, feed = call.query, call.path.rpartition("/")[2]
        known = [f"/Mediapartners/{self.account}/{one}" for one in ("Actions", "ActionUpdates")]
        if call.method != "GET" or call.path not in known:
            return ServedAnswer(404, {"Status": "ERROR"})
        since, until = (datetime.fromisoformat(query[name]) for name in ("StartDate", "EndDate"))
        if until - since > timedelta(days=45):
            return ServedAnswer(400, {"Status": "ERROR", "Message": "45 days at most"})
        rows = self._rows(feed, since, until)
        size, page = min(self.page_size, int(query["PageSize"])), int(query["Page"])
        shown = rows[(page - 1) * size : page * size]
        pages = -(-len(rows) // size)
        said = {"@page": page, "@numpages": pages, "@pagesize": size, "@total": len(rows)}
        body = {name: str(value) for name, value in said.items()} | {feed: shown}
        limit = {} if self.remaining is None else {"X-RateLimit-Remaining": self.remaining, "X-RateLimit-Reset": "17"}
        return ServedAnswer(200, body, limit)

    def _rows(self, feed: str, since: datetime, until: datetime) -> Sequence[dict[str, Any]]:
        if feed == "Actions":
            found = sorted(self.sales, key=lambda sale: sale.id)
            return [self._row(sale) for sale in found if since <= (sale.changed_at or sale.sold_at) <= until]
        return [
            self._row(sale) | {"Id": f"u{number}", "ActionId": self._id(sale), "UpdateDate": self._time(at)}
            for number, (at, sale) in enumerate(self.updates)
            if since <= at <= until
        ]

    @staticmethod
    def _id(sale: Sale) -> str:
        return f"1000.4636.{sale.id}"

    def _time(self, moment: datetime) -> str:
        return moment.replace(microsecond=0).astimezone(ZoneInfo(self.zone)).isoformat()

    def _row(self, sale: Sale) -> dict[str, Any]:
        return {
            "Id": self._id(sale),
            "CampaignId": 77,
            "CampaignName": "Shop",
            "ActionTrackerId": 3,
            "State": {"pending": "PENDING", "approved": "APPROVED"}.get(sale.status, "REVERSED"),
            "Payout": sale.commission,
            "Amount": sale.amount,
            "Currency": "EUR",
            "EventDate": self._time(sale.sold_at),
            "ClearedDate": "",
            "SubId1": sale.click_ref,
            "CustomerCity": "Springfield",
            "Uri": "/private",
        }


class ServerOutbound(Outbound):
    """Carries calls to servers in process: URL of each to the server."""

    def __init__(self, servers: Mapping[str, Server]) -> None:
        self._servers = servers

    async def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        max_bytes: int = 65_536,
        **_: object,
    ) -> OutboundResponse:
        origin = next((one for one in self._servers if url.startswith(one)), None)
        if origin is None:
            raise OutboundFailed("Nothing answers there.")
        answer = self._servers[origin].respond(method, url.removeprefix(origin), headers or {}, content or b"")
        if len(answer.content) > max_bytes:
            raise OutboundTooLarge("The answer is too large.")
        return OutboundResponse(answer.status, httpx.Headers(answer.headers), answer.content)


@contextmanager
def listening(server: Server) -> Iterator[str]:
    """The address of the server on loopback. A cut answer announces more than it sends."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._serve("GET")

        def do_POST(self) -> None:
            self._serve("POST")

        def _serve(self, method: str) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            answer = server.respond(method, self.path, dict(self.headers.items()), content)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                self.send_header(name, value)
            sent = answer.content
            self.send_header("Content-Length", str(len(sent) * 2 if answer.is_cut else len(sent)))
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the test tells what failed."""

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}"
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def utc(text: str) -> datetime:
    """The moment in UTC."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
