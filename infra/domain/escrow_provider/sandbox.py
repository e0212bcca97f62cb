"""An escrow provider for trying out: it speaks HTTP and signed messages like a real one, and moves no money.

`althing escrow-sandbox --port PORT --webhook URL` with the keys of the settings. Its book is a SQLite file, so it may
be killed at any moment and goes on from there; messages are repeated until they are taken.
"""

from __future__ import annotations

import argparse
import html
import json
import logging
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
from types import FrameType
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from infra.escrow.webhooks import sign
from infra.settings import SettingsError, load
from schemas.currencies import amount_text

MOST_BODY: Final = 64 * 1024
RETRY_S: Final = 1.0
SEND_TIMEOUT_S: Final = 5.0

log = logging.getLogger(__name__)

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


class Refused(Exception):
    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class Book:
    """What the sandbox knows. Thread-safe: one statement at a time."""

    def __init__(self, path: Path, address: str) -> None:
        self._address = address
        self._lock = threading.Lock()
        self._database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
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
                raise Refused(409, "this reference has another amount")
            return self._shown(deal)

    def pay(self, deal_id: str) -> None:
        """The buyer's part; a second time changes nothing."""
        with self._transaction() as database:
            row = database.execute("select reference, status from deal where id = ?", (deal_id,)).fetchone()
            if row is None:
                raise Refused(404, "there is no such transaction")
            reference, status = row
            if status == "cancelled":
                raise Refused(409, "this transaction was cancelled")
            if status == "open":
                database.execute("update deal set status = 'funded' where reference = ?", (reference,))
                self._tell(database, "transaction.funded", reference)

    def settle(self, reference: str, to_seller: int, to_buyer: int) -> dict[str, Any]:
        with self._transaction() as database:
            deal = self._deal(database, reference)
            if deal["status"] == "settled" and (deal["to_seller"], deal["to_buyer"]) == (to_seller, to_buyer):
                return self._shown(deal)
            if deal["status"] != "funded" or to_seller + to_buyer != deal["amount"] or min(to_seller, to_buyer) < 0:
                raise Refused(409, f"cannot be paid out: {deal['status']}")
            database.execute(
                "update deal set status = 'settled', to_seller = ?, to_buyer = ? where reference = ?",
                (to_seller, to_buyer, reference),
            )
            self._tell(database, "transaction.settled", reference)
            return self._shown(self._deal(database, reference))

    def cancel(self, reference: str) -> dict[str, Any]:
        with self._transaction() as database:
            deal = self._deal(database, reference)
            if deal["status"] not in ("open", "cancelled"):
                raise Refused(409, f"cannot be cancelled: {deal['status']}")
            database.execute("update deal set status = 'cancelled' where reference = ?", (reference,))
            return self._shown(self._deal(database, reference))

    def standing(self, reference: str) -> dict[str, Any]:
        with self._transaction() as database:
            return self._shown(self._deal(database, reference))

    def find(self, deal_id: str) -> dict[str, Any]:
        with self._transaction() as database:
            row = database.execute("select reference from deal where id = ?", (deal_id,)).fetchone()
            if row is None:
                raise Refused(404, "there is no such transaction")
            return self._shown(self._deal(database, row[0]))

    def next_message(self) -> tuple[int, str, bytes] | None:
        with self._transaction() as database:
            row = database.execute(
                "select number, id, body from message where not taken order by number limit 1"
            ).fetchone()
        return (row[0], row[1], row[2].encode()) if row is not None else None

    def taken(self, number: int) -> None:
        with self._transaction() as database:
            database.execute("update message set taken = 1 where number = ?", (number,))

    def later(self, number: int) -> None:
        """Behind all others: one that is not taken must not hold them up."""
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

    def _deal(self, database: sqlite3.Connection, reference: str) -> dict[str, Any]:
        row = database.execute(
            "select reference, id, amount, currency, status, to_seller, to_buyer from deal where reference = ?",
            (reference,),
        ).fetchone()
        if row is None:
            raise Refused(404, "there is no such transaction")
        return dict(zip(("reference", "id", "amount", "currency", "status", "to_seller", "to_buyer"), row, strict=True))

    def _shown(self, deal: dict[str, Any]) -> dict[str, Any]:
        return {
            "id": deal["id"],
            "reference": deal["reference"],
            "amount": deal["amount"],
            "currency": deal["currency"],
            "status": deal["status"],
            "toSeller": deal["to_seller"],
            "toBuyer": deal["to_buyer"],
            "paymentUrl": f"{self._address}/pay/{deal['id']}",
            "live": False,
        }

    def _tell(self, database: sqlite3.Connection, kind: str, reference: str) -> None:
        body = json.dumps({"type": kind, "data": self._shown(self._deal(database, reference))})
        database.execute("insert into message (id, body) values (?, ?)", (f"msg_{secrets.token_hex(12)}", body))
        self.news.set()


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Who hangs up early, like a probe, is no trouble."""
        if isinstance(sys.exception(), OSError):
            return
        log.exception("a request of %s failed", client_address)


class Sandbox:
    """The provider at `http://127.0.0.1:port`; `start`, then `stop`."""

    def __init__(self, path: Path, port: int, key: str, secret: str, webhook_url: str) -> None:
        self._server = _Server(("127.0.0.1", port), _handler(self))
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self.book = Book(path, self.address)
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
                    self.book.taken(number)
                else:
                    self.book.later(number)
                    self._stop.wait(RETRY_S)

    def _send_one(self, client: httpx.Client, message_id: str, body: bytes) -> bool:
        signed = sign(self._secret, message_id, datetime.now(UTC), body)
        try:
            answer = client.post(self.webhook_url, content=body, headers={**signed, "Content-Type": "application/json"})
        except httpx.HTTPError as error:
            log.warning("%s was not taken: %s", message_id, error)
            return False
        if not answer.is_success:
            log.warning("%s was not taken: HTTP %d %s", message_id, answer.status_code, answer.text[:200])
        return answer.is_success


def _handler(sandbox: Sandbox) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(self._api if urlsplit(self.path).path.startswith("/v1/") else self._page)

        def do_PUT(self) -> None:
            self._answer(self._api)

        def do_POST(self) -> None:
            self._answer(self._page if urlsplit(self.path).path.startswith("/pay/") else self._api)

        def log_message(self, format: str, *arguments: Any) -> None:
            log.debug(format, *arguments)

        def _answer(self, work: Any) -> None:
            try:
                length = int(self.headers.get("Content-Length") or 0)
                if not 0 <= length <= MOST_BODY:
                    raise Refused(413, "too much")
                status, kind, body = work(self.rfile.read(length))
            except Refused as refused:
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
            given = self.headers.get("Authorization", "")
            if not secrets.compare_digest(given.encode(), f"Bearer {sandbox.key}".encode()):
                raise Refused(401, "wrong key")
            parts = urlsplit(self.path).path.strip("/").split("/")
            if parts[:2] != ["v1", "transactions"] or len(parts) not in (3, 4):
                raise Refused(404, "there is nothing here")
            body, reference = json.loads(content or b"{}"), parts[2]
            if self.command == "GET" and len(parts) == 3:
                shown = sandbox.book.standing(reference)
            elif self.command == "PUT" and len(parts) == 3:
                shown = sandbox.book.open(reference, int(body["amount"]), str(body["currency"]))
            elif self.command == "POST" and parts[3:] == ["settle"]:
                shown = sandbox.book.settle(reference, int(body["toSeller"]), int(body["toBuyer"]))
            elif self.command == "POST" and parts[3:] == ["cancel"]:
                shown = sandbox.book.cancel(reference)
            else:
                raise Refused(404, "there is nothing here")
            return 200, "application/json", json.dumps(shown)

        def _page(self, _: bytes) -> tuple[int, str, str]:
            path = urlsplit(self.path).path
            if path == "/livez":
                return 200, "text/plain", "ok"
            deal_id = path.removeprefix("/pay/")
            if self.command == "POST":
                sandbox.book.pay(deal_id)
            return 200, "text/html; charset=utf-8", _payment_page(sandbox.book.find(deal_id))

    return Handler


_STATES: Final = {
    "funded": "Paid. The seller is told; you can close this page.",
    "settled": "Paid out.",
    "cancelled": "This deal was cancelled: nothing is to be paid.",
}


def _payment_page(deal: dict[str, Any]) -> str:
    price = html.escape(amount_text(deal["amount"], deal["currency"]))
    button = f"<form method=post><button>Pay {price} (no real money moves)</button></form>"
    state = _STATES.get(deal["status"])
    return (
        "<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>"
        "<title>Escrow sandbox</title><style>body{font:16px/1.5 system-ui;max-width:32rem;margin:4rem auto;"
        "padding:0 1rem}button{font:inherit;padding:.6rem 1rem}</style><h1>Escrow sandbox</h1>"
        f"<p><strong>This is a trial. No real money moves.</strong></p><p>{price}</p>"
        f"{button if state is None else f'<p>{state}</p>'}</html>"
    )


def main(arguments: list[str]) -> int:
    """Runs until SIGTERM."""
    parser = argparse.ArgumentParser(prog="althing escrow-sandbox")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--webhook", help="default: the app's own address")
    parser.add_argument("--book", type=Path, help="default: escrow-sandbox.sqlite in the data directory")
    given = parser.parse_args(arguments)
    settings = load()
    if settings.escrow_key is None or not settings.escrow_webhook_secrets:
        raise SettingsError("Set ALTHING_ESCROW_KEY and ALTHING_ESCROW_WEBHOOK_SECRET: the sandbox needs both.")
    webhook = given.webhook or f"{settings.app_url}/api/public/escrow/messages"
    book = given.book or settings.data_dir / "escrow-sandbox.sqlite"
    book.parent.mkdir(parents=True, exist_ok=True)
    try:
        sandbox = Sandbox(book, given.port, settings.escrow_key, settings.escrow_webhook_secrets[0], webhook).start()
    except OSError as error:
        raise SettingsError(f"The escrow sandbox cannot listen on port {given.port}: {error.strerror}.") from error
    sys.stdout.write(f"The escrow sandbox answers at {sandbox.address} and tells {webhook}.\n")
    sys.stdout.flush()
    ended = threading.Event()

    def stop(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    ended.wait()
    sandbox.stop()
    return 0
