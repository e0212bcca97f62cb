"""How a person becomes a member and keeps the account safe, in a real browser, with mails through a real server."""

from __future__ import annotations

import re
import time

import httpx
import pyotp
from playwright.sync_api import Browser, Page, expect

from tests.e2e.conftest import new_context, sign_out
from tests.support.mail_server import MailServer, link_in
from tests.support.stack import Stack, wait_for

EMAIL, FIRST, SECOND = "embla@althing.example", "wide oceans and 7 gulls", "deep fjords and 9 seals"


def test_from_an_invite_to_a_safe_account(
    admin_stack: Stack, page: Page, chromium: Browser, api: httpx.Client, post: MailServer
) -> None:
    """Spec §1, §2: invited, registered, second factor; in by code, by recovery code, and after a reset by mail."""
    app = admin_stack.app
    invite = api.post("/api/platform/invite-codes", json={}).json()["code"]
    page.goto(f"{app}/login?invite={invite}")
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(FIRST)
    page.get_by_label("Name").fill("Embla")
    page.get_by_role("button", name="Create Account").click()
    expect(page.get_by_text("Please set up 2FA to secure your account", exact=True).first).to_be_visible()
    expect(page.get_by_role("img", name="QR code for your authenticator app")).to_be_visible()
    totp = pyotp.TOTP(page.get_by_role("group", name="Secret").locator("code").inner_text())
    now = time.time()
    page.get_by_label("Two-factor code").fill(totp.at(now))
    page.get_by_role("button", name="Confirm").click()
    shown = page.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(shown).to_have_count(10)
    recovery = shown.all_inner_texts()
    page.get_by_role("checkbox", name="I have saved them").check()
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url("**/dashboard")
    sign_out(page)

    credentials(page, app, FIRST)
    expect(page.get_by_text("Please enter your 2FA code to continue", exact=True).first).to_be_visible()
    # A code works once: the next one is taken, early if need be.
    page.get_by_label("Two-factor code").fill(totp.at(max(time.time(), now + 30)))
    page.get_by_role("button", name="Verify").click()
    page.wait_for_url("**/dashboard")
    sign_out(page)

    credentials(page, app, FIRST)
    with_recovery_code(page, recovery[0])
    page.get_by_role("button", name="Verify").click()
    page.wait_for_url("**/dashboard")
    sign_out(page)

    page.get_by_role("link", name="Forgot your password?").click()
    expect(page.get_by_role("heading", name="Forgot your password?")).to_be_visible()  # the last page had the field
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_role("button", name="Send the link").click()
    expect(page.get_by_text("Check your email")).to_be_visible()
    page.goto(reset_link(post))
    expect(page.get_by_label("New password")).to_be_visible()
    expect(page).not_to_have_url(re.compile("code"))
    page.get_by_label("New password").fill(SECOND)
    page.get_by_role("button", name="Set new password").click()
    with_recovery_code(page, recovery[1])
    page.get_by_role("button", name="Set new password").click()
    page.wait_for_url("**/login")
    credentials(page, app, SECOND)
    with_recovery_code(page, recovery[2])
    page.get_by_role("button", name="Verify").click()
    page.wait_for_url("**/dashboard")

    elsewhere = new_context(chromium).new_page()
    credentials(elsewhere, app, SECOND)
    with_recovery_code(elsewhere, recovery[3])
    elsewhere.get_by_role("button", name="Verify").click()
    elsewhere.wait_for_url("**/dashboard")
    page.goto(f"{app}/account-settings")
    sessions = page.get_by_role("list", name="Sessions").get_by_role("listitem")
    expect(sessions).to_have_count(2)
    expect(page.get_by_text("6 of 10 recovery codes left.")).to_be_visible()
    page.get_by_role("button", name="Sign out session").click()
    expect(sessions).to_have_count(1)
    elsewhere.goto(f"{app}/account-settings")
    elsewhere.wait_for_url("**/login**")
    elsewhere.context.close()
    expect(page.get_by_role("list", name="Your activity").get_by_text("Password changed")).to_be_visible()


def reset_link(post: MailServer) -> str:
    def links() -> list[str]:
        mails = [mail for mail in post.received if mail["To"] == EMAIL]
        return [link for mail in mails if "/reset-password#" in mail.get_content() and (link := link_in(mail))]

    wait_for(links, "the mail with the link")
    return links()[-1]


def credentials(page: Page, app: str, password: str) -> None:
    page.goto(f"{app}/login")
    page.get_by_label("Email").fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign In", exact=True).click()


def with_recovery_code(page: Page, code: str) -> None:
    page.get_by_role("button", name="Use a recovery code").click()
    page.get_by_label("Recovery code").fill(code)
