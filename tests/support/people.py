"""People with accounts of their own in a command service under test: invited, registered, with a second factor."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx2
import pyotp

from tests.support.command import Person, World

PASSWORD = "wide oceans and 7 gulls"


@dataclass
class Member:
    """An account. `sign_in` opens further sessions; `code` is one that was not used before."""

    world: World
    email: str
    answer: dict[str, Any]
    password: str = PASSWORD
    secret: str | None = None
    recovery_codes: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        return str(self.answer["user"]["id"])

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.answer['token']}"}

    def call(self, method: str, path: str, **options: Any) -> httpx2.Response:
        headers = {**self.headers, **options.pop("headers", {})}
        return call(self.world, method, path, headers=headers, **options)

    def sign_in(self, **more: Any) -> httpx2.Response:
        return call(
            self.world,
            "POST",
            "/api/platform/login",
            json={"email": self.email, "password": self.password, **more},
        )

    def again(self, **more: Any) -> dict[str, str]:
        """Headers of another session."""
        answer = self.sign_in(**more)
        assert answer.status_code == 200 and answer.json()["requires2FA"] is False, answer.text
        return {"Authorization": f"Bearer {answer.json()['token']}"}

    def lives(self, headers: dict[str, str] | None = None) -> bool:
        """Whether a session still works."""
        return self.call("PATCH", "/api/platform/user", json={}, headers=headers or {}).status_code == 200

    def code(self, steps: int = 0) -> str:
        """A right code that was not used: the server forgets which one was the last."""
        assert self.secret is not None
        self.world.postgres.execute(
            "UPDATE accounts.second_factor SET last_timecode = 0 WHERE account_id = %s", (self.id,)
        )
        return pyotp.TOTP(self.secret).at(int(time.time()) + 30 * steps)

    def wrong_code(self) -> str:
        """One that is not right, neither now nor within the next minutes: any six digits are now and then."""
        assert self.secret is not None
        return wrong_code(self.secret)

    def set_up_factor(self) -> Member:
        self.secret = self.call("POST", "/api/platform/2fa/setup", json={"password": self.password}).json()["secret"]
        confirmed = self.call("POST", "/api/platform/2fa/confirm", json={"code": self.code()})
        assert confirmed.status_code == 200, confirmed.text
        self.recovery_codes = confirmed.json()["recoveryCodes"]
        return self


def wrong_code(secret: str) -> str:
    now, right = int(time.time()), pyotp.TOTP(secret)
    near = {right.at(now + 30 * steps) for steps in range(-3, 21)}
    return next(code for code in ("000000", *(f"{number:06d}" for number in range(1, 99))) if code not in near)


def call(world: World, method: str, path: str, **options: Any) -> httpx2.Response:
    """As a person at a separate address."""
    number = uuid4().int
    place = {"X-Forwarded-For": f"203.{number % 200}.{number // 200 % 200}.{number // 40_000 % 200}"}
    return world.call(method, path, headers={**place, **options.pop("headers", {})}, **options)


def invite(world: World, by: Person | Member | None = None, **body: Any) -> dict[str, Any]:
    by = by or world.admin
    answer = call(world, "POST", "/api/platform/invite-codes", headers=by.headers, json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def register(world: World, code: str, email: str | None = None, **changes: Any) -> httpx2.Response:
    email = email or f"{uuid4().hex[:12]}@example.com"
    body = {"email": email, "password": PASSWORD, "name": "Ada Byron", "inviteCode": code, **changes}
    return call(world, "POST", "/api/platform/register", json=body)


def member(world: World, email: str | None = None, **changes: Any) -> Member:
    """A person who just registered."""
    email = email or f"{uuid4().hex[:12]}@example.com"
    answer = register(world, invite(world)["code"], email, **changes)
    assert answer.status_code == 201, answer.text
    return Member(world, email, answer.json(), changes.get("password", PASSWORD))
