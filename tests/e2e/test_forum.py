"""What members do together in the forum, in real browsers with a real mail server: a thread, an answer
that quotes and mentions, the notification and the digest of it, a like, a report that comes too early and one that does
not, and what a moderator does."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from infra.kernel.config.loading import load
from infra.kernel.postgres import pool
from infra.ops.jobs import notification_digest
from tests.e2e.conftest import PASSWORD, PATIENCE_S, read, sign_in
from tests.support.mail_server import MailServer
from tests.support.stack import Stack, wait_for

TITLE = "Which window converts best?"
STARTER, ANSWERER = ("Solveig Arnardóttir", "solveig@forum.example"), ("Birna Ketilsdóttir", "birna@forum.example")


@pytest.fixture
def season(admin_stack: Stack) -> Iterator[Callable[[httpx.Client], None]]:
    """Changes the row of a member, as if they had been there for long, and builds it from the events again at the end:
    later tests of this stack audit it."""

    def season(member: httpx.Client) -> None:
        account = read(member, "/api/platform/user")["id"]
        with pool.connect(load(admin_stack.environment, None)) as connection:
            connection.execute(
                "UPDATE lookup.forum_member SET joined_at = now() - interval '9 days', shown = 9 WHERE account_id = %s",
                (account,),
            )

    yield season
    rebuilt = admin_stack.run("projections", "rebuild", "forum_member_stats")
    assert rebuilt.returncode == 0, rebuilt.stderr


def test_members_talk_and_a_moderator_keeps_order(
    admin_stack: Stack,
    page: Page,
    another: Callable[[], Page],
    api: httpx.Client,
    post: MailServer,
    season: Callable[[httpx.Client], None],
) -> None:
    """Spec §1, §2."""
    app = admin_stack.app
    solveig, birna = (join(app, api, *who) for who in (STARTER, ANSWERER))

    first = another()
    enter(first, app, STARTER[1])
    first.goto(f"{app}/forum")
    first.get_by_role("navigation", name="Categories").get_by_role("link", name="Case Studies").click()
    expect(first.get_by_text("No threads found. Be the first to start a discussion!")).to_be_visible()
    first.get_by_role("link", name="Start New Thread").first.click()
    expect(first.get_by_label("Category")).to_have_value("case-studies")
    first.get_by_label("Title").fill(TITLE)
    first.get_by_role("textbox", name="Text").fill("Does **30 days** beat 90 &amp; 60?\n\n<script>alert(1)</script>")
    first.get_by_role("button", name="Preview").click()
    expect(first.locator("p", has_text="Does 30 days beat 90 & 60?")).to_be_visible()
    first.get_by_role("button", name="Start Thread").click()
    expect(first.get_by_role("heading", name=TITLE)).to_be_visible()
    thread = first.url.split("?")[0]
    shared = answered(thread, "og:title").text
    assert f"<title>{TITLE} · Althing</title>" in shared
    text = "Does 30 days beat 90 &amp; 60? &lt;script&gt;alert(1)&lt;/script&gt;"
    assert f'name="description" content="{text}"' in shared
    assert f'<link rel="canonical" href="{thread}" />' in shared
    assert described(shared)["author"]["name"] == STARTER[0]
    first.reload()
    expect(first).to_have_title(f"{TITLE} · Althing")
    for once in ("title", "meta[name=description]", "meta[name=robots]", "link[rel=canonical]"):
        expect(first.locator(f"head {once}")).to_have_count(1)
    assert answered(f"{app}/forum/thread/{uuid4()}", '<meta name="robots" content="noindex" />').status_code == 404

    second = another()
    second.goto(thread)
    expect(second.get_by_text("<script>alert(1)</script>")).to_be_visible()
    second.get_by_role("button", name="Sign in to reply").click()
    fill_in(second, ANSWERER[1])
    second.wait_for_url(f"{thread}*")
    second.get_by_role("button", name=f"Quote the post by {STARTER[0]}").click()
    box = second.get_by_role("textbox", name="Your reply")
    expect(box).to_be_focused()
    second.keyboard.type("Sixty does, ask @solv")
    second.get_by_role("option", name="Solveig").click()
    second.get_by_role("button", name="Reply", exact=True).click()
    answer = post_by(second, ANSWERER[0])
    expect(answer.get_by_role("link", name="@solveig-arnardottir").first).to_be_visible()
    second.get_by_role("button", name=f"Like the post by {STARTER[0]}").click()
    expect(second.get_by_role("button", name=f"Like the post by {STARTER[0]}, 1 like", exact=True)).to_be_visible()

    [told_at, *_] = wait_for(lambda: mentions(solveig), "the notification")
    first.goto(f"{app}/notifications")
    told = first.get_by_role("list", name="Notifications").get_by_role("link", name="Birna Ketilsdóttir mentioned you")
    expect(told).to_be_visible()
    assert digested(admin_stack, told_at) >= 1
    wait_for(lambda: digests(post), "the digest")
    [mail] = digests(post)
    assert f"Birna Ketilsdóttir mentioned you in “{TITLE}”" in mail.get_content()
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    told.click()
    expect(post_by(first, ANSWERER[0])).to_be_focused()

    first.get_by_role("button", name=f"More about the post by {ANSWERER[0]}").click()
    first.get_by_role("menuitem", name="Report").click()
    report = first.get_by_role("dialog", name="Report a post")
    report.get_by_role("radio", name="Off topic").check()
    report.get_by_role("button", name="Report").click()
    expect(report.get_by_text("New members cannot report posts yet.")).to_be_visible()
    season(solveig)
    report.get_by_role("button", name="Report").click()
    expect(first.get_by_text("Report sent", exact=True)).to_be_visible()

    sign_in(page, app)
    page.goto(f"{app}/forum/moderation")
    waiting = page.get_by_role("article", name=f"Post by {ANSWERER[0]} in {TITLE}")
    expect(waiting.get_by_role("list", name="Reports")).to_contain_text(f"Off topic by {STARTER[0]}")
    waiting.get_by_role("button", name="Dismiss reports").click()
    expect(page.get_by_text("The moderation queue is empty.")).to_be_visible()
    page.goto(thread)
    moderate(page, "Lock", "Thread locked")
    moderate(page, "Move", "Thread moved", category="Niche Strategies")
    page.goto(f"{app}/forum/log")
    for done in ("Moved", "Locked", "Reports dismissed"):
        expect(page.get_by_text(done, exact=True).first).to_be_visible()

    second.goto(thread)
    expect(second.get_by_text("This thread is locked: only moderators can reply.")).to_be_visible()
    expect(second.get_by_role("navigation", name="Where this is").get_by_text("Niche Strategies")).to_be_visible()
    expect(second.get_by_role("textbox", name="Your reply")).to_have_count(0)
    refused = birna.post(f"/api/forum/threads/{thread.rsplit('/', 1)[1]}/posts", json={"text": "Once more, please."})
    assert refused.json()["code"] == "thread_locked", refused.text


def join(app: str, api: httpx.Client, name: str, email: str) -> httpx.Client:
    """A member as a program."""
    code = api.post("/api/platform/invite-codes", json={}).json()["code"]
    body = {"email": email, "password": PASSWORD, "name": name, "inviteCode": code}
    made = httpx.post(f"{app}/api/platform/register", json=body, timeout=PATIENCE_S)
    assert made.status_code == 201, made.text
    return httpx.Client(base_url=app, timeout=PATIENCE_S, headers={"Authorization": f"Bearer {made.json()['token']}"})


def answered(address: str, wanted: str, headers: Mapping[str, str] | None = None) -> httpx.Response:
    """What a program without a browser gets, once it holds what is wanted: while the query service has no time for it,
    a page is answered as it was built."""
    found: list[httpx.Response] = []

    def holds() -> bool:
        found[:] = [httpx.get(address, headers=headers, timeout=PATIENCE_S)]
        return wanted in found[0].text

    wait_for(holds, f"{wanted} at {address}")
    return found[0]


def described(document: str) -> Any:
    """The page in the words of schema.org."""
    found = re.search(r'<script type="application/ld\+json">(.+?)</script>', document)
    assert found is not None
    return json.loads(found[1])


def enter(page: Page, app: str, email: str) -> None:
    page.goto(f"{app}/login")
    fill_in(page, email)
    page.wait_for_url("**/dashboard")


def fill_in(page: Page, email: str) -> None:
    page.get_by_label("Email").fill(email)
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_role("button", name="Sign In", exact=True).click()


def post_by(page: Page, name: str) -> Locator:
    return page.get_by_role("article", name=f"Reply by {name}")


def moderate(page: Page, what: str, said: str, category: str | None = None) -> None:
    page.get_by_role("button", name="Moderate").click()
    page.get_by_role("menuitem", name=what, exact=True).click()
    dialog = page.get_by_role("dialog")
    if category is not None:
        dialog.get_by_label("Category").select_option(label=category)
    dialog.get_by_role("button", name=what, exact=True).click()
    expect(page.get_by_text(said, exact=True).first).to_be_visible()


def digests(post: MailServer) -> list[EmailMessage]:
    return [one for one in post.received if one["To"] == STARTER[1] and str(one["Subject"]).startswith("What is new")]


def mentions(member: httpx.Client) -> list[datetime]:
    """When the member was notified."""
    told = read(member, "/api/platform/notifications")
    return [datetime.fromisoformat(one["at"]) for one in told if one["kind"] == "mention"]


def digested(stack: Stack, told_at: datetime) -> int:
    """What the scheduler does the morning after."""
    tomorrow = (told_at.astimezone(UTC) + timedelta(days=1)).replace(hour=7)
    return notification_digest.send_due(load(stack.environment, None), tomorrow)
