"""Commands over HTTP on a real Postgres: answers, positions, refusals, idempotency, owners, OpenAPI."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import ValidationError

from schemas.base import REGISTRY
from schemas.events.websites import WebsiteConnected
from tests.support.command import World, command_world

__all__ = ["command_world"]


def without_timezone(state: dict[str, Any]) -> WebsiteConnected:
    """As a version of the code reads the event whose class does not have the field yet."""
    raise ValidationError.from_exception_data(
        WebsiteConnected.NAME, [{"type": "extra_forbidden", "loc": ("timezone",), "input": state["timezone"]}]
    )


def position(answer: Any) -> int:
    return int(answer.headers["X-Position"].removeprefix("domain@"))


class TestWebsites:
    def test_connecting_shows_the_secrets_once_and_keeps_only_hashes(self, command_world: World) -> None:
        body = {"domain": "https://Shop.Example/", "timezone": "Asia/Kathmandu", "currency": "EUR"}
        answer = command_world.call("POST", "/api/platform/websites", command_world.owner, json=body)
        made = answer.json()
        assert answer.status_code == 201
        assert position(answer) > 0
        assert (made["domain"], made["timezone"], made["currency"]) == ("shop.example", "Asia/Kathmandu", "EUR")
        assert [made[name][:3] for name in ("siteKey", "secretKey", "postbackToken")] == ["pk_", "sk_", "pb_"]
        stored = command_world.postgres.execute(
            "SELECT convert_from(state, 'UTF8') FROM events.stored_events WHERE originator_id = %s", (made["id"],)
        ).fetchall()
        assert len(stored) == 4
        text = "".join(row[0] for row in stored)
        assert made["siteKey"] in text
        assert made["secretKey"] not in text and made["postbackToken"] not in text

    def test_change_keys_and_removal(self, command_world: World) -> None:
        site = command_world.website()
        path = f"/api/platform/websites/{site['id']}"
        owner = command_world.owner
        changed = command_world.call("PATCH", path, owner, json={"timezone": "Europe/Paris"})
        assert (changed.status_code, changed.json()["timezone"]) == (200, "Europe/Paris")
        nothing = command_world.call("PATCH", path, owner, json={"timezone": "Europe/Paris"})
        assert nothing.status_code == 200 and "X-Position" not in nothing.headers
        first = command_world.call("POST", f"{path}/keys", owner, json={"kind": "secret"})
        assert first.status_code == 201
        second = command_world.call("POST", f"{path}/keys", owner, json={"kind": "secret"})
        assert (second.status_code, second.json()["code"]) == (409, "too_many_keys")
        gone = command_world.call("DELETE", f"{path}/keys/{first.json()['id']}", owner)
        assert (gone.status_code, gone.content) == (204, b"")
        removed = command_world.call("DELETE", path, owner)
        assert removed.status_code == 204 and position(removed) > position(gone)
        assert command_world.call("DELETE", path, owner).status_code == 404
        assert command_world.events(site["id"])[-1] == "website.disconnected.v1"

    def test_what_a_newer_version_changed_is_for_it_to_decide(
        self, command_world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Beside a newer version of the service, this one cannot read every history: the sender tries again."""
        site = command_world.website()
        path, body = f"/api/platform/websites/{site['id']}", {"timezone": "Europe/Paris"}
        with monkeypatch.context() as older:
            older.delitem(REGISTRY, WebsiteConnected.NAME)
            answer = command_world.call("PATCH", path, command_world.owner, json=body)
            assert (answer.status_code, answer.json()["code"]) == (503, "newer_version")
            assert answer.headers["Retry-After"] == "1"
        with monkeypatch.context() as older:
            older.setattr(REGISTRY[WebsiteConnected.NAME], "model_validate", without_timezone)
            assert command_world.call("PATCH", path, command_world.owner, json=body).status_code == 503
        assert command_world.call("PATCH", path, command_world.owner, json=body).status_code == 200

    def test_the_owner_reads_a_postback_token_again_and_each_time_is_in_the_audit_trail(
        self, command_world: World
    ) -> None:
        site, owner = command_world.website(), command_world.owner
        path = f"/api/platform/websites/{site['id']}/keys"
        made = command_world.call("POST", path, owner, json={"kind": "postback", "name": " Awin "}).json()
        assert made["name"] == "Awin"
        reveal = f"{path}/{made['id']}/reveal"
        for _ in range(2):
            answer = command_world.call("POST", reveal, owner)
            assert (answer.status_code, answer.json()) == (200, {"token": made["key"]})
            assert answer.headers["cache-control"] == "no-store"
        audited = command_world.postgres.execute(
            "SELECT actor_id, subject_id, details FROM kernel.audit WHERE action = 'website.key_revealed'"
            " AND details ->> 'key_id' = %s",
            (made["id"],),
        ).fetchall()
        assert audited == [(owner.account_id, UUID(site["id"]), {"key_id": made["id"]})] * 2

    def test_nobody_else_reads_a_postback_token_not_even_an_admin(self, command_world: World) -> None:
        site = command_world.website()
        path = f"/api/platform/websites/{site['id']}/keys"
        made = command_world.call("POST", path, command_world.owner, json={"kind": "postback"}).json()
        mine = command_world.website(stranger := command_world.person())
        for person in (stranger, command_world.admin):
            answer = command_world.call("POST", f"{path}/{made['id']}/reveal", person)
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
        through_mine = f"/api/platform/websites/{mine['id']}/keys/{made['id']}/reveal"
        assert command_world.call("POST", through_mine, stranger).status_code == 404
        assert command_world.call("POST", f"{path}/{made['id']}/reveal").status_code == 401

    def test_other_keys_and_tokens_that_ended_cannot_be_read(self, command_world: World) -> None:
        site, owner = command_world.website(), command_world.owner
        path = f"/api/platform/websites/{site['id']}/keys"
        secret = command_world.call("POST", path, owner, json={"kind": "site"}).json()
        token = command_world.call("POST", path, owner, json={"kind": "postback"}).json()
        assert command_world.call("POST", f"{path}/{secret['id']}/reveal", owner).status_code == 404
        assert command_world.call("DELETE", f"{path}/{token['id']}", owner).status_code == 204
        assert command_world.call("POST", f"{path}/{token['id']}/reveal", owner).status_code == 404
        stored = "SELECT count(*) FROM websites.postback_token WHERE website_id = %s"
        assert command_world.count(stored, site["id"]) == 1, "the one that came with the website"
        assert command_world.call("DELETE", f"/api/platform/websites/{site['id']}", owner).status_code == 204
        assert command_world.count(stored, site["id"]) == 0

    def test_postback_tokens_lie_encrypted(self, command_world: World) -> None:
        site = command_world.website()
        rows = command_world.postgres.execute(
            "SELECT t::text FROM websites.postback_token AS t WHERE website_id = %s", (site["id"],)
        ).fetchall()
        assert len(rows) == 1 and site["postbackToken"] not in rows[0][0]

    def test_a_name_of_a_key_is_short_and_visible(self, command_world: World) -> None:
        path = f"/api/platform/websites/{command_world.website()['id']}/keys"
        for name in ("a" * 61, "a\nb", "a\u202eb"):
            answer = command_world.call("POST", path, command_world.owner, json={"kind": "postback", "name": name})
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "name"), name


class TestPartners:
    def test_the_specifications_body_is_taken(self, command_world: World) -> None:
        body = {
            "name": "Some  Host",
            "baseUrl": "https://host.example",
            "commission": 12.55,
            "slug": "some-host",
            "description": "Some  Host affiliate program",
            "isActive": 1,
        }
        answer = command_world.call("POST", "/api/admin/partners", command_world.admin, json=body)
        assert answer.status_code == 201, answer.text
        assert (answer.json()["commission"], answer.json()["isActive"]) == (12.55, True)
        again = command_world.call("POST", "/api/admin/partners", command_world.admin, json=body)
        assert (again.status_code, again.json()["code"]) == (409, "slug_taken")

    def test_a_partial_change_makes_the_events_it_means(self, command_world: World) -> None:
        partner = command_world.partner()
        path = f"/api/admin/partners/{partner['id']}"
        answer = command_world.call("PATCH", path, command_world.admin, json={"commission": 7, "isActive": 0})
        assert answer.status_code == 200
        assert (answer.json()["commission"], answer.json()["isActive"]) == (7, False)
        assert command_world.events(partner["id"]) == [
            "partner.registered.v2",
            "partner.commission_changed.v1",
            "partner.deactivated.v1",
        ]

    def test_new_terms_are_announced_ahead(self, command_world: World) -> None:
        partner = command_world.partner()
        path, begin = f"/api/admin/partners/{partner['id']}", "2031-01-01T00:00:00+02:00"

        def patch(**body: Any) -> Any:
            return command_world.call("PATCH", path, command_world.admin, json=body)

        answer = patch(commission=20, effectiveFrom=begin)
        assert (answer.status_code, answer.json()["commission"]) == (200, partner["commission"])
        assert command_world.events(partner["id"])[-1] == "partner.commission_changed.v1"
        for odd in ("2020-01-01T00:00:00Z", "2031-01-01", "2031-01-01T00:00:00", "9999-12-31T23:59:59-12:00", 1, ""):
            refused = patch(commission=20, effectiveFrom=odd)
            assert (refused.status_code, refused.json()["errors"][0]["field"]) == (400, "effectiveFrom"), odd
        assert patch(effectiveFrom=begin).json()["code"] == "bad_effective_from"

    def test_only_admins_may(self, command_world: World) -> None:
        partner = command_world.partner()
        for method, path in (("POST", "/api/admin/partners"), ("PATCH", f"/api/admin/partners/{partner['id']}")):
            body = {"name": "X", "baseUrl": "https://x.example", "commission": 1}
            assert command_world.call(method, path, json=body).status_code == 401
            answer = command_world.call(method, path, command_world.owner, json=body)
            assert (answer.status_code, answer.json()["code"]) == (403, "not_allowed")


class TestClickIds:
    def test_links_of_a_partner_with_a_network_pass_the_click_id(self, command_world: World) -> None:
        site = command_world.website()
        partner = command_world.partner(postbackPreset="awin")
        assert partner["clickIdParameter"] == "clickref"
        assert command_world.link(site, partner)["passesClickId"] is True
        path = f"/api/admin/partners/{partner['id']}"
        changed = command_world.call("PATCH", path, command_world.admin, json={"clickIdParameter": "pref1"}).json()
        assert changed["clickIdParameter"] == "pref1"
        back = command_world.call("PATCH", path, command_world.admin, json={"clickIdParameter": ""}).json()
        assert back["clickIdParameter"] == "clickref"

    def test_a_link_that_cannot_pass_one_says_so_until_it_is_fixed(self, command_world: World) -> None:
        link = command_world.link(command_world.website(), command_world.partner())
        assert link["passesClickId"] is False
        fixed = command_world.call(
            "PATCH",
            f"/api/platform/links/{link['id']}",
            command_world.owner,
            json={"destination": link["destination"] + "?c={click_id}"},
        )
        assert fixed.json()["passesClickId"] is True

    def test_an_unknown_network_or_parameter_is_named(self, command_world: World) -> None:
        path = f"/api/admin/partners/{command_world.partner()['id']}"
        for change, field in (
            ({"postbackPreset": "nope"}, "postbackPreset"),
            ({"clickIdParameter": "a=b"}, "clickIdParameter"),
        ):
            answer = command_world.call("PATCH", path, command_world.admin, json=change)
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field)


class TestLinks:
    def test_make_change_remove(self, command_world: World) -> None:
        site, partner = command_world.website(), command_world.partner()
        link = command_world.link(site, partner, sub1="banner", coupon="save10", slug=f"s{uuid4().hex[:8]}")
        assert link["url"].endswith(f"/go/{link['slug']}")
        assert (link["destination"], link["coupon"], link["sub1"]) == (partner["baseUrl"], "SAVE10", "banner")
        assert "sub2" not in link
        path, owner = f"/api/platform/links/{link['id']}", command_world.owner
        body = {"destination": "https://good-vpn.example/x?c={click_id}", "coupon": "SAVE20", "isActive": False}
        changed = command_world.call("PATCH", path, owner, json=body).json()
        assert (changed["destination"], changed["coupon"], changed["isActive"]) == (
            body["destination"],
            "SAVE20",
            False,
        )
        coupons = "SELECT coupon FROM lookup.coupon WHERE link_id = %s"
        assert command_world.postgres.execute(coupons, (link["id"],)).fetchall() == [("SAVE20",)]
        assert command_world.call("DELETE", path, owner).status_code == 204
        assert command_world.postgres.execute(coupons, (link["id"],)).fetchall() == []
        answer = command_world.call(
            "POST",
            "/api/platform/links",
            owner,
            json={"websiteId": site["id"], "partnerId": partner["id"], "slug": link["slug"]},
        )
        assert (answer.status_code, answer.json()["code"]) == (409, "slug_taken")

    def test_a_coupon_is_one_links(self, command_world: World) -> None:
        site, partner = command_world.website(), command_world.partner()
        command_world.link(site, partner, coupon="ONE")
        body = {"websiteId": site["id"], "partnerId": partner["id"], "coupon": "one"}
        answer = command_world.call("POST", "/api/platform/links", command_world.owner, json=body)
        assert (answer.status_code, answer.json()["code"]) == (409, "coupon_taken")
        other = command_world.website()
        assert command_world.link(other, partner, coupon="ONE")["coupon"] == "ONE"


class TestRefusals:
    def test_every_unsafe_route_requires_a_session_and_hides_objects_of_others(self, command_world: World) -> None:
        site, partner = command_world.website(), command_world.partner()
        link = command_world.link(site, partner)
        stranger = command_world.person()
        calls: list[tuple[str, str, Any]] = [
            ("PATCH", f"/api/platform/websites/{site['id']}", {"timezone": "UTC"}),
            ("DELETE", f"/api/platform/websites/{site['id']}", None),
            ("POST", f"/api/platform/websites/{site['id']}/keys", {"kind": "site"}),
            ("DELETE", f"/api/platform/websites/{site['id']}/keys/{uuid4()}", None),
            ("POST", "/api/platform/links", {"websiteId": site["id"], "partnerId": partner["id"]}),
            ("PATCH", f"/api/platform/links/{link['id']}", {"isActive": False}),
            ("DELETE", f"/api/platform/links/{link['id']}", None),
            ("POST", f"/api/platform/conversions/{uuid4()}/approve", {}),
            ("POST", f"/api/platform/conversions/{uuid4()}/reject", {"reason": "x"}),
            ("POST", f"/api/platform/conversions/{uuid4()}/reverse", {"reason": "x"}),
        ]
        for method, path, body in calls:
            assert command_world.call(method, path, json=body).status_code == 401, path
            answer = command_world.call(method, path, stranger, json=body)
            assert (answer.status_code, answer.json()["code"]) == (404, "not_found"), path
        assert len(command_world.events(site["id"])) == 4

    @pytest.mark.parametrize(
        "sent",
        [
            b"",
            b"{",
            b"[]",
            b"null",
            b'{"name": 1, "baseUrl": "https://a.example", "commission": 1}',
            b'{"name": "a", "baseUrl": "https://a.example", "commission": NaN}',
            b'{"name": "a", "baseUrl": "https://a.example", "commission": Infinity}',
            b'{"name": "a", "baseUrl": "https://a.example", "commission": 1e400}',
            b'{"name": "a", "baseUrl": "https://a.example", "commission": "1"}',
            b'{"name": "a", "baseUrl": "https://a.example", "commission": true}',
            b'{"name": "a", "baseUrl": "https://a.example", "commission": 1, "isActive": 2}',
            b'{"name": "a", "baseUrl": "https://a.example", "commission": 1, "cookieDays": 1.5}',
            b'{"name": "a", "baseUrl": "https://a.example", "commission": 1, "secret-sauce": 1}',
            b'{"name": "a\\u0000", "baseUrl": "https://a.example", "commission": 1}',
            b'{"name": "a\\ud800", "baseUrl": "https://a.example", "commission": 1}',
            b'{"name": "\xff", "baseUrl": "https://a.example", "commission": 1}',
        ],
    )
    def test_bad_bodies_are_problems_that_echo_nothing(self, command_world: World, sent: bytes) -> None:
        answer = command_world.call("POST", "/api/admin/partners", command_world.admin, content=sent)
        assert answer.status_code == 400
        assert answer.headers["content-type"] == "application/problem+json"
        problem = json.loads(answer.text, parse_constant=lambda name: pytest.fail(f"{name} in an answer"))
        assert {"type", "title", "status", "code", "detail", "message"} <= set(problem)
        assert '"input"' not in answer.text and "a.example" not in answer.text

    def test_the_specifications_words(self, command_world: World) -> None:
        for body, field, message in (
            ({"email": "nobody", "password": "12345678"}, "email", "Please enter a valid email"),
            ({"email": "a@b.example", "password": "1234567"}, "password", "Password must be at least 8 characters"),
        ):
            problem = command_world.call("POST", "/api/platform/login", json=body).json()
            assert problem["message"] == message
            assert problem["errors"] == [{"field": field, "message": message}]
        body = {"token": "x", "email": "a@b.example", "password": "12345678", "name": "A"}
        problem = command_world.call("POST", "/api/platform/setup", json=body).json()
        assert problem["message"] == "Name must be at least 2 characters"

    def test_other_sites_and_forms_are_refused(self, command_world: World) -> None:
        for headers in (
            {"Origin": "https://evil.example"},
            {"Sec-Fetch-Site": "same-site"},
            {"Content-Type": "text/plain", "Sec-Fetch-Site": "same-origin"},
        ):
            answer = command_world.call(
                "POST", "/api/platform/websites", command_world.owner, json={"domain": "a.example"}, headers=headers
            )
            assert (answer.status_code, answer.json()["code"]) == (403, "cross_site")

    def test_unknown_addresses_and_methods_are_problems_too(self, command_world: World) -> None:
        missing = command_world.call("POST", "/api/nothing", command_world.owner, json={})
        assert (missing.status_code, missing.json()["code"]) == (404, "not_found")
        wrong = command_world.call("PUT", "/api/platform/websites", command_world.owner, json={})
        assert (wrong.status_code, wrong.json()["code"]) == (405, "method_not_allowed")
        bad = command_world.call("PATCH", "/api/platform/links/1", command_world.owner, json={})
        assert (bad.status_code, bad.json()["code"]) == (404, "not_found")


class TestIdempotency:
    path = "/api/platform/websites"

    def test_the_same_request_again_gets_the_same_answer_and_does_nothing(self, command_world: World) -> None:
        headers, body = {"Idempotency-Key": uuid4().hex}, {"domain": "again.example"}
        first = command_world.call("POST", self.path, command_world.owner, json=body, headers=headers)
        before = command_world.count("SELECT count(*) FROM events.stored_events")
        second = command_world.call("POST", self.path, command_world.owner, json=body, headers=headers)
        assert second.status_code == 201
        assert second.content == first.content
        assert second.headers["X-Position"] == first.headers["X-Position"]
        assert second.headers["Idempotency-Replayed"] == "true"
        assert command_world.count("SELECT count(*) FROM events.stored_events") == before

    def test_stored_answers_are_sealed(self, command_world: World) -> None:
        headers = {"Idempotency-Key": uuid4().hex}
        made = command_world.call(
            "POST", self.path, command_world.owner, json={"domain": "sealed.example"}, headers=headers
        )
        found = command_world.count(
            "SELECT count(*) FROM kernel.idempotency WHERE body LIKE %s", f"%{made.json()['secretKey']}%"
        )
        assert found == 0

    def test_a_crash_before_the_commit_leaves_neither_events_nor_answer(
        self, command_world: World, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        headers, body = {"Idempotency-Key": uuid4().hex}, {"domain": "crash.example"}
        count = "SELECT (SELECT count(*) FROM events.stored_events) + (SELECT count(*) FROM kernel.idempotency)"
        before = command_world.count(count)

        def die(*_: Any) -> None:
            raise ConnectionAbortedError

        with monkeypatch.context() as patch:
            patch.setattr("command_api.kernel.command_bus.encrypt", die)
            with pytest.raises(ConnectionAbortedError):
                command_world.call("POST", self.path, command_world.owner, json=body, headers=headers)
        assert command_world.count(count) == before
        answer = command_world.call("POST", self.path, command_world.owner, json=body, headers=headers)
        assert answer.status_code == 201
        assert "Idempotency-Replayed" not in answer.headers

    def test_another_request_under_the_key_is_refused(self, command_world: World) -> None:
        headers = {"Idempotency-Key": uuid4().hex}
        command_world.call("POST", self.path, command_world.owner, json={"domain": "one.example"}, headers=headers)
        answer = command_world.call(
            "POST", self.path, command_world.owner, json={"domain": "two.example"}, headers=headers
        )
        assert (answer.status_code, answer.json()["code"]) == (409, "idempotency_mismatch")

    def test_keys_are_each_accounts_own(self, command_world: World) -> None:
        headers, body = {"Idempotency-Key": uuid4().hex}, {"domain": "mine.example"}
        first = command_world.call("POST", self.path, command_world.owner, json=body, headers=headers)
        other = command_world.call("POST", self.path, command_world.person(), json=body, headers=headers)
        assert first.json()["id"] != other.json()["id"]

    def test_a_refusal_may_be_tried_again(self, command_world: World) -> None:
        headers, body = {"Idempotency-Key": uuid4().hex}, {"domain": "localhost"}
        for _ in range(2):
            answer = command_world.call("POST", self.path, command_world.owner, json=body, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (400, "bad_host")

    def test_a_bad_key_is_named(self, command_world: World) -> None:
        for key in ("", "x" * 256):
            answer = command_world.call(
                "POST", self.path, command_world.owner, json={"domain": "a.example"}, headers={"Idempotency-Key": key}
            )
            assert (answer.status_code, answer.json()["code"]) == (400, "bad_idempotency_key")


def test_admins_alone_record_exchange_rates(command_world: World) -> None:
    body = {"base": "EUR", "quote": "USD", "rate": "1.1", "on": "2026-11-01"}
    path = "/api/admin/exchange-rates"
    assert command_world.call("POST", path, command_world.admin, json=body).status_code == 201
    number = command_world.call("POST", path, command_world.admin, json={**body, "rate": 1.25})
    assert (number.status_code, number.json()["rate"]) == (201, "1.25")
    assert command_world.call("POST", path, command_world.owner, json=body).status_code == 403
    for change in ({"rate": 0}, {"rate": "x"}, {"on": "yesterday"}, {"base": "USD"}):
        assert command_world.call("POST", path, command_world.admin, json={**body, **change}).status_code == 400


def test_the_service_describes_and_watches_itself(command_world: World) -> None:
    document = command_world.http.get("/api/openapi.json").json()
    operations = {method + path: found for path, item in document["paths"].items() for method, found in item.items()}
    assert operations["post/api/platform/websites"]["operationId"] == "connectWebsite"
    assert "Problem" in document["components"]["schemas"]
    assert all("422" not in found["responses"] for found in operations.values())
    assert command_world.http.get("/livez").status_code == 200
    assert command_world.http.get("/readyz").json()["parts"] == {"postgres": "ok"}
    assert "command_runs_total" in command_world.http.get("/metrics").text


def test_dead_letters_are_retried_or_skipped_by_admins(command_world: World) -> None:
    ids = {name: uuid4() for name in ("first", "parked", "other")}
    for number, (name, letter) in enumerate(ids.items()):
        command_world.postgres.execute(
            "INSERT INTO engine.dead_letter"
            ' (id, projection, generation, topic, partition, "offset", reason, key, value)'
            " VALUES (%s, 'links', 1, 'domain', 0, %s, %s, %s, 'x')",
            (letter, number, "parked" if name == "parked" else "bad", b"b" if name == "other" else b"a"),
        )

    def call(name: str, action: str) -> Any:
        return command_world.call("POST", f"/api/admin/dead-letters/{ids[name]}/{action}", command_world.admin)

    requested = "SELECT count(*) FROM engine.dead_letter WHERE id = %s AND retry_requested_at IS NOT NULL"
    retried = call("other", "retry")
    assert (retried.status_code, retried.json()["state"]) == (200, "open")
    assert command_world.count(requested, ids["other"]) == 1
    assert command_world.count(requested, ids["parked"]) == 0
    assert call("first", "skip").json()["state"] == "skipped"
    assert command_world.count(requested, ids["parked"]) == 1
    assert (call("first", "retry").status_code, call("first", "retry").json()["code"]) == (409, "already_decided")
    assert command_world.events(ids["first"]) == ["dead_letter.skipped.v1"]
    revealed = command_world.call("POST", f"/api/admin/dead-letters/{ids['first']}/reveal", command_world.admin)
    assert (revealed.status_code, revealed.json()["code"]) == (409, "content_deleted")
    content = "SELECT value, headers FROM engine.dead_letter WHERE id = %s"
    assert command_world.postgres.execute(content, (ids["first"],)).fetchone() == (b"", [])
    missing = command_world.call("POST", f"/api/admin/dead-letters/{uuid4()}/retry", command_world.admin)
    assert missing.status_code == 404
    path = f"/api/admin/dead-letters/{ids['other']}/skip"
    assert command_world.call("POST", path, command_world.owner).status_code == 403


def test_dead_letters_are_revealed_to_who_says_so_and_handled_by_group(command_world: World) -> None:
    letters = [uuid4() for _ in range(5)]
    for number, letter in enumerate(letters):
        command_world.postgres.execute(
            "INSERT INTO engine.dead_letter"
            ' (id, projection, generation, topic, partition, "offset", reason, key, value, headers)'
            " VALUES (%s, 'group-test', 1, 'clicks', 0, %s, %s, 'k', %s, %s)",
            (
                letter,
                number,
                "bad_json" if number < 3 else "too_big",
                b"\xff{" if number == 0 else b"{}",
                '[["h", "6162"]]',
            ),
        )
    admin, path = command_world.admin, "/api/admin/dead-letters"
    shown = command_world.call("POST", f"{path}/{letters[0]}/reveal", admin, json={"reason": "a look"}).json()
    assert (shown["text"], shown["base64"], shown["headers"], shown["bytes"]) == (None, "/3s=", {"h": "ab"}, 2)
    assert command_world.call("POST", f"{path}/{letters[1]}/reveal", admin, json={}).json()["text"] == "{}"
    assert command_world.events(letters[0]) == ["dead_letter.revealed.v1"]
    assert command_world.call("POST", f"{path}/{uuid4()}/reveal", admin, json={}).status_code == 404
    assert command_world.call("POST", f"{path}/{letters[0]}/reveal", command_world.owner, json={}).status_code == 403

    group = {"projection": "group-test", "kind": "bad_json", "reason": "the website was mended"}
    assert command_world.call("POST", f"{path}/retry", admin, json=group).json() == {"handled": 3, "left": 0}
    asked = "SELECT count(*) FROM engine.dead_letter WHERE id = ANY(%s) AND retry_requested_at IS NOT NULL"
    assert command_world.count(asked, letters) == 3
    assert command_world.call("POST", f"{path}/skip", admin, json={**group, "kind": None}).json()["handled"] == 5
    assert command_world.events(letters[0])[-2:] == ["dead_letter.retried.v1", "dead_letter.skipped.v1"]
    assert command_world.events(letters[4]) == ["dead_letter.skipped.v1"]
    again = command_world.call("POST", f"{path}/skip", admin, json=group)
    assert (again.status_code, again.json()["code"]) == (400, "nothing_open")


def test_requests_for_projections_wait_for_the_projectors(command_world: World) -> None:
    command_world.postgres.execute(
        "INSERT INTO engine.projection (name, kind, version, live_generation) VALUES ('asked', 'postgres', 1, 1)"
        " ON CONFLICT DO NOTHING"
    )
    path = "/api/admin/projections/asked/rebuild"
    asked = command_world.call("POST", path, command_world.admin, json={"reason": "new rule"})
    assert (asked.status_code, asked.json()["state"]) == (202, "waiting")
    row = "SELECT count(*) FROM engine.request WHERE id = %s AND actor_id = %s AND state = 'waiting'"
    assert command_world.count(row, asked.json()["id"], command_world.admin.account_id) == 1
    for body in ({}, {"reason": "  "}, {"reason": "x" * 501}, {"reason": "x", "more": 1}):
        assert command_world.call("POST", path, command_world.admin, json=body).status_code == 400
    assert command_world.call("POST", path, command_world.owner, json={"reason": "x"}).status_code == 403
    unknown = command_world.call("POST", "/api/admin/projections/no/pause", command_world.admin, json={"reason": "x"})
    assert unknown.status_code == 404
    odd = command_world.call("POST", "/api/admin/projections/asked/drop", command_world.admin, json={"reason": "x"})
    assert odd.status_code == 404


def test_a_rebuild_run_is_of_projections_that_exist_and_for_admins(command_world: World) -> None:
    path, body = "/api/admin/rebuild-runs", {"names": ["nothing"], "reason": "x"}
    assert command_world.call("POST", path, command_world.admin, json=body).status_code == 404
    for bad in ({**body, "names": []}, {**body, "reason": " "}, {"names": ["nothing"]}):
        assert command_world.call("POST", path, command_world.admin, json=bad).status_code == 400
    for one in (path, f"{path}/cancel"):
        assert command_world.call("POST", one, command_world.owner, json=body).status_code == 403
