"""What is stored of one person among a website's visitors, from what the website sent: found by each id that names
them, and exported, for the website's owner alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx
import orjson
import psycopg
import pytest

from infra.kernel.clickhouse.client import client
from infra.kernel.config.loading import load
from infra.kernel.log import StoredRecord, open_log
from infra.kernel.log.sealed_texts import TextReader
from infra.kernel.security.subject_keys import Keyring, open_keyring
from infra.kernel.security.text_keys import TextKeys
from infra.ops.audit import log_reader
from schemas import envelope
from schemas.topics import CLICKS, CONVERSIONS, DOMAIN, REJECTED
from tests.e2e.conftest import AGENT, PASSWORD, PATIENCE_S, connect, let_rebuild, partner_with_link, read
from tests.e2e.test_erasure import holds, records_of, rows_of, tables_of
from tests.support.stack import Stack, wait_for
from tests.support.visitor_data import erase_visitor

VISITOR, CUSTOMER, ORDER = "visitor-skarphedinn-77", "customer-kari-12", "ORDER-BERGTHORA-1"
TITLE, PROP, SUB = "Welcome back, Njalsson", "prop-of-gunnar", "sub-of-hallgerd"
WORDS = (TITLE, PROP, SUB)


@dataclass
class Shop:
    """A website whose owner is no admin, with one person's traffic and the same ids of another website."""

    stack: Stack
    owner: httpx.Client
    site: dict[str, Any]
    other: dict[str, Any]
    click_id: str

    @property
    def path(self) -> str:
        return f"/api/platform/websites/{self.site['id']}/visitor-data"

    def find(self, kind: str, value: str, **more: str) -> dict[str, Any]:
        answer = self.owner.post(f"{self.path}/find", json={"kind": kind, "value": value, **more})
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found


def counts(found: Mapping[str, Any]) -> dict[str, int]:
    return {part["store"]: part["count"] for part in found["stored"]}


def send(stack: Stack, site: Mapping[str, Any], path: str, body: Any, *wanted: int) -> Any:
    headers = {"Authorization": f"Bearer {site['secretKey']}", "User-Agent": AGENT}
    answer = httpx.post(f"{stack.tracking}{path}", json=body, headers=headers, timeout=PATIENCE_S)
    assert answer.status_code in wanted, answer.text
    return answer.json()


def page(path: str, **more: Any) -> dict[str, Any]:
    return {"type": "pageview", "url": f"https://njal.example{path}", "visitor_id": VISITOR, "session_id": "s1", **more}


@pytest.fixture(scope="module")
def shop(admin_stack: Stack) -> Iterator[Shop]:
    with httpx.Client(base_url=admin_stack.app, timeout=PATIENCE_S) as admin:
        signed_in = admin.post("/api/platform/login", json={"email": "admin@althing.example", "password": PASSWORD})
        admin.headers["Authorization"] = f"Bearer {signed_in.json()['token']}"
        with member(admin_stack, admin) as owner:
            site, other = connect(owner, f"njal-{uuid4().hex[:8]}.example"), connect(owner, "other-njal.example")
            _, link = partner_with_link(admin, site["id"], f"Bergthorshvoll {uuid4().hex[:6]}", 10, owner)
            yield Shop(admin_stack, owner, site, other, traffic(admin_stack, site, other, link["url"]))


def member(stack: Stack, admin: httpx.Client) -> httpx.Client:
    """A member's signed-in program."""
    code = admin.post("/api/platform/invite-codes", json={}).json()["code"]
    body = {"email": f"{uuid4().hex}@example.com", "password": PASSWORD, "name": "Flosi", "inviteCode": code}
    made = httpx.post(f"{stack.app}/api/platform/register", json=body, timeout=PATIENCE_S)
    assert made.status_code == 201, made.text
    headers = {"Authorization": f"Bearer {made.json()['token']}"}
    return httpx.Client(base_url=stack.app, timeout=PATIENCE_S, headers=headers)


def traffic(stack: Stack, site: Any, other: Any, url: str) -> str:
    """What the person did on the website, and another one with the same ids elsewhere; the id of the person's click."""
    events = [
        page("/", title=TITLE),
        page("/offers"),
        {"type": "signup_started", "url": "https://njal.example/offers", "visitor_id": VISITOR, "props": {"who": PROP}},
        {"type": "pageview", "url": "https://njal.example/", "visitor_id": "somebody-else"},
    ]
    assert send(stack, site, "/track", events, 202)["accepted"] == len(events)
    assert send(stack, other, "/track", [page("/", title=TITLE)], 202)["accepted"] == 1
    followed = httpx.get(url, params={"sub1": SUB}, headers={"User-Agent": AGENT}, timeout=PATIENCE_S)
    click_id = followed.cookies["aff_click_id"]
    sale = {"txid": ORDER, "amount": 4999, "currency": "USD", "customer_id": CUSTOMER}
    send(stack, site, "/track/sale", {**sale, "click_id": click_id, "visitor_id": VISITOR}, 202)
    send(stack, site, "/track/sale", {**sale, "amount": 1, "click_id": click_id}, 202, 409)
    send(stack, other, "/track/sale", {**sale, "visitor_id": VISITOR}, 202)
    return click_id


def test_a_person_is_found_by_each_of_their_ids(shop: Shop) -> None:
    ids = {"visitor_id": VISITOR, "customer_id": CUSTOMER, "click_id": shop.click_id, "order_id": ORDER}
    wanted = {"pageviews": 2, "events": 1, "clicks": 1, "conversions": 1}

    def found_by_all() -> bool:
        found = [counts(shop.find(kind, value)) for kind, value in ids.items()]
        return all({name: one.get(name) for name in wanted} == wanted and one.get("samples") for one in found)

    wait_for(found_by_all, "the person to be found by every id")
    for kind, value in ids.items():
        [sale] = shop.find(kind, value)["conversions"]
        assert (sale["txid"], sale["amount"]) == (ORDER, {"amount": 4999, "currency": "USD"}), kind
    assert shop.find("order_id", ORDER, event="sale")["conversions"]
    for kind in ids:
        assert shop.find(kind, "nobody-at-all")["stored"] == []
    assert shop.find("order_id", ORDER, event="signup")["conversions"] == []


def test_the_export_holds_the_rows_themselves(shop: Shop) -> None:
    answer = shop.owner.post(f"{shop.path}/export", json={"kind": "visitor_id", "value": VISITOR})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"].startswith('attachment; filename="visitor-data-')
    document = answer.json()
    assert [word for word in (*WORDS, ORDER, shop.click_id) if word not in answer.text] == []
    assert {row["website_id"] for row in document["conversions"]} == {shop.site["id"]}
    assert [row["type"] for row in document["events"]].count("pageview") == 2, document["events"]
    assert {row["type"] for row in document["events"]} == {"pageview", "click", "signup_started"}


def test_it_is_the_owners_alone(shop: Shop, api: httpx.Client) -> None:
    body = {"kind": "visitor_id", "value": VISITOR}
    for call in ("find", "export"):
        path = f"{shop.path}/{call}"
        with member(shop.stack, api) as stranger:
            assert stranger.post(path, json=body).status_code == 404
        assert api.post(path, json=body).status_code == 404, "an admin is no owner"
        assert httpx.post(f"{shop.stack.app}{path}", json=body).status_code == 401
        for name in ("siteKey", "secretKey", "postbackToken"):
            headers = {"Authorization": f"Bearer {shop.site[name]}"}
            assert httpx.post(f"{shop.stack.app}{path}", json=body, headers=headers).status_code == 401


def test_who_looked_is_in_the_audit_trail_without_the_id(shop: Shop, api: httpx.Client) -> None:
    shop.find("visitor_id", VISITOR)
    entries = read(api, "/api/admin/audit-trail", {"limit": 50})
    assert any("visitor_data.found" in str(entry) for entry in entries), entries
    assert VISITOR not in str(entries)


DIMENSIONS = (
    "page",
    "entry_page",
    "exit_page",
    "source",
    "channel",
    "country",
    "device",
    "browser",
    "link",
    "weekday_hour",
)


def figures(shop: Shop) -> dict[str, Any]:
    """The overview and the reports by everything that is not about a person."""
    base = {"websiteId": shop.site["id"], "timeRange": "7d"}
    found = {"overview": read(shop.owner, "/api/platform/analytics/overview", base)}
    for dimension in DIMENSIONS:
        found[dimension] = read(shop.owner, "/api/platform/analytics/breakdown", {**base, "by": dimension})
    return found


def live_generation(postgres: psycopg.Connection[Any]) -> int:
    [(generation,)] = postgres.execute("SELECT live_generation FROM engine.projection WHERE name = 'events'").fetchall()
    return int(generation)


def is_built(stack: Stack, postgres: psycopg.Connection[Any]) -> bool:
    """Whether a build waits for its promotion. One is begun where none is under way, as after an erasure of before."""
    ready = "SELECT 1 FROM engine.build WHERE name = 'events' AND state = 'ready' AND NOT promote_when_ready"
    if postgres.execute(ready).fetchone() is not None:
        return True
    stack.run("projections", "rebuild", "events")  # refused while one is
    return False


def is_live(shop: Shop, erasures: str, postgres: psycopg.Connection[Any]) -> bool:
    """Whether reports read tables without the person."""
    let_rebuild(postgres)
    return bool(shop.owner.get(erasures).json()[0]["state"] == "live")


def test_what_is_erased_is_found_nowhere_and_figures_stay(shop: Shop) -> None:
    """The projectors are killed as soon as the erasure is decided, and an operator's build waits to be promoted: tables
    are built all the same."""
    stack, path, erasures = shop.stack, f"{shop.path}/erase", f"{shop.path}/erasures"
    wait_for(lambda: counts(shop.find("order_id", ORDER)).get("events"), "the person")
    before, other = figures(shop), read(shop.owner, "/api/platform/conversions", {"websiteId": shop.other["id"]})
    named = {"kind": "order_id", "value": ORDER}
    assert shop.owner.post(path, json={**named, "password": "wrong"}).status_code == 403
    with psycopg.connect(stack.environment["POSTGRES_URL"], autocommit=True) as postgres:
        assert any(holds(text, [SUB]) for table, text in rows_of(postgres) if "conversions__g" in table)
        generation = live_generation(postgres)
        of_person = (*WORDS, shop.click_id)
        ours = {
            topic for topic, website, text in opened_log(stack) if website == shop.site["id"] and holds(text, of_person)
        }
        assert ours == {CLICKS.name, CONVERSIONS.name, DOMAIN.name, REJECTED.name}
        assert {topic for topic, text in records_of(stack) if holds(text, of_person)} == set()
        wait_for(lambda: is_built(stack, postgres), "a build that waits for its promotion", 120)
        assert erase_visitor(shop.owner, shop.site["id"], {**named, "password": PASSWORD})["pageviews"] == 2
        assert_audited(stack)
        stack.kill("projectors")
        wait_for(lambda: is_live(shop, erasures, postgres), "tables without the person", 240)
        assert live_generation(postgres) > generation
        # A generation that was replaced is dropped an hour later; a service that starts looks for them at once.
        postgres.execute("UPDATE engine.build SET retired_at = retired_at - interval '2 hours' WHERE state = 'retired'")
        stack.kill("projectors")
        wait_for(lambda: shop.owner.get(erasures).json()[0]["state"] == "done", "old tables to be dropped", 120)
        assert figures(shop) == before
        held = {table for table, text in rows_of(postgres) if holds(text, (*WORDS, shop.click_id))}
    kept = {table.partition("__g")[0] for table in held}
    assert kept <= {"pg_catalog.pg_statistic"}, held
    in_log = opened_log(stack)
    assert not [topic for topic, website, text in in_log if website == shop.site["id"] and holds(text, of_person)]
    assert any(website == shop.other["id"] and holds(text, [TITLE]) for _, website, text in in_log), "another's stay"
    tables = [table for table, text in tables_of(stack) if holds(text, (*WORDS, shop.click_id))]
    assert {table for table in tables if holds_own(stack, table, shop)} == set()
    for kind, value in (("visitor_id", VISITOR), ("customer_id", CUSTOMER), ("click_id", shop.click_id)):
        assert shop.find(kind, value)["stored"] == [], kind
    [sale] = shop.find("order_id", ORDER)["conversions"]
    assert (sale["amount"]["amount"], sale["commission"]["amount"]) == (4999, 500)
    assert read(shop.owner, "/api/platform/conversions", {"websiteId": shop.other["id"]}) == other
    assert_audited(stack)


def assert_audited(stack: Stack) -> None:
    told = json.loads(stack.run("audit", "--json", "--timeout", "60", timeout_s=300).stdout)
    assert (told["missing"], told["duplicate"], told["wrong"]) == (0, 0, 0), told["examples"]


@pytest.mark.slow  # three tables built and compared
def test_what_is_built_again_after_an_erasure_is_the_same(shop: Shop) -> None:
    """Its events cannot be read as they were any more: each table is compared with one that is built of them now."""

    def projections(*arguments: str) -> None:
        done = shop.stack.run("projections", *arguments, timeout_s=180)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)

    for name in ("conversions", "conversion_steps", "events"):
        projections("rebuild", name, "--reason", "an erasure")
        projections("verify", name)
        projections("promote", name)
    for name in ("claim_counts", "unread_reports"):
        projections("verify", name)
    assert_audited(shop.stack)


def opened_log(stack: Stack) -> list[tuple[str, str, bytes]]:
    """Topic, website and value of what was sent, with all texts that the installation's keys still open."""
    return opened_log_of(stack.environment)


def opened_log_of(environment: Mapping[str, str]) -> list[tuple[str, str, bytes]]:
    """The same of the stack that is reached by this environment."""
    settings, found = load(environment, env_file=None), list[tuple[str, str, bytes]]()
    with open_keyring(settings) as keyring, closing(open_log(settings)) as log:
        texts = TextReader(TextKeys(settings).reading(keyring.connections))
        for topic in (CLICKS, CONVERSIONS, DOMAIN, REJECTED):
            for partition in range(topic.partitions):
                for record in log_reader.read(log, topic.name, partition, log.end_offset(topic.name, partition)):
                    value = decided(record, keyring) if topic is DOMAIN else texts([record])[0].value
                    found.append((topic.name, website_of(value), value))
    return found


def decided(record: StoredRecord, keyring: Keyring) -> bytes:
    return envelope.decode(record.value, record.headers, keyring).event.model_dump_json().encode()


def website_of(value: bytes) -> str:
    """Also of what is about a conversion; of a record that another test broke on purpose: none."""
    try:
        fields = orjson.loads(value)
    except orjson.JSONDecodeError:
        return ""
    return str(fields.get("website_id") or fields.get("facts", {}).get("website_id", ""))


def holds_own(stack: Stack, table: str, shop: Shop) -> bool:
    """Whether a table has the person's words in rows of the website, not only in those of the other one."""
    house = client(load(stack.environment, env_file=None))
    try:
        sql = f"SELECT * FROM {table} WHERE website_id = '{shop.site['id']}' FORMAT TSV"
        return holds(house.raw_query(sql), (*WORDS, shop.click_id))
    finally:
        house.close()


def test_the_record_of_an_erasure_names_nobody(shop: Shop, api: httpx.Client) -> None:
    [erasure] = shop.owner.get(f"{shop.path}/erasures").json()
    assert erasure["namedBy"] == "order_id"
    assert erasure["counts"]["conversions"] == 1
    body = {"kind": "order_id", "value": ORDER, "password": PASSWORD}
    with member(shop.stack, api) as stranger:
        assert stranger.get(f"{shop.path}/erasures").status_code == 404
        assert stranger.post(f"{shop.path}/erase", json=body).status_code == 404
    assert api.post(f"{shop.path}/erase", json=body).status_code == 404, "an admin is no owner"
    assert ORDER not in str(read(api, "/api/admin/audit-trail", {"limit": 50}))
