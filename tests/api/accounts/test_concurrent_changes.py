"""What changes between the look at a password and the session that it opens: the change counts. On a real Postgres."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from command_api.accounts import session_handlers
from command_api.accounts.sign_in import SignInService
from tests.support.command import World, command_world
from tests.support.people import PASSWORD, Member, call, member

__all__ = ["command_world"]
NEW_PASSWORD = "a lighthouse, far out"


def meanwhile(world: World, monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Has `change` happen once, right after the next password was looked at and found right."""
    accounts: SignInService = world.http.app.state.accounts  # type: ignore[attr-defined]  # the client's type knows no state
    look = accounts.verify_password

    def look_then_change(*arguments: Any) -> Any:
        found = look(*arguments)
        monkeypatch.undo()
        change()
        return found

    monkeypatch.setattr(accounts, "verify_password", look_then_change)


def change_password(who: Member, **code: str) -> None:
    body = {"currentPassword": who.password, "newPassword": NEW_PASSWORD, **code}
    assert who.call("POST", "/api/platform/password/change", json=body).status_code == 204


def live(world: World, account: str) -> int:
    return world.count("SELECT count(*) FROM accounts.session WHERE account_id = %s AND revoked_at IS NULL", account)


def test_a_password_that_was_changed_opens_no_session(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = member(command_world)
    meanwhile(command_world, monkeypatch, lambda: change_password(ada))
    answer = ada.sign_in()
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")
    assert live(command_world, ada.id) == 1


def test_a_password_that_was_changed_opens_no_second_step(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = member(command_world).set_up_factor()
    code = ada.code()
    meanwhile(command_world, monkeypatch, lambda: change_password(ada, code=code))
    answer = ada.sign_in()
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")
    assert command_world.count("SELECT count(*) FROM accounts.login_ticket WHERE account_id = %s", ada.id) == 0


def test_a_second_factor_set_up_during_the_sign_in_ends_it(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = member(command_world)
    meanwhile(command_world, monkeypatch, ada.set_up_factor)
    answer = ada.sign_in()
    assert (answer.status_code, answer.json()["code"]) == (401, "ticket_ended")
    assert live(command_world, ada.id) == 1


def test_a_secret_that_waits_in_another_tab_is_not_what_was_confirmed(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = member(command_world)
    ada.secret = ada.call("POST", "/api/platform/2fa/setup", json={"password": ada.password}).json()["secret"]
    factors = command_world.http.app.state.accounts.factors  # type: ignore[attr-defined]  # the client's type knows no state
    confirm = factors.confirm

    def confirm_then_begin_anew(*arguments: Any) -> Any:
        found = confirm(*arguments)
        monkeypatch.undo()
        assert ada.call("POST", "/api/platform/2fa/setup", json={"password": ada.password}).status_code == 200
        return found

    monkeypatch.setattr(factors, "confirm", confirm_then_begin_anew)
    answer = ada.call("POST", "/api/platform/2fa/confirm", json={"code": ada.code()})
    assert (answer.status_code, answer.json()["code"]) == (409, "nothing_to_confirm")
    assert ada.sign_in().json()["requires2FA"] is False


def test_an_account_disabled_during_the_sign_in_gets_no_session(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = member(command_world)

    def disable() -> None:
        path, headers = f"/api/admin/accounts/{ada.id}/disable", command_world.admin.headers
        assert call(command_world, "POST", path, headers=headers, json={"reason": "fraud"}).status_code == 200

    meanwhile(command_world, monkeypatch, disable)
    answer = ada.sign_in()
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")


@pytest.mark.parametrize("is_website", [False, True])
def test_an_account_disabled_while_the_session_is_decided_gets_no_session(
    command_world: World, monkeypatch: pytest.MonkeyPatch, is_website: bool
) -> None:
    """The handler has loaded the account; its event is in a stream of its own and conflicts with nothing else."""
    ada = member(command_world)
    site = ada.call("POST", "/api/platform/websites", json={"domain": f"{uuid4().hex}.example"}).json()
    load = session_handlers._account_to_sign_in

    def load_then_disable(*arguments: Any) -> Any:
        found = load(*arguments)
        monkeypatch.undo()
        path, headers = f"/api/admin/accounts/{ada.id}/disable", command_world.admin.headers
        assert call(command_world, "POST", path, headers=headers, json={"reason": "fraud"}).status_code == 200
        return found

    monkeypatch.setattr(session_handlers, "_account_to_sign_in", load_then_disable)
    before = command_world.session_events(ada.id)
    if is_website:
        body = {"email": ada.email, "password": ada.password, "websiteApiKey": site["secretKey"]}
        answer = call(command_world, "POST", "/api/auth/login", json=body)
    else:
        answer = ada.sign_in()
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")
    assert live(command_world, ada.id) == 0 and command_world.session_events(ada.id) == before


@pytest.mark.parametrize("what", ["password", "key", "website", "factor"])
def test_a_websites_session_needs_all_that_opens_it_to_the_end(
    command_world: World, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    ada = member(command_world)
    site = ada.call("POST", "/api/platform/websites", json={"domain": f"{uuid4().hex}.example"}).json()
    row = command_world.postgres.execute(
        "SELECT convert_from(state, 'UTF8')::json ->> 'key_id' FROM events.stored_events WHERE originator_id = %s"
        " AND convert_from(state, 'UTF8')::json ->> 'kind' = 'secret'",
        (site["id"],),
    ).fetchone()
    assert row is not None

    def change() -> None:
        if what == "password":
            change_password(ada)
        elif what == "factor":
            ada.set_up_factor()
        else:
            path = f"/api/platform/websites/{site['id']}" + (f"/keys/{row[0]}" if what == "key" else "")
            assert ada.call("DELETE", path).status_code in (200, 204)

    body = {"email": ada.email, "password": PASSWORD, "websiteApiKey": site["secretKey"]}
    meanwhile(command_world, monkeypatch, change)
    answer = call(command_world, "POST", "/api/auth/login", json=body)
    assert answer.status_code == 401, answer.text
    live_one = "SELECT count(*) FROM accounts.website_session WHERE account_id = %s AND revoked_at IS NULL"
    assert command_world.count(live_one, ada.id) == 0


def test_a_key_that_is_revoked_at_the_last_moment_opens_nothing(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the look at the key, before the session is written."""
    ada = member(command_world)
    site = ada.call("POST", "/api/platform/websites", json={"domain": f"{uuid4().hex}.example"}).json()
    service = command_world.http.app.state.accounts  # type: ignore[attr-defined]  # the client's type knows no state
    begin = service.container.store.transaction

    def disconnect_then_begin() -> Any:
        monkeypatch.undo()
        assert ada.call("DELETE", f"/api/platform/websites/{site['id']}").status_code in (200, 204)
        return begin()

    monkeypatch.setattr(service.container.store, "transaction", disconnect_then_begin)
    body = {"email": ada.email, "password": PASSWORD, "websiteApiKey": site["secretKey"]}
    answer = call(command_world, "POST", "/api/auth/login", json=body)
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")
