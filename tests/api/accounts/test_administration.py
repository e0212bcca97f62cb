"""Roles, disabling and being forgotten, on a real Postgres."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import httpx2
import psycopg
import pytest

from command_api.accounts.passwords import Passwords
from command_api.accounts.sign_in import SignInService
from command_api.kernel import outbox_relay
from command_api.kernel.leader_election import Leader
from command_api.kernel.outbox_relay import Relay
from infra.kernel.config.settings import Settings
from infra.ops.jobs.retention import delete_expired
from schemas.base import ERASED
from tests.support.command import World, command_world, world
from tests.support.engines import wait_until
from tests.support.people import PASSWORD, Member, call, invite, member, register

__all__ = ["command_world"]


def admin_call(made: World, method: str, path: str, body: Any = None) -> httpx2.Response:
    return call(made, method, f"/api/admin/accounts/{path}", headers=made.admin.headers, json=body)


def test_roles_hold_at_once(command_world: World) -> None:
    ada, other = member(command_world), member(command_world)
    admin_call(command_world, "PUT", f"{other.id}/roles", {"roles": ["admin"]})
    assert ada.call("PUT", f"/api/admin/accounts/{ada.id}/roles", json={"roles": ["admin"]}).status_code == 403
    given = admin_call(command_world, "PUT", f"{ada.id}/roles", {"roles": ["admin"]})
    assert given.json() == {"id": ada.id, "roles": ["member", "admin"], "disabled": False}
    partner = {"name": "P of Ada", "baseUrl": "https://p.example", "commission": 1}
    assert ada.call("POST", "/api/admin/partners", json=partner).status_code == 201
    command_world.postgres.execute("LISTEN session_ended")
    assert admin_call(command_world, "PUT", f"{ada.id}/roles", {"roles": ["analyst"]}).json()["roles"] == [
        "member",
        "analyst",
    ]
    assert ada.call("POST", "/api/admin/partners", json=partner).status_code == 403
    [told] = command_world.postgres.notifies(timeout=60, stop_after=1)  # open streams are checked again
    assert command_world.count(
        "SELECT count(*) FROM accounts.session WHERE id = %s AND account_id = %s", told.payload, ada.id
    )
    command_world.postgres.execute("UNLISTEN session_ended")
    assert admin_call(command_world, "PUT", f"{ada.id}/roles", {"roles": ["king"]}).status_code == 400


def test_a_disabled_account_is_out_at_once_and_may_come_back(command_world: World) -> None:
    ada = member(command_world)
    path = f"{ada.id}/disable"
    assert admin_call(command_world, "POST", path, {"reason": ""}).status_code == 400
    for _ in range(2):
        assert admin_call(command_world, "POST", path, {"reason": "fraud"}).json()["disabled"] is True
    assert not ada.lives() and ada.sign_in().json()["code"] == "invalid_credentials"
    assert admin_call(command_world, "POST", f"{ada.id}/enable").json()["disabled"] is False
    assert ada.sign_in().status_code == 200
    assert command_world.events(ada.id).count("account.disabled.v1") == 1


def test_an_admin_ends_the_sessions_of_an_account(command_world: World) -> None:
    ada = member(command_world)
    assert admin_call(command_world, "DELETE", f"{ada.id}/sessions").status_code == 200
    assert not ada.lives() and ada.sign_in().status_code == 200
    assert admin_call(command_world, "DELETE", "00000000-0000-4000-8000-000000000000/sessions").status_code == 404


def test_an_admin_resets_a_lost_second_factor(command_world: World) -> None:
    ada = member(command_world).set_up_factor()
    assert ada.call("DELETE", f"/api/admin/accounts/{ada.id}/two-factor").status_code == 403
    assert admin_call(command_world, "DELETE", f"{ada.id}/two-factor").status_code == 200
    assert not ada.lives() and ada.sign_in().json()["requires2FA"] is False
    mails = "SELECT count(*) FROM kernel.mail WHERE account_id = %s AND kind = 'two_factor_changed'"
    assert command_world.count(mails, ada.id) == 2
    trail = "SELECT count(*) FROM kernel.audit WHERE action = %s AND account_id = %s AND actor_id = %s"
    assert command_world.count(trail, "account.two_factor_disabled", ada.id, command_world.admin.account_id) == 1
    assert admin_call(command_world, "DELETE", f"{ada.id}/two-factor").json()["code"] == "no_second_factor"


@pytest.fixture
def only_admin(embedded_postgres: Settings) -> Any:
    """An installation with one admin, who signed in."""
    with world(embedded_postgres) as made:
        link = SignInService(made.core, Passwords()).setup_link()
        assert link is not None
        body = {"token": link.partition("=")[2], "email": "one@example.com", "password": PASSWORD, "name": "One"}
        answer = made.call("POST", "/api/platform/setup", json=body)
        assert answer.status_code == 200
        yield Member(made, "one@example.com", answer.json())


def test_the_last_admin_stays(only_admin: Member) -> None:
    me = f"/api/admin/accounts/{only_admin.id}"
    for method, path, body in (
        ("PUT", f"{me}/roles", {"roles": []}),
        ("POST", f"{me}/disable", {"reason": "tired"}),
        ("POST", "/api/platform/erase", {"password": PASSWORD}),
    ):
        answer = only_admin.call(method, path, json=body)
        assert (answer.status_code, answer.json()["code"]) == (409, "last_admin"), path
    other = Member(
        only_admin.world, "", register(only_admin.world, invite(only_admin.world, only_admin)["code"]).json()
    )
    assert only_admin.call("PUT", f"/api/admin/accounts/{other.id}/roles", json={"roles": ["admin"]}).status_code == 200
    assert only_admin.call("PUT", f"{me}/roles", json={"roles": []}).status_code == 200
    assert other.call("PUT", f"/api/admin/accounts/{other.id}/roles", json={"roles": []}).status_code == 409


def everything(made: World) -> str:
    """All rows of all tables, as text."""
    tables = made.postgres.execute(
        "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
        " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
    ).fetchall()
    assert len(tables) > 30
    found = []
    for (table,) in tables:
        found += [row[0] for row in made.postgres.execute(f"SELECT t::text FROM {table} AS t".encode())]
    return "\n".join(found)


KEPT = {
    "kernel.audit": "who did what: ids and no names",
    "accounts.first_account": "that the installation is set up",
    "kernel.subject_key": "the tombstone of the key",
    "lookup.forum_member": "since when a member wrote how many posts, which remain without their texts",
    "forum.member": "that the member existed; the handle is deleted",
    **dict.fromkeys(
        ("lookup.custom_domain", "lookup.direct_deal", "lookup.escrow", "lookup.listing", "lookup.open_offer"),
        "ids alone; the events that end domains, listings and offers change the rows",
    ),
    "kernel.llm_call": "what the model cost; no text",
    "sql.statement": "that a statement ran; its text is deleted",
    "operations.to_erase": "erasures to repeat after a restore, which end with their repetition",
}
"""Tables that keep rows of an erased account, and why."""


def tables_of_accounts(made: World) -> list[tuple[str, str]]:
    """Tables that name accounts, each with the column that does."""
    tables = made.postgres.execute(
        "SELECT format('%I.%I', table_schema, table_name), column_name FROM information_schema.columns"
        " WHERE column_name IN ('account_id', 'subject_id', 'link_account', 'seller_id', 'buyer_id')"
        " AND table_schema NOT IN ('engine', 'events', 'information_schema', 'log', 'pg_catalog', 'read')"
        " ORDER BY 1, 2"
    ).fetchall()
    assert len(tables) > 30
    return [(table, column) for table, column in tables]


def belongings_left(made: World, account: str) -> dict[str, int]:
    """How many rows of the account the tables hold that should hold none."""
    counted = {
        table: made.count(f"SELECT count(*) FROM {table} WHERE {column} = %s", account)
        for table, column in tables_of_accounts(made)
    }
    return {table: count for table, count in counted.items() if count and table not in KEPT}


def add_row(made: World, table: str, column: str, account: str, **given: Any) -> None:
    """Inserts a row of the account; its other columns have their defaults or a value of their type."""
    needed = made.postgres.execute(
        "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
        " AND NOT attisdropped AND attnotnull AND NOT atthasdef AND attidentity = '' AND attname <> %s",
        (table, column),
    ).fetchall()
    values = {column: account, **{name: VALUES[kind]() for name, kind in needed}, **CHECKED.get(table, {}), **given}
    names, holes = ", ".join(values), ", ".join(["%s"] * len(values))
    made.postgres.execute(f"INSERT INTO {table} ({names}) VALUES ({holes})".encode(), list(values.values()))


VALUES: dict[str, Callable[[], Any]] = {
    "uuid": uuid4,
    "text": lambda: "x",
    "bytea": lambda: b"x",
    "integer": lambda: 1,
    "smallint": lambda: 1,
    "bigint": lambda: 1,
    "boolean": lambda: False,
    "timestamp with time zone": lambda: datetime(2026, 1, 1, tzinfo=UTC),
    "text[]": list,
    "uuid[]": list,
    "jsonb": lambda: "{}",
}
"""A value of each type that such a row needs."""
WEBHOOK = {"webhook_id": uuid4()}
CHECKED: dict[str, dict[str, Any]] = {
    "accounts.login_ticket": {"kind": "second_factor"},
    "accounts.one_time_link": {"kind": "password_reset"},
    "forum.act": {"kind": "reply"},
    "notifications.webhook_delivery": WEBHOOK,
    "notifications.webhook_secret": WEBHOOK,
}
"""Columns that take certain values only."""


def holds(text: str, word: str) -> bool:
    """Whether a word is there: as it is, or in bytes that are shown as hexadecimal digits."""
    return word in text or word.encode().hex() in text


def relay_all(made: World) -> None:
    """Copies every decided event to topic `domain`."""
    made.log.end_offset("domain", 0)
    leader = Leader(made.settings, outbox_relay.NAME, Relay(made.log).run).start()
    try:
        wanted = made.count("SELECT max(notification_id) FROM events.stored_events")
        position = "SELECT coalesce(max(position), 0) FROM engine.relay"
        wait_until(lambda: made.count(position) >= wanted, 60, "the relay")
    finally:
        leader.stop()


def test_after_erasing_nothing_is_left(command_world: World) -> None:
    words = ("zinnia.qxv@example.com", "Zinnia Quartz-Vex", "Quartz & Vex Holdings")
    zinnia = member(command_world, words[0], name=words[1], company=words[2]).set_up_factor()
    site = zinnia.call("POST", "/api/platform/websites", json={"domain": "garden.example"}).json()
    made = invite(command_world, zinnia)
    call(command_world, "POST", "/api/platform/password/forgot", json={"email": words[0]})
    wrong = zinnia.call("POST", "/api/platform/erase", json={"password": PASSWORD})
    assert wrong.json()["code"] == "code_needed"
    relay_all(command_world)
    before = everything(command_world)
    assert holds(before, words[0])  # its session: so the search would find it
    assert holds(before, "account.registered")
    erased = zinnia.call("POST", "/api/platform/erase", json={"password": PASSWORD, "code": zinnia.code()})
    assert erased.status_code == 204 and "Max-Age=0" in erased.headers["set-cookie"]
    relay_all(command_world)
    after = everything(command_world)
    assert belongings_left(command_world, zinnia.id) == {}
    assert not [word for word in (*words, "garden.example") if holds(after, word)]
    assert not zinnia.lives() and zinnia.sign_in().json()["code"] == "invalid_credentials"
    assert register(command_world, made["code"]).json()["code"] in ("invite_invalid", "invite_revoked")
    assert command_world.events(site["id"])[-1] == "website.disconnected.v1"
    assert command_world.count("SELECT count(*) FROM lookup.website WHERE account_id = %s", zinnia.id) == 0
    keyring = command_world.core.keyring
    row = command_world.postgres.execute(
        "SELECT convert_from(state, 'UTF8')::jsonb ->> 'email' FROM events.stored_events"
        " WHERE originator_id = %s AND originator_version = 1",
        (zinnia.id,),
    ).fetchone()
    assert row is not None and keyring(UUID(zinnia.id), "email", row[0]) == ERASED
    # The address is free again.
    assert member(command_world, words[0]).id != zinnia.id


def test_erasing_deletes_the_accounts_rows_of_every_table(command_world: World) -> None:
    """A table that names accounts is deleted from by a handler of `AccountErased`, or kept for a reason."""
    ada = member(command_world)
    site = ada.call("POST", "/api/platform/websites", json={"domain": "garden.example"}).json()
    domain = {"domain": f"go.{uuid4().hex}.com", "websiteId": site["id"]}
    checked = {"domain_id": ada.call("POST", "/api/platform/custom-domains", json=domain).json()["id"]}
    built = {"websiteId": site["id"], "name": "Garden", "slug": uuid4().hex}
    subscribed = {
        "site_id": ada.call("POST", "/api/platform/sites", json=built).json()["id"],
        "kind": "site_newsletter",
    }
    values = {"domains.dns_check": checked, "leads.contact": subscribed}
    invite(command_world, ada)
    ada.call("POST", "/api/platform/partners", json={"name": "Own", "baseUrl": "own.example", "commission": 8})
    ada.call("POST", "/api/platform/partner-requests", json={"name": "Wanted", "website": "wanted.example"})
    tables = tables_of_accounts(command_world)
    for table, column in tables:
        if table not in belongings_left(command_world, ada.id) and table not in KEPT:
            add_row(command_world, table, column, ada.id, **values.get(table, {}))
    assert belongings_left(command_world, ada.id).keys() == {table for table, _ in tables} - KEPT.keys()
    erased = ada.call("POST", "/api/platform/erase", json={"password": PASSWORD})
    assert erased.status_code == 204, erased.text
    assert belongings_left(command_world, ada.id) == {}


def test_erasing_waits_for_no_mail_that_is_on_its_way(command_world: World) -> None:
    """Else everybody's commands would wait with it for the mail server: the event store is locked meanwhile."""
    ada = member(command_world)
    call(command_world, "POST", "/api/platform/password/forgot", json={"email": ada.email})
    mails_of = "SELECT count(*) FROM kernel.mail WHERE account_id = %s"
    assert command_world.count(mails_of, ada.id) >= 1
    assert command_world.settings.postgres_url is not None
    with psycopg.connect(command_world.settings.postgres_url) as sending:
        sending.execute("SELECT FROM kernel.mail WHERE account_id = %s FOR UPDATE", (ada.id,))
        erased = ada.call("POST", "/api/platform/erase", json={"password": PASSWORD})
        assert erased.status_code == 204, erased.text
        assert command_world.count(mails_of, ada.id) >= 1
    delete_expired(command_world.settings)
    assert command_world.count(mails_of, ada.id) == 0
