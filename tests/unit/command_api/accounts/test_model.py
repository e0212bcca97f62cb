"""Accounts, exchange rates and the principal: decisions and checks that need no engine."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from starlette.datastructures import Headers

from command_api.accounts import model
from command_api.kernel.decision import CommandContext
from infra.kernel.http.problems import Problem
from infra.kernel.security.sessions import OpenedSession, refuse_cross_site, session_cookie, set_cookie
from schemas.events.accounts import AccountDisabled, AccountRegistered, EmailClaimed, Role
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
CONTEXT = CommandContext(NOW)
ACCOUNT, EMAIL = uuid4(), uuid4()
APP = "https://app.example"


def register(reservation: model.Email | None = None) -> list[object]:
    return list(
        model.register(
            reservation,
            account_id=ACCOUNT,
            email_id=EMAIL,
            email="a@b.example",
            name="Ada",
            roles=[Role.ADMIN],
            way="setup",
            context=CONTEXT,
        )
    )


def test_registering_reserves_the_address() -> None:
    registered, reserved = register()
    assert isinstance(registered, AccountRegistered)
    assert isinstance(reserved, EmailClaimed)
    assert (registered.originator_id, reserved.originator_id, reserved.account_id) == (ACCOUNT, EMAIL, ACCOUNT)


def test_an_address_belongs_to_one_account_until_it_is_released() -> None:
    given(model.Email(1, uuid4())).when(register).then(rejected("email_taken"))
    _, reserved = register(model.Email(2, None))
    assert isinstance(reserved, EmailClaimed)
    assert reserved.originator_version == 3


def test_a_disabled_account_cannot_sign_in() -> None:
    registered = register()[0]
    assert isinstance(registered, AccountRegistered)
    account = model.evolve(None, registered)
    disabled = AccountDisabled(originator_id=ACCOUNT, originator_version=2, timestamp=NOW, reason="fraud")
    assert model.sign_in(account, session_id=uuid4(), method="password", context=CONTEXT)
    given(model.evolve(account, disabled)).when(
        model.sign_in, session_id=uuid4(), method="password", context=CONTEXT
    ).then(rejected())


JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("GET", {}),
        ("GET", {"sec-fetch-site": "cross-site"}),
        ("POST", JSON),
        ("POST", {**JSON, "sec-fetch-site": "same-origin"}),
        ("POST", {**JSON, "sec-fetch-site": "none"}),
        ("POST", {"content-type": "Application/JSON; charset=utf-8", "origin": APP}),
        ("POST", {**JSON, "origin": "http://10.0.0.5:8000", "x-forwarded-host": "10.0.0.5:8000"}),
        ("DELETE", {"x-requested-with": "althing", "sec-fetch-site": "same-origin"}),
        ("DELETE", {"authorization": "Bearer x"}),
    ],
)
def test_requests_of_the_app_itself_pass(method: str, headers: dict[str, str]) -> None:
    refuse_cross_site(Headers(headers), method, APP)


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("POST", {}),
        ("POST", {"content-type": "text/plain"}),
        ("POST", {"content-type": "multipart/form-data; boundary=x"}),
        ("POST", {"content-type": "application/x-www-form-urlencoded"}),
        ("POST", {**JSON, "sec-fetch-site": "cross-site"}),
        ("POST", {**JSON, "sec-fetch-site": "same-site"}),
        ("POST", {**JSON, "sec-fetch-site": "cross-site", "origin": APP}),
        ("POST", {**JSON, "origin": "https://evil.example"}),
        ("POST", {**JSON, "origin": "https://evil.app.example"}),
        ("POST", {**JSON, "origin": "null"}),
        ("DELETE", {"sec-fetch-site": "same-origin"}),
        ("DELETE", {"authorization": "Bearer x", "origin": APP}),
        ("PATCH", {"content-type": "application/jsonp"}),
    ],
)
def test_requests_of_other_sites_are_refused(method: str, headers: dict[str, str]) -> None:
    with pytest.raises(Problem) as problem:
        refuse_cross_site(Headers(headers), method, APP)
    assert (problem.value.status, problem.value.code) == (403, "cross_site")


def test_the_cookie_is_bound_to_the_host_where_the_address_is_secure() -> None:
    opened = OpenedSession(uuid4(), "secret", "token")
    assert set_cookie(opened, APP).startswith("__Host-sid=secret; Path=/; ")
    assert all(part in set_cookie(opened, APP) for part in ("HttpOnly", "SameSite=Lax", "Secure", "Max-Age=43200"))
    assert set_cookie(opened, "http://127.0.0.1:8000").startswith("sid=secret; ")
    assert "Secure" not in set_cookie(opened, "http://127.0.0.1:8000")
    assert "Max-Age=0" in set_cookie(None, APP)
    assert session_cookie(Headers({"cookie": "sid=planted; __Host-sid=real; a=b"})) == "real"
    assert session_cookie(Headers({"cookie": "sid=plain"})) == "plain"
    assert session_cookie(Headers({"cookie": "sid="})) is None
    assert session_cookie(Headers({})) is None
