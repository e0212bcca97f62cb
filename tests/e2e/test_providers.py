"""Sign-in with identity providers in a real browser, and the links that attackers send."""

from __future__ import annotations

import re
import time
from urllib.parse import urlsplit

import httpx
import psycopg
import pyotp
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.e2e.conftest import PATIENCE_S, new_context
from tests.support.identity_provider import IdentityProvider, Someone
from tests.support.stack import Stack

PASSWORD = "wide oceans and 7 gulls"


def test_sign_in_with_a_provider_by_invite_with_second_factor(
    admin_stack: Stack, provider: IdentityProvider, page: Page, api: httpx.Client
) -> None:
    """With Google: the page requires an invite and a second factor; the next sign-in requires the code."""
    provider.person = Someone(email="gudrun@mail.example", name="Guðrún")
    page.goto(f"{admin_stack.app}/login?next=/account-settings")
    expect(page.get_by_text("Sign-in with LinkedIn is not set up on this installation.")).to_be_visible()
    page.get_by_role("link", name="Google").click()
    expect(page.get_by_label("Email")).to_have_value("gudrun@mail.example")
    expect(page.get_by_label("Name")).to_have_value("Guðrún")
    expect(page).not_to_have_url(re.compile("code"))
    assert not signed_in(page)
    page.get_by_label("Invite code").fill(invite(api))
    page.get_by_role("button", name="Create Account").click()
    secret = page.get_by_role("group", name="Secret").locator("code").inner_text()
    code = pyotp.TOTP(secret).now()
    page.get_by_label("Two-factor code").fill(code)
    page.get_by_role("button", name="Confirm").click()
    page.get_by_role("checkbox", name="I have saved them").check()
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/account-settings")
    linked = page.get_by_role("list", name="Linked sign-ins")
    expect(linked.get_by_text("gudrun@mail.example")).to_be_visible()

    sign_out(page)
    page.goto(f"{admin_stack.app}/login")
    page.get_by_role("link", name="Google").click()
    expect(page.get_by_text("2FA Required", exact=True).first).to_be_visible()
    assert not signed_in(page)
    page.get_by_label("Two-factor code").fill(pyotp.TOTP(secret).at(int(time.time()) + 30))
    page.get_by_role("button", name="Verify").click()
    page.wait_for_url("**/dashboard")
    assert signed_in(page)


@pytest.mark.slow  # api/accounts has the calls
def test_a_sign_in_is_linked_and_unlinked(
    admin_stack: Stack, provider: IdentityProvider, page: Page, api: httpx.Client
) -> None:
    """Linked after the password was given again; then it opens the account, and after unlinking no more."""
    provider.person = Someone(email="loa@mail.example", name="Lóa")
    email = "loa@althing.example"
    made = {"email": email, "password": PASSWORD, "name": "Lóa", "inviteCode": invite(api)}
    assert httpx.post(f"{admin_stack.app}/api/platform/register", json=made, timeout=PATIENCE_S).status_code == 201
    page.goto(f"{admin_stack.app}/login")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign In", exact=True).click()
    page.wait_for_url("**/dashboard")
    page.goto(f"{admin_stack.app}/account-settings")
    page.get_by_role("button", name="Link GitHub").click()
    page.get_by_label("Your password").fill(PASSWORD)
    page.get_by_role("button", name="Continue to GitHub").click()
    expect(page.get_by_text("You can now sign in with GitHub.", exact=True).first).to_be_visible()
    expect(page.get_by_role("list", name="Linked sign-ins").get_by_text("GitHub")).to_be_visible()

    sign_out(page)
    page.goto(f"{admin_stack.app}/login")
    page.get_by_role("link", name="GitHub").click()
    page.wait_for_url("**/dashboard")
    page.goto(f"{admin_stack.app}/account-settings")
    page.get_by_role("button", name="Unlink GitHub").click()
    page.get_by_role("dialog").get_by_role("button", name="Unlink").click()
    expect(page.get_by_text("No sign-ins linked yet")).to_be_visible()

    sign_out(page)
    page.goto(f"{admin_stack.app}/login")
    page.get_by_role("link", name="GitHub").click()
    expect(page.get_by_label("Invite code")).to_be_visible()
    assert not signed_in(page)


def test_links_of_an_attacker_sign_nobody_in(
    admin_stack: Stack, provider: IdentityProvider, chromium: Browser, api: httpx.Client
) -> None:
    """Session fixation and login CSRF: what an attacker got for himself does nothing in another, clean browser."""
    provider.person = Someone(email="mallory@mail.example", name="Mallory")
    with httpx.Client(base_url=admin_stack.app, timeout=PATIENCE_S) as mallory:
        asked = mallory.post("/api/platform/auth/exchange", json={"code": arrived(mallory).partition("#code=")[2]})
        body = {
            "ticket": asked.json()["ticket"],
            "inviteCode": invite(api),
            "email": "m@mail.example",
            "name": "Mallory",
        }
        token = mallory.post("/api/platform/auth/register", json=body).json()["token"]
        half_way = to_provider(mallory)
        code_link = arrived(mallory)
        code = code_link.partition("#code=")[2]
        keep_codes(admin_stack)
        links = [
            f"/?token={token}",
            f"/login?token={token}",
            f"/dashboard?token={token}",
            f"/login/finish?token={token}&code={code}",
            code_link,
            half_way.removeprefix(admin_stack.app),
        ]
        for number, link in enumerate(links):
            context = new_context(chromium)
            try:
                if number % 2:  # also while the victim signs in
                    context.request.get(f"{admin_stack.app}/api/platform/auth/github", max_redirects=0)
                open_and_stay_out(context, admin_stack.app + link)
            finally:
                context.close()
        # It was the browser that was wrong, not the code.
        mine = mallory.post("/api/platform/auth/exchange", json={"code": code})
        assert mine.status_code == 200 and mine.json()["token"], mine.text


def open_and_stay_out(context: BrowserContext, url: str) -> None:
    page = context.new_page()
    page.goto(url)
    page.get_by_role("heading", level=1).first.wait_for()
    page.wait_for_load_state("networkidle")
    assert not signed_in(page), url
    assert not {"sid", "__Host-sid"} & {str(cookie.get("name")) for cookie in context.cookies()}, url
    page.goto(urlsplit(url)._replace(path="/dashboard", query="", fragment="").geturl())
    page.wait_for_url("**/login**")


def keep_codes(mine: Stack) -> None:
    """Codes of this moment hold longer than a minute: six pages are opened before one is used."""
    with psycopg.connect(mine.environment["POSTGRES_URL"], autocommit=True) as connection:
        connection.execute("UPDATE accounts.handoff_code SET expires_at = now() + interval '1 hour'")


def invite(api: httpx.Client) -> str:
    answer = api.post("/api/platform/invite-codes", json={"maxUses": 1, "expiresInDays": 1})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["code"])


def to_provider(client: httpx.Client) -> str:
    """The address on which the provider sends this client back."""
    there = client.get("/api/platform/auth/google")
    assert there.status_code == 303, there.text
    return httpx.get(there.headers["location"], follow_redirects=False, timeout=PATIENCE_S).headers["location"]


def arrived(client: httpx.Client) -> str:
    back = client.get(to_provider(client))
    assert back.headers["location"].startswith("/login/finish#code="), back.headers["location"]
    return back.headers["location"]


def signed_in(page: Page) -> bool:
    return page.evaluate("localStorage.getItem('authToken')") is not None


def sign_out(page: Page) -> None:
    """As if it were another day in the same browser; from where no page of the app still sends requests."""
    origin = urlsplit(page.url)._replace(path="", query="", fragment="").geturl()
    page.goto("about:blank")
    page.context.clear_cookies()
    cleared = {"origin": origin, "storageTypes": "local_storage"}
    page.context.new_cdp_session(page).send("Storage.clearDataForOrigin", cleared)
