"""The demonstration's other accounts: a seller, two buyers and two more members.

They are separate accounts, because an admin approves no listing of their own and answers no question of their own. A
second run finds them by their addresses.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import httpx

Done = Callable[[Awaitable[httpx.Response]], Awaitable[httpx.Response]]
"""Waits for an answer, and raises when it is a refusal."""


@dataclass(frozen=True, slots=True)
class DemoMember:
    """An invented person."""

    email: str
    name: str


SELLER: Final = DemoMember("seller@demo.example", "Sigga (demo)")
BUYERS: Final = (DemoMember("nora@demo.example", "Nora (demo)"), DemoMember("ravi@demo.example", "Ravi (demo)"))
OTHERS: Final = (DemoMember("lena@demo.example", "Lena (demo)"), DemoMember("tom@demo.example", "Tom (demo)"))


@asynccontextmanager
async def signed_in(
    app: httpx.AsyncClient, member: DemoMember, secret: str, done: Done
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of the member's account, which the first run creates. `app`: an admin's; `secret`: a secret of this
    installation, so that a later run knows the account's password."""
    credentials = {"email": member.email, "password": password(secret, member)}
    async with httpx.AsyncClient(base_url=app.base_url, timeout=app.timeout) as client:
        answer = await client.post("/api/platform/login", json=credentials)
        if answer.status_code == 401:
            invite = (await done(app.post("/api/platform/invite-codes", json={}))).json()["code"]
            body = {**credentials, "name": member.name, "inviteCode": invite}
            answer = await done(client.post("/api/platform/register", json=body))
        client.headers["Authorization"] = f"Bearer {(await done(_is(answer))).json()['token']}"
        yield client


def password(secret: str, member: DemoMember) -> str:
    """The member's, of the installation whose admin has `secret` as password."""
    purpose = "the demonstration's seller" if member == SELLER else f"the demonstration's {member.email}"
    digest = hmac.digest(secret.encode(), purpose.encode(), sha256)
    return urlsafe_b64encode(digest[:18]).decode()


async def _is(answer: httpx.Response) -> httpx.Response:
    return answer
