"""The escrow provider's odd answers: each ends, is either "later" or "no", and says so in words that can be kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any
from uuid import uuid4

import httpx
import pytest

from infra.domain.escrow_provider import (
    EscrowProvider,
    OpenedTransaction,
    ProviderRejected,
    ProviderUnavailable,
    TransactionState,
    provider,
)
from infra.domain.escrow_provider.sandbox import Sandbox
from infra.kernel.config.parsers import parse_webhook_secrets
from infra.kernel.config.settings import Settings
from query_api.marketplace.deals import _kind

ESCROW = uuid4()
GOOD = {"id": "tx_1", "paymentUrl": "https://pay.example/1"}
STANDS = {"id": "tx_1", "status": "funded", "amount": 5, "currency": "JPY", "toSeller": 0, "toBuyer": 0}


@contextmanager
def answering(write: Callable[[BaseHTTPRequestHandler], None]) -> Iterator[EscrowProvider]:
    class Handler(BaseHTTPRequestHandler):
        def _any(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            write(self)

        do_GET = do_PUT = do_POST = _any

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    made = EscrowProvider(f"http://127.0.0.1:{server.server_address[1]}", "key")
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def plainly(status: int, body: bytes | dict[str, Any]) -> Callable[[BaseHTTPRequestHandler], None]:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()

    def write(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return write


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (500, b"", ProviderUnavailable),
        (503, b"\x00\xff", ProviderUnavailable),
        (429, b"", ProviderUnavailable),
        (401, b"", ProviderUnavailable),
        (200, b"<html>", ProviderUnavailable),
        (200, b"x" * 70_000, ProviderUnavailable),
        (302, b"", ProviderRejected),
        (409, "no\0such\ncurrency‮".encode(), ProviderRejected),
        (200, b"[]", ProviderRejected),
        (200, {**GOOD, "id": 5}, ProviderRejected),
        (200, {**GOOD, "id": "x" * 201}, ProviderRejected),
        (200, {**GOOD, "id": "a\x00b"}, ProviderRejected),
        (200, {**GOOD, "paymentUrl": "javascript:alert(1)"}, ProviderRejected),
        (200, {**GOOD, "paymentUrl": "http://[::1"}, ProviderRejected),
        (200, {**GOOD, "paymentUrl": "https://"}, ProviderRejected),
        (200, {**GOOD, "paymentUrl": "https://pay.example/\x00"}, ProviderRejected),
        (200, {**GOOD, "paymentUrl": "https://pay.example/\ud800"}, ProviderRejected),
        (200, {**GOOD, "paymentUrl": "https://pay.example/ x"}, ProviderRejected),
    ],
)
def test_an_odd_answer_is_later_or_no(status: int, body: bytes | dict[str, Any], error: type[Exception]) -> None:
    with answering(plainly(status, body)) as there, pytest.raises(error) as raised:
        there.open(ESCROW, 5, "JPY")
    assert type(raised.value) is error and str(raised.value).isprintable()


@pytest.mark.parametrize(
    "changes",
    [{"status": "lost"}, {"amount": "5"}, {"amount": True}, {"toSeller": -1}, {"currency": None}, {"id": ""}],
)
def test_where_a_transaction_stands_is_believed_when_it_is_whole(changes: dict[str, Any]) -> None:
    with answering(plainly(200, STANDS)) as there:
        assert there.find(ESCROW) == TransactionState("tx_1", "funded", 5, "JPY", 0, 0)
    with answering(plainly(200, {**STANDS, **changes})) as there, pytest.raises(ProviderRejected):
        there.find(ESCROW)


def test_of_a_transaction_that_the_provider_does_not_know_there_is_nothing() -> None:
    with answering(plainly(404, b"{}")) as there:
        assert there.find(ESCROW) is None
        with pytest.raises(ProviderRejected):
            there.settle(ESCROW, 1, 0)


def test_a_provider_that_hangs_in_the_middle_of_its_answer_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    over = Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.end_headers()
        while not over.wait(0.02):
            try:
                handler.wfile.write(b" ")
            except OSError:
                return

    def drip_head(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not over.wait(0.02):
            try:
                handler.wfile.write(b"x: y\r\n")
            except OSError:
                return

    def hang(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        over.wait(30)

    monkeypatch.setattr(provider, "TIMEOUT_S", 0.2)
    for write in (drip, drip_head, hang):
        with answering(write) as there:
            try:
                with pytest.raises(ProviderUnavailable):
                    there.open(ESCROW, 5, "JPY")
            finally:
                over.set()
        over.clear()


def test_the_sandbox_says_that_it_is_a_trial_and_shows_each_currency_as_it_is_written(tmp_path: Path) -> None:
    sandbox = Sandbox(tmp_path / "book.sqlite", 0, "key", "whsec_AAAA", "http://127.0.0.1:9/").start()
    there = EscrowProvider(sandbox.address, "key")
    try:
        for amount, currency, shown in ((500, "JPY", "500 JPY"), (12_345, "KWD", "12.345 KWD"), (5, "USD", "0.05 USD")):
            escrow = uuid4()
            assert there.find(escrow) is None
            opened = there.open(escrow, amount, currency)
            assert opened == there.open(escrow, amount, currency) and opened.is_trial
            page = httpx.get(opened.payment_url).text
            assert shown in page and "no real money is moved" in page
            with pytest.raises(ProviderRejected):
                there.settle(escrow, amount, 0)
            httpx.post(opened.payment_url)
            with pytest.raises(ProviderRejected):
                there.settle(escrow, amount, 1)
            there.settle(escrow, amount - 1, 1)
            there.settle(escrow, amount - 1, 1)
            with pytest.raises(ProviderRejected):
                there.settle(escrow, amount, 0)
            assert there.find(escrow) == TransactionState(opened.reference, "settled", amount, currency, amount - 1, 1)
        assert httpx.get(f"{sandbox.address}/livez").status_code == 200
    finally:
        sandbox.stop()


def test_a_real_provider_need_not_say_that_it_is_one() -> None:
    with answering(plainly(200, GOOD)) as there:
        assert there.open(ESCROW, 5, "JPY") == OpenedTransaction("tx_1", "https://pay.example/1")


@pytest.mark.parametrize(
    "text", ["whsec_", "whsec_c2hvcnQ=", "whsec_???", "short", "whsec_YW4gb2xkZXIgc2VjcmV0IG9mIGl0 x"]
)
def test_a_secret_that_anybody_could_sign_with_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        parse_webhook_secrets(text)


def test_the_kind_of_a_deals_escrow_is_its_own_once_it_is_open() -> None:
    none, real = Settings(), Settings(escrow_url="https://escrow.example")
    trial = Settings(escrow_url="http://127.0.0.1:8100", escrow_sandbox=True)
    assert [_kind(None, one, direct=False) for one in (none, real, trial)] == ["none", "real", "trial"]
    assert [_kind(None, one, direct=True) for one in (none, real, trial)] == ["direct", "real", "trial"]
    opened = {"payment_url": "https://pay.example/1", "is_direct": False}
    for settings in (none, real, trial):
        assert _kind({**opened, "is_trial": True}, settings, direct=True) == "trial"
        assert _kind({"payment_url": None, "is_direct": True}, settings, direct=False) == "direct"
        assert _kind({**opened, "is_trial": False}, settings, direct=True) == "real"


def test_two_secrets_while_one_is_replaced() -> None:
    both = "whsec_YW4gb2xkZXIgc2VjcmV0IG9mIGl0 whsec_bmV3IHNlY3JldCBvZiB0aGUgc2FuZGJveA=="
    assert parse_webhook_secrets(both) == tuple(both.split())
