"""From a business idea to an application that is followed, and an admin who brings programs by a file; and from a few
answers to a niche, a tracked link to its program and the draft of a page."""

from __future__ import annotations

import re
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.e2e.conftest import connect, read, sign_in
from tests.support.stack import Stack

IDEA = "Food, toys and training for dogs in the city"
HEADER = "company_name,category,description,url,commission_type,commission_percent,cookie_days,approval,payment,source"


@pytest.mark.slow  # api/matching has the calls
def test_from_an_idea_to_an_application(admin_stack: Stack, page: Page, context: BrowserContext) -> None:
    """Spec §1, §2."""
    app, company = admin_stack.app, f"City Hounds {uuid4().hex[:6]}"
    page.goto(f"{app}/affiliate-matching")
    expect(page.get_by_text("Login Required", exact=True)).to_be_visible()
    sign_in(page, app)

    page.goto(f"{app}/admin/programs")
    page.get_by_role("button", name="Import CSV").click()
    dialog = page.get_by_role("dialog")
    line = (
        f'{company},pets,"Food, toys and training for dogs in the city.",https://hounds.example.com/join,percentage,30,'
        "60,easy,monthly,Its own page"
    )
    dialog.get_by_label("Or paste it here").fill(f"{HEADER}\n{line.replace('pets', 'dogs')}")
    dialog.get_by_role("button", name="Check the file").click()
    expect(dialog.get_by_role("region", name="Errors")).to_contain_text("'dogs' is not a category of the directory.")
    expect(dialog.get_by_role("button", name="Import", exact=True)).to_be_disabled()
    dialog.get_by_label("Or paste it here").fill(f"{HEADER}\n{line}")
    dialog.get_by_role("button", name="Check the file").click()
    dialog.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_text("1 added, 0 changed", exact=True).first).to_be_visible()
    page.get_by_label("Search programs").fill(company)
    expect(page.get_by_role("region", name="Programs")).to_contain_text("Not verified yet")

    page.goto(f"{app}/affiliate-matching")
    expect(page.get_by_role("tab", name="Recommendations")).to_be_disabled()
    page.get_by_role("textbox", name="Business idea").fill(IDEA)
    page.get_by_role("button", name="Analyze Business").click()
    expect(page.get_by_text("Analyzed by rules: AI is not configured.")).to_be_visible()
    expect(page.get_by_text("Pets", exact=True)).to_be_visible()
    page.get_by_role("button", name="View Matching Affiliate Programs").click()
    card = page.get_by_role("article", name=company)
    expect(card).to_contain_text("Highly Recommended")
    program_page = "https://hounds.example.com/join?utm_source=althing"
    with context.expect_event("request", lambda request: request.url.startswith(program_page)) as led_to:
        card.get_by_role("button", name="Apply Now").dblclick()
    tracked = led_to.value.redirected_from
    assert tracked is not None
    assert "referer" not in led_to.value.headers
    assert re.fullmatch(rf"{app}/api/platform/affiliate/applications/[0-9a-f-]+/go", tracked.url)

    page.reload()
    applications = page.get_by_role("region", name="Your applications")
    expect(applications).to_contain_text("page opened 1 time")
    expect(applications.get_by_role("listitem").filter(has_text=company)).to_have_count(1)
    applications.get_by_role("button", name=f"Update the application to {company}").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Status").select_option("approved")
    dialog.get_by_label("Note").fill("They wrote back within a day.")
    dialog.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Application updated", exact=True).first).to_be_visible()
    applications.get_by_text("History (2)").click()
    expect(applications).to_contain_text("They wrote back within a day.")
    page.reload()
    expect(page.get_by_role("textbox", name="Business idea")).to_have_value(IDEA)
    expect(page.get_by_role("region", name="Your applications")).to_contain_text("Approved")

    page.goto(f"{app}/learn")
    course = page.get_by_role("region", name="Tracking that holds")
    course.get_by_role("checkbox").first.click()
    expect(course).to_contain_text("1 of ")
    page.get_by_role("link", name="Match this idea").first.click()
    expect(page.get_by_role("textbox", name="Business idea")).not_to_have_value(IDEA)


def test_from_answers_to_a_tracked_link_and_a_drafted_page(admin_stack: Stack, page: Page, api: httpx.Client) -> None:
    """Ideas and niches: each leads into matching, to a tracked link and into the builder."""
    app, number = admin_stack.app, uuid4().hex[:6]
    company, domain = f"City Kibble {number}", f"dogs-{number}.example.com"
    connect(api, domain)
    line = f"{company},pets,Food for city dogs.,https://kibble-{number}.example.com/join,percentage,30,60,easy,monthly,Page"
    brought = api.post("/api/admin/programs/import", json={"csv": f"{HEADER}\n{line}", "dryRun": False})
    assert brought.json()["applied"], brought.text
    partner = {"name": company, "baseUrl": f"https://kibble-{number}.example.com", "commission": 30}
    assert api.post("/api/platform/partners", json=partner).status_code == 201

    sign_in(page, app)
    page.goto(f"{app}/affiliate-matching")
    page.get_by_role("tab", name="Ideas & Niches").click()
    page.get_by_role("textbox", name="Interests").fill("dogs in the city")
    page.get_by_role("checkbox", name="Photography").check()
    page.get_by_role("button", name="Generate ideas").click()
    idea = page.get_by_role("article", name="City dogs")
    expect(idea).to_contain_text("Expected earnings per 1,000 visitors")
    expect(idea).to_contain_text(company)

    idea.get_by_role("button", name=f"Create link to {company}").click()
    dialog = page.get_by_role("dialog", name="Create link")
    slug = f"kibble-{number}"
    dialog.get_by_label("Partner").select_option(f"{company} (private)")
    dialog.get_by_label("Slug (optional)").fill(slug)
    website = dialog.get_by_label("Website", exact=True)
    if website.count():
        website.select_option(domain)
    dialog.get_by_role("button", name="Create link").click()
    expect(
        page.get_by_text("Link created and copied").or_(page.get_by_role("dialog", name="Link created"))
    ).to_be_visible()
    page.keyboard.press("Escape")
    [link] = [each for each in read(api, "/api/platform/links") if each["slug"] == slug]
    assert link["destination"].startswith(f"https://kibble-{number}.example.com")

    idea.get_by_role("link", name="Build a website: City dogs").click()
    dialog = page.get_by_role("dialog", name="Create site")
    expect(dialog.get_by_label("Name")).to_have_value("City dogs")
    expect(dialog.get_by_role("checkbox", name="Draft “A dog in an apartment")).to_be_checked()
    dialog.get_by_label("Address").fill(f"dogs-{number}")
    if (choice := dialog.get_by_label("Website", exact=True)).count():
        choice.select_option(domain)
    dialog.get_by_role("button", name="Create site").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("A dog in an apartment")
    expect(page.locator("iframe")).to_be_visible()

    page.goto(f"{app}/affiliate-matching")
    page.get_by_role("tab", name="Ideas & Niches").click()
    page.get_by_role("button", name="Match this idea: City dogs").click()
    page.get_by_role("button", name="Analyze Business").click()
    expect(page.get_by_text("Pets", exact=True)).to_be_visible()
    page.get_by_role("button", name="View Matching Affiliate Programs").click()
    expect(page.get_by_role("article", name=company)).to_be_visible()
