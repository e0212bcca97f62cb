"""The demonstration's forum: threads with replies in every category, likes, and a post that awaits approval.

New members may write only now and then, so each member starts one thread and writes one reply; the admin, who has no
such limits, writes the others. A second run adds nothing: threads are found by their titles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import httpx

from infra.ops.demo.members import Done

ADMIN: Final = -1


@dataclass(frozen=True, slots=True)
class DemoThread:
    """A thread and its replies. `author` and the first of each reply: an index of the members, or `ADMIN`."""

    category: str
    author: int
    title: str
    text: str
    replies: tuple[tuple[int, str], ...] = ()


THREADS: Final = (
    DemoThread(
        "cybsectools-updates", ADMIN, "What is new: revenue by page, source and campaign (demo)",
        "Every sale now has the page its click stood on and the campaign that brought the visitor. Open Analytics and"
        " choose the tab *Pages*; the columns add up to the overview.\n\nThis is a post of the demonstration.",
        ((0, "This replaces two spreadsheets of mine. The column for EPC is the one I open first."),),
    ),
    DemoThread(
        "getting-started", 0, "How long until the first sale shows up? (demo)",
        "I connected my website yesterday. Page views and clicks arrive within a second, but no sale so far."
        " My partner says it pays after 30 days. Does the sale show before that?",
        (
            (1, "The sale shows as *pending* when the network reports it, usually within an hour. It becomes *approved*"
                " when the partner confirms it. Check Event delivery for rejected postbacks."),
            (ADMIN, "And if it has no click, its details say why and what to do."),
        ),
    ),
    DemoThread(
        "case-studies", 1, "From 1.8% to 3.1% conversion by moving one table (demo)",
        "I moved the comparison table above the introduction on my best page.\n\n"
        "| | before | after |\n|---|---|---|\n| clicks a day | 41 | 63 |\n| conversion rate | 1.8% | 3.1% |\n"
        "| EPC | $0.42 | $0.71 |\n\nFour weeks each, same weekdays.",
        ((2, "Did you split the traffic, or compare before and after? The season changes mine by a third."),),
    ),
    DemoThread(
        "niche-strategies", 2, "Hosting: do you still promote shared plans? (demo)",
        "Commissions for shared hosting fell by half in two years, and managed plans convert worse for me."
        " What do you recommend to readers who start with one small site?",
        ((3, "I recommend one of each and say for whom. Fewer clicks, more sales, and fewer refunds."),),
    ),
    DemoThread(
        "marketplace-talk", 3, "What do you check before you buy a website? (demo)",
        "My list so far: verified traffic, revenue by partner, age of the content, who wrote it, and whether the"
        " affiliate accounts can be transferred. What is missing?",
        ((ADMIN, "Check the share of the largest partner. If it is more than half, what happens without it?"),),
    ),
    DemoThread(
        "tools-resources", ADMIN, "Postback templates of the 40 networks in one place (demo)",
        "The page Networks in the documentation lists click ID parameters, placeholders and status values."
        " Tell us which network is missing.",
    ),
)  # fmt: skip
HELD: Final = (
    "getting-started",
    "A list of programs that pay monthly (demo)",
    "Found this today: https://monthly-programs.example/list. Which of them are worth applying to?",
)
"""A new member's post with a link: a moderator reviews it first."""
HELD_BY: Final = 4


async def write(app: httpx.AsyncClient, members: Sequence[httpx.AsyncClient], done: Done) -> int:
    """Writes the threads that are not there yet; returns how many there are. `app`: an admin's client."""
    categories = {row["slug"]: row["id"] for row in (await done(app.get("/api/forum/categories"))).json()}
    titles = {row["title"] for row in (await done(app.get("/api/forum/threads?limit=100"))).json()}

    def client(author: int) -> httpx.AsyncClient:
        return app if author == ADMIN else members[author]

    for thread in THREADS:
        if thread.title in titles:
            continue
        body = {"categoryId": categories[thread.category], "title": thread.title, "text": thread.text}
        made = (await done(client(thread.author).post("/api/forum/threads", json=body))).json()
        for author, text in thread.replies:
            await done(client(author).post(f"/api/forum/threads/{made['id']}/posts", json={"text": text}))
        for member in members[: len(thread.replies) + 1]:
            if member is not client(thread.author):
                await done(member.put(f"/api/forum/posts/{made['postId']}/like"))
    category, title, text = HELD
    if THREADS[0].title not in titles:
        held = {"categoryId": categories[category], "title": title, "text": text}
        await done(members[HELD_BY].post("/api/forum/threads", json=held))
    return len(THREADS)
