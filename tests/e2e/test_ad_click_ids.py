"""The click ids of an ad on a whole stack: from the landing page into the explanation of a sale, and nowhere else."""

from __future__ import annotations

from typing import Any

import httpx
import psycopg

from infra.kernel.config.settings import load
from infra.services.scheduler.jobs.retention import delete_expired
from tests.e2e.conftest import AGENT, PATIENCE_S, connect, partner_with_link
from tests.e2e.test_erasure import everywhere, found_in, holds, where
from tests.support.stack import Stack, wait_for

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
    rebuilt = admin_stack.run("projections", "rebuild", "events")
    assert rebuilt.returncode == 0, rebuilt.stderr
    assert told(api, sale) == erased


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
