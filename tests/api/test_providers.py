"""Sign-in with identity providers, over real engines and a server that speaks their protocols."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx
import pytest

from command_api.accounts.half_signed_in import ProvenIdentity
from command_api.accounts.providers import calls
from command_api.core import open_core
from infra.settings import Settings
from tests.support import command
from tests.support.command import World
from tests.support.identity_provider import CLIENT_ID, CLIENT_SECRET, NAMES, TENANT, IdentityProvider, Someone
from tests.support.identity_provider import identity_provider as running_provider
from tests.support.people import PASSWORD, Member, call, invite, member


@pytest.fixture(scope="module")
def server() -> Iterator[IdentityProvider]:
    with running_provider() as made:
        yield made


@pytest.fixture(scope="module")
def world(embedded_postgres: Settings, server: IdentityProvider) -> Iterator[World]:
    with command.database(embedded_postgres) as plain:
        settings = replace(plain, **settings_of(server))
        made = World(settings, open_core(settings))
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
    world.postgres.execute("DELETE FROM auth.rate_limit")
    yield
    server.behave()


class Browser:
    """One browser: keeps the cookie of its way, follows redirects to the provider and back."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.cookie = ""

    def go(self, path: str, **options: Any) -> httpx.Response:
        headers = {"Cookie": f"oauth_txn={self.cookie}"} if self.cookie else {}
        answer = call(self.world, "GET", path, headers=headers, follow_redirects=False, **options)
        self.keep(answer)
        return answer

    def keep(self, answer: httpx.Response) -> None:
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

    def sign_in(self, name: str = "google") -> httpx.Response:
        """All the way to the exchange."""
        return self.exchange(self.arrive(self.at_provider(name)))

    def arrive(self, back: str) -> str:
        """The code for the app's page."""
        answer = self.go(path_of(back))
        place = answer.headers["location"]
        assert answer.status_code == 303 and place.startswith("/login/finish"), place
        return place.partition("#code=")[2]

    def exchange(self, code: str, headers: dict[str, str] | None = None) -> httpx.Response:
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
    answer = httpx.get(url, follow_redirects=False)
    assert answer.status_code == 302, answer.text
    return answer.headers["location"]


def path_of(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


def register(world: World, asked: dict[str, Any], **changes: Any) -> httpx.Response:
    body = {
        "ticket": asked["ticket"],
        "inviteCode": invite(world)["code"],
        "email": f"{uuid4().hex[:12]}@example.com",
        "name": "Ada Byron",
        **changes,
    }
    return call(world, "POST", "/api/platform/auth/register", json=body)


def newcomer(world: World, name: str = "google") -> Member:
    """Somebody who registered by a provider."""
    asked = Browser(world).sign_in(name).json()
    email = f"{uuid4().hex[:12]}@example.com"
    answer = register(world, asked, email=email)
    assert answer.status_code == 201, answer.text
    return Member(world, email, answer.json())


def begin_linking(person: Member, name: str = "github", **body: Any) -> httpx.Response:
    return person.call("POST", "/api/platform/linked-sign-ins", json={"provider": name, "password": PASSWORD, **body})


def link(person: Member, name: str = "github", **body: Any) -> httpx.Response:
    browser = Browser(person.world)
    answer = begin_linking(person, name, **body)
    assert answer.status_code == 200, answer.text
    browser.keep(answer)
    return browser.exchange(browser.arrive(at_provider(answer.json()["url"])), person.headers)


def links(world: World, account_id: str) -> list[tuple[str, str]]:
    rows = world.postgres.execute(
        "SELECT id::text, provider FROM auth.linked_sign_in WHERE account_id = %s ORDER BY linked_at", (account_id,)
    )
    return [(row[0], row[1]) for row in rows]


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
        "account.signed_in.v1",
    ]
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
    tables = ("auth.linked_sign_in", "auth.audit", "auth.login_ticket", "auth.handoff_code", "auth.provider_sign_in")
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
    """nOAuth: whoever can write an address at a provider is not its owner here."""
    ada = member(world)
    for name in NAMES:
        server.person = Someone(email=ada.email)
        assert Browser(world).sign_in(name).json()["inviteNeeded"] is True


def test_another_tenants_same_person_is_somebody_else(world: World, server: IdentityProvider) -> None:
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
    wrong = call(world, "POST", path, json={"ticket": ticket, "twoFactorCode": "000000"})
    assert (wrong.status_code, wrong.json()["code"]) == (401, "wrong_code")
    entered = call(world, "POST", path, json={"ticket": ticket, "twoFactorCode": ada.code(1)})
    assert entered.status_code == 200 and entered.json()["user"]["id"] == ada.id


def test_who_may_not_sign_in_does_not_by_a_provider(world: World) -> None:
    ada = newcomer(world)
    path = f"/api/admin/accounts/{ada.id}/disable"
    assert call(world, "POST", path, headers=world.admin.headers, json={"reason": "left"}).status_code == 200
    answer = Browser(world).sign_in()
    assert answer.status_code == 401 and "token" not in answer.json()


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
    sessions = world.count("SELECT count(*) FROM auth.session")
    codes = world.count("SELECT count(*) FROM auth.handoff_code")
    browser = Browser(world)
    misbehave(server)
    answer = browser.go(path_of(browser.at_provider(name)))
    place = urlsplit(answer.headers["location"])
    assert (answer.status_code, place.path, place.fragment, place.netloc) == (303, "/login", "", "")
    problem = parse_qs(place.query)["problem"][0]
    expected = {"refused": ("cancelled",)}.get(what, ("failed", "unavailable"))
    assert problem in expected and parse_qs(place.query)["provider"] == [name]
    assert world.count("SELECT count(*) FROM auth.session") == sessions
    assert world.count("SELECT count(*) FROM auth.handoff_code") == codes


def test_a_provider_that_describes_another_is_not_gone_to(world: World, server: IdentityProvider) -> None:
    core = open_core(world.settings)  # one that has not seen its documents yet
    try:
        fresh = World(world.settings, core)
        for given in ((200, {"issuer": "https://evil.example"}), (500, {}), (200, {"issuer": server.place("google")})):
            server.answers = {"openid-configuration": given}
            answer = Browser(fresh).go("/api/platform/auth/google")
            assert answer.headers["location"].startswith("/login?problem=")
        server.answers = {}
        assert Browser(fresh).sign_in().json()["inviteNeeded"] is True
    finally:
        core.close()


def test_a_provider_that_hangs_holds_nobody_up(
    world: World, server: IdentityProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(calls, "TIMEOUT_S", 0.3)
    browser = Browser(world)
    back = browser.at_provider("linkedin")
    server.holds = threading.Event()
    answer = browser.go(path_of(back))
    assert answer.headers["location"] == "/login?problem=unavailable&provider=linkedin"


def test_new_keys_of_a_provider_are_fetched(world: World, server: IdentityProvider) -> None:
    core, key = open_core(world.settings), server.key
    try:
        fresh = World(world.settings, core)
        Browser(fresh).sign_in()
        providers = fresh.http.app.state.providers  # type: ignore[attr-defined]
        protocol = providers._protocol
        server.key = type(server.key).generate_key(2048, {"kid": uuid4().hex})
        protocol._documents = {url: (at - 61, kept) for url, (at, kept) in protocol._documents.items()}
        assert Browser(fresh).sign_in().json()["inviteNeeded"] is True
    finally:
        server.key = key
        core.close()


def test_where_it_is_not_set_up_login_says_so(world: World) -> None:
    settings = replace(world.settings, github_client_id=None, github_client_secret=None)
    core = open_core(settings)
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
    assert "problem=failed" in other.go(path_of(back)).headers["location"], "in one on a way of its own"
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
    ("table", "lives"), [("auth.provider_sign_in", "10 minutes"), ("auth.handoff_code", "60 seconds")]
)
def test_ways_and_codes_end(world: World, table: str, lives: str) -> None:
    browser = Browser(world)
    back = browser.at_provider()
    code = "" if table == "auth.provider_sign_in" else browser.arrive(back)
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


def test_linking_needs_the_password_and_the_second_factor(world: World) -> None:
    ada = member(world)
    assert begin_linking(ada, password="not the password").json()["code"] == "wrong_password"
    assert begin_linking(ada, password=None).status_code == 403
    assert call(world, "POST", "/api/platform/linked-sign-ins", json={"provider": "github"}).status_code == 401
    ada.set_up_factor()
    assert begin_linking(ada).json()["code"] == "code_needed"
    answer = link(ada, code=ada.code(1))
    assert answer.json() == {"linked": True, "provider": "github"}
    assert [name for _, name in links(world, ada.id)] == ["github"]
    assert "account.sign_in_linked.v1" in world.events(ada.id)
    assert world.count("SELECT count(*) FROM ops.mail WHERE account_id = %s AND kind = 'sign_in_changed'", ada.id) == 1
    assert Browser(world).sign_in("github").json()["requires2FA"] is True


def test_a_linked_identity_belongs_to_one_account(world: World, server: IdentityProvider) -> None:
    ada, eve = member(world), member(world)
    assert link(ada).status_code == 200
    assert link(ada).status_code == 200 and len(links(world, ada.id)) == 1, "once more does nothing"
    refused = link(eve)
    assert (refused.status_code, refused.json()["code"]) == (409, "linked_elsewhere")
    assert links(world, eve.id) == []
    server.person = Someone()
    both = [member(world) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = sorted(answer.status_code for answer in pool.map(link, both))
    assert found == [200, 409, 409, 409]


def test_two_tickets_of_one_identity_make_one_account(world: World) -> None:
    tickets = [Browser(world).sign_in().json() for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        found = sorted(answer.status_code for answer in pool.map(lambda asked: register(world, asked), tickets))
    assert found == [201, 409, 409, 409]


def test_a_way_to_link_serves_the_session_that_began_it(world: World) -> None:
    """An attacker who leads a victim through his own linking gets nothing, and the other way round."""
    ada, eve = member(world), member(world)
    browser = Browser(world)
    browser.keep(answer := begin_linking(ada))
    back = at_provider(answer.json()["url"])
    for headers in (eve.headers, ada.again()):
        code = browser.arrive(back)
        refused = browser.exchange(code, headers)
        assert (refused.status_code, refused.json()["code"]) == (400, "handoff_ended")
        browser.keep(answer := begin_linking(ada))
        back = at_provider(answer.json()["url"])
    assert browser.exchange(browser.arrive(back)).status_code == 401, "nobody is signed in"
    assert links(world, ada.id) == links(world, eve.id) == []


def test_unlinking_ends_what_it_opened(world: World) -> None:
    ada = member(world)
    link(ada)
    [(made, _)] = links(world, ada.id)
    entered = Browser(world).sign_in("github").json()
    headers = {"Authorization": f"Bearer {entered['token']}"}
    path = f"/api/platform/linked-sign-ins/{made}"
    assert member(world).call("DELETE", path).status_code == 404
    assert ada.lives(headers) and ada.call("DELETE", path).status_code == 204
    assert ada.lives() and not ada.lives(headers)
    assert Browser(world).sign_in("github").json()["inviteNeeded"] is True
    assert ada.call("DELETE", path).status_code == 404
    assert world.events(ada.id).count("account.sign_in_unlinked.v1") == 1


def test_who_is_unlinked_while_signing_in_does_not_get_in(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = member(world)
    link(ada)
    [(made, _)] = links(world, ada.id)
    browser = Browser(world)
    code = browser.arrive(browser.at_provider("github"))
    providers = world.http.app.state.providers  # type: ignore[attr-defined]
    owner = providers.links.owner

    def owner_then_unlinked(identity: ProvenIdentity) -> Any:
        found = owner(identity)
        assert ada.call("DELETE", f"/api/platform/linked-sign-ins/{made}").status_code == 204
        return found

    monkeypatch.setattr(providers.links, "owner", owner_then_unlinked)
    answer = browser.exchange(code)
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")
    live = "SELECT count(*) FROM auth.session WHERE account_id = %s AND revoked_at IS NULL"
    assert world.count(live, ada.id) == 1


def test_the_last_way_in_stays(world: World, server: IdentityProvider) -> None:
    ada = newcomer(world)
    [(first, _)] = links(world, ada.id)
    refused = ada.call("DELETE", f"/api/platform/linked-sign-ins/{first}")
    assert (refused.status_code, refused.json()["code"]) == (409, "last_sign_in")
    server.person = Someone()
    assert link(ada, "microsoft", password=None).status_code == 200, "an account without a password, just signed in"
    paths = [f"/api/platform/linked-sign-ins/{one}" for one, _ in links(world, ada.id)]
    with ThreadPoolExecutor(2) as pool:
        found = sorted(answer.status_code for answer in pool.map(lambda path: ada.call("DELETE", path), paths))
    assert found == [204, 409] and len(links(world, ada.id)) == 1


def test_without_a_password_an_old_session_links_nothing(world: World) -> None:
    ada = newcomer(world)
    world.postgres.execute(
        "UPDATE auth.session SET created_at = now() - interval '11 minutes' WHERE account_id = %s", (ada.id,)
    )
    assert begin_linking(ada, password=None).json()["code"] == "sign_in_again"


def test_an_erased_account_leaves_no_link(world: World) -> None:
    ada = member(world)
    link(ada)
    assert ada.call("POST", "/api/platform/erase", json={"password": PASSWORD}).status_code == 204
    assert links(world, ada.id) == []
    assert Browser(world).sign_in("github").json()["inviteNeeded"] is True
