"""What the query service shows of accounts: one's own settings, and everybody to admins. Over the whole API."""

from __future__ import annotations

from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote
from uuid import UUID, uuid4

import httpx
import orjson
import pytest

from infra.kernel.postgres.pool import pool as open_pool
from infra.kernel.security.oauth_providers import encrypt_label
from projectors.read_models.row_policies import ADMINS, PUBLIC
from projectors.registry import REGISTRY
from query_api.accounts import export
from query_api.accounts.export import SECTIONS
from query_api.kernel import sections
from query_api.kernel.postgres_reader import PostgresReader, take_role
from tests.support.full_api import Api
from tests.support.people import PASSWORD
from tests.support.query import Person

NOW = datetime.now(UTC)


class Ada:
    """A member who registered through the API, with the rows of the projectors."""

    def __init__(self, api: Api) -> None:
        self.api, self.admin = api, api.query.person("member", "admin")
        made = self.post("/api/platform/invite-codes", {"maxUses": 3}, self.admin.headers)
        assert made.status_code == 201, made.text
        self.invite = made.json()
        self.email = f"{uuid4().hex[:12]}@example.com"
        body = {"email": self.email, "password": PASSWORD, "name": "Ada", "inviteCode": self.invite["code"]}
        answer = self.post("/api/platform/register", body)
        assert answer.status_code == 201, answer.text
        self.id, self.token = answer.json()["user"]["id"], answer.json()["token"]
        self.headers = {"Authorization": f"Bearer {self.token}"}
        api.query.insert(
            "accounts",
            {"id": self.id, "email": self.email, "name": "Ada", "roles": ["member"], "created_at": NOW},
        )
        api.query.insert("account_details", {"account_id": self.id, "company": "Analytical", "timezone": "UTC"})

    def post(self, path: str, body: dict[str, Any], headers: dict[str, str] | None = None) -> httpx.Response:
        place = {"X-Requested-With": "test"}
        return self.api.http.post(self.api.address + path, json=body, headers={**place, **(headers or {})})

    def get(self, path: str, person: Person | None = None) -> httpx.Response:
        return self.api.http.get(self.api.address + path, headers=person.headers if person else self.headers)


@pytest.fixture
def ada(full_api: Api) -> Ada:
    full_api.query.postgres.execute("DELETE FROM kernel.rate_limit")
    return Ada(full_api)


def test_the_user_with_the_settings(ada: Ada) -> None:
    found = ada.get("/api/platform/user").json()
    shown = {name: found[name] for name in ("email", "company", "timezone", "twoFactor", "recoveryCodesLeft")}
    assert shown == {
        "email": ada.email,
        "company": "Analytical",
        "timezone": "UTC",
        "twoFactor": False,
        "recoveryCodesLeft": 0,
    }
    assert found["hasPassword"] is True
    ada.api.query.postgres.execute("DELETE FROM accounts.credential WHERE account_id = %s", (ada.id,))
    assert ada.get("/api/platform/user").json()["hasPassword"] is False
    assert ada.get("/api/platform/user", ada.admin).json()["hasPassword"] is False


def test_invites_are_shown_to_their_owner_with_the_code(ada: Ada) -> None:
    made = ada.post("/api/platform/invite-codes", {"maxUses": 2}, ada.headers).json()
    row = {"id": made["id"], "account_id": ada.id, "max_uses": 2, "created_at": NOW}
    ada.api.query.insert("invites", {**row, "current_uses": 1, "expires_at": NOW + timedelta(days=1)})
    joined = {"account_id": uuid4(), "invite_id": made["id"], "invited_by": ada.id, "name": "Eve", "joined_at": NOW}
    ada.api.query.insert("invite_joins", joined)
    [found] = ada.get("/api/platform/invite-codes").json()
    assert (found["code"], found["maxUses"], found["currentUses"], found["status"]) == (made["code"], 2, 1, "active")
    assert [one["name"] for one in found["joined"]] == ["Eve"]
    assert made["id"] not in ada.get("/api/platform/invite-codes", ada.admin).text


def test_sessions_and_activity_are_ones_own(ada: Ada) -> None:
    firefox = {"User-Agent": "Mozilla/5.0 Gecko/20100101 Firefox/140.0"}
    ada.post("/api/platform/login", {"email": ada.email, "password": PASSWORD}, firefox)
    found = ada.get("/api/platform/sessions").json()
    assert [(one["device"], one["current"]) for one in sorted(found, key=lambda one: one["current"])] == [
        ("Firefox", False),
        ("", True),
    ]
    ada.post("/api/platform/login", {"email": ada.email, "password": "not that one"})
    page = ada.get("/api/platform/user/activity?limit=2")
    assert [(one["action"], one["outcome"]) for one in page.json()] == [
        ("account.sign_in", "refused"),
        ("account.signed_in", "done"),
    ]
    assert page.json()[1]["device"] == "Firefox" and page.json()[1]["actorName"] == "Ada"
    following = ada.api.http.get(ada.api.address + page.links["next"]["url"], headers=ada.headers).json()
    assert [one["action"] for one in following][-1] == "account.registered"
    assert {one["accountId"] for one in following} == {ada.id}


def test_admins_see_everybody(ada: Ada) -> None:
    found = ada.get(f"/api/admin/accounts?search={ada.email.upper()}", ada.admin).json()
    [one] = found
    assert (one["id"], one["email"], one["sessions"], one["websites"], one["twoFactor"]) == (
        ada.id,
        ada.email,
        1,
        0,
        False,
    )
    mark = uuid4().hex[:8]
    row = {"id": uuid4(), "email": f"{mark}@example.com", "roles": ["member"], "created_at": NOW}
    ada.api.query.insert("accounts", {**row, "name": f"Þóra Weiß {mark}"})
    [found] = ada.get(f"/api/admin/accounts?search=ÞÓRA weiß {mark}", ada.admin).json()
    assert found["name"] == f"Þóra Weiß {mark}"
    gone = {"id": uuid4(), "email": f"gone-{mark}@example.com", "name": "", "roles": ["analyst"], "created_at": NOW}
    ada.api.query.insert("accounts", {**gone, "disabled_at": NOW})
    for query, ids in (
        ("state=disabled", [gone["id"]]),
        ("state=active", [row["id"]]),
        ("state=erased", []),
        ("role=analyst", [gone["id"]]),
        ("role=admin", []),
    ):
        listed = ada.get(f"/api/admin/accounts?search={mark}&{query}", ada.admin).json()
        assert [one["id"] for one in listed] == [str(id_) for id_ in ids], query
    assert ada.get("/api/admin/accounts?state=asleep", ada.admin).status_code == 400
    first = ada.get("/api/admin/accounts?limit=1", ada.admin)
    assert len(first.json()) == 1 and "next" in first.links
    assert ada.get("/api/admin/accounts").status_code == 403


def test_admins_read_the_audit_trail(ada: Ada) -> None:
    found = ada.get(f"/api/admin/audit-trail?accountId={ada.id}&action=account.", ada.admin).json()
    assert [one["action"] for one in found] == ["account.signed_in", "account.registered"]
    [signed_in, registered] = (one["at"] for one in found)
    mine = f"/api/admin/audit-trail?actor={ada.email.upper()}"
    for query, actions in (
        ("&action=account.", ["account.signed_in", "account.registered"]),
        (f"&action=account.&objectId={ada.id}", ["account.signed_in", "account.registered"]),
        (f"&objectId={uuid4()}", []),
        (f"&since={quote(signed_in)}", ["account.signed_in"]),
        (f"&action=account.&until={quote(signed_in)}", ["account.registered"]),
        (f"&since={quote(registered)}&action=account.sign", ["account.signed_in"]),
    ):
        assert [one["action"] for one in ada.get(mine + query, ada.admin).json()] == actions, query
    page = ada.get(f"{mine}&limit=1", ada.admin)
    assert "actor=" in page.links["next"]["url"]
    assert ada.get("/api/admin/audit-trail?objectId=x", ada.admin).status_code == 400
    refused = ada.get("/api/admin/audit-trail?outcome=refused&limit=200", ada.admin).json()
    assert {one["outcome"] for one in refused} <= {"refused"}
    check = ada.get("/api/admin/audit-trail/check", ada.admin).json()
    assert check["firstBroken"] is None and check["rows"] >= 3 and len(check["head"]) == 64
    assert (check["anchored"], check["after"], check["checkedTo"]) == (0, 0, check["rows"])
    later = ada.get("/api/admin/audit-trail/check?after=2", ada.admin).json()
    assert (later["after"], later["checkedTo"], later["firstBroken"]) == (2, later["rows"], None)
    beyond = ada.get("/api/admin/audit-trail/check?after=9007199254740992", ada.admin)
    assert beyond.status_code == 200 and beyond.json()["firstBroken"] is None
    assert ada.get("/api/admin/audit-trail").status_code == 403


def test_admins_read_mails_while_there_is_no_server_and_each_look_is_noted(ada: Ada) -> None:
    ada.post("/api/platform/password/forgot", {"email": ada.email})
    mail = next(one for one in ada.get("/api/admin/outbox", ada.admin).json() if one["to"] == ada.email)
    assert (mail["kind"], mail["state"]) == ("password_reset", "waiting") and "text" not in mail
    for query, is_there in (("search=PASSWORD", True), ("search=100%", False), ("state=sent", False)):
        listed = ada.get(f"/api/admin/outbox?limit=200&{query}", ada.admin).json()
        assert (mail["id"] in [one["id"] for one in listed]) is is_there, query
    letter = ada.get(f"/api/admin/outbox/{mail['id']}", ada.admin).json()
    assert "#code=" in letter["text"]
    looks = ada.get(f"/api/admin/audit-trail?accountId={ada.admin.account_id}&action=outbox.", ada.admin).json()
    assert [(one["action"], one["subjectId"]) for one in looks] == [
        ("outbox.read", mail["id"]),
        *[("outbox.listed", None)] * 4,
    ]
    assert ada.get("/api/admin/outbox").status_code == 403
    assert ada.get(f"/api/admin/outbox/{mail['id']}").status_code == 403


def test_the_export_holds_what_is_stored_and_nothing_of_others(ada: Ada) -> None:
    eve = Ada(ada.api)
    site = {"id": uuid4(), "account_id": ada.id, "domain": "ada.example", "timezone": "UTC", "currency": "USD"}
    ada.api.query.insert("websites", {**site, "attribution_model": "last_click", "created_at": NOW})
    ada.post("/api/platform/password/forgot", {"email": ada.email})
    ada.api.query.postgres.execute(
        "INSERT INTO accounts.linked_sign_in (id, subject_hash, account_id, provider, label_sealed)"
        " VALUES (%s, %s, %s, 'github', %s)",
        (
            link_id := uuid4(),
            link_id.hex,
            ada.id,
            encrypt_label(ada.api.core.settings, str(link_id), "ada@work.example"),
        ),
    )
    answer = ada.get("/api/platform/export")
    assert answer.headers["content-disposition"].startswith("attachment; filename=")
    found = answer.json()
    assert found["accountId"] == ada.id and set(found) == {"exportedAt", "accountId", *(one.name for one in SECTIONS)}
    assert [one["email"] for one in found["account"]] == [ada.email]
    assert [one["domain"] for one in found["websites"]] == ["ada.example"]
    assert [one["kind"] for one in found["mails"]] == ["password_reset"]
    assert [(one["provider"], one["label"]) for one in found["linkedSignIns"]] == [("github", "ada@work.example")]
    assert len(found["sessions"]) == 1 and "token_hash" not in found["sessions"][0]
    assert {"account.registered", "account.exported"} <= {one["action"] for one in found["activity"]}
    assert eve.email not in answer.text and eve.id not in answer.text
    assert [one["email"] for one in ada.get("/api/platform/export", ada.admin).json()["account"]] == [
        ada.api.query.postgres.execute(
            "SELECT email FROM read.accounts WHERE id = %s", (ada.admin.account_id,)
        ).fetchone()[0]  # type: ignore[index]  # there is one row
    ]


SECRETS = {
    *(
        f"accounts.{table}"
        for table in ("credential", "second_factor", "recovery_code", "login_ticket", "one_time_link")
    ),
    *(f"accounts.{table}" for table in ("first_account", "invite_code")),
    "kernel.idempotency",
    "kernel.account_usage",  # sums without content, for a month
    "lookup.website",
    "lookup.site",
    "lookup.listing_watch",
    "lookup.forum_member",
    "lookup.custom_domain",
    "lookup.view_name",
    "lookup.query_title",
    "lookup.pinned_chart",
    "sql.saved_query",
    "lookup.report",
    *("lookup.private_partner", "lookup.partner_request"),
    "domains.dns_check",
    "social.connection_flow",
    "insights.digest",
    "marketplace.saved_search",
    "operations.to_erase",
    *(f"lookup.{table}" for table in ("account_roles", "role_holder", "admin")),  # the roles are in the account itself
    *(f"forum.{table}" for table in ("member", "act", "follower")),
    "notifications.digest",
    "notifications.alert_mail",
    "notifications.webhook_secret",
    "lookup.webhook",
}
"""Hashes and sealed secrets, data that other exported tables contain as well, and remains of erased accounts."""


def test_every_table_that_names_accounts_is_exported(full_api: Api) -> None:
    rows = full_api.query.postgres.execute(
        "SELECT format('%I.%I', table_schema, table_name) FROM information_schema.columns"
        " WHERE column_name = 'account_id' AND table_schema NOT IN ('engine', 'events', 'log', 'read')"
    )
    tables = {row[0] for row in rows}
    assert len(tables) > 10
    assert tables - SECRETS <= {section.source for section in SECTIONS}


def test_every_read_model_with_rows_of_accounts_is_exported() -> None:
    private = {f"read.{model.name}" for model in REGISTRY.postgres if model.readers not in (PUBLIC, ADMINS)}
    assert private <= {section.source for section in SECTIONS}


def test_no_row_is_lost_where_a_page_ends_between_rows_that_tie(ada: Ada, monkeypatch: pytest.MonkeyPatch) -> None:
    """Given sources and channels with figures of the same day, when pages are smaller, then each row is exported."""
    monkeypatch.setattr(sections, "PAGE", 2)
    site, insert, day = uuid4(), ada.api.query.insert, NOW.date()
    of_site = {"id": site, "account_id": ada.id, "domain": f"{site.hex}.example", "timezone": "UTC", "currency": "USD"}
    insert("websites", {**of_site, "attribution_model": "last_click", "created_at": NOW})
    channels, posts = [uuid4() for _ in range(3)], [uuid4() for _ in range(2)]
    for source in ("csv", "instagram"):
        for channel in channels:
            insert("social_channel_figures", {"channel_id": channel, "day": day, "source": source, "website_id": site})
        for post in posts:
            of_post = {"post_id": post, "source": source, "website_id": site, "channel_id": channels[0]}
            insert("social_post_figures", {**of_post, "as_of": day})
    settings = ada.api.core.settings
    with closing(open_pool(settings, 1, configure=take_role)) as pool:
        reader = PostgresReader(pool, UUID(ada.id))
        found = orjson.loads(b"".join(export.document(reader, UUID(ada.id), settings)))
    assert len(found["socialChannelFigures"]) == 6 and len(found["socialPostFigures"]) == 4


def test_rows_of_a_section_differ_in_its_key() -> None:
    keys = {f"read.{model.name}": set(model.key) for model in REGISTRY.postgres}
    fixed = {"account_id", "author_id", "seller_id"}  # of one account in each section
    for section in SECTIONS:
        if section.key != ("position",) and section.source in keys:
            assert keys[section.source] - fixed <= set(section.key), section.name
