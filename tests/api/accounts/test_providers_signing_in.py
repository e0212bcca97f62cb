"""Sign-in with identity providers, over real engines and a server that speaks their protocols."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest

from command_api.registry import open_container
from tests.support.command import World
from tests.support.identity_provider import NAMES, TENANT, IdentityProvider, Someone
from tests.support.people import call, member
from tests.support.providers import Browser, as_it_should, at_provider, newcomer, path_of, register, server, world

__all__ = ["as_it_should", "server", "world"]


@pytest.mark.parametrize("name", NAMES)
def test_who_is_new_registers_by_invite_and_then_signs_in(world: World, server: IdentityProvider, name: str) -> None:
    answer = Browser(world).sign_in(name)
    asked = answer.json()
    assert answer.status_code == 200 and asked["inviteNeeded"] is True and "token" not in asked
    assert (asked["provider"], asked["email"], asked["name"]) == (name, server.person.email, server.person.name)
    assert "sid=" not in answer.headers["set-cookie"] and answer.headers["cache-control"] == "no-store"
    assert register(world, asked, inviteCode="0000-0000-0000-0000-0000").json()["code"] == "invite_invalid"
    made = register(world, asked)
    assert made.status_code == 201 and made.json()["qrCode"].startswith("data:image/svg+xml")
    account_id = made.json()["user"]["id"]
    assert world.events(account_id) == [
        "account.registered.v1",
        "account.sign_in_linked.v1",
    ]
    assert world.session_events(account_id) == ["account.signed_in.v1"]
    assert register(world, asked).json()["code"] == "ticket_ended"
    entered = Browser(world).sign_in(name)
    assert (entered.status_code, entered.json()["user"]["id"]) == (200, account_id)
    assert entered.json()["requires2FA"] is False and any(
        text.startswith("sid=") for text in entered.headers.get_list("set-cookie")
    )


def test_nothing_of_the_identity_is_kept_in_clear(world: World, server: IdentityProvider) -> None:
    server.person = Someone(email="secret-ada@mail.example", name="Secret Ada")
    ada = newcomer(world)
    Browser(world).sign_in()
    tables = (
        "accounts.linked_sign_in",
        "kernel.audit",
        "accounts.login_ticket",
        "accounts.handoff_code",
        "accounts.provider_sign_in",
    )
    stored = "".join(
        str(world.postgres.execute(f"SELECT string_agg(t::text, ' ') FROM {table} AS t".encode()).fetchone())
        for table in tables
    )
    events = world.postgres.execute(
        "SELECT string_agg(convert_from(state, 'UTF8'), ' ') FROM events.stored_events WHERE originator_id = %s",
        (ada.id,),
    ).fetchone()
    for text in (server.person.subject, server.person.email, "Secret Ada"):
        assert text not in stored and text not in str(events)


def test_an_address_that_is_known_opens_nothing(world: World, server: IdentityProvider) -> None:
    """nOAuth: an address that a person wrote at a provider proves no ownership here."""
    ada = member(world)
    for name in NAMES:
        server.person = Someone(email=ada.email)
        assert Browser(world).sign_in(name).json()["inviteNeeded"] is True


def test_the_same_subject_of_another_tenant_is_another_identity(world: World, server: IdentityProvider) -> None:
    newcomer(world, "microsoft")
    assert Browser(world).sign_in("microsoft").json().get("token")
    server.person = replace(server.person, tenant=str(uuid4()))
    assert Browser(world).sign_in("microsoft").json()["inviteNeeded"] is True
    server.person = replace(server.person, tenant=TENANT, subject=str(uuid4()))
    assert Browser(world).sign_in("microsoft").json()["inviteNeeded"] is True


@pytest.mark.parametrize("name", ["google", "github"])
def test_an_address_that_is_not_verified_is_not_handed_on(world: World, server: IdentityProvider, name: str) -> None:
    server.person = Someone(email_verified=False)
    assert Browser(world).sign_in(name).json()["email"] == ""


def test_a_second_factor_is_not_skipped(world: World) -> None:
    ada = newcomer(world)
    ada.secret = ada.answer["secret"]
    confirmed = ada.call("POST", "/api/platform/2fa/confirm", json={"code": ada.code()})
    assert confirmed.status_code == 200, confirmed.text
    answer = Browser(world).sign_in()
    assert answer.json()["requires2FA"] is True and "token" not in answer.json()
    path, ticket = "/api/platform/login/second-factor", answer.json()["ticket"]
    wrong = call(world, "POST", path, json={"ticket": ticket, "twoFactorCode": ada.wrong_code()})
    assert (wrong.status_code, wrong.json()["code"]) == (401, "wrong_code")
    entered = call(world, "POST", path, json={"ticket": ticket, "twoFactorCode": ada.code(1)})
    assert entered.status_code == 200 and entered.json()["user"]["id"] == ada.id


def test_who_may_not_sign_in_does_not_by_a_provider(world: World) -> None:
    ada = newcomer(world)
    path = f"/api/admin/accounts/{ada.id}/disable"
    assert call(world, "POST", path, headers=world.admin.headers, json={"reason": "left"}).status_code == 200
    answer = Browser(world).sign_in()
    assert answer.status_code == 401 and "token" not in answer.json()


def test_where_it_is_not_set_up_login_says_so(world: World) -> None:
    settings = replace(world.settings, github_client_id=None, github_client_secret=None)
    core = open_container(settings)
    try:
        answer = Browser(World(settings, core)).go("/api/platform/auth/github")
        assert answer.headers["location"] == "/login?problem=unconfigured&provider=github"
        back = Browser(World(settings, core)).go("/api/platform/auth/github/callback?code=x&state=y")
        assert back.headers["location"] == "/login?problem=unconfigured&provider=github"
    finally:
        core.close()


def test_an_answer_counts_in_the_browser_that_went_and_once(world: World) -> None:
    newcomer(world)
    mine, other = Browser(world), Browser(world)
    back = mine.at_provider()
    assert "problem=failed" in other.go(path_of(back)).headers["location"], "in a clean browser"
    other.at_provider()
    assert "problem=failed" in other.go(path_of(back)).headers["location"], "in another flow"
    at_github = path_of(back).replace("/google/", "/github/")
    assert "problem=failed" in mine.go(at_github).headers["location"], "as another provider's"
    with ThreadPoolExecutor(8) as pool:
        places = list(pool.map(lambda _: mine.go(path_of(back)).headers["location"], range(8)))
    assert len([place for place in places if "#code=" in place]) == 1


def test_a_code_counts_in_the_browser_that_went_and_once(world: World) -> None:
    newcomer(world)
    mine, other = Browser(world), Browser(world)
    code = mine.arrive(mine.at_provider())
    other.at_provider()
    for browser in (other, Browser(world)):
        refused = browser.exchange(code)
        assert (refused.status_code, refused.json()["code"]) == (400, "handoff_ended")
    cookie = mine.cookie

    def exchange(_: int) -> int:
        browser = Browser(world)
        browser.cookie = cookie
        return browser.exchange(code).status_code

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(exchange, range(8))) == [200] + [400] * 7


@pytest.mark.parametrize(
    ("table", "lives"), [("accounts.provider_sign_in", "10 minutes"), ("accounts.handoff_code", "60 seconds")]
)
def test_ways_and_codes_end(world: World, table: str, lives: str) -> None:
    browser = Browser(world)
    back = browser.at_provider()
    code = "" if table == "accounts.provider_sign_in" else browser.arrive(back)
    within = f"SELECT count(*) FROM {table} WHERE expires_at > now() + interval '{lives}'"
    assert world.count(within) == 0
    world.postgres.execute(f"UPDATE {table} SET expires_at = now()".encode())
    if code:
        assert browser.exchange(code).json()["code"] == "handoff_ended"
    else:
        assert "problem=failed" in browser.go(path_of(back)).headers["location"]


@pytest.mark.parametrize(
    ("wanted", "kept"),
    [
        ("/analytics?range=7d", True),
        ("//evil.example", False),
        ("/\\evil.example", False),
        ("https://evil.example", False),
    ],
)
def test_the_way_leads_back_into_the_app(world: World, wanted: str, kept: bool) -> None:
    browser = Browser(world)
    answer = browser.go("/api/platform/auth/google", params={"next": wanted})
    place = urlsplit(browser.go(path_of(at_provider(answer.headers["location"]))).headers["location"])
    assert (place.scheme, place.netloc, place.path) == ("", "", "/login/finish")
    assert parse_qs(place.query).get("next") == ([wanted] if kept else None)
