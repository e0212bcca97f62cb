"""Calls to the escrow provider. Every call is idempotent: it carries the escrow's id, and is executed once for it.

- `PUT /v1/transactions/{escrow}` `{amount, currency}` -> `{id, status, paymentUrl}`
- `POST /v1/transactions/{escrow}/settle` `{toSeller, toBuyer}`; both together are the amount
- `POST /v1/transactions/{escrow}/cancel`; refused (409) once it is paid
- `GET /v1/transactions/{escrow}` -> `{id, status, amount, currency, toSeller, toBuyer}`; 404 for none. Polled now
  and then, in case a webhook of the provider was lost
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeGuard, cast, get_args
from urllib.parse import urlsplit
from uuid import UUID

import httpx

from infra.kernel.config.settings import Settings

TIMEOUT_S: Final = 8.0
"""For each part of an answer; all of them together have twice that."""
MAX_BYTES: Final = 64 * 1024

Status = Literal["open", "funded", "settled", "cancelled"]


class ProviderUnavailable(Exception):
    """The provider gave no answer, or one that says "later": nothing is known; the call is to be repeated."""


class ProviderRejected(Exception):
    """The provider will not do it, and repeating the call does not help."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class OpenedTransaction:
    """A transaction at the provider. `is_trial`: no money moves in it."""

    reference: str
    payment_url: str
    is_trial: bool = False


@dataclass(frozen=True, slots=True)
class TransactionState:
    """The state of a transaction, as the provider reports it."""

    reference: str
    status: Status
    amount: int
    currency: str
    to_seller: int
    to_buyer: int


class Provider(Protocol):
    """An escrow provider. All methods raise `ProviderUnavailable` and `ProviderRejected`. Amounts in minor units."""

    def open(self, escrow_id: UUID, amount: int, currency: str) -> OpenedTransaction: ...

    def settle(self, escrow_id: UUID, to_seller: int, to_buyer: int) -> None: ...

    def cancel(self, escrow_id: UUID) -> None: ...

    def find(self, escrow_id: UUID) -> TransactionState | None: ...


class EscrowProvider:
    """`Provider` over HTTP. Thread-safe; keeps no connection. For threads without an event loop of their own."""

    def __init__(self, url: str, key: str) -> None:
        self._url = url.rstrip("/")
        self._key = key
        self._trust = httpx.create_ssl_context(trust_env=False)

    @classmethod
    def over_http(cls, settings: Settings) -> EscrowProvider | None:
        """Returns the provider of the settings; None when none is set."""
        if settings.escrow_url is None or settings.escrow_key is None:
            return None
        return cls(settings.escrow_url, settings.escrow_key)

    def open(self, escrow_id: UUID, amount: int, currency: str) -> OpenedTransaction:
        answer = self._call("PUT", escrow_id, "open", {"amount": amount, "currency": currency})
        reference, payment_url = answer.get("id"), answer.get("paymentUrl")
        if not _is_reference(reference):
            raise ProviderRejected("the provider's answer names no transaction")
        if not _is_web_address(payment_url):
            raise ProviderRejected("the provider's answer names no payment page")
        return OpenedTransaction(reference, payment_url, is_trial=answer.get("live") is False)

    def settle(self, escrow_id: UUID, to_seller: int, to_buyer: int) -> None:
        self._call("POST", escrow_id, "settle", {"toSeller": to_seller, "toBuyer": to_buyer})

    def cancel(self, escrow_id: UUID) -> None:
        self._call("POST", escrow_id, "cancel", {})

    def find(self, escrow_id: UUID) -> TransactionState | None:
        """Returns the state of the escrow's transaction; None: the provider knows no transaction of this escrow."""
        try:
            answer = self._call("GET", escrow_id, "find")
        except ProviderRejected as refused:
            if refused.status == 404:
                return None
            raise
        status, currency = answer.get("status"), answer.get("currency")
        amounts = [answer.get(name) for name in ("amount", "toSeller", "toBuyer")]
        if (
            not _is_reference(answer.get("id"))
            or status not in get_args(Status)
            or not isinstance(currency, str)
            or any(type(amount) is not int or not 0 <= amount <= 2**53 for amount in amounts)
        ):
            raise ProviderRejected("the provider's answer has no valid status")
        amount, to_seller, to_buyer = (int(value or 0) for value in amounts)
        return TransactionState(answer["id"], cast(Status, status), amount, currency, to_seller, to_buyer)

    def _call(self, method: str, escrow_id: UUID, step: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        url = f"{self._url}/v1/transactions/{escrow_id}" + (f"/{step}" if method == "POST" else "")
        headers = {"Idempotency-Key": f"{escrow_id}:{step}"} if body is not None else {}
        try:
            status, content = asyncio.run(self._asked(method, url, headers, body))
        except TimeoutError as error:
            raise ProviderUnavailable("the answer takes too long") from error
        except httpx.HTTPError as error:
            raise ProviderUnavailable(_plain(f"{type(error).__name__}: {error}")) from error
        if status in (408, 425, 429) or status >= 500 or status in (401, 403):  # a wrong key is ours to set right
            raise ProviderUnavailable(f"HTTP {status}")
        if not 200 <= status < 300:
            raise ProviderRejected(_plain(f"HTTP {status}: {content[:200].decode(errors='replace')}"), status)
        try:
            document = httpx.Response(200, content=content or b"{}").json()
        except ValueError as error:
            raise ProviderUnavailable("the answer is no JSON") from error
        return document if isinstance(document, dict) else {}

    async def _asked(
        self, method: str, url: str, headers: dict[str, str], body: dict[str, Any] | None
    ) -> tuple[int, bytes]:
        """Status and body, all of it in time, the head too. Raises what `_call` makes `ProviderUnavailable` of."""
        headers = {**headers, "Authorization": f"Bearer {self._key}"}
        async with (
            asyncio.timeout(2 * TIMEOUT_S),
            httpx.AsyncClient(verify=self._trust, timeout=TIMEOUT_S, trust_env=False) as client,
            client.stream(method, url, json=body, headers=headers, follow_redirects=False) as answer,
        ):
            content = b""
            async for part in answer.aiter_bytes():
                content += part
                if len(content) > MAX_BYTES:
                    raise ProviderUnavailable("the answer is too long")
            return answer.status_code, content


def _is_reference(value: Any) -> TypeGuard[str]:
    return isinstance(value, str) and 0 < len(value) <= 200 and value.isprintable()


def _is_web_address(value: Any) -> TypeGuard[str]:
    if not isinstance(value, str) or len(value) > 2_000 or not value.isprintable() or " " in value:
        return False
    try:
        parts = urlsplit(value)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)


def _plain(text: str) -> str:
    """Text from outside on one line, without characters that a log or a table cannot store."""
    return "".join(sign if sign.isprintable() else " " for sign in text)[:300]
