"""Linked sign-ins: what linking needs, whose an identity is, and what unlinking ends. Over real engines."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from command_api.accounts.login_challenge import ProvenIdentity
from tests.support.command import World
from tests.support.identity_provider import IdentityProvider, Someone
from tests.support.people import PASSWORD, call, member
from tests.support.providers import (
    Browser,
    as_it_should,
    at_provider,
    begin_linking,
    link,
    links,
    newcomer,
    register,
    server,
    world,
)

__all__ = ["as_it_should", "server", "world"]


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
    assert (
        world.count("SELECT count(*) FROM kernel.mail WHERE account_id = %s AND kind = 'sign_in_changed'", ada.id) == 1
    )
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
    providers = world.http.app.state.providers  # type: ignore[attr-defined]  # the client's type knows no state
    owner = providers.owner

    def owner_then_unlinked(identity: ProvenIdentity) -> Any:
        found = owner(identity)
        assert ada.call("DELETE", f"/api/platform/linked-sign-ins/{made}").status_code == 204
        return found

    monkeypatch.setattr(providers, "owner", owner_then_unlinked)
    answer = browser.exchange(code)
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")
    live = "SELECT count(*) FROM accounts.session WHERE account_id = %s AND revoked_at IS NULL"
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


def test_without_a_password_sensitive_changes_say_what_is_missing(world: World) -> None:
    ada = newcomer(world)
    body = {"password": "not a password", "email": "new@example.com"}
    for path in ("2fa/disable", "2fa/recovery-codes", "email/change", "erase"):
        sent = body if path == "email/change" else {"password": body["password"]}
        answer = ada.call("POST", f"/api/platform/{path}", json=sent)
        assert (answer.status_code, answer.json()["code"]) == (403, "no_password")
    assert call(world, "POST", "/api/platform/password/forgot", json={"email": ada.email}).status_code == 204
    assert (
        world.count("SELECT count(*) FROM kernel.mail WHERE account_id = %s AND kind = 'password_reset'", ada.id) == 1
    )


def test_without_a_password_an_old_session_links_nothing(world: World) -> None:
    ada = newcomer(world)
    world.postgres.execute(
        "UPDATE accounts.session SET created_at = now() - interval '11 minutes' WHERE account_id = %s", (ada.id,)
    )
    assert begin_linking(ada, password=None).json()["code"] == "sign_in_again"


def test_an_erased_account_leaves_no_link(world: World) -> None:
    ada = member(world)
    link(ada)
    assert ada.call("POST", "/api/platform/erase", json={"password": PASSWORD}).status_code == 204
    assert links(world, ada.id) == []
    assert Browser(world).sign_in("github").json()["inviteNeeded"] is True
