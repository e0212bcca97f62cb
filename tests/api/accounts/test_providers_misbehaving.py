"""Providers that misbehave, hang, or change their keys. A real server on loopback and a real Postgres."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest

from command_api.accounts.providers import http_client
from command_api.registry import open_container
from tests.support.command import World
from tests.support.identity_provider import CLIENT_ID, TENANT, IdentityProvider
from tests.support.providers import Browser, as_it_should, newcomer, path_of, server, world

__all__ = ["as_it_should", "server", "world"]


def wrong(**claims: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda found: found.update(claims)


def without(name: str) -> Callable[[dict[str, Any]], Any]:
    return lambda found: found.pop(name)


def as_template(server: IdentityProvider) -> None:
    server.change = wrong(iss=f"{server.url}/microsoft/{{tenantid}}/v2.0")


MISBEHAVIOURS: dict[str, tuple[str, Callable[[IdentityProvider], Any]]] = {
    "another issuer": ("google", lambda s: setattr(s, "change", wrong(iss="https://evil.example"))),
    "no issuer": ("google", lambda s: setattr(s, "change", without("iss"))),
    "another audience": ("google", lambda s: setattr(s, "change", wrong(aud="somebody-else"))),
    "a second audience": ("google", lambda s: setattr(s, "change", wrong(aud=[CLIENT_ID, "somebody-else"]))),
    "for another party": ("google", lambda s: setattr(s, "change", wrong(azp="somebody-else"))),
    "another nonce": ("google", lambda s: setattr(s, "change", wrong(nonce="another"))),
    "no nonce": ("google", lambda s: setattr(s, "change", without("nonce"))),
    "expired": ("google", lambda s: setattr(s, "change", wrong(exp=1_700_000_000))),
    "never expires": ("google", lambda s: setattr(s, "change", without("exp"))),
    "from the future": ("google", lambda s: setattr(s, "change", wrong(iat=4_000_000_000))),
    "another access token": ("google", lambda s: setattr(s, "change", wrong(at_hash="AAAAAAAAAAAAAAAAAAAAAA"))),
    "no subject": ("google", lambda s: setattr(s, "change", without("sub"))),
    "an empty subject": ("google", lambda s: setattr(s, "change", wrong(sub=""))),
    "not signed": ("google", lambda s: setattr(s, "sign", "none")),
    "signed with the public key": ("google", lambda s: setattr(s, "sign", "HS256")),
    "signed by another": ("google", lambda s: setattr(s, "sign", "another key")),
    "mixed up": ("google", lambda s: s.also.update(iss="https://evil.example")),
    "mixed up, github": ("github", lambda s: s.also.update(iss="https://evil.example")),
    "another state": ("google", lambda s: s.also.update(state="another")),
    "no state": ("google", lambda s: s.also.update(state="-")),
    "another code": ("google", lambda s: s.also.update(code="another")),
    "no code": ("google", lambda s: s.also.update(code="-")),
    "refused": ("google", lambda s: s.also.update(error="access_denied", code="-")),
    "the tokens fail": ("google", lambda s: s.answers.update({"/token": (500, {})})),
    "the tokens move": ("google", lambda s: s.answers.update({"/token": (307, {})})),
    "the tokens are no object": ("google", lambda s: s.answers.update({"/token": (200, [])})),
    "the tokens are no JSON": ("google", lambda s: s.answers.update({"/token": (200, b"<html>")})),
    "the tokens are endless": ("google", lambda s: s.answers.update({"/token": (200, b" " * 400_000)})),
    "github tells no number": ("github", lambda s: s.answers.update({"/user": (200, {"id": "1", "login": "ada"})})),
    "github's number is true": ("github", lambda s: s.answers.update({"/user": (200, {"id": True})})),
    "github fails": ("github", lambda s: s.answers.update({"/user/emails": (502, {})})),
    "github gives no token": ("github", lambda s: s.answers.update({"/access_token": (200, {"error": "bad"})})),
    "linkedin tells no subject": ("linkedin", lambda s: s.answers.update({"/userinfo": (200, {"name": "A"})})),
    "linkedin refuses": ("linkedin", lambda s: s.answers.update({"/userinfo": (401, {})})),
    "another tenant's issuer": ("microsoft", lambda s: setattr(s, "change", wrong(tid=str(uuid4())))),
    "no tenant": ("microsoft", lambda s: setattr(s, "change", without("tid"))),
    "a tenant that is a path": ("microsoft", lambda s: setattr(s, "change", wrong(tid=f"{TENANT}/../x"))),
    "no person": ("microsoft", lambda s: setattr(s, "change", without("oid"))),
    "the template as issuer": ("microsoft", as_template),
}  # fmt: skip


@pytest.mark.parametrize("what", MISBEHAVIOURS)
def test_a_provider_that_misbehaves_signs_nobody_in(world: World, server: IdentityProvider, what: str) -> None:
    name, misbehave = MISBEHAVIOURS[what]
    newcomer(world, name)
    sessions = world.count("SELECT count(*) FROM accounts.session")
    codes = world.count("SELECT count(*) FROM accounts.handoff_code")
    browser = Browser(world)
    misbehave(server)
    answer = browser.go(path_of(browser.at_provider(name)))
    place = urlsplit(answer.headers["location"])
    assert (answer.status_code, place.path, place.fragment, place.netloc) == (303, "/login", "", "")
    problem = parse_qs(place.query)["problem"][0]
    expected = {"refused": ("cancelled",)}.get(what, ("failed", "unavailable"))
    assert problem in expected and parse_qs(place.query)["provider"] == [name]
    assert world.count("SELECT count(*) FROM accounts.session") == sessions
    assert world.count("SELECT count(*) FROM accounts.handoff_code") == codes


def test_a_provider_that_describes_another_is_not_gone_to(world: World, server: IdentityProvider) -> None:
    core = open_container(world.settings)  # one that has not seen its documents yet
    try:
        fresh = World(world.settings, core)
        odd = {"issuer": server.place("google")} | dict.fromkeys(
            ("authorization_endpoint", "token_endpoint", "jwks_uri"), "https://["
        )
        for given in (
            (200, {"issuer": "https://evil.example"}),
            (500, {}),
            (200, {"issuer": server.place("google")}),
            (200, odd),
        ):
            server.answers = {"openid-configuration": given}
            answer = Browser(fresh).go("/api/platform/auth/google")
            assert answer.headers["location"].startswith("/login?problem=")
        server.answers = {}
        assert Browser(fresh).sign_in().json()["inviteNeeded"] is True
    finally:
        core.close()


def test_a_provider_that_hangs_does_not_block_others(
    world: World, server: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = Browser(world)
    back = browser.at_provider("linkedin")
    server.holds = threading.Event()
    monkeypatch.setattr(http_client, "TIMEOUT_S", 0.3)
    answer = browser.go(path_of(back))
    assert answer.headers["location"] == "/login?problem=unavailable&provider=linkedin"


def test_new_keys_of_a_provider_are_fetched(world: World, server: IdentityProvider) -> None:
    core, key = open_container(world.settings), server.key
    try:
        fresh = World(world.settings, core)
        Browser(fresh).sign_in()
        providers = fresh.http.app.state.providers  # type: ignore[attr-defined]  # the client's type knows no state
        protocol = providers._protocol
        server.key = type(server.key).generate_key(2048, {"kid": uuid4().hex})
        protocol._documents = {url: (at - 61, kept) for url, (at, kept) in protocol._documents.items()}
        assert Browser(fresh).sign_in().json()["inviteNeeded"] is True
    finally:
        server.key = key
        core.close()
