"""Second factors, passwords, email addresses and sessions on a real Postgres."""

from __future__ import annotations

import re
from dataclasses import replace
from threading import Semaphore
from typing import Any, cast
from uuid import uuid4

import httpx2
import pyotp
import pytest
from fastapi import FastAPI

from command_api.accounts.passwords import PasswordLane
from infra.kernel.mail.outbox import decrypt_mail, send_due
from infra.kernel.security.sessions import authenticate
from tests.support.command import World, command_world
from tests.support.mail_server import code_in, link_in, mail_server
from tests.support.people import PASSWORD, Member, call, invite, member, register

__all__ = ["command_world"]
NEW_PASSWORD = "a lighthouse, far out"


@pytest.fixture
def ada(command_world: World) -> Member:
    return member(command_world)


@pytest.fixture
def secured(command_world: World) -> Member:
    return member(command_world).set_up_factor()


def second(world: World, ticket: str, **code: str) -> httpx2.Response:
    return call(world, "POST", "/api/platform/login/second-factor", json={"ticket": ticket, **code})


def mails(world: World, account: str, kind: str) -> list[tuple[str, str]]:
    """Address and text of the mails of a kind about an account, oldest first."""
    rows = world.postgres.execute(
        "SELECT id, recipient_sealed, text_sealed FROM kernel.mail WHERE account_id = %s AND kind = %s ORDER BY id",
        (account, kind),
    )
    return [(to, text or "") for to, text in (decrypt_mail(world.settings, *row) for row in rows)]


def test_registering_shows_a_factor_that_counts_after_its_first_right_code(command_world: World, ada: Member) -> None:
    ada.secret = ada.answer["secret"]
    assert pyotp.parse_uri(ada.answer["otpauthUri"]).secret == ada.secret
    assert ada.sign_in().json()["requires2FA"] is False
    wrong = ada.call("POST", "/api/platform/2fa/confirm", json={"code": ada.wrong_code()})
    assert (wrong.status_code, wrong.json()["code"]) == (403, "wrong_code")
    other = ada.again()
    confirmed = ada.call("POST", "/api/platform/2fa/confirm", json={"code": ada.code()})
    assert confirmed.status_code == 200 and len(set(confirmed.json()["recoveryCodes"])) == 10
    assert ada.lives() and not ada.lives(other)
    assert command_world.events(ada.id)[-2:] == ["account.two_factor_enabled.v1", "account.recovery_codes_made.v1"]
    [(to, _)] = mails(command_world, ada.id, "two_factor_changed")
    assert to == ada.email
    assert ada.sign_in().json()["requires2FA"] is True


@pytest.mark.parametrize("text", ["\\ud800aaaaaaaa", "\\u0000aaaaaaaa"])
def test_what_is_no_text_is_refused(command_world: World, text: str) -> None:
    content = f'{{"email": "a@b.example", "password": "{text}"}}'
    assert call(command_world, "POST", "/api/platform/login", content=content).status_code == 400


def test_secrets_and_codes_lie_sealed(command_world: World, secured: Member) -> None:
    for table in ("second_factor", "recovery_code", "login_ticket"):
        row = command_world.postgres.execute(
            f"SELECT coalesce(string_agg(t::text, ' '), '') FROM accounts.{table} t"
        ).fetchone()
        assert row is not None
        assert secured.secret not in row[0]
        assert not any(code in row[0] or code.replace("-", "") in row[0] for code in secured.recovery_codes)


def test_the_second_step_by_ticket_or_by_sending_all_again(command_world: World, secured: Member) -> None:
    asked = secured.sign_in().json()
    assert asked["requires2FA"] is True and "token" not in asked
    entered = second(command_world, asked["ticket"], twoFactorCode=secured.code())
    assert entered.json()["user"]["id"] == secured.id and "set-cookie" in entered.headers
    assert second(command_world, asked["ticket"], twoFactorCode=secured.code()).json()["code"] == "ticket_ended"
    assert secured.sign_in(twoFactorCode=secured.code()).json()["requires2FA"] is False
    # A right code with a wrong password tells nothing.
    wrong = secured.sign_in(password="not that one", twoFactorCode=secured.code())
    assert wrong.json()["code"] == "invalid_credentials"


def test_a_code_works_once(secured: Member) -> None:
    code = secured.code()
    assert secured.sign_in(twoFactorCode=code).status_code == 200
    again = secured.sign_in(twoFactorCode=code)
    assert (again.status_code, again.json()["code"]) == (401, "wrong_code")


def test_five_wrong_codes_end_a_ticket(command_world: World, secured: Member) -> None:
    ticket = secured.sign_in().json()["ticket"]
    codes = [second(command_world, ticket, twoFactorCode=secured.wrong_code()).json()["code"] for _ in range(6)]
    assert codes == ["wrong_code"] * 5 + ["ticket_ended"]
    assert second(command_world, ticket, twoFactorCode=secured.code()).json()["code"] == "ticket_ended"


def test_repeating_the_whole_request_gives_no_more_tries(command_world: World, secured: Member) -> None:
    place = {"X-Forwarded-For": "192.0.2.77"}
    body = {"email": secured.email, "password": PASSWORD}

    def send(**more: str) -> httpx2.Response:
        return call(command_world, "POST", "/api/platform/login", json={**body, **more}, headers=place)

    assert send().json()["requires2FA"] is True
    codes = [send(twoFactorCode=secured.wrong_code()).json()["code"] for _ in range(6)]
    assert codes == ["wrong_code"] * 5 + ["ticket_ended"]
    assert send(twoFactorCode=secured.code()).json()["code"] == "ticket_ended"
    assert send().json()["requires2FA"] is True
    assert send(twoFactorCode=secured.code()).status_code == 200


def test_a_recovery_code_stands_in_once(command_world: World, secured: Member) -> None:
    code = secured.recovery_codes[3]
    asked = secured.sign_in().json()
    entered = second(command_world, asked["ticket"], recoveryCode=code.lower().replace("-", " "))
    assert entered.status_code == 200
    assert secured.sign_in(recoveryCode=code).json()["code"] == "wrong_code"
    assert secured.sign_in(recoveryCode=secured.recovery_codes[4]).status_code == 200
    assert command_world.events(secured.id).count("account.recovery_code_used.v1") == 2
    assert secured.sign_in(recoveryCode="3-0000-0000-0000-0000").json()["code"] == "wrong_code"


def test_new_recovery_codes_void_the_old(secured: Member) -> None:
    path, other = "/api/platform/2fa/recovery-codes", secured.again(twoFactorCode=secured.code())
    assert secured.call("POST", path, json={"password": PASSWORD}).json()["code"] == "code_needed"
    made = secured.call("POST", path, json={"password": PASSWORD, "code": secured.code()}).json()["recoveryCodes"]
    assert not set(made) & set(secured.recovery_codes) and not secured.lives(other)
    assert secured.sign_in(recoveryCode=secured.recovery_codes[0]).status_code == 401
    assert secured.sign_in(recoveryCode=made[0]).status_code == 200


def test_switching_it_off_needs_password_and_code(secured: Member) -> None:
    path, other = "/api/platform/2fa/disable", secured.again(twoFactorCode=secured.code())
    for body, code in (
        ({"password": "not that one", "code": secured.code()}, "wrong_password"),
        ({"password": PASSWORD}, "code_needed"),
        ({"password": PASSWORD, "code": secured.wrong_code()}, "wrong_code"),
    ):
        answer = secured.call("POST", path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (403, code)
    replaced = secured.call("POST", "/api/platform/2fa/setup", json={})
    assert (replaced.status_code, replaced.json()["code"]) == (403, "password_needed")
    assert secured.call("POST", path, json={"password": PASSWORD, "code": secured.code()}).status_code == 204
    assert secured.lives() and not secured.lives(other)
    assert secured.sign_in().json()["requires2FA"] is False


def test_an_old_session_needs_the_password_to_set_up_a_factor(command_world: World, ada: Member) -> None:
    assert ada.call("POST", "/api/platform/2fa/setup", json={}).status_code == 200
    command_world.postgres.execute(
        "UPDATE accounts.session SET created_at = created_at - interval '1 hour' WHERE account_id = %s", (ada.id,)
    )
    assert ada.call("POST", "/api/platform/2fa/setup", json={}).json()["code"] == "password_needed"
    assert ada.call("POST", "/api/platform/2fa/setup", json={"password": PASSWORD}).status_code == 200


def forgot(world: World, email: str) -> httpx2.Response:
    return call(world, "POST", "/api/platform/password/forgot", json={"email": email})


def reset(world: World, code: str, **more: str) -> httpx2.Response:
    return call(world, "POST", "/api/platform/password/reset", json={"code": code, "password": NEW_PASSWORD, **more})


def test_a_mailed_link_resets_a_forgotten_password(command_world: World, ada: Member) -> None:
    nobody = f"{uuid4().hex}@example.com"
    waiting = command_world.count("SELECT count(*) FROM kernel.mail")
    answers = [forgot(command_world, nobody), forgot(command_world, ada.email)]
    assert {(answer.status_code, answer.content) for answer in answers} == {(204, b"")}
    assert command_world.count("SELECT count(*) FROM kernel.mail") == waiting + 1
    [(to, text)] = mails(command_world, ada.id, "password_reset")
    code = code_in(text)
    assert to == ada.email
    row = command_world.postgres.execute("SELECT string_agg(t::text, ' ') FROM accounts.one_time_link AS t").fetchone()
    assert row is not None and code not in row[0]
    weak = reset(command_world, code, password="password1")
    assert weak.json()["code"] == "weak_password"
    assert reset(command_world, code).status_code == 204
    assert reset(command_world, code).json()["code"] == "bad_link"
    assert not ada.lives()
    assert ada.sign_in().status_code == 401
    assert ada.sign_in(password=NEW_PASSWORD).status_code == 200
    assert len(mails(command_world, ada.id, "password_changed")) == 1


def test_the_link_comes_by_mail(command_world: World, ada: Member) -> None:
    with mail_server() as server:
        forgot(command_world, ada.email)
        assert send_due(replace(command_world.settings, smtp_url=server.url)) >= 1
        link = link_in(server.to(ada.email))
    assert link.startswith(f"{command_world.settings.app_url}/reset-password#code=")
    assert reset(command_world, link.partition("#code=")[2]).status_code == 204


def test_a_reset_does_not_go_around_the_second_factor(command_world: World, secured: Member) -> None:
    forgot(command_world, secured.email)
    code = code_in(mails(command_world, secured.id, "password_reset")[0][1])
    assert reset(command_world, code).json()["code"] == "code_needed"
    assert reset(command_world, code, twoFactorCode=secured.wrong_code()).json()["code"] == "wrong_code"
    assert secured.sign_in(twoFactorCode=secured.code()).status_code == 200
    assert reset(command_world, code, twoFactorCode=secured.code()).status_code == 204
    assert secured.sign_in(password=NEW_PASSWORD).json()["requires2FA"] is True


def test_an_old_link_is_refused(command_world: World, ada: Member) -> None:
    forgot(command_world, ada.email)
    code = code_in(mails(command_world, ada.id, "password_reset")[0][1])
    command_world.postgres.execute(
        "UPDATE accounts.one_time_link SET expires_at = now() - interval '1 second' WHERE account_id = %s", (ada.id,)
    )
    assert reset(command_world, code).json()["code"] == "bad_link"
    assert call(command_world, "POST", "/api/platform/email/confirm", json={"code": code}).json()["code"] == "bad_link"


def test_another_spelling_of_an_address_gets_no_mail(command_world: World) -> None:
    """`straße.example` is found as `strasse.example`, but may belong to another person."""
    name = uuid4().hex
    ada = member(command_world, f"{name}@strasse.example")
    assert forgot(command_world, f"{name}@straße.example").status_code == 204
    assert [to for to, _ in mails(command_world, ada.id, "password_reset")] == [ada.email]


def test_an_account_has_few_mailed_to_new_addresses(ada: Member) -> None:
    def ask() -> int:
        body = {"email": f"{uuid4().hex}@example.com", "password": ada.password}
        return ada.call("POST", "/api/platform/email/change", json=body).status_code

    assert [ask() for _ in range(11)] == [204] * 10 + [429]


def test_reset_mails_are_few(command_world: World, ada: Member) -> None:
    for email in (ada.email, f"{uuid4().hex}@example.com"):
        at = {"X-Forwarded-For": f"198.51.100.{uuid4().int % 250}"}
        path, body = "/api/platform/password/forgot", {"email": email}
        asked = [command_world.call("POST", path, json=body, headers=at).status_code for _ in range(4)]
        assert asked == [204] * 3 + [429]


def test_changing_the_password_ends_the_other_sessions(ada: Member) -> None:
    path, other = "/api/platform/password/change", ada.again()
    wrong = ada.call("POST", path, json={"currentPassword": "not that one", "newPassword": NEW_PASSWORD})
    assert (wrong.status_code, wrong.json()["code"]) == (403, "wrong_password")
    weak = ada.call("POST", path, json={"currentPassword": PASSWORD, "newPassword": "Ada Byron 1"})
    assert weak.json()["code"] == "weak_password"
    assert ada.call("POST", path, json={"currentPassword": PASSWORD, "newPassword": NEW_PASSWORD}).status_code == 204
    assert ada.lives() and not ada.lives(other)
    assert ada.sign_in().status_code == 401 and ada.sign_in(password=NEW_PASSWORD).status_code == 200


def test_the_address_changes_once_the_new_one_is_confirmed(command_world: World, ada: Member) -> None:
    new, other = f"{uuid4().hex}@example.com", ada.again()
    assert ada.call("POST", "/api/platform/email/change", json={"email": new, "password": "no"}).status_code == 403
    asked = ada.call("POST", "/api/platform/email/change", json={"email": new, "password": PASSWORD})
    assert asked.status_code == 204
    [(to, text)] = mails(command_world, ada.id, "email_change")
    assert to == new and mails(command_world, ada.id, "email_change_asked")[0][0] == ada.email
    assert ada.sign_in().status_code == 200
    confirmed = call(command_world, "POST", "/api/platform/email/confirm", json={"code": code_in(text)})
    assert confirmed.status_code == 204
    assert ada.lives() and not ada.lives(other)
    old, ada.email = ada.email, new
    assert ada.sign_in().json()["user"]["email"] == new
    assert (
        call(command_world, "POST", "/api/platform/login", json={"email": old, "password": PASSWORD}).status_code == 401
    )
    assert mails(command_world, ada.id, "email_changed")[0][0] == old
    # The old address is free again.
    assert member(command_world, old).email == old


def test_an_address_in_use_is_not_told_of(command_world: World, ada: Member) -> None:
    eve = member(command_world)
    asked = eve.call("POST", "/api/platform/email/change", json={"email": ada.email, "password": PASSWORD})
    assert asked.status_code == 204
    assert mails(command_world, eve.id, "email_change") == []
    assert mails(command_world, ada.id, "address_in_use")[0][0] == ada.email


def test_an_address_that_was_taken_meanwhile_is_not_taken_over(command_world: World, ada: Member) -> None:
    new = f"{uuid4().hex}@example.com"
    ada.call("POST", "/api/platform/email/change", json={"email": new, "password": PASSWORD})
    [(_, text)] = mails(command_world, ada.id, "email_change")
    other = member(command_world, new)
    confirmed = call(command_world, "POST", "/api/platform/email/confirm", json={"code": code_in(text)})
    assert confirmed.json()["code"] == "bad_link"
    assert other.sign_in().json()["user"]["id"] == other.id and ada.sign_in().status_code == 200


def test_a_profile_is_changed_and_shown(ada: Member) -> None:
    changed = ada.call(
        "PATCH", "/api/platform/user", json={"name": "Ada L", "company": "Analytical", "timezone": "Atlantic/Reykjavik"}
    )
    assert changed.status_code == 200
    shown = {name: changed.json()[name] for name in ("name", "company", "timezone")}
    assert shown == {"name": "Ada L", "company": "Analytical", "timezone": "Atlantic/Reykjavik"}
    assert ada.call("PATCH", "/api/platform/user", json={"timezone": "Mars/Base"}).json()["code"] == "unknown_timezone"
    short = ada.call("PATCH", "/api/platform/user", json={"name": "A"})
    assert short.json()["message"] == "Name must be at least 2 characters"
    assert ada.sign_in().json()["user"]["name"] == "Ada L"


def session_of(world: World, headers: dict[str, str]) -> str:
    found = authenticate(world.core.pool, {name.lower(): value for name, value in headers.items()}, "GET")
    return str(found.session_id)


def test_sessions_are_ended_one_by_one_or_all_others(command_world: World, ada: Member) -> None:
    one, two, three = ada.again(), ada.again(), ada.again()
    eve = member(command_world)
    path = f"/api/platform/sessions/{session_of(command_world, one)}"
    assert eve.call("DELETE", path).status_code == 404
    assert ada.call("DELETE", path).status_code == 204
    assert ada.call("DELETE", path).status_code == 404
    assert not ada.lives(one) and ada.lives(two)
    assert ada.call("DELETE", "/api/platform/sessions").status_code == 204
    assert ada.lives() and not ada.lives(two) and not ada.lives(three) and eve.lives()


def trail(world: World, account: str) -> list[tuple[Any, ...]]:
    return world.postgres.execute(
        "SELECT action, outcome, details ->> 'reason' FROM kernel.audit WHERE account_id = %s ORDER BY seq", (account,)
    ).fetchall()


def test_all_of_it_is_in_the_audit_trail(command_world: World, secured: Member) -> None:
    secured.sign_in(password="not that one")
    secured.sign_in(twoFactorCode=secured.wrong_code())
    secured.call("POST", "/api/platform/websites", json={"domain": "ada.example"})
    found = trail(command_world, secured.id)
    assert ("account.registered", "done", None) in found
    assert ("account.two_factor_enabled", "done", None) in found
    assert found[-4:] == [
        ("account.sign_in", "refused", "credentials"),
        ("account.sign_in", "refused", "code"),
        ("website.connected", "done", None),
        ("website.key_issued", "done", None),
    ]
    row = command_world.postgres.execute(
        "SELECT address, details FROM kernel.audit WHERE account_id = %s ORDER BY seq LIMIT 1", (secured.id,)
    ).fetchone()
    assert row is not None and re.fullmatch(r"203\.\d+\.\d+\.0/24", row[0])


@pytest.mark.usefixtures("ada")
def test_the_audit_trail_is_a_chain_and_only_grows(command_world: World) -> None:
    broken = "SELECT coalesce(broken, 0) FROM kernel.check_audit(0, 1000000)"
    assert command_world.count("SELECT count(*) FROM kernel.audit") > 3 and command_world.count(broken) == 0
    for statement in ("UPDATE kernel.audit SET action = 'x'", "DELETE FROM kernel.audit", "TRUNCATE kernel.audit"):
        with pytest.raises(Exception, match="only ever appended"):
            command_world.postgres.execute(statement.encode())
    connection = command_world.postgres
    for change in (
        'UPDATE kernel.audit SET details = \'{"reason": "other"}\' WHERE seq = 2',
        "DELETE FROM kernel.audit WHERE seq = 2",
        "UPDATE kernel.audit SET actor_id = gen_random_uuid() WHERE seq = (SELECT max(seq) FROM kernel.audit)",
    ):
        with connection.transaction(force_rollback=True):
            connection.execute("ALTER TABLE kernel.audit DISABLE TRIGGER audit_is_append_only")
            connection.execute(change.encode())
            assert command_world.count(broken) >= 2
    assert command_world.count(broken) == 0


def test_registering_with_an_address_that_has_a_factor_is_refused_alike(command_world: World, secured: Member) -> None:
    answer = register(command_world, invite(command_world)["code"], secured.email)
    assert answer.json()["message"] == "Failed to create account"


def test_who_is_turned_away_because_many_wait_has_not_guessed(
    command_world: World, secured: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = cast(FastAPI, command_world.http.app)
    with monkeypatch.context() as crowded:
        crowded.setattr(app.state.accounts.passwords, "_places", dict.fromkeys(PasswordLane, Semaphore(0)))
        for _ in range(12):
            assert secured.sign_in().json()["code"] == "busy"
            proof = {"password": PASSWORD, "code": secured.code()}
            assert secured.call("POST", "/api/platform/2fa/disable", json=proof).json()["code"] == "busy"
    assert secured.sign_in().json()["requires2FA"] is True
    proof = {"password": PASSWORD, "recoveryCode": secured.recovery_codes[0]}
    assert secured.call("POST", "/api/platform/2fa/disable", json=proof).status_code == 204
