"""Access tokens: programs read the API with them, without a person and without a session.

That every read takes them and nothing else does: `tests/api/kernel/test_access_matrix`.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pyotp
import pytest

from infra.kernel.mail.outbox import decrypt_mail
from infra.kernel.security.sessions import hashed
from infra.ops.jobs.token_expiry import warn_due
from tests.support.access_tokens import create_token, headers_of
from tests.support.full_api import Api, SampleData, register
from tests.support.people import PASSWORD
from tests.support.query import Person

PATH = "/api/platform/tokens"
WEBSITES = "/api/platform/websites"


@pytest.fixture(scope="module")
def of(full_api: Api) -> SampleData:
    return SampleData(full_api)


@pytest.fixture
def member(full_api: Api) -> Person:
    person = full_api.query.person()
    register(full_api, person)
    return person


def read(api: Api, token: dict[str, Any], path: str = WEBSITES) -> int:
    return api.status("GET", path, headers_of(token))[0]


def test_a_token_is_shown_once_and_stored_as_a_hash(full_api: Api, member: Person) -> None:
    token = create_token(full_api, member, name=" Nightly report ")
    assert token["token"].startswith("althing_") and len(token["token"]) > 40
    assert (token["name"], token["scopes"], token["websiteIds"]) == ("Nightly report", ["read"], None)
    [listed] = full_api.call("GET", PATH, member).json()
    assert listed == {name: value for name, value in token.items() if name != "token"} | {"lastUsedAt": None}
    [row] = full_api.query.postgres.execute(
        "SELECT * FROM accounts.access_token WHERE id = %s", (token["id"],)
    ).fetchall()
    assert hashed(token["token"]) in row and token["token"] not in map(str, row)


def test_its_last_use_is_listed(full_api: Api, member: Person) -> None:
    token = create_token(full_api, member)
    before = datetime.now(UTC)
    assert read(full_api, token) == 200
    [listed] = full_api.call("GET", PATH, member).json()
    assert datetime.fromisoformat(listed["lastUsedAt"]) >= before


def test_an_email_comes_a_week_before_it_expires(full_api: Api, member: Person) -> None:
    """Once, and not for one that is revoked or has more time."""
    soon, revoked, later = (
        create_token(
            full_api, member, name=f"Report {days}", expiresAt=(datetime.now(UTC) + timedelta(days=days)).isoformat()
        )
        for days in (6, 5, 8)
    )
    assert full_api.call("DELETE", f"{PATH}/{revoked['id']}", member).status_code == 204
    postgres, app_settings = full_api.query.postgres, full_api.query.settings

    def texts() -> list[str]:
        mails = (
            "SELECT id, recipient_sealed, text_sealed FROM kernel.mail WHERE account_id = %s AND kind = %s ORDER BY id"
        )
        rows = postgres.execute(mails, (member.account_id, "access_token_expires")).fetchall()
        return [decrypt_mail(app_settings, *row)[1] or "" for row in rows]

    for _ in range(2):
        warn_due(app_settings)
        [text] = texts()
        assert "“Report 6” for the API" in text and soon["expiresAt"][:10] in text and "/account-settings" in text
    closer = "UPDATE accounts.access_token SET expires_at = now() + interval '2 days' WHERE id = %s"
    postgres.execute(closer, (later["id"],))
    warn_due(app_settings)
    assert ["“Report 8”" in text for text in texts()] == [False, True]


def test_it_needs_the_password_again(full_api: Api, member: Person) -> None:
    body = {"name": "Report", "scopes": ["read"]}
    assert full_api.call("POST", PATH, member, json=body).status_code == 400
    refused = full_api.call("POST", PATH, member, json={**body, "password": "not this one"})
    assert (refused.status_code, refused.json()["code"]) == (403, "wrong_password")
    assert full_api.call("GET", PATH, member).json() == []


def test_it_needs_the_second_factor_and_then_works_without(full_api: Api, member: Person) -> None:
    made = full_api.call("POST", "/api/platform/2fa/setup", member, json={"password": PASSWORD})
    secret = made.json()["secret"]
    code = pyotp.TOTP(secret).at(int(time.time()))
    assert full_api.call("POST", "/api/platform/2fa/confirm", member, json={"code": code}).status_code == 200
    body = {"name": "Report", "scopes": ["read"], "password": PASSWORD}
    refused = full_api.call("POST", PATH, member, json=body)
    assert (refused.status_code, refused.json()["code"]) == (403, "code_needed")
    later = pyotp.TOTP(secret).at(int(time.time()) + 30)
    token = full_api.call("POST", PATH, member, json={**body, "code": later})
    assert token.status_code == 201, token.text
    assert read(full_api, token.json()) == 200


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"scopes": []}, 400, "invalid"),
        ({"scopes": ["links:write"]}, 400, "invalid"),
        ({"name": " "}, 400, "invalid"),
        ({"websiteIds": []}, 400, "invalid"),
        ({"websiteIds": [str(uuid4())]}, 404, "not_found"),
        ({"expiresAt": "2020-01-01T00:00:00Z"}, 400, "bad_expiry"),
        ({"expiresAt": "2099-01-01T00:00:00Z"}, 400, "bad_expiry"),
    ],
)
def test_what_is_wrong_is_named(full_api: Api, member: Person, change: Any, status: int, code: str) -> None:
    body = {"name": "Report", "scopes": ["read"], "password": PASSWORD, **change}
    refused = full_api.call("POST", PATH, member, json=body)
    assert (refused.status_code, refused.json()["code"]) == (status, code), refused.text


def test_anothers_website_is_not_found(full_api: Api, of: SampleData, member: Person) -> None:
    body = {"name": "Report", "scopes": ["read"], "password": PASSWORD, "websiteIds": [str(of.website)]}
    assert full_api.call("POST", PATH, member, json=body).status_code == 404


def test_it_ends_when_it_is_revoked(full_api: Api, member: Person) -> None:
    token, other = create_token(full_api, member), create_token(full_api, member)
    assert full_api.call("DELETE", f"{PATH}/{token['id']}", full_api.query.person()).status_code == 404
    assert read(full_api, token) == 200
    assert full_api.call("DELETE", f"{PATH}/{token['id']}", member).status_code == 204
    assert (read(full_api, token), read(full_api, other)) == (401, 200)
    assert full_api.call("DELETE", f"{PATH}/{token['id']}", member).status_code == 404
    actions = [entry["action"] for entry in full_api.call("GET", "/api/platform/user/activity", member).json()]
    assert {"access_token.issued", "access_token.revoked"} <= set(actions)


def test_it_ends_when_it_expires(full_api: Api, member: Person) -> None:
    token = create_token(full_api, member, expiresAt=(datetime.now(UTC) + timedelta(days=2)).isoformat())
    assert read(full_api, token) == 200
    change = "UPDATE accounts.access_token SET expires_at = now() WHERE id = %s"
    full_api.query.postgres.execute(change, (token["id"],))
    assert read(full_api, token) == 401
    assert full_api.call("GET", PATH, member).json() == []


def test_it_ends_with_the_password(full_api: Api, member: Person) -> None:
    token = create_token(full_api, member)
    body = {"currentPassword": PASSWORD, "newPassword": "a lighthouse, far out"}
    assert full_api.call("POST", "/api/platform/password/change", member, json=body).status_code in (200, 204)
    assert read(full_api, token) == 401


def test_it_ends_when_the_account_is_disabled(full_api: Api, of: SampleData, member: Person) -> None:
    token = create_token(full_api, member)
    path = f"/api/admin/accounts/{member.account_id}/disable"
    assert full_api.call("POST", path, of.admin, json={"reason": "Test"}).status_code == 200
    assert read(full_api, token) == 401


def test_nothing_of_it_stays_after_the_erasure(full_api: Api, member: Person) -> None:
    token = create_token(full_api, member)
    erased = full_api.call("POST", "/api/platform/erase", member, json={"password": PASSWORD})
    assert erased.status_code in (200, 204), erased.text
    assert read(full_api, token) == 401
    count = "SELECT count(*) FROM accounts.access_token WHERE account_id = %s"
    assert full_api.query.postgres.execute(count, (member.account_id,)).fetchone() == (0,)


def test_the_export_names_it(full_api: Api, member: Person) -> None:
    token = create_token(full_api, member)
    [exported] = full_api.call("GET", "/api/platform/export", member).json()["accessTokens"]
    assert (exported["id"], exported["name"]) == (token["id"], "Report")
    assert "tokenHash" not in exported and "token_hash" not in exported


def test_an_open_stream_ends_with_it(full_api: Api, of: SampleData) -> None:
    token = create_token(full_api, of.owner, of.website)
    path = f"/api/platform/analytics/live?websiteId={of.website}"
    with full_api.http.stream("GET", full_api.address + path, headers=headers_of(token), timeout=15) as stream:
        lines = stream.iter_lines()
        assert stream.status_code == 200
        assert any(line.startswith("event: snapshot") for line in lines)
        assert full_api.call("DELETE", f"{PATH}/{token['id']}", of.owner).status_code == 204
        for _ in lines:
            pass  # ends; the heartbeat comes only after the client's timeout


def test_a_token_of_one_website_reads_that_one(full_api: Api, of: SampleData) -> None:
    token = headers_of(create_token(full_api, of.owner, of.website))
    [website] = full_api.http.get(full_api.address + WEBSITES, headers=token).json()
    assert UUID(website["id"]) == of.website
    for path in (
        f"/api/platform/analytics/overview?websiteId={of.website}",
        f"/api/platform/analytics/clicks.csv?websiteId={of.website}",
        "/api/platform/conversions",
        f"/api/platform/links/{of.link}",
        "/api/website",
        "/api/website/analytics/overview",
    ):
        assert full_api.status("GET", path, token)[0] == 200, path
    found = full_api.http.get(f"{full_api.address}/api/platform/links", headers=token).json()
    assert [UUID(link["id"]) for link in found] == [of.link]
    for path in ("/api/platform/user", "/api/platform/sessions", "/api/platform/export", PATH):
        status, body = full_api.status("GET", path, token)
        assert (status, '"websites_only"' in body) == (403, True), path
    whole = headers_of(create_token(full_api, of.owner))
    assert full_api.status("GET", "/api/website", whole)[0] == 403
