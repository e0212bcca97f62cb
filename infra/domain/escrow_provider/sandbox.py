"""An escrow provider for trying out: it speaks HTTP and signed messages like a real one, and moves no money.

`althing escrow-sandbox --port PORT --webhook URL` with the keys of the settings. Its book is a SQLite file, so it may
be killed at any moment and goes on from there; messages are repeated until they are taken.
"""

from __future__ import annotations

import argparse
import html
import json
import secrets
import signal
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import structlog

from infra.domain.escrow_provider.webhooks import sign
from infra.kernel.config.loading import load
from infra.kernel.config.settings import SettingsError
from schemas.currencies import amount_text

MAX_BODY_BYTES: Final = 64 * 1024
RETRY_S: Final = 1.0
SEND_TIMEOUT_S: Final = 5.0

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)

_TABLES: Final = """
create table if not exists deal (
    reference text primary key, id text not null unique, amount integer not null, currency text not null,
    status text not null default 'open', to_seller integer not null default 0, to_buyer integer not null default 0
);
create table if not exists message (
    number integer primary key autoincrement, id text not null unique, body text not null,
    taken integer not null default 0
);
"""


class RequestRejected(Exception):
    """A request that the sandbox answers with `status` and a JSON message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class TransactionStore:
    """The transactions of the sandbox. Thread-safe: one statement at a time."""

    def __init__(self, path: Path, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._database.row_factory = sqlite3.Row
        self._database.execute("pragma journal_mode = wal")
        self._database.executescript(_TABLES)
        self.news = threading.Event()

    def open(self, reference: str, amount: int, currency: str) -> dict[str, Any]:
        with self._transaction() as database:
            database.execute(
                "insert into deal (reference, id, amount, currency) values (?, ?, ?, ?) on conflict do nothing",
                (reference, f"tx_{secrets.token_hex(12)}", amount, currency),
            )
            deal = self._deal(database, reference)
            if (deal["amount"], deal["currency"]) != (amount, currency):
                raise RequestRejected(409, "this reference has another amount")
            return self._to_response(deal)

    def pay(self, deal_id: str) -> None:
        """The buyer's part; a second time changes nothing."""
        with self._transaction() as database:
            deal = self._deal(database, deal_id, "id")
            if deal["status"] == "cancelled":
                raise RequestRejected(409, "this transaction was cancelled")
            if deal["status"] == "open":
                database.execute("update deal set status = 'funded' where id = ?", (deal_id,))
                self._enqueue(database, "transaction.funded", deal["reference"])

    def settle(self, reference: str, to_seller: int, to_buyer: int) -> dict[str, Any]:
        with self._transaction() as database:
            deal = self._deal(database, reference)
            if deal["status"] == "settled" and (deal["to_seller"], deal["to_buyer"]) == (to_seller, to_buyer):
                return self._to_response(deal)
            if deal["status"] != "funded" or to_seller + to_buyer != deal["amount"] or min(to_seller, to_buyer) < 0:
                raise RequestRejected(409, f"cannot be paid out: {deal['status']}")
            database.execute(
                "update deal set status = 'settled', to_seller = ?, to_buyer = ? where reference = ?",
                (to_seller, to_buyer, reference),
            )
            self._enqueue(database, "transaction.settled", reference)
            return self._to_response(self._deal(database, reference))

    def cancel(self, reference: str) -> dict[str, Any]:
        with self._transaction() as database:
            deal = self._deal(database, reference)
            if deal["status"] not in ("open", "cancelled"):
                raise RequestRejected(409, f"cannot be cancelled: {deal['status']}")
            database.execute("update deal set status = 'cancelled' where reference = ?", (reference,))
            return self._to_response(self._deal(database, reference))

    def find(self, value: str, column: str = "reference") -> dict[str, Any]:
        with self._transaction() as database:
            return self._to_response(self._deal(database, value, column))

    def next_message(self) -> tuple[int, str, bytes] | None:
        with self._transaction() as database:
            row = database.execute(
                "select number, id, body from message where not taken order by number limit 1"
            ).fetchone()
        return (row[0], row[1], row[2].encode()) if row is not None else None

    def mark_delivered(self, number: int) -> None:
        with self._transaction() as database:
            database.execute("update message set taken = 1 where number = ?", (number,))

    def postpone(self, number: int) -> None:
        """Moves the message behind all others: one that is not taken must not delay them."""
        with self._transaction() as database:
            database.execute(
                "update message set number = (select max(number) from message) + 1 where number = ?", (number,)
            )

    def close(self) -> None:
        with self._lock:
            self._database.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._database.execute("begin immediate")
            try:
                yield self._database
            except BaseException:
                self._database.execute("rollback")
                raise
            self._database.execute("commit")

    def _deal(self, database: sqlite3.Connection, value: str, column: str = "reference") -> dict[str, Any]:
        row = database.execute(f"select * from deal where {column} = ?", (value,)).fetchone()  # noqa: S608 - own names
        if row is None:
            raise RequestRejected(404, "there is no such transaction")
        return dict(row)

    def _to_response(self, deal: dict[str, Any]) -> dict[str, Any]:
        return {
            **{name: deal[name] for name in ("id", "reference", "amount", "currency", "status")},
            "toSeller": deal["to_seller"],
            "toBuyer": deal["to_buyer"],
            "paymentUrl": f"{self._address}/pay/{deal['id']}",
            "live": False,
        }

    def _enqueue(self, database: sqlite3.Connection, kind: str, reference: str) -> None:
        body = json.dumps({"type": kind, "data": self._to_response(self._deal(database, reference))})
        database.execute("insert into message (id, body) values (?, ?)", (f"msg_{secrets.token_hex(12)}", body))
        self.news.set()


class _SandboxServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port: int, sandbox: Sandbox) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.sandbox = sandbox

    def handle_error(self, _request: Any, client_address: Any) -> None:
        """Logs the exception of a request. A client that hangs up early, like a probe, is not logged."""
        if isinstance(sys.exception(), OSError):
            return
        log.exception("sandbox_request_failed", client_address=client_address)


class Sandbox:
    """The provider at `http://127.0.0.1:port`; `start`, then `stop`."""

    def __init__(self, path: Path, port: int, key: str, secret: str, webhook_url: str) -> None:
        self._server = _SandboxServer(port, self)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.book = TransactionStore(path, self.address)
        self.key = key
        self._secret, self.webhook_url = secret, webhook_url
        self._stop = threading.Event()
        self._threads = [
            threading.Thread(target=self._server.serve_forever, daemon=True),
            threading.Thread(target=self._send, daemon=True),
        ]

    def start(self) -> Sandbox:
        for thread in self._threads:
            thread.start()
        return self

    def stop(self) -> None:
        self._stop.set()
        self.book.news.set()
        self._server.shutdown()
        self._server.server_close()
        for thread in self._threads:
            thread.join(SEND_TIMEOUT_S * 2)
        self.book.close()

    def _send(self) -> None:
        with httpx.Client(timeout=SEND_TIMEOUT_S, trust_env=False) as client:
            while not self._stop.is_set():
                self.book.news.clear()
                message = self.book.next_message()
                if message is None:
                    self.book.news.wait(RETRY_S)
                    continue
                number, message_id, body = message
                if self._send_one(client, message_id, body):
                    self.book.mark_delivered(number)
                else:
                    self.book.postpone(number)
                    self._stop.wait(RETRY_S)

    def _send_one(self, client: httpx.Client, message_id: str, body: bytes) -> bool:
        signed = sign(self._secret, message_id, datetime.now(UTC), body)
        try:
            answer = client.post(self.webhook_url, content=body, headers={**signed, "Content-Type": "application/json"})
        except httpx.HTTPError as error:
            log.warning("webhook_delivery_failed", message_id=message_id, error=error)
            return False
        if not answer.is_success:
            log.warning(
                "webhook_delivery_rejected", message_id=message_id, status=answer.status_code, answer=answer.text[:200]
            )
        return answer.is_success


class _Handler(BaseHTTPRequestHandler):
    server: _SandboxServer
    timeout = 10
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self._answer(self._api if urlsplit(self.path).path.startswith("/v1/") else self._page)

    def do_PUT(self) -> None:
        self._answer(self._api)

    def do_POST(self) -> None:
        self._answer(self._page if urlsplit(self.path).path.startswith("/pay/") else self._api)

    def log_message(self, format: str, *arguments: Any) -> None:
        line = format % arguments
        log.debug("sandbox_request_answered", line=line)

    def _answer(self, work: Any) -> None:
        try:
            length = int(self.headers.get("Content-Length") or 0)
            if not 0 <= length <= MAX_BODY_BYTES:
                raise RequestRejected(413, "too much")
            status, kind, body = work(self.rfile.read(length))
        except RequestRejected as refused:
            status, kind, body = refused.status, "application/json", json.dumps({"message": str(refused)})
        except (ValueError, KeyError, TypeError, OverflowError):
            status, kind, body = 400, "application/json", '{"message": "not understood"}'
        content = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _api(self, content: bytes) -> tuple[int, str, str]:
        authorization = self.headers.get("Authorization", "")
        if not secrets.compare_digest(authorization.encode(), f"Bearer {self.server.sandbox.key}".encode()):
            raise RequestRejected(401, "wrong key")
        parts = urlsplit(self.path).path.strip("/").split("/")
        if parts[:2] != ["v1", "transactions"] or len(parts) not in (3, 4):
            raise RequestRejected(404, "there is nothing here")
        body, reference = json.loads(content or b"{}"), parts[2]
        if self.command == "GET" and len(parts) == 3:
            transaction = self.server.sandbox.book.find(reference)
        elif self.command == "PUT" and len(parts) == 3:
            transaction = self.server.sandbox.book.open(reference, int(body["amount"]), str(body["currency"]))
        elif self.command == "POST" and parts[3:] == ["settle"]:
            transaction = self.server.sandbox.book.settle(reference, int(body["toSeller"]), int(body["toBuyer"]))
        elif self.command == "POST" and parts[3:] == ["cancel"]:
            transaction = self.server.sandbox.book.cancel(reference)
        else:
            raise RequestRejected(404, "there is nothing here")
        return 200, "application/json", json.dumps(transaction)

    def _page(self, _: bytes) -> tuple[int, str, str]:
        path = urlsplit(self.path).path
        if path == "/livez":
            return 200, "text/plain", "ok"
        deal_id = path.removeprefix("/pay/")
        if self.command == "POST":
            self.server.sandbox.book.pay(deal_id)
        return 200, "text/html; charset=utf-8", _payment_page(self.server.sandbox.book.find(deal_id, "id"))


_STATES: Final = {
    "funded": "Paid. The seller is notified; you can close this page.",
    "settled": "Paid out.",
    "cancelled": "This deal was canceled: there is nothing to pay.",
}


def _payment_page(deal: dict[str, Any]) -> str:
    price = html.escape(amount_text(deal["amount"], deal["currency"]))
    button = f"<form method=post><button>Pay {price} (test mode)</button></form>"
    state = _STATES.get(deal["status"])
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        "<title>Escrow sandbox</title><style>body{font:16px/1.5 system-ui;max-width:32rem;margin:4rem auto;"
        "padding:0 1rem}button{font:inherit;padding:.6rem 1rem}</style><h1>Escrow sandbox</h1>"
        f"<p><strong>Test mode: no real money is moved.</strong></p><p>{price}</p>"
        f"{button if state is None else f'<p>{state}</p>'}</html>"
    )


def main(arguments: list[str]) -> int:
    """Runs until SIGTERM."""
    parser = argparse.ArgumentParser(prog="althing escrow-sandbox")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--webhook", help="default: the app's own address")
    parser.add_argument("--book", type=Path, help="default: escrow-sandbox.sqlite in the data directory")
    options = parser.parse_args(arguments)
    settings = load()
    if settings.escrow_key is None or not settings.escrow_webhook_secrets:
        raise SettingsError("Set ALTHING_ESCROW_KEY and ALTHING_ESCROW_WEBHOOK_SECRET: the sandbox needs both.")
    webhook = options.webhook or f"{settings.app_url}/api/public/escrow/messages"
    book = options.book or settings.data_dir / "escrow-sandbox.sqlite"
    book.parent.mkdir(parents=True, exist_ok=True)
    try:
        sandbox = Sandbox(book, options.port, settings.escrow_key, settings.escrow_webhook_secrets[0], webhook).start()
    except OSError as error:
        raise SettingsError(f"The escrow sandbox cannot listen on port {options.port}: {error.strerror}.") from error
    sys.stdout.write(f"The escrow sandbox answers at {sandbox.address} and sends webhooks to {webhook}.\n")
    sys.stdout.flush()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()
    sandbox.stop()
    return 0
