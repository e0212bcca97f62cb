"""Set-up, sign-in, sessions and sign-out on a real Postgres."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import cast
from uuid import uuid4

import httpx2
import pytest

from command_api.accounts.login_attempts import PER_ACCOUNT_AND_ADDRESS
from command_api.accounts.passwords import Passwords
from command_api.accounts.sign_in import SignInService
from command_api.kernel.rate_limits import PER_ADDRESS
from command_api.registry import open_container
from infra.kernel.config.settings import Settings, SettingsError
from infra.kernel.http.problems import Problem
from infra.kernel.security.encryption import DecryptionError
from infra.kernel.security.sessions import authenticate
from infra.kernel.security.subject_keys import Keyring, SubjectErased
from infra.ops.setup_link import main as setup_link_command
from tests.support.command import ADMIN_EMAIL, ADMIN_PASSWORD, World, world
from tests.support.forwarded_headers import forwarded_for

LOGIN, SETUP, LOGOUT = "/api/platform/login", "/api/platform/setup", "/api/platform/logout"


@pytest.fixture(scope="module")
def set_up(embedded_postgres: Settings) -> Iterator[World]:
    """An installation whose first admin came from the settings."""
    with world(embedded_postgres) as made:
        accounts(made).ensure_first_admin()
        yield made


def accounts(made: World) -> SignInService:
    settings = replace(made.settings, admin_email=ADMIN_EMAIL, admin_password=ADMIN_PASSWORD)
    return SignInService(replace(made.core, settings=settings), Passwords())


def sign_in(made: World, **changes: str) -> httpx2.Response:
    body = {"email": ADMIN_EMAIL, "password": ADMIN_PASSWORD, **changes}
    headers = {"X-Forwarded-For": f"203.0.113.{uuid4().int % 250}"}
    return made.call("POST", LOGIN, json=body, headers=headers)


def cookie_of(answer: httpx2.Response) -> str:
    return answer.headers["set-cookie"].partition(";")[0]


def test_the_settings_admin_is_made_once(set_up: World) -> None:
    before = set_up.count("SELECT count(*) FROM events.stored_events")
    assert accounts(set_up).ensure_first_admin()
    assert set_up.count("SELECT count(*) FROM events.stored_events") >= before
    assert set_up.count("SELECT count(*) FROM accounts.credential") == 1


def test_signing_in_gives_a_token_a_cookie_and_the_user(set_up: World) -> None:
    answer = sign_in(set_up, email=f" {ADMIN_EMAIL.upper()} ")
    assert answer.status_code == 200
    assert answer.json()["requires2FA"] is False
    assert answer.json()["user"]["email"] == ADMIN_EMAIL
    assert "admin" in answer.json()["user"]["roles"]
    assert answer.headers["cache-control"] == "no-store"
    assert "HttpOnly" in answer.headers["set-cookie"] and "SameSite=Lax" in answer.headers["set-cookie"]
    assert answer.headers["x-position"].startswith("domain@")
    secret = cookie_of(answer).partition("=")[2]
    assert secret != answer.json()["token"]
    for column in ("cookie_hash", "token_hash"):
        found = set_up.count(
            f"SELECT count(*) FROM accounts.session WHERE encode({column}, 'escape') LIKE %s", f"%{secret}%"
        )
        assert found == 0


def test_wrong_address_and_wrong_password_are_answered_alike(set_up: World) -> None:
    answers = [sign_in(set_up, password="wrong password"), sign_in(set_up, email="nobody@example.com")]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].json() == answers[1].json()
    assert answers[0].json()["message"] == "Invalid credentials"


def test_a_browser_needs_token_and_cookie_of_one_session(set_up: World) -> None:
    mine, other = sign_in(set_up), sign_in(set_up)
    browser = {"Sec-Fetch-Site": "same-origin", "Authorization": f"Bearer {mine.json()['token']}"}
    body = {"domain": "browser.example"}

    def status(headers: dict[str, str]) -> int:
        return set_up.call("POST", "/api/platform/websites", json=body, headers=headers).status_code

    assert status({**browser, "Cookie": cookie_of(mine)}) == 201
    assert status(browser) == 401
    assert status({**browser, "Cookie": cookie_of(other)}) == 401
    assert status({"Sec-Fetch-Site": "same-origin", "Cookie": cookie_of(mine)}) == 401
    assert status({"Authorization": browser["Authorization"]}) == 201
    assert status({"Authorization": "Bearer " + cookie_of(mine).partition("=")[2]}) == 401


def test_a_browsers_token_opens_nothing_without_its_cookie(set_up: World) -> None:
    """Sent again by a program, which tells neither origin nor fetch site, on the day of its sign-in."""
    body = {"email": ADMIN_EMAIL, "password": ADMIN_PASSWORD}
    for headers in ({"Origin": set_up.settings.app_url}, {"Sec-Fetch-Site": "same-origin"}):
        opened = set_up.call("POST", LOGIN, json=body, headers={**headers, "X-Forwarded-For": "203.0.113.77"})
        assert opened.status_code == 200, opened.text
        token = {"authorization": f"Bearer {opened.json()['token']}"}
        other = cookie_of(sign_in(set_up))
        for method in ("GET", "POST"):
            for stolen in (token, {**token, "cookie": other}, {**token, "cookie": "sid=made-up"}):
                with pytest.raises(Problem) as refused:
                    authenticate(set_up.core.pool, stolen, method)
                assert refused.value.status == 401
            both = {**token, "cookie": cookie_of(opened)}
            assert authenticate(set_up.core.pool, both, method).email == ADMIN_EMAIL
        assert set_up.call("PATCH", "/api/platform/user", json={}, headers=token).status_code == 401


def test_reads_may_come_with_the_cookie_alone(set_up: World) -> None:
    cookie = cookie_of(sign_in(set_up))
    assert authenticate(set_up.core.pool, {"cookie": cookie}, "GET").email == ADMIN_EMAIL
    with pytest.raises(Problem):
        authenticate(set_up.core.pool, {"cookie": cookie}, "POST")
    with pytest.raises(Problem):
        authenticate(set_up.core.pool, {"cookie": "sid=made-up"}, "GET")


@pytest.mark.parametrize(
    ("change", "alone", "with_cookie"),
    [
        ("token_expires_at = now() - interval '1 second'", False, True),
        ("last_seen_at = now() - interval '4 hours 1 second'", False, False),
        ("expires_at = now() - interval '1 second'", False, False),
        ("revoked_at = now()", False, False),
        ("last_seen_at = now() - interval '3 hours'", True, True),
    ],
)
def test_a_session_ends_by_age_idleness_or_revocation(
    set_up: World, change: str, alone: bool, with_cookie: bool
) -> None:
    answer = sign_in(set_up)
    token, cookie = answer.json()["token"], cookie_of(answer)
    for headers, lives in (
        ({"authorization": f"Bearer {token}"}, alone),
        ({"authorization": f"Bearer {token}", "cookie": cookie}, with_cookie),
        ({"cookie": cookie}, with_cookie),
    ):
        person = authenticate(set_up.core.pool, {"authorization": f"Bearer {sign_in(set_up).json()['token']}"}, "GET")
        set_up.postgres.execute(
            f"UPDATE accounts.session SET {change} WHERE account_id = %s AND id != %s",
            (person.account_id, person.session_id),
        )
        if lives:
            authenticate(set_up.core.pool, headers, "GET")
            continue
        with pytest.raises(Problem) as refused:
            authenticate(set_up.core.pool, headers, "GET")
        assert refused.value.status == 401


def test_use_keeps_a_session_alive(set_up: World) -> None:
    token = sign_in(set_up).json()["token"]
    set_up.postgres.execute("UPDATE accounts.session SET last_seen_at = now() - interval '10 minutes'")
    person = authenticate(set_up.core.pool, {"authorization": f"Bearer {token}"}, "GET")
    fresh = "SELECT count(*) FROM accounts.session WHERE id = %s AND last_seen_at > now() - interval '1 minute'"
    assert set_up.count(fresh, person.session_id) == 1


def test_signing_out_ends_the_session_at_once(set_up: World) -> None:
    answer = sign_in(set_up)
    headers = {"Authorization": f"Bearer {answer.json()['token']}"}
    gone = set_up.call("POST", LOGOUT, headers=headers)
    assert gone.status_code == 204
    assert "Max-Age=0" in gone.headers["set-cookie"]
    assert set_up.call("POST", LOGOUT, headers=headers).status_code == 401
    account = answer.json()["user"]["id"]
    assert set_up.session_events(account)[-2:] == ["account.signed_in.v1", "account.signed_out.v1"]
    assert not [name for name in set_up.events(account) if name.startswith("account.signed_")]


def test_guessing_is_slowed_down_per_account_and_right_passwords_are_not_counted(set_up: World) -> None:
    burst, headers = PER_ACCOUNT_AND_ADDRESS.burst, {"X-Forwarded-For": "198.51.100.9"}

    def guess() -> httpx2.Response:
        body = {"email": "victim@example.com", "password": "wrong password"}
        return set_up.call("POST", LOGIN, json=body, headers=headers)

    assert {guess().status_code for _ in range(burst)} == {401}
    # One more comes free after a while, which a busy machine may take for the first ten.
    limited = next(answer for answer in (guess() for _ in range(burst)) if answer.status_code != 401)
    assert (limited.status_code, limited.json()["code"]) == (429, "too_many_attempts")
    assert 1 <= int(limited.headers["Retry-After"]) <= 15
    assert [sign_in(set_up).status_code for _ in range(12)] == [200] * 12


def test_a_local_user_cannot_guess_as_if_from_other_addresses(set_up: World) -> None:
    """Past the gateway, at the command service's own port: the address that is stated is not believed."""
    set_up.postgres.execute(
        "INSERT INTO kernel.rate_limit (bucket, tat) VALUES ('address:127.0.0.1', now() + %s)"
        " ON CONFLICT (bucket) DO UPDATE SET tat = excluded.tat",
        (PER_ADDRESS.every * PER_ADDRESS.burst * 2,),
    )

    def guess(**headers: str) -> int:
        body = {"email": f"{uuid4().hex}@example.com", "password": "wrong password"}
        answer: httpx2.Response = set_up.http.request("POST", LOGIN, json=body, headers=headers)
        return answer.status_code

    proven = forwarded_for(set_up.settings, "198.51.100.20")
    try:
        assert guess(**{"X-Forwarded-For": "198.51.100.21"}) == 429
        assert guess(**{**proven, "X-Forwarded-For": "198.51.100.21"}) == 429
        assert guess(**proven) == 401
    finally:
        set_up.postgres.execute("DELETE FROM kernel.rate_limit WHERE bucket = 'address:127.0.0.1'")


def test_guessing_is_slowed_down_per_address(set_up: World) -> None:
    headers = {"X-Forwarded-For": "198.51.100.7"}

    def guess() -> int:
        body = {"email": f"{uuid4().hex}@example.com", "password": "wrong password"}
        return set_up.call("POST", LOGIN, json=body, headers=headers).status_code

    def full_until(interval: timedelta) -> datetime:
        """Sets until when the address's bucket is not empty: so the test need not hash thirty passwords."""
        row = set_up.postgres.execute(
            "INSERT INTO kernel.rate_limit AS r (bucket, tat) VALUES (%s, now() + %s)"
            " ON CONFLICT (bucket) DO UPDATE SET tat = excluded.tat RETURNING tat",
            ("address:198.51.100.7", interval),
        ).fetchone()
        assert row is not None
        return cast(datetime, row[0])

    half = full_until(PER_ADDRESS.every * PER_ADDRESS.burst / 2)
    assert guess() == 401
    charged = "SELECT count(*) FROM kernel.rate_limit WHERE bucket = 'address:198.51.100.7' AND tat = %s"
    assert set_up.count(charged, half + PER_ADDRESS.every) == 1
    full_until(PER_ADDRESS.every * PER_ADDRESS.burst * 2)
    before = set_up.count("SELECT count(*) FROM kernel.rate_limit")
    assert guess() == 429
    assert set_up.count("SELECT count(*) FROM kernel.rate_limit") == before, "an address over its limit makes no rows"


def test_personal_data_lies_encrypted_and_can_be_erased(set_up: World) -> None:
    account_id = sign_in(set_up).json()["user"]["id"]
    (state,) = set_up.postgres.execute(
        "SELECT convert_from(state, 'UTF8') FROM events.stored_events"
        " WHERE originator_id = %s AND originator_version = 1",
        (account_id,),
    ).fetchone() or ("",)
    assert ADMIN_EMAIL not in state and '"email":"enc:' in state
    keyring, subject = set_up.core.keyring, uuid4()
    sealed = keyring.encrypt(subject, "name", "Ada")
    assert keyring(subject, "name", sealed) == "Ada"
    assert Keyring(set_up.core.pool, set_up.settings)(subject, "name", sealed) == "Ada"
    with pytest.raises(DecryptionError):
        keyring(subject, "email", sealed)
    keyring.erase(subject)
    assert keyring(subject, "name", sealed) == "[erased]"
    with pytest.raises(SubjectErased):
        keyring.encrypt(subject, "name", "Ada")


def test_the_set_up_link_works_once_and_only_while_there_is_nobody(embedded_postgres: Settings) -> None:
    with world(embedded_postgres) as made:
        made_accounts = SignInService(made.core, Passwords())
        assert not made_accounts.ensure_first_admin()
        link, second = made_accounts.setup_link(), made_accounts.setup_link()
        assert link is not None and second is not None
        assert link.startswith(f"{made.settings.app_url}/setup?token=")
        body = {"email": "first@example.com", "password": ADMIN_PASSWORD, "name": "First"}
        wrong = made.call("POST", SETUP, json={**body, "token": "made up"})
        assert (wrong.status_code, wrong.json()["code"]) == (403, "bad_setup_link")
        answer = made.call("POST", SETUP, json={**body, "token": link.partition("=")[2]})
        assert answer.status_code == 200
        assert answer.json()["user"]["roles"] == ["member", "analyst", "admin"]
        for token in (link, second):
            late = made.call("POST", SETUP, json={**body, "token": token.partition("=")[2]})
            assert (late.status_code, late.json()["code"]) == (409, "already_set_up")
        assert made_accounts.ensure_first_admin()
        assert made_accounts.setup_link() is None
        assert made.count("SELECT count(*) FROM accounts.setup_token") == 0


def test_the_command_prints_a_link_until_there_is_an_account(
    embedded_postgres: Settings, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with world(embedded_postgres) as made:
        monkeypatch.setenv("POSTGRES_URL", made.settings.postgres_url or "")
        assert setup_link_command([]) == 0
        printed, warned = capsys.readouterr()
        assert (printed.count("\n"), warned) == (1, "")
        body = {"email": "first@example.com", "password": ADMIN_PASSWORD, "name": "First"}
        token = printed.strip().partition("=")[2]
        assert made.call("POST", SETUP, json={**body, "token": token}).status_code == 200
        assert setup_link_command([]) == 1
        printed, warned = capsys.readouterr()
        assert printed == "" and warned.endswith("/login.\n")


@pytest.mark.parametrize(
    ("email", "password", "named"),
    [
        ("nobody", ADMIN_PASSWORD, "ALTHING_ADMIN_EMAIL"),
        (ADMIN_EMAIL, "short", "ALTHING_ADMIN_PASSWORD: Password must be at least 8 characters"),
        (ADMIN_EMAIL, "password1", "ALTHING_ADMIN_PASSWORD"),
    ],
)
def test_an_admin_who_could_not_sign_in_is_not_made(
    embedded_postgres: Settings, email: str, password: str, named: str
) -> None:
    with world(embedded_postgres) as made:
        settings = replace(made.settings, admin_email=email, admin_password=password)
        with pytest.raises(SettingsError, match=named) as refused:
            SignInService(replace(made.core, settings=settings), Passwords()).ensure_first_admin()
        assert password not in str(refused.value)
        assert made.count("SELECT count(*) FROM accounts.first_account") == 0


def test_without_postgres_commands_answer_503_soon(embedded_postgres: Settings) -> None:
    with world(embedded_postgres) as made:
        person = made.owner
        gone = replace(made.settings, postgres_url="postgresql://postgres@127.0.0.1:1/althing")
        core = open_container(made.settings)
        core.pool.close()
        answer = None
        try:
            from infra.kernel.postgres.pool import pool

            broken = replace(core, pool=pool(gone, 1))
            made.http.app.state.container = broken  # type: ignore[attr-defined]  # typed as any ASGI app
            answer = made.call("POST", "/api/platform/websites", person, json={"domain": "a.example"})
            broken.pool.close()
        finally:
            core.store.close()
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert int(answer.headers["Retry-After"]) <= 2
