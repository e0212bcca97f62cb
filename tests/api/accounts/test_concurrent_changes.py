"""What changes between the look at a password and the session that it opens: the change counts. On a real Postgres."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from command_api.accounts.sign_in import Accounts
from tests.support.command import World, command_world
from tests.support.people import PASSWORD, Member, call, member

__all__ = ["command_world"]
NEW_PASSWORD = "a lighthouse, far out"


def meanwhile(world: World, monkeypatch: pytest.MonkeyPatch, change: Callable[[], object]) -> None:
    """Has `change` happen once, right after the next password was looked at and found right."""
    accounts: Accounts = world.http.app.state.accounts  # type: ignore[attr-defined]  # the client's type knows no state
    look = accounts.with_password

    def look_then_change(*arguments: Any) -> Any:
        found = look(*arguments)
        monkeypatch.undo()
        change()
        return found

    monkeypatch.setattr(accounts, "with_password", look_then_change)


def change_password(who: Member, **code: str) -> None:
    body = {"currentPassword": who.password, "newPassword": NEW_PASSWORD, **code}
    assert who.call("POST", "/api/platform/password/change", json=body).status_code == 204


def live(world: World, account: str) -> int:
    return world.count("SELECT count(*) FROM auth.session WHERE account_id = %s AND revoked_at IS NULL", account)


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
    assert command_world.count("SELECT count(*) FROM auth.login_ticket WHERE account_id = %s", ada.id) == 0


def test_a_second_factor_that_was_set_up_is_asked_for(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
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
    factors = command_world.http.app.state.accounts.desk.factors  # type: ignore[attr-defined]  # the client's type knows no state
    confirms = factors.confirms

    def confirm_then_begin_anew(*arguments: Any) -> Any:
        found = confirms(*arguments)
        monkeypatch.undo()
        assert ada.call("POST", "/api/platform/2fa/setup", json={"password": ada.password}).status_code == 200
        return found

    monkeypatch.setattr(factors, "confirms", confirm_then_begin_anew)
    answer = ada.call("POST", "/api/platform/2fa/confirm", json={"code": ada.code()})
    assert (answer.status_code, answer.json()["code"]) == (409, "nothing_to_confirm")
    assert ada.sign_in().json()["requires2FA"] is False


def test_whoever_was_disabled_does_not_get_in(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    ada = member(command_world)

    def disable() -> None:
        path, headers = f"/api/admin/accounts/{ada.id}/disable", command_world.admin.headers
        assert call(command_world, "POST", path, headers=headers, json={"reason": "fraud"}).status_code == 200

    meanwhile(command_world, monkeypatch, disable)
    answer = ada.sign_in()
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")


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
    live_one = "SELECT count(*) FROM auth.website_session WHERE account_id = %s AND revoked_at IS NULL"
    assert command_world.count(live_one, ada.id) == 0


def test_a_key_that_is_revoked_at_the_last_moment_opens_nothing(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the look at the key, before the session is written."""
    ada = member(command_world)
    site = ada.call("POST", "/api/platform/websites", json={"domain": f"{uuid4().hex}.example"}).json()
    desk = command_world.http.app.state.accounts.desk  # type: ignore[attr-defined]  # the client's type knows no state
    write = desk.core.store.write

    def disconnect_then_write(*arguments: Any) -> Any:
        monkeypatch.undo()
        assert ada.call("DELETE", f"/api/platform/websites/{site['id']}").status_code in (200, 204)
        return write(*arguments)

    monkeypatch.setattr(desk.core.store, "write", disconnect_then_write)
    body = {"email": ada.email, "password": PASSWORD, "websiteApiKey": site["secretKey"]}
    answer = call(command_world, "POST", "/api/auth/login", json=body)
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_credentials")
