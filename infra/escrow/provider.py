"""What the escrow provider is told. Every call is safe to repeat: it names our own id, and happens once for it.

- `PUT /v1/transactions/{escrow}` `{amount, currency}` -> `{id, status, paymentUrl}`
- `POST /v1/transactions/{escrow}/settle` `{toSeller, toBuyer}`; both together are the amount
- `POST /v1/transactions/{escrow}/cancel`; refused (409) once it is paid
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Protocol
from urllib.parse import urlsplit
from uuid import UUID

import httpx

from infra.settings import Settings

TIMEOUT_S: Final = 8.0
MOST_BYTES: Final = 64 * 1024


class ProviderAway(Exception):
    """No answer, or one that says "later": nothing is known; the call is to be repeated."""


class ProviderRefused(Exception):
    """The provider will not do it, and repeating the call does not help."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A transaction at the provider."""

    reference: str
    payment_url: str


class Provider(Protocol):
    """All methods raise `ProviderAway` and `ProviderRefused`. Amounts in minor units."""

    def open(self, escrow_id: UUID, amount: int, currency: str) -> Opened: ...

    def settle(self, escrow_id: UUID, to_seller: int, to_buyer: int) -> None: ...

    def cancel(self, escrow_id: UUID) -> None: ...


class EscrowProvider:
    """`Provider` over HTTP. Thread-safe."""

    def __init__(self, url: str, key: str) -> None:
        self._url = url.rstrip("/")
        self._client = httpx.Client(
            timeout=TIMEOUT_S, follow_redirects=False, headers={"Authorization": f"Bearer {key}"}, trust_env=False
        )

    @classmethod
    def over_http(cls, settings: Settings) -> EscrowProvider | None:
        """None when no provider is set."""
        if settings.escrow_url is None or settings.escrow_key is None:
            return None
        return cls(settings.escrow_url, settings.escrow_key)

    def open(self, escrow_id: UUID, amount: int, currency: str) -> Opened:
        answer = self._call("PUT", f"{escrow_id}", "open", escrow_id, {"amount": amount, "currency": currency})
        reference, payment_url = answer.get("id"), answer.get("paymentUrl")
        if not isinstance(reference, str) or not isinstance(payment_url, str) or not 0 < len(reference) <= 200:
            raise ProviderRefused("the provider's answer names no transaction")
        if urlsplit(payment_url).scheme not in ("http", "https") or len(payment_url) > 2_000:
            raise ProviderRefused("the provider's answer names no payment page")
        return Opened(reference, payment_url)

    def settle(self, escrow_id: UUID, to_seller: int, to_buyer: int) -> None:
        body = {"toSeller": to_seller, "toBuyer": to_buyer}
        self._call("POST", f"{escrow_id}/settle", "settle", escrow_id, body)

    def cancel(self, escrow_id: UUID) -> None:
        self._call("POST", f"{escrow_id}/cancel", "cancel", escrow_id, {})

    def close(self) -> None:
        self._client.close()

    def _call(self, method: str, path: str, step: str, escrow_id: UUID, body: dict[str, Any]) -> dict[str, Any]:
        headers = {"Idempotency-Key": f"{escrow_id}:{step}"}
        try:
            with self._client.stream(
                method, f"{self._url}/v1/transactions/{path}", json=body, headers=headers
            ) as answer:
                content = b""
                for part in answer.iter_bytes():
                    content += part
                    if len(content) > MOST_BYTES:
                        raise ProviderAway("the answer is too long")
        except httpx.HTTPError as error:
            raise ProviderAway(f"{type(error).__name__}: {error}"[:300]) from error
        status = answer.status_code
        if status in (408, 425, 429) or status >= 500 or status in (401, 403):  # a wrong key is ours to set right
            raise ProviderAway(f"HTTP {status}")
        if not 200 <= status < 300:
            raise ProviderRefused(f"HTTP {status}: {content[:200].decode(errors='replace')}")
        try:
            found = httpx.Response(200, content=content or b"{}").json()
        except ValueError as error:
            raise ProviderAway("the answer is no JSON") from error
        return found if isinstance(found, dict) else {}
