"""The public pages as programs and people get them, from the whole stack: text, status, addresses, the way on."""

from __future__ import annotations

import re

import httpx
from playwright.sync_api import Page, expect

from tests.e2e.conftest import PATIENCE_S
from tests.support.stack import Stack

SCREENS = (
    "/", "/about", "/consulting", "/contact", "/pricing", "/integrations", "/careers", "/blog", "/help", "/docs/api",
)  # fmt: skip
REPORTED = """
window.reports = [];
document.addEventListener('securitypolicyviolation', (event) => { window.reports.push(event.effectiveDirective); });
"""


def test_public_pages_without_and_with_a_browser(admin_stack: Stack, page: Page) -> None:
    app = admin_stack.app
    with httpx.Client(base_url=app, timeout=PATIENCE_S) as client:
        home = client.get("/")
        assert home.status_code == 200
        assert re.search(r"<h1[^>]*>Finding the perfect", home.text) and "2.4M+" in home.text
        assert f'<link rel="canonical" href="{app}/" />' in home.text and "origin.invalid" not in home.text
        listed = re.findall(r"<loc>([^<]+)</loc>", client.get("/sitemap.xml").text)
        assert {app + path if path != "/" else f"{app}/" for path in SCREENS} <= set(listed)
        for address in listed:
            document = client.get(address).text
            assert f'<link rel="canonical" href="{address}" />' in document, address
            assert document.count("<h1") == 1 and '<meta name="description" content="' in document, address
            image = re.search(r'property="og:image" content="([^"]+)"', document)
            assert image and client.get(image[1]).headers["content-type"] == "image/png", address
        robots = client.get("/robots.txt").text
        for sitemap in ("/sitemap.xml", "/api/public/sitemap.xml"):
            assert f"Sitemap: {app}{sitemap}\n" in robots
        assert client.get("/api/public/sitemap.xml").headers["content-type"] == "application/xml"
        assert client.get("/no-such-page").status_code == 404
        assert client.get("/blog/no-such-article").status_code == 404
        assert client.get("/marketplace/listing/no-such-id").status_code == 404
        private = client.get("/dashboard")
        assert private.status_code == 200 and '<meta name="robots" content="noindex" />' in private.text
        targets = set(re.findall(r'href="(/[^"#?]*)', home.text))
        assert all(client.get(target).status_code == 200 for target in targets), targets

    page.add_init_script(REPORTED)
    for screen in SCREENS:
        page.goto(app + screen)
        expect(page.locator("h1")).to_have_count(1)
        assert page.evaluate("window.reports") == [], screen
    page.goto(f"{app}/docs/api?part=calls")
    page.get_by_role("searchbox", name="Search endpoints").fill("early access places")
    expect(page.get_by_text("/api/public/early-access", exact=True).first).to_be_visible()
    page.goto(f"{app}/pricing")
    page.get_by_role("link", name="Contact Sales: Enterprise Solution").click()
    expect(page.get_by_label("Service Interest")).to_have_value("Enterprise Solution")
    expect(page.get_by_role("heading", name="Ready to Get Started?")).to_be_in_viewport()
