"""Invites and registering on a real Postgres."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from command_api.accounts.codes import normalized
from tests.support.command import World, command_world
from tests.support.people import PASSWORD, Member, call, invite, member, register

__all__ = ["command_world"]


def uses(world: World, made: dict[str, Any]) -> int:
    return world.events(made["id"]).count("invite.used.v1")


def test_an_invite_registers_a_member(command_world: World) -> None:
    made = invite(command_world, maxUses=2, expiresInDays=3)
    assert (made["maxUses"], made["currentUses"]) == (2, 0)
    assert len(normalized(made["code"])) == 20
    answer = register(command_world, made["code"].lower().replace("-", " "), name="  Ada  ", company="Analytical Ltd")
    assert answer.status_code == 201
    found = answer.json()
    assert set(found) >= {"token", "user", "qrCode", "secret"} and found["requires2FA"] is False
    assert found["user"]["name"] == "Ada" and found["user"]["roles"] == ["member"]
    assert found["qrCode"].startswith("data:image/svg+xml") and "HttpOnly" in answer.headers["set-cookie"]
    assert command_world.events(found["user"]["id"]) == [
        "account.registered.v1",
        "account.profile_changed.v1",
    ]
    assert command_world.session_events(found["user"]["id"]) == ["account.signed_in.v1"]
    assert uses(command_world, made) == 1
    ada = Member(command_world, "", found)
    assert ada.call("POST", "/api/platform/websites", json={"domain": "ada.example"}).status_code == 201


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ({}, (1, 30)),
        ({"maxUses": None, "expiresInDays": None}, (1, 30)),
        ({"maxUses": 0, "expiresInDays": -3}, (1, 30)),
        ({"maxUses": "", "expiresInDays": "soon"}, (1, 30)),
        ({"maxUses": "7", "expiresInDays": 2}, (7, 2)),
    ],
)
def test_what_is_no_number_is_the_default(command_world: World, body: dict[str, Any], shown: tuple[int, int]) -> None:
    made = invite(command_world, **body)
    days = command_world.postgres.execute(
        "SELECT (%s::timestamptz - %s::timestamptz) = make_interval(days => %s)",
        (made["expiresAt"], made["createdAt"], shown[1]),
    ).fetchone()
    assert (made["maxUses"], days) == (shown[0], (True,))


def test_codes_are_not_kept_as_they_are(command_world: World) -> None:
    code = invite(command_world)["code"]
    row = command_world.postgres.execute("SELECT string_agg(t::text, ' ') FROM accounts.invite_code AS t").fetchone()
    assert row is not None and code not in row[0] and normalized(code) not in row[0]


def test_an_unusable_invite_is_rejected_with_the_reason(command_world: World) -> None:
    used, expired, revoked = (invite(command_world) for _ in range(3))
    assert register(command_world, used["code"]).status_code == 201
    # Its one event contains the expiry: the test rewrites this event.
    command_world.postgres.execute(
        "UPDATE events.stored_events SET state = convert_to(jsonb_set(convert_from(state, 'UTF8')::jsonb,"
        " '{expires_at}', '\"2026-01-01T00:00:00Z\"')::text, 'UTF8') WHERE originator_id = %s",
        (expired["id"],),
    )
    path = f"/api/platform/invite-codes/{revoked['id']}"
    assert call(command_world, "DELETE", path, headers=command_world.owner.headers).status_code == 404
    for _ in range(2):
        assert call(command_world, "DELETE", path, headers=command_world.admin.headers).status_code == 204
    for code, expected in (
        (used["code"], "invite_used_up"),
        (expired["code"], "invite_expired"),
        (revoked["code"], "invite_revoked"),
        ("0000-0000-0000-0000-0000", "invite_invalid"),
    ):
        answer = register(command_world, code)
        assert (answer.status_code, answer.json()["code"]) == (400, expected)
        assert answer.json()["errors"][0]["field"] == "inviteCode"


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"email": "nobody"}, "email", "Please enter a valid email"),
        ({"password": "1234567"}, "password", "Password must be at least 8 characters"),
        ({"name": " A "}, "name", "Name must be at least 2 characters"),
        ({"inviteCode": " "}, "inviteCode", "Invite code is required"),
        ({"password": "P@ssw0rd123"}, "password", "This password is too easy to guess. Please choose another one."),
        ({"password": "AdaByron99"}, "password", "This password is too easy to guess. Please choose another one."),
    ],
)
def test_a_form_that_is_wrong_is_refused_in_the_products_words(
    command_world: World, changes: dict[str, str], field: str, message: str
) -> None:
    made = invite(command_world)
    email = changes.pop("email", None)
    answer = register(command_world, changes.pop("inviteCode", made["code"]), email, **changes)
    assert answer.status_code == 400
    assert (answer.json()["message"], answer.json()["errors"]) == (message, [{"field": field, "message": message}])
    assert uses(command_world, made) == 0


def test_an_address_in_use_burns_no_invite_and_its_owner_gets_a_mail(command_world: World) -> None:
    ada, made = member(command_world), invite(command_world)
    mails = "SELECT count(*) FROM kernel.mail WHERE account_id = %s AND kind = 'address_in_use'"
    without_invite = register(command_world, "0000-0000-0000-0000-0000", ada.email)
    assert without_invite.json()["code"] == "invite_invalid"
    assert command_world.count(mails, ada.id) == 0
    for _ in range(4):
        answer = register(command_world, made["code"], f" {ada.email.upper()}")
        assert (answer.status_code, answer.json()["message"]) == (400, "Failed to create account")
        assert "errors" not in answer.json()
    assert uses(command_world, made) == 0
    assert command_world.count(mails, ada.id) == 3  # not more than three at once
    assert register(command_world, made["code"]).status_code == 201


def test_an_invite_is_no_way_to_try_many_addresses(command_world: World) -> None:
    ada, made = member(command_world), invite(command_world)
    statuses = [register(command_world, made["code"], ada.email).status_code for _ in range(12)]
    assert statuses == [400] * 10 + [429] * 2


def test_the_new_account_signs_in_with_its_password(command_world: World) -> None:
    ada = member(command_world)
    assert ada.sign_in().json()["user"]["id"] == ada.id
    assert ada.sign_in(password=PASSWORD + " ").status_code == 401


def test_an_invite_of_a_disabled_account_is_void(command_world: World) -> None:
    ada = member(command_world)
    made = invite(command_world, ada)
    path = f"/api/admin/accounts/{ada.id}/disable"
    disabled = call(command_world, "POST", path, headers=command_world.admin.headers, json={"reason": "fraud"})
    assert disabled.status_code == 200
    assert register(command_world, made["code"], uuid4().hex + "@example.com").json()["code"] == "invite_invalid"
