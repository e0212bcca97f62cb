"""The click ids of an ad on a whole stack: from the landing page into the explanation of a sale, and nowhere else."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import psycopg
import pytest

from infra.kernel.clickhouse.client import client
from infra.kernel.config.loading import load
from infra.kernel.security.visitor_keys import Sealed, VisitorKeys, key_ids, wrapped_keys
from infra.ops.jobs.retention import delete_expired
from tests.e2e.conftest import AGENT, PASSWORD, PATIENCE_S, connect, let_rebuild, partner_with_link
from tests.e2e.test_erasure import everywhere, found_in, holds, where
from tests.support.stack import Stack, wait_for
from tests.support.visitor_data import erase_visitor

ID, OTHER_ID = "Cj0KCQiA-zyxwvut_plain", "Cj0KCQiA-zyxwvut_other"
SIBLING = "IwAR-zyxwvut"
WORDS = ("zyxwvut",)
PRIVATE = AGENT.replace("Chrome/142", "Chrome/141")
"""Another visitor's browser, which sends Global Privacy Control."""


def test_an_ads_click_ids_are_shown_to_the_owner_until_their_key_is_gone(admin_stack: Stack, api: httpx.Client) -> None:
    site = connect(api, "landing.example")
    _, link = partner_with_link(api, site["id"], "Landed Hotels", 10)
    settings = {"keepAdClickIds": True, "adClickIdDays": 30}
    assert saved(api, site, settings).items() >= settings.items()
    with psycopg.connect(admin_stack.environment["POSTGRES_URL"], autocommit=True) as postgres:
        keys = "SELECT count(*) FROM ingest.visitor_key WHERE website_id = %s"
        wait_for(lambda: (postgres.execute(keys, (site["id"],)).fetchone() or [0])[0], "the website's keys")
        sale = land_and_buy(admin_stack, site, link, AGENT, "t-1")
        private = land_and_buy(admin_stack, site, link, PRIVATE, "t-2", {"Sec-GPC": "1"})
        assert told(api, sale) == [
            {"name": "gclid", "network": "Google Ads", "value": ID},
            {"name": "fbclid", "network": "Meta", "value": SIBLING},
        ]
        assert told(api, private) == []
        everywhere(admin_stack, postgres)
        stored = dict(found_in(admin_stack))
        assert not {place: where(text) for place, text in stored.items() if holds(text, WORDS)}
        assert holds(stored["kafka"], ["v1:"]) and holds(stored["clickhouse"], ["v1:"])
        export = api.get("/api/platform/export").content
        assert not holds(export, [*WORDS, "ad_ids"])

        saved(api, site, {"keepAdClickIds": False})
        wait_for(lambda: unused_are_gone(postgres, site), "ingest to see that nothing is kept any more")
        off = land_and_buy(admin_stack, site, link, AGENT.replace("Chrome/142", "Chrome/140"), "t-3")
        assert told(api, off) == []

        saved(api, site, {"adClickIdDays": 1})
        expiry = load(admin_stack.environment, env_file=None)
        wait_for(lambda: api.get("/api/platform/websites").json() and days(postgres, site) == 1, "the setting")
        assert delete_expired(expiry)["keys of ad click ids"] == 0 and told(api, sale)[0]["value"] == ID
        postgres.execute("UPDATE ingest.visitor_key SET made_on = made_on - 2 WHERE website_id = %s", (site["id"],))
        assert delete_expired(expiry)["keys of ad click ids"] == 1
    erased = [{"name": None, "network": None, "value": "[erased]"}]
    assert told(api, sale) == erased
    for step in ("rebuild", "promote"):  # what is ready, and not promoted, lets no erasure begin
        done = admin_stack.run("projections", step, "events")
        assert done.returncode == 0, done.stderr
    assert told(api, sale) == erased


@pytest.mark.slow  # test_visitor_data erases a person
def test_erasing_a_visitor_makes_their_ids_unreadable_and_nobody_elses(admin_stack: Stack, api: httpx.Client) -> None:
    """Also where the sealed ids stay: in the log, which is read again for a rebuild."""
    site = connect(api, "erased-landing.example")
    _, link = partner_with_link(api, site["id"], "Erased Hotels", 10)
    saved(api, site, {"keepAdClickIds": True, "adClickIdDays": 30})
    with psycopg.connect(admin_stack.environment["POSTGRES_URL"], autocommit=True) as postgres:
        keys = "SELECT count(*) FROM ingest.visitor_key WHERE website_id = %s"
        wait_for(lambda: (postgres.execute(keys, (site["id"],)).fetchone() or [0])[0], "the website's keys")
        land_and_buy(admin_stack, site, link, AGENT, "t-1")
        sale = land_and_buy(admin_stack, site, link, PRIVATE, "t-other")
        wait_for(lambda: exported(api, site, "t-1") and exported(api, site, "t-other"), "both to be found")
        sealed = sealed_of(admin_stack, site)
        assert readable(admin_stack, postgres, sealed) == {ID, OTHER_ID}
        wrapped = wrapped_keys(postgres, key_ids(one.text for one in sealed))
        body = {"kind": "order_id", "value": "t-1", "password": PASSWORD}
        assert erase_visitor(api, site["id"], body)["ad_click_ids"] == 1
        assert readable(admin_stack, postgres, sealed) == {OTHER_ID}
        left = wrapped_keys(postgres, wrapped)
        [key] = {text for id_, text in wrapped.items() if id_ not in left}
        everywhere(admin_stack, postgres)
        stored = dict(found_in(admin_stack))
        assert not [place for place, text in stored.items() if key.encode() in text]
        assert all(one.text.encode() in stored["kafka"] for one in sealed), "the log is as it was"
        assert exported(api, site, "t-1") == []
        erasures = f"/api/platform/websites/{site['id']}/visitor-data/erasures"
        wait_for(lambda: is_rebuilt(api, erasures, postgres), "tables that are built again from the log", 240)
        assert readable(admin_stack, postgres, [*sealed, *sealed_of(admin_stack, site)]) == {OTHER_ID}
    assert exported(api, site, "t-1") == []
    assert [ids["gclid"] for ids in exported(api, site, "t-other")] == [OTHER_ID]
    assert told(api, sale)[0]["value"] == OTHER_ID

    def returned() -> bool:
        again = told(api, land_and_buy(admin_stack, site, link, AGENT, f"t-again-{uuid4().hex}"))
        return [ids["value"] for ids in again] == [OTHER_ID, SIBLING]

    wait_for(returned, "the person's key of after the erasure")


def is_rebuilt(api: httpx.Client, erasures: str, postgres: psycopg.Connection[Any]) -> bool:
    """Whether reports read the tables of after the erasure."""
    let_rebuild(postgres)
    return bool(api.get(erasures).json()[0]["state"] != "running")


def exported(api: httpx.Client, site: dict[str, Any], txid: str) -> list[dict[str, Any]]:
    """The ad click ids in the export of the person who placed the order."""
    body = {"kind": "order_id", "value": txid}
    answer = api.post(f"/api/platform/websites/{site['id']}/visitor-data/export", json=body)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["adClickIds"]
    return found


def sealed_of(mine: Stack, site: dict[str, Any]) -> list[Sealed]:
    """The sealed ids of all visitors of the website, as reports read them."""
    house = client(load(mine.environment, env_file=None))
    try:
        sql = f"SELECT website_id, event_id, ad_ids FROM events WHERE website_id = '{site['id']}' AND ad_ids <> ''"
        return [Sealed(*row) for row in house.query(sql).result_rows]
    finally:
        house.close()


def readable(mine: Stack, postgres: psycopg.Connection[Any], sealed: list[Sealed]) -> set[str]:
    """What can be read, with the master key and everything that is stored, of the sealed ids."""
    keys = VisitorKeys(load(mine.environment, env_file=None))
    wrapped = wrapped_keys(postgres, key_ids(one.text for one in sealed))
    return {values["gclid"] for one in sealed if (values := keys.open(one, wrapped)) is not None}


def saved(api: httpx.Client, site: dict[str, Any], settings: dict[str, Any]) -> dict[str, Any]:
    answer = api.patch(f"/api/platform/websites/{site['id']}", json=settings)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def land_and_buy(
    mine: Stack, site: dict[str, Any], link: dict[str, Any], agent: str, txid: str, more: dict[str, str] | None = None
) -> str:
    """A visitor comes from an ad, follows a link, and buys there; the conversion."""
    headers = {"User-Agent": agent, "Accept-Language": "en", **(more or {})}
    page = f"https://landing.example/?gclid={ID if txid == 't-1' else OTHER_ID}&fbclid={SIBLING}"
    landing = {"type": "pageview", "url": page, "site": site["siteKey"]}
    landed = httpx.post(f"{mine.tracking}/track", json=landing, headers=headers, timeout=PATIENCE_S)
    assert landed.status_code == 202, landed.text
    followed = httpx.get(link["url"], headers=headers, timeout=PATIENCE_S)
    report = {"click_id": followed.cookies["aff_click_id"], "txid": txid, "amount": 4990, "currency": "USD"}
    secret = {"Authorization": f"Bearer {site['secretKey']}"}
    sold = httpx.post(f"{mine.tracking}/track/sale", json=report, headers=secret, timeout=PATIENCE_S)
    return str(sold.raise_for_status().json()["id"])


def told(api: httpx.Client, conversion: str) -> list[dict[str, Any]]:
    """The ids in the explanation, once it has the click's record."""

    def explained() -> dict[str, Any] | None:
        answer = api.get(f"/api/platform/conversions/{conversion}/explain")
        click = answer.json()["click"] if answer.status_code == 200 else None
        return click if click and click["place"] and click["adClickIds"] is not None else None

    found: list[dict[str, Any]] = wait_for(explained, "the click")["adClickIds"]
    return found


def unused_are_gone(postgres: psycopg.Connection[Any], site: dict[str, Any]) -> bool:
    found = postgres.execute("SELECT count(*) FROM ingest.visitor_key WHERE website_id = %s", (site["id"],))
    return found.fetchall() == [(1,)]


def days(postgres: psycopg.Connection[Any], site: dict[str, Any]) -> int | None:
    row = postgres.execute("SELECT ad_click_id_days FROM read.websites WHERE id = %s", (site["id"],)).fetchone()
    return row[0] if row else None
