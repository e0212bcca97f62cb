"""What a visitor without an account does, in a real browser with mails through a real server: newsletter, early access,
an inquiry; and what admins make of it."""

from __future__ import annotations

from email.message import EmailMessage
from urllib.parse import urlsplit

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.e2e.conftest import PATIENCE_S, read, sign_in
from tests.support.mail_server import MailServer, link_in
from tests.support.stack import Stack, wait_for

READER, TESTER, SENDER = "reader@visitors.example", "tester@visitors.example", "sender@visitors.example"


def test_from_a_form_to_an_answer(admin_stack: Stack, page: Page, api: httpx.Client, post: MailServer) -> None:
    """Spec §1, §2."""
    app = admin_stack.app
    page.goto(app)
    newsletter = form(page, "Subscribe")
    newsletter.get_by_label("Name (optional)").fill("Una")
    newsletter.get_by_label("Email").fill(READER)
    newsletter.get_by_role("button", name="Subscribe").click()
    expect(page.get_by_text("You've been subscribed to our newsletter.", exact=True).first).to_be_visible()
    early = form(page, "Get Early Access").first
    early.get_by_label("Email").fill(TESTER)
    early.get_by_role("button", name="Get Early Access").click()
    expect(page.get_by_text("You're on the list!", exact=True).first).to_be_visible()

    page.goto(link_in(mail(post, READER, "Confirm your subscription")))
    page.get_by_role("button", name="Confirm subscription").click()
    expect(page.get_by_text("Subscription confirmed")).to_be_visible()
    welcome = mail(post, READER, "You get the")
    assert welcome["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"

    page.goto(link_in(mail(post, TESTER, "Confirm your address")))
    page.get_by_role("button", name="Confirm address").click()
    expect(page.get_by_text("Address confirmed")).to_be_visible()
    assert "place 1 of 10" in mail(post, TESTER, "You're on the list").get_content()

    page.goto(f"{app}/consulting?service=Growth+Acceleration")
    inquiry = form(page, "Submit Inquiry")
    expect(inquiry.get_by_label("Service Interest")).to_have_value("Growth Acceleration")
    for label, text in (
        ("First Name", "Una"),
        ("Last Name", "Unudóttir"),
        ("Email", SENDER),
        ("Message", "Twelve sites"),
    ):
        inquiry.get_by_label(label).fill(text)
    inquiry.get_by_role("button", name="Submit Inquiry").click()
    expect(page.get_by_text("Inquiry Submitted", exact=True).first).to_be_visible()
    assert "within 24 hours" in mail(post, SENDER, "Your inquiry").get_content()

    sign_in(page, app)
    page.goto(f"{app}/admin/inquiries")
    page.get_by_role("button", name="Una Unudóttir").click()
    drawer = page.get_by_role("dialog", name="Una Unudóttir")
    drawer.get_by_label("Reply by email").fill("We begin on Monday.")
    drawer.get_by_role("button", name="Send reply").click()
    expect(drawer.get_by_text("Reply by Administrator")).to_be_visible()
    assert "> Twelve sites" in mail(post, SENDER, "Re: Your inquiry").get_content()
    expect(drawer.get_by_text("Email sent")).to_be_visible()

    page.goto(f"{app}/admin/subscribers")
    expect(page.get_by_text("1 of 10 places filled, 0 waiting")).to_be_visible()
    expect(page.get_by_role("region", name="Subscribers").get_by_text(READER)).to_be_visible()
    page.get_by_role("button", name=f"Invite {TESTER}").click()
    assert "/login?tab=create-account&invite=" in mail(post, TESTER, "Your invite").get_content()

    stop = urlsplit(str(welcome["List-Unsubscribe"]).strip("<>"))
    page.goto(f"{app}{stop.path}")
    page.get_by_role("button", name="Unsubscribe").click()
    expect(page.get_by_text("You've been unsubscribed, and your address is deleted.")).to_be_visible()
    one_click = httpx.post(f"{app}{stop.path}", data={"List-Unsubscribe": "One-Click"}, timeout=PATIENCE_S)
    assert one_click.status_code == 200, one_click.text
    [reader] = wait_for(lambda: read(api, "/api/admin/subscribers?state=ended"), "the end of the subscription")
    assert reader["email"] is None


def form(page: Page, button: str) -> Locator:
    return page.locator("form").filter(has=page.get_by_role("button", name=button))


def mail(post: MailServer, to: str, subject: str) -> EmailMessage:
    """The newest mail to the address whose subject begins so, once it arrived."""

    def found() -> list[EmailMessage]:
        return [one for one in post.received if one["To"] == to and str(one["Subject"]).startswith(subject)]

    wait_for(found, f"the mail to {to}")
    return found()[-1]
