"""What the escrow provider is told. Every call is safe to repeat: it names our own id, and happens once for it.

- `PUT /v1/transactions/{escrow}` `{amount, currency}` -> `{id, status, paymentUrl}`
- `POST /v1/transactions/{escrow}/settle` `{toSeller, toBuyer}`; both together are the amount
- `POST /v1/transactions/{escrow}/cancel`; refused (409) once it is paid
- `GET /v1/transactions/{escrow}` -> `{id, status, amount, currency, toSeller, toBuyer}`; 404 for none. Asked now and
  then, in case a message of the provider never came
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeGuard, cast, get_args
from urllib.parse import urlsplit
from uuid import UUID

import httpx

from infra.settings import Settings

TIMEOUT_S: Final = 8.0
"""For each part of an answer; all of them together have twice that."""
MOST_BYTES: Final = 64 * 1024

Status = Literal["open", "funded", "settled", "cancelled"]


class ProviderAway(Exception):
    """No answer, or one that says "later": nothing is known; the call is to be repeated."""


class ProviderRefused(Exception):
    """The provider will not do it, and repeating the call does not help."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, slots=True)
class Opened:
    """A transaction at the provider. `is_trial`: no money moves in it."""

    reference: str
    payment_url: str
    is_trial: bool = False


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a transaction stands, as the provider says when it is asked."""

    reference: str
    status: Status
    amount: int
    currency: str
    to_seller: int
    to_buyer: int


class Provider(Protocol):
    """All methods raise `ProviderAway` and `ProviderRefused`. Amounts in minor units."""

    def open(self, escrow_id: UUID, amount: int, currency: str) -> Opened: ...

    def settle(self, escrow_id: UUID, to_seller: int, to_buyer: int) -> None: ...

    def cancel(self, escrow_id: UUID) -> None: ...

    def find(self, escrow_id: UUID) -> Standing | None: ...


class EscrowProvider:
    """`Provider` over HTTP. Thread-safe; keeps no connection. For threads without an event loop of their own."""

    def __init__(self, url: str, key: str) -> None:
        self._url = url.rstrip("/")
        self._key = key
        self._trust = httpx.create_ssl_context(trust_env=False)

    @classmethod
    def over_http(cls, settings: Settings) -> EscrowProvider | None:
        """None when no provider is set."""
        if settings.escrow_url is None or settings.escrow_key is None:
            return None
        return cls(settings.escrow_url, settings.escrow_key)

    def open(self, escrow_id: UUID, amount: int, currency: str) -> Opened:
        answer = self._call("PUT", f"{escrow_id}", "open", escrow_id, {"amount": amount, "currency": currency})
        reference, payment_url = answer.get("id"), answer.get("paymentUrl")
        if not _is_reference(reference):
            raise ProviderRefused("the provider's answer names no transaction")
        if not _is_web_address(payment_url):
            raise ProviderRefused("the provider's answer names no payment page")
        return Opened(reference, payment_url, is_trial=answer.get("live") is False)

    def settle(self, escrow_id: UUID, to_seller: int, to_buyer: int) -> None:
        body = {"toSeller": to_seller, "toBuyer": to_buyer}
        self._call("POST", f"{escrow_id}/settle", "settle", escrow_id, body)

    def cancel(self, escrow_id: UUID) -> None:
        self._call("POST", f"{escrow_id}/cancel", "cancel", escrow_id, {})

    def find(self, escrow_id: UUID) -> Standing | None:
        """None: the provider knows no transaction of this escrow."""
        try:
            answer = self._call("GET", f"{escrow_id}", "find", escrow_id, None)
        except ProviderRefused as refused:
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
            raise ProviderRefused("the provider's answer does not say where the transaction stands")
        amount, to_seller, to_buyer = (int(value or 0) for value in amounts)
        return Standing(answer["id"], cast(Status, status), amount, currency, to_seller, to_buyer)

    def _call(self, method: str, path: str, step: str, escrow_id: UUID, body: dict[str, Any] | None) -> dict[str, Any]:
        headers = {"Idempotency-Key": f"{escrow_id}:{step}"} if body is not None else {}
        try:
            status, content = asyncio.run(self._asked(method, f"{self._url}/v1/transactions/{path}", headers, body))
        except TimeoutError as error:
            raise ProviderAway("the answer takes too long") from error
        except httpx.HTTPError as error:
            raise ProviderAway(_plain(f"{type(error).__name__}: {error}")) from error
        if status in (408, 425, 429) or status >= 500 or status in (401, 403):  # a wrong key is ours to set right
            raise ProviderAway(f"HTTP {status}")
        if not 200 <= status < 300:
            raise ProviderRefused(_plain(f"HTTP {status}: {content[:200].decode(errors='replace')}"), status)
        try:
            found = httpx.Response(200, content=content or b"{}").json()
        except ValueError as error:
            raise ProviderAway("the answer is no JSON") from error
        return found if isinstance(found, dict) else {}

    async def _asked(
        self, method: str, url: str, headers: dict[str, str], body: dict[str, Any] | None
    ) -> tuple[int, bytes]:
        """Status and body, all of it in time, the head too. Raises what `_call` makes `ProviderAway` of."""
        headers = {**headers, "Authorization": f"Bearer {self._key}"}
        async with (
            asyncio.timeout(2 * TIMEOUT_S),
            httpx.AsyncClient(verify=self._trust, timeout=TIMEOUT_S, trust_env=False) as client,
            client.stream(method, url, json=body, headers=headers, follow_redirects=False) as answer,
        ):
            content = b""
            async for part in answer.aiter_bytes():
                content += part
                if len(content) > MOST_BYTES:
                    raise ProviderAway("the answer is too long")
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
    """Somebody else's words on one line: without what a log or a table cannot hold."""
    return "".join(sign if sign.isprintable() else " " for sign in text)[:300]
