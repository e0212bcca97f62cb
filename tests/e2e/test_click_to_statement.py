"""The journey of two people from an invitation to an approved commission, each in a browser of their own."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

import httpx
import pyotp
import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import ADMIN, PASSWORD, PATIENCE_S, sign_in, sign_out
from tests.support.dns_server import DnsServer
from tests.support.stack import Stack, wait_for
from tests.support.user_agents import BROWSER

MEMBER, MEMBERS_PASSWORD = "saga@althing.example", "tall cliffs and 8 puffins"
SITE, OWN_DOMAIN = "saga-travels.example", "go.saga-travels.example"
PARTNER, SLUG = "Whole Way Hotels", "whole-way-hotels"


@dataclass(frozen=True)
class Factor:
    """A second factor as its owner has it: an authenticator that shows codes, and ten codes on paper."""

    totp: pyotp.TOTP
    set_up_at: float
    recovery: list[str]

    def next_code(self) -> str:
        """One after that of the set-up: a code works once, and the next one is taken a little early if need be."""
        return self.totp.at(max(time.time(), self.set_up_at + 30))


@pytest.mark.slow  # test_people, test_journeys and test_money have its parts
def test_from_an_invitation_to_an_approved_commission(
    admin_stack: Stack, dns: DnsServer, page: Page, another: Callable[[], Page]
) -> None:
    """One account invites another; both set up two-factor. The second connects a website, proves a domain and takes
    the network's postback URL; a click on that domain is sold, shows as pending automatically, and as approved once it
    is approved in another tab; what is reversed disappears."""
    app, admin = admin_stack.app, another()
    sign_in(admin, app)
    factor = set_up_factor_in_settings(admin, app)
    try:
        sign_out(admin)
        sign_in_with_code(admin, app, ADMIN, PASSWORD, factor)
        register(page, app, invited_by(admin, app))
        add_partner(admin, app)
        postback = connect_website(page)
        verify_domain(page, app, dns)
        click_id = follow(admin_stack, create_link(page, app))

        page.goto(f"{app}/dashboard")
        expect(figure(page, "Total Clicks")).to_have_text("1")
        expect(figure(page, "Revenue")).to_have_text("$0.00")
        call_as_network(postback, click_id)
        # Nobody touches the page: what is reported comes to it.
        expect(figure(page, "Revenue")).to_have_text("$25.00")
        expect(page.get_by_text("$25.00 pending")).to_be_visible()
        expect(latest(page)).to_contain_text("pending", ignore_case=True)

        tab = page.context.new_page()
        decide(tab, app, "Approve")
        expect(page.get_by_text("$0.00 pending")).to_be_visible()
        expect(page.get_by_text("0 pending, 1 approved")).to_be_visible()
        expect(figure(page, "Revenue")).to_have_text("$25.00")
        expect(latest(page)).to_contain_text("approved", ignore_case=True)
        page.reload()
        expect(page.get_by_role("list", name="Tracked links")).to_contain_text("$25.00")

        decide(tab, app, "Reverse", "the stay was cancelled")
        expect(figure(page, "Revenue")).to_have_text("$0.00")
        expect(latest(page)).to_contain_text("reversed", ignore_case=True)
    finally:
        take_factor_off(app, factor)


def set_up_factor_in_settings(page: Page, app: str) -> Factor:
    page.goto(f"{app}/account-settings")
    page.get_by_role("button", name="Set up two-factor authentication").click()
    return set_up_factor(page)


def set_up_factor(page: Page) -> Factor:
    """From the secret that is shown to the recovery codes that are said to be saved."""
    expect(page.get_by_role("img", name="QR code for your authenticator app")).to_be_visible()
    totp = pyotp.TOTP(page.get_by_role("group", name="Secret").locator("code").inner_text())
    now = time.time()
    page.get_by_label("Two-factor code").fill(totp.at(now))
    page.get_by_role("button", name="Confirm").click()
    shown = page.get_by_role("list", name="Recovery codes").get_by_role("listitem")
    expect(shown).to_have_count(10)
    factor = Factor(totp, now, shown.all_inner_texts())
    page.get_by_role("checkbox", name="I have saved them").check()
    page.get_by_role("button", name="Continue").click()
    return factor


def sign_in_with_code(page: Page, app: str, email: str, password: str, factor: Factor) -> None:
    page.goto(f"{app}/login")
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("button", name="Sign In", exact=True).click()
    expect(page.get_by_text("Please enter your 2FA code to continue", exact=True).first).to_be_visible()
    page.get_by_label("Two-factor code").fill(factor.next_code())
    page.get_by_role("button", name="Verify").click()
    page.wait_for_url(re.compile("/(dashboard|websites)$"))  # all websites, for a person with several


def invited_by(page: Page, app: str) -> str:
    page.goto(f"{app}/account-settings?tab=invite-codes")
    page.get_by_role("button", name="Generate invite code").click()
    expect(page.get_by_text("Invite code created", exact=True).first).to_be_visible()
    row = page.get_by_role("region", name="Your invite codes").get_by_role("row").filter(has_text="Active")
    return row.first.locator("code").inner_text()


def register(page: Page, app: str, invite: str) -> None:
    page.goto(f"{app}/login?invite={invite}")
    page.get_by_label("Email").fill(MEMBER)
    page.get_by_label("Password", exact=True).fill(MEMBERS_PASSWORD)
    page.get_by_label("Name").fill("Saga")
    page.get_by_role("button", name="Create Account").click()
    expect(page.get_by_text("Please set up 2FA to secure your account", exact=True).first).to_be_visible()
    set_up_factor(page)
    page.wait_for_url("**/dashboard")
    expect(page.get_by_text("No Websites Found")).to_be_visible()


def add_partner(page: Page, app: str) -> None:
    page.goto(f"{app}/admin")
    page.get_by_role("tab", name="Partners").click()
    page.get_by_role("button", name="Add Partner").click()
    dialog = page.get_by_role("dialog", name="Add New Partner")
    dialog.get_by_label("Name").fill(PARTNER)
    dialog.get_by_label("Base URL").fill(f"https://{SLUG}.example")
    dialog.get_by_label("Which network?").select_option("default")
    dialog.get_by_label("Commission (%)").fill("12.5")
    dialog.get_by_role("button", name="Add Partner").click()
    expect(page.get_by_role("row", name=re.compile(PARTNER))).to_be_visible()


def connect_website(page: Page) -> str:
    """Gives the address for the partner's network, which is shown just once, since the token is in it."""
    page.get_by_role("link", name="Connect Website").click()
    page.get_by_label("Domain", exact=True).fill(SITE)
    page.get_by_label("Time zone").first.select_option("UTC")
    page.get_by_role("button", name="Connect Website").last.click()
    expect(page.get_by_text("Waiting for the first event")).to_be_visible()
    address = page.get_by_role("region", name="Postback URL")
    address.get_by_label("Partner", exact=True).select_option(PARTNER)
    return address.get_by_role("group", name="Postback URL for the network").locator("code").inner_text()


def verify_domain(page: Page, app: str, dns: DnsServer) -> None:
    page.goto(f"{app}/account-settings?tab=custom-domains")
    page.get_by_role("textbox", name="Domain", exact=True).fill(OWN_DOMAIN)
    page.get_by_role("button", name="Add domain").click()
    expect(page.get_by_text("Domain added", exact=True).first).to_be_visible()
    check = page.get_by_role("button", name=f"Check now: {OWN_DOMAIN}")
    check.click()
    expect(page.get_by_text("Not verified yet", exact=True).first).to_be_visible()
    name = page.get_by_role("group", name="Name of the TXT record").locator("code").inner_text()
    dns.set(name, "TXT", page.get_by_role("group", name="Value of the TXT record").locator("code").inner_text())
    check.click()
    expect(page.get_by_text("Domain verified", exact=True).first).to_be_visible()
    expect(page.get_by_text("Verified", exact=True)).to_be_visible()


def create_link(page: Page, app: str) -> str:
    """C, the destination and Enter make it and copy its address; gives its slug."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(f"{app}/dashboard")
    page.get_by_role("button", name="Create link").wait_for()
    page.keyboard.press("c")
    dialog = page.get_by_role("dialog", name="Create link")
    dialog.get_by_role("combobox", name="Partner").get_by_role("option", name=PARTNER).wait_for(state="attached")
    dialog.get_by_label("Destination (optional)").fill(f"https://{SLUG}.example/rooms?cid={{click_id}}")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Link created and copied", exact=True).first).to_be_visible()
    address: str = page.evaluate("navigator.clipboard.readText()")
    return address.rpartition("/")[2]


def follow(mine: Stack, slug: str) -> str:
    """A reader uses the link on the website's own domain, as a name server would lead them to ingest; gives the id
    of the click."""
    asked = {"Host": OWN_DOMAIN, "User-Agent": BROWSER}

    def answer() -> str | None:
        found = httpx.get(f"{mine.tracking}/{slug}", headers=asked, timeout=PATIENCE_S)
        return found.headers["location"] if found.status_code == 302 else None

    found: str = wait_for(answer, "ingest to learn of link and domain")
    place = urlsplit(found)
    assert place.netloc == f"{SLUG}.example"
    return parse_qs(place.query)["cid"][0]


def call_as_network(postback: str, click_id: str) -> None:
    """Fills in what is in braces, as a network does, and reports the same sale twice."""
    said = {"click_id": click_id, "txid": f"W-{uuid4().hex[:8]}", "amount": "200.00", "currency": "USD", "status": ""}
    parts = urlsplit(postback)
    given = {name: values[0] for name, values in parse_qs(parts.query, keep_blank_values=True).items()}
    assert {f"{{{name}}}" for name in said} == {value for value in given.values() if value.startswith("{")}
    filled = {name: said.get(value.strip("{}"), value) for name, value in given.items()}
    called = parts._replace(query=urlencode(filled)).geturl()
    first, again = httpx.get(called, timeout=PATIENCE_S), httpx.get(called, timeout=PATIENCE_S)
    assert (first.status_code, again.status_code) == (202, 200), (first.text, again.text)
    assert first.json()["id"] == again.json()["id"]


def decide(page: Page, app: str, decision: str, reason: str = "") -> None:
    """What the member does with the one conversion of the website."""
    page.goto(f"{app}/conversions")
    page.get_by_role("button", name=re.compile(f"^{decision} W-")).click()
    if reason:
        page.get_by_label("Reason").fill(reason)
        page.get_by_role("dialog").get_by_role("button", name=decision).click()
    else:
        expect(page.get_by_text("Approving 1 conversion", exact=True).first).to_be_visible()


def figure(page: Page, label: str) -> Locator:
    return page.get_by_test_id(f"kpi-{label}")


def latest(page: Page) -> Locator:
    return page.get_by_role("region", name="Latest conversions").get_by_role("listitem").first


def take_factor_off(app: str, factor: Factor) -> None:
    """The other journeys sign the admin in by the password alone."""
    with httpx.Client(base_url=app, timeout=PATIENCE_S) as program:
        half = program.post("/api/platform/login", json={"email": ADMIN, "password": PASSWORD})
        body = {"ticket": half.json()["ticket"], "recoveryCode": factor.recovery[0]}
        token = program.post("/api/platform/login/second-factor", json=body).json()["token"]
        proof = {"password": PASSWORD, "recoveryCode": factor.recovery[1]}
        done = program.post("/api/platform/2fa/disable", json=proof, headers={"Authorization": f"Bearer {token}"})
        assert done.status_code in (200, 204), done.text
