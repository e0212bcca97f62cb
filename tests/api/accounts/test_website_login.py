"""The website-level login: its token, and that neither token works where the other does. Over the whole API."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import pyotp
import pytest

from tests.api.accounts.test_reads import NOW, Ada
from tests.support.full_api import Api
from tests.support.people import PASSWORD, wrong_code
from tests.support.query import event, this_moment

LOGIN = "/api/auth/login"
READS = (
    "",
    "/delivery",
    "/keys",
    *(f"/analytics/{name}" for name in ("overview", "clicks", "conversions", "partners", "geographic")),
)


class Owner(Ada):
    """Ada with two websites; one is signed in to."""

    def __init__(self, api: Api) -> None:
        super().__init__(api)
        self.site, self.other = (self.connect() for _ in range(2))

    def connect(self) -> dict[str, Any]:
        domain = f"{uuid4().hex}.example"
        made: dict[str, Any] = self.post("/api/platform/websites", {"domain": domain}, self.headers).json()
        row = {"id": made["id"], "account_id": self.id, "domain": domain, "timezone": "UTC", "currency": "USD"}
        self.api.query.insert("websites", {**row, "attribution_model": "last_click", "created_at": NOW})
        return made

    def enter(self, key: str | None = None, **more: str) -> httpx.Response:
        body = {"email": self.email, "password": PASSWORD, "websiteApiKey": key or self.site["secretKey"], **more}
        return self.post(LOGIN, body)

    def read(self, path: str, headers: dict[str, str]) -> httpx.Response:
        return self.api.http.get(self.api.address + path, headers=headers)


@pytest.fixture
def owner(full_api: Api) -> Owner:
    full_api.query.postgres.execute("DELETE FROM kernel.rate_limit")
    full_api.http.cookies.clear()
    return Owner(full_api)


def test_a_website_token_opens_its_website_and_nothing_else(owner: Owner) -> None:
    answer = owner.enter()
    found = answer.json()
    assert answer.status_code == 200 and found["requires2FA"] is False and found["token"].startswith("wt_")
    assert found["website"] == {"id": owner.site["id"], "domain": owner.site["domain"]}
    assert answer.headers["set-cookie"].startswith("wsid=") and "HttpOnly" in answer.headers["set-cookie"]
    owner.api.http.cookies.clear()
    website, platform = {"Authorization": f"Bearer {found['token']}"}, owner.headers
    owner.api.query.events([event(owner.site["id"], this_moment(), visitor=1)])
    owner.api.query.events([event(owner.other["id"], this_moment(), visitor=1) for _ in range(5)])
    for path in READS:
        assert owner.read(f"/api/website{path}", website).status_code == 200, path
        assert owner.read(f"/api/website{path}", platform).status_code == 401, path
    assert owner.read("/api/website", website).json()["domain"] == owner.site["domain"]
    assert owner.read("/api/website/analytics/overview", website).json()["clicks"]["total"] == 1
    other = f"/api/website/analytics/overview?websiteId={owner.other['id']}"
    assert owner.read(other, website).status_code == 400
    for path in ("/api/platform/user", "/api/platform/websites", "/api/platform/sessions", "/api/platform/export"):
        assert owner.read(path, website).status_code == 401, path
    made = owner.post("/api/platform/websites", {"domain": "x.example"}, website)
    assert made.status_code == 401
    assert owner.post("/api/platform/logout", {}, website).status_code == 401
    assert owner.post("/api/auth/logout", {}, platform).status_code == 401
    assert owner.post("/api/auth/logout", {}, website).status_code == 204
    assert owner.read("/api/website", website).status_code == 401
    assert owner.read("/api/platform/user", platform).status_code == 200


def test_the_cookie_opens_reads_of_its_kind_alone(owner: Owner) -> None:
    cookie = owner.enter().headers["set-cookie"].partition(";")[0]
    owner.api.http.cookies.clear()
    value = cookie.partition("=")[2]
    assert owner.read("/api/website", {"Cookie": cookie}).status_code == 200
    assert owner.read("/api/platform/user", {"Cookie": cookie}).status_code == 401
    assert owner.read("/api/platform/user", {"Cookie": f"sid={value}"}).status_code == 401
    stolen = {"Authorization": f"Bearer {owner.enter().json()['token']}", "Sec-Fetch-Site": "same-origin"}
    owner.api.http.cookies.clear()
    assert owner.read("/api/website", stolen).status_code == 401


def test_whatever_is_wrong_is_answered_alike(owner: Owner) -> None:
    eve = Owner(owner.api)
    answers = [
        owner.enter(password="not that one"),
        owner.enter(email="nobody@example.com"),
        owner.enter("sk_madeup"),
        owner.enter(owner.site["siteKey"]),
        owner.enter(owner.site["postbackToken"]),
        owner.enter(eve.site["secretKey"]),
    ]
    assert {(answer.status_code, answer.text) for answer in answers} == {(401, answers[0].text)}
    assert answers[0].json()["message"] == "Invalid credentials"
    missing = owner.enter(" ")
    assert (missing.status_code, missing.json()["message"]) == (400, "Website API key is required")


def test_it_ends_with_the_key_and_with_the_website(owner: Owner) -> None:
    path = f"/api/platform/websites/{owner.site['id']}/keys"
    key = owner.post(path, {"kind": "secret"}, owner.headers).json()
    by_key, by_other = owner.enter(key["key"]).json()["token"], owner.enter().json()["token"]
    owner.api.http.cookies.clear()
    both = [{"Authorization": f"Bearer {token}"} for token in (by_key, by_other)]
    owner.api.call("DELETE", f"{path}/{key['id']}", headers=owner.headers)
    assert [owner.read("/api/website", one).status_code for one in both] == [401, 200]
    assert owner.enter(key["key"]).status_code == 401
    owner.api.call("DELETE", f"/api/platform/websites/{owner.site['id']}", headers=owner.headers)
    assert owner.read("/api/website", both[1]).status_code == 401
    assert owner.enter().status_code == 401


def test_the_website_login_requires_the_second_factor(owner: Owner) -> None:
    secret = owner.post("/api/platform/2fa/setup", {}, owner.headers).json()["secret"]
    assert owner.post("/api/platform/2fa/confirm", {"code": pyotp.TOTP(secret).now()}, owner.headers).status_code == 200
    owner.api.http.cookies.clear()
    asked = owner.enter()
    assert asked.json() == {"requires2FA": True} and "set-cookie" not in asked.headers
    codes = [owner.enter(twoFactorCode=wrong_code(secret)).json()["code"] for _ in range(6)]
    assert codes == ["wrong_code"] * 5 + ["ticket_ended"]
    owner.enter()
    owner.api.query.postgres.execute(
        "UPDATE accounts.second_factor SET last_timecode = 0 WHERE account_id = %s", (owner.id,)
    )
    entered = owner.enter(twoFactorCode=pyotp.TOTP(secret).now())
    assert entered.json()["requires2FA"] is False and entered.json()["token"].startswith("wt_")
