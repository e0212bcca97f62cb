"""An analyst's way, from the invitation to an own client: in a real browser, against the whole stack."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

import clickhouse_connect
import httpx
import pytest
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import DatabaseError
from playwright.sync_api import Page, expect

from tests.e2e.conftest import AGENT, PATIENCE_S, connect, partner_with_link, read
from tests.support.stack import Stack, wait_for

EMAIL = "analyst@althing.example"
PASSWORD = "wide oceans and 7 gulls"


def test_an_analyst_asks_on_the_page_and_with_an_own_client(admin_stack: Stack, page: Page, api: httpx.Client) -> None:
    """Invited, made an analyst by the admin; runs SQL on the page, makes a token, reads with clickhouse-connect what is
    theirs and nothing else, and revokes the token."""
    own = invited(admin_stack, api)
    connect(api, "not-theirs.example")
    site = connect(own, "theirs.example")
    _, link = partner_with_link(api, site["id"], "Analysed Partner", 10, owner=own)
    click = httpx.get(link["url"], headers={"User-Agent": AGENT}, follow_redirects=False, timeout=PATIENCE_S)
    assert click.status_code == 302, click.text

    page.goto(f"{admin_stack.app}/login")
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign In", exact=True).click()
    page.wait_for_url("**/dashboard")
    page.get_by_role("navigation", name="Work").get_by_role("link", name="SQL").click()
    editor = page.get_by_role("textbox", name="SQL")
    rows = page.get_by_role("region", name="Rows of the result")

    def counted() -> bool:
        editor.fill("SELECT domain, count() AS clicks FROM clicks JOIN websites ON id = website_id GROUP BY domain")
        editor.press("Control+Enter")
        expect(page.get_by_role("button", name="Run")).to_be_visible()
        return rows.is_visible() and "theirs.example1" in rows.get_by_role("row").last.inner_text().replace("\t", "")

    wait_for(counted, "the click to be counted")
    page.get_by_role("tab", name="Chart").click()
    expect(page.locator("svg title", has_text="clicks by domain")).to_be_attached()
    refused = own.post("/api/platform/sql", json={"sql": "SELECT * FROM system.users"})
    assert (refused.status_code, refused.json()["code"]) == (400, "refused")

    page.get_by_role("button", name="New token").click()
    page.get_by_label("Name").fill("Notebook")
    page.get_by_label("Your password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Create token").click()
    token = page.get_by_role("dialog").get_by_role("group", name="Token").locator("code").inner_text()
    page.get_by_role("button", name="Done").click()
    address = page.get_by_role("group", name="Python").locator("code").inner_text()
    assert str(port_of(own)) in address

    with client(own, token) as analyst:
        assert analyst.query("SELECT domain FROM websites").result_rows == [("theirs.example",)]
        assert analyst.query("SELECT uniqExact(website_id) FROM events").result_rows == [(1,)]
        for forbidden in (
            "SELECT * FROM url('http://127.0.0.1:1/', 'CSV', 'a String')",
            "SELECT * FROM system.users",
            "SELECT count() FROM events__g1",
            "SELECT file('/etc/hostname')",
        ):
            with pytest.raises(DatabaseError, match="ACCESS_DENIED"):
                analyst.query(forbidden)
        with pytest.raises(DatabaseError):
            analyst.command("DROP TABLE events")

    page.get_by_role("button", name="Revoke Notebook").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.get_by_text("No tokens yet.")).to_be_visible()
    with pytest.raises(DatabaseError, match="AUTHENTICATION_FAILED"):
        client(own, token)
    everybody = read(api, "/api/admin/sql/history", {"limit": 200})
    assert {"sql page", "clickhouse"} == {one["door"] for one in everybody if one["email"] == EMAIL}


def invited(stack: Stack, api: httpx.Client) -> httpx.Client:
    """Whom the admin invited and made an analyst, as a program."""
    code = api.post("/api/platform/invite-codes", json={}).json()["code"]
    body = {"email": EMAIL, "password": PASSWORD, "name": "Ana", "inviteCode": code}
    made = httpx.post(f"{stack.app}/api/platform/register", json=body, timeout=PATIENCE_S)
    assert made.status_code in (200, 201), made.text
    account: dict[str, Any] = made.json()
    roles = api.put(f"/api/admin/accounts/{account['user']['id']}/roles", json={"roles": ["member", "analyst"]})
    assert roles.status_code == 200, roles.text
    again = httpx.post(
        f"{stack.app}/api/platform/login", json={"email": EMAIL, "password": PASSWORD}, timeout=PATIENCE_S
    )
    return httpx.Client(
        base_url=stack.app, timeout=PATIENCE_S, headers={"Authorization": f"Bearer {again.json()['token']}"}
    )


def port_of(own: httpx.Client) -> int:
    port: int | None = urlsplit(str(read(own, "/api/platform/sql/schema")["connection"]["url"])).port
    assert port is not None
    return port


def client(own: httpx.Client, token: str) -> Client:
    return clickhouse_connect.get_client(host="127.0.0.1", port=port_of(own), username=EMAIL, password=token)
