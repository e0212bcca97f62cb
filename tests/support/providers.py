"""People and browsers that sign in by providers, and the server that speaks the providers' protocols.

`server` and `world` are fixtures for the modules that import them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import httpx2
import pytest

from command_api.registry import open_container
from infra.kernel.config.settings import Settings
from tests.support import command
from tests.support.command import World
from tests.support.identity_provider import CLIENT_ID, CLIENT_SECRET, NAMES, IdentityProvider
from tests.support.identity_provider import identity_provider as running_provider
from tests.support.people import PASSWORD, Member, call, invite


@pytest.fixture(scope="module")
def server() -> Iterator[IdentityProvider]:
    with running_provider() as made:
        yield made


@pytest.fixture(scope="module")
def world(embedded_postgres: Settings, server: IdentityProvider) -> Iterator[World]:
    with command.database(embedded_postgres) as plain:
        settings = replace(plain, **settings_of(server))
        made = World(settings, open_container(settings))
        try:
            yield made
        finally:
            made.close()


def settings_of(server: IdentityProvider) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in NAMES:
        found |= {
            f"{name}_client_id": CLIENT_ID,
            f"{name}_client_secret": CLIENT_SECRET,
            f"{name}_url": server.place(name),
        }
    return found


@pytest.fixture(autouse=True)
def as_it_should(server: IdentityProvider, world: World) -> Iterator[None]:
    server.behave()
    world.postgres.execute("DELETE FROM kernel.rate_limit")
    yield
    server.behave()


class Browser:
    """One browser: keeps the cookie of its way, follows redirects to the provider and back."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.cookie = ""

    def go(self, path: str, **options: Any) -> httpx2.Response:
        headers = {"Cookie": f"oauth_txn={self.cookie}"} if self.cookie else {}
        answer = call(self.world, "GET", path, headers=headers, follow_redirects=False, **options)
        self.keep(answer)
        return answer

    def keep(self, answer: httpx2.Response) -> None:
        for text in answer.headers.get_list("set-cookie"):
            name, _, value = text.partition(";")[0].partition("=")
            if name == "oauth_txn":
                assert "HttpOnly" in text and "SameSite=Lax" in text and "Path=/" in text
                self.cookie = value

    def at_provider(self, name: str = "google") -> str:
        """Goes to the provider; the address on which it sends back."""
        answer = self.go(f"/api/platform/auth/{name}")
        assert answer.status_code == 303, answer.text
        return at_provider(answer.headers["location"])

    def sign_in(self, name: str = "google") -> httpx2.Response:
        """All the way to the exchange."""
        return self.exchange(self.arrive(self.at_provider(name)))

    def arrive(self, back: str) -> str:
        """The code for the app's page."""
        answer = self.go(path_of(back))
        place = answer.headers["location"]
        assert answer.status_code == 303 and place.startswith("/login/finish"), place
        return place.partition("#code=")[2]

    def exchange(self, code: str, headers: dict[str, str] | None = None) -> httpx2.Response:
        cookie = {"Cookie": f"oauth_txn={self.cookie}"} if self.cookie else {}
        answer = call(
            self.world,
            "POST",
            "/api/platform/auth/exchange",
            json={"code": code},
            headers={**cookie, **(headers or {})},
        )
        self.keep(answer)
        return answer


def at_provider(url: str) -> str:
    answer = httpx.get(url, follow_redirects=False, timeout=60)
    assert answer.status_code == 302, answer.text
    return answer.headers["location"]


def path_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


def register(world: World, asked: dict[str, Any], **changes: Any) -> httpx2.Response:
    body = {
        "ticket": asked["ticket"],
        "inviteCode": invite(world)["code"],
        "email": f"{uuid4().hex[:12]}@example.com",
        "name": "Ada Byron",
        **changes,
    }
    return call(world, "POST", "/api/platform/auth/register", json=body)


def newcomer(world: World, name: str = "google") -> Member:
    """A person who registered by a provider."""
    asked = Browser(world).sign_in(name).json()
    email = f"{uuid4().hex[:12]}@example.com"
    answer = register(world, asked, email=email)
    assert answer.status_code == 201, answer.text
    return Member(world, email, answer.json())


def begin_linking(person: Member, name: str = "github", **body: Any) -> httpx2.Response:
    return person.call("POST", "/api/platform/linked-sign-ins", json={"provider": name, "password": PASSWORD, **body})


def link(person: Member, name: str = "github", **body: Any) -> httpx2.Response:
    browser = Browser(person.world)
    answer = begin_linking(person, name, **body)
    assert answer.status_code == 200, answer.text
    browser.keep(answer)
    return browser.exchange(browser.arrive(at_provider(answer.json()["url"])), person.headers)


def links(world: World, account_id: str) -> list[tuple[str, str]]:
    rows = world.postgres.execute(
        "SELECT id::text, provider FROM accounts.linked_sign_in WHERE account_id = %s ORDER BY linked_at", (account_id,)
    )
    return [(row[0], row[1]) for row in rows]
