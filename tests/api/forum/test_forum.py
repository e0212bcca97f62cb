"""The forum over HTTP (spec §2, §3): members write, everybody reads, moderators keep order."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from command_api.accounts.erasure import erase_account
from command_api.forum.routes import PER_FOLLOWER
from infra.kernel.config.settings import Settings
from infra.kernel.postgres.pool import pool as open_pool
from infra.kernel.security.client_info import Client
from query_api.kernel.postgres_reader import ADMIN, PostgresReader, take_role
from tests.support.forum import STARTED, TEXT, Forum, forum
from tests.support.full_api import register
from tests.support.query import Person

__all__ = ["forum"]
SPEC_CATEGORY = {"id", "name", "slug", "description"}
SPEC_THREAD = {"id", "title", "categoryId", "isPinned", "views", "createdAt", "lastReplyAt"}


@pytest.fixture(scope="module")
def ada(forum: Forum) -> Person:
    return forum.member("Ada Byron")


@pytest.fixture(scope="module")
def eve(forum: Forum) -> Person:
    return forum.member("Eve")


def ids(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in rows]


def thread_of(forum: Forum, thread: dict[str, Any], person: Person | None = None) -> dict[str, Any]:
    found: dict[str, Any] = forum.read(f"forum/threads/{thread['id']}", person)
    return found


def posts_of(forum: Forum, thread: dict[str, Any], person: Person | None = None, **params: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = forum.read(f"forum/threads/{thread['id']}/posts", person, **params)
    return found


def test_the_categories_of_the_specification_are_there_for_everybody(forum: Forum) -> None:
    """Spec §3."""
    found = forum.read("forum/categories")
    assert [one["slug"] for one in found] == [
        "getting-started", "case-studies", "tools-resources", "marketplace-talk", "niche-strategies",
        "cybsectools-updates",
    ]  # fmt: skip
    assert found[0].keys() >= SPEC_CATEGORY


def test_a_thread_and_its_reply_are_read_by_a_visitor(forum: Forum, ada: Person, eve: Person) -> None:
    """Spec §3, §7: a plain array, with the author's name and no email address."""
    made = forum.start(ada, title="Which  VPN pays?", text="Which of them **pays** on time?")
    assert made["state"] == "visible"
    reply = forum.reply(eve, made, "None of them, in my experience.", replyTo=made["postId"])
    [thread] = [one for one in forum.read("forum/threads") if one["id"] == made["id"]]
    assert thread.keys() >= SPEC_THREAD
    assert (thread["title"], thread["replies"], thread["isPinned"], thread["unread"]) == (
        "Which VPN pays?", 1, False, False,
    )  # fmt: skip
    assert (thread["author"]["name"], thread["lastReplyBy"]["name"]) == ("Ada Byron", "Eve")
    first, second = posts_of(forum, made, html="true")
    assert (first["id"], second["id"]) == (made["postId"], reply)
    assert first["html"] == "<p>Which of them <strong>pays</strong> on time?</p>\n"
    assert first["excerpt"] == "Which of them pays on time?"
    assert second["replyTo"]["id"] == first["id"] and second["replyTo"]["author"]["name"] == "Ada Byron"
    assert not (first["canEdit"] or first["canDelete"] or thread_of(forum, made)["canReply"])
    assert "@example.com" not in forum.call("GET", f"forum/threads/{made['id']}/posts").text


def test_pages_keep_their_place_whatever_is_added(forum: Forum, ada: Person, eve: Person) -> None:
    made = forum.start(ada)
    written = [made["postId"], *(forum.reply(eve, made, f"Reply number {number}") for number in range(6))]
    forum.project()
    first = forum.call("GET", f"forum/threads/{made['id']}/posts", params={"limit": 3})
    assert ids(first.json()) == written[:3] and "prev" not in first.links
    forum.done("DELETE", f"forum/posts/{written[1]}", eve)
    later = forum.reply(ada, made, "Something later")
    forum.project()
    second = forum.call("GET", first.links["next"]["url"].removeprefix("/api/"))
    assert ids(second.json()) == written[3:6]
    back = forum.call("GET", second.links["prev"]["url"].removeprefix("/api/"))
    assert ids(back.json()) == [written[0], written[2]]
    posts = f"forum/threads/{made['id']}/posts"
    around = forum.call("GET", posts, params={"around": written[4], "limit": 3})
    assert ids(around.json()) == written[3:6] and {"next", "prev"} <= around.links.keys()
    rendered = forum.call("GET", f"{posts}?around={written[4]}&limit=3&html=true")
    assert ids(rendered.json()) == written[3:6] and all(post["html"].startswith("<p>") for post in rendered.json())
    last = forum.call("GET", f"forum/threads/{made['id']}/posts", params={"around": later, "limit": 3})
    assert ids(last.json()) == [written[5], written[6], later] and "next" not in last.links
    assert forum.call("GET", f"forum/threads/{made['id']}/posts", params={"around": str(uuid4())}).status_code == 404
    assert forum.call("GET", f"forum/threads/{made['id']}/posts", params={"cursor": "bm8"}).status_code == 400


@pytest.mark.parametrize("sort", ["latest", "newest", "replies", "views"])
def test_lists_are_read_to_their_end_page_by_page_with_pinned_threads_first(
    forum: Forum, ada: Person, sort: str
) -> None:
    made = [forum.start(ada, title=f"Paged {sort} {number}") for number in range(5)]
    forum.done("POST", f"admin/forum/threads/{made[0]['id']}/pin", forum.moderator, json={})
    forum.reply(ada, made[1])
    forum.project()
    path = f"forum/threads?sort={sort}&limit=2&categoryId={STARTED}"
    found: list[dict[str, Any]] = []
    while path:
        answer = forum.call("GET", path)
        assert answer.status_code == 200, answer.text
        found += answer.json()
        path = answer.links["next"]["url"].removeprefix("/api/") if "next" in answer.links else ""
    assert len(set(ids(found))) == len(found) and {one["id"] for one in made} <= set(ids(found))
    pinned = [one["isPinned"] for one in found]
    assert pinned == sorted(pinned, reverse=True) and pinned[0]
    mine = [one["title"][-1] for one in found if one["title"].startswith(f"Paged {sort}")]
    assert mine == (["0", "1", "4", "3", "2"] if sort in ("latest", "replies") else ["0", "4", "3", "2", "1"])
    forum.done("POST", f"admin/forum/threads/{made[0]['id']}/unpin", forum.moderator, json={})


def test_unread_marks_follow_what_a_member_has_read(forum: Forum, ada: Person, eve: Person) -> None:
    made = forum.start(ada)
    assert thread_of(forum, made, eve)["unread"]
    [post] = posts_of(forum, made, eve)
    forum.done("POST", f"forum/threads/{made['id']}/read", eve, json={"position": post["position"]})
    found = thread_of(forum, made, eve)
    assert (found["unread"], found["lastReadPostId"]) == (False, made["postId"])
    forum.reply(ada, made)
    assert thread_of(forum, made, eve)["unread"]
    assert made["id"] in ids(forum.read("forum/threads", eve, filter="unread"))
    forum.done("POST", f"forum/threads/{made['id']}/read", eve, json={"position": 1})  # never goes back
    assert thread_of(forum, made, eve)["lastReadPostId"] == made["postId"]
    forum.done("POST", "forum/read", eve, json={})
    assert not thread_of(forum, made, eve)["unread"]
    assert forum.read("forum/threads", eve, filter="unread") == []
    assert forum.call("GET", "forum/threads?filter=unread").json() == []


def test_a_thread_is_read_once_its_last_post_is_whatever_was_approved_or_removed(forum: Forum, ada: Person) -> None:
    """A reply counts from its approval on; one that was removed does not keep a thread unread, nor names its author."""
    made, new, reader = forum.start(ada), forum.member("Approved Late", new=True), forum.member("Reads It All")

    def read_all() -> None:
        last = posts_of(forum, made, reader)[-1]
        forum.done("POST", f"forum/threads/{made['id']}/read", reader, json={"position": last["position"]})

    body = {"text": "It is at https://a.example for all to see"}
    held = forum.done("POST", f"forum/threads/{made['id']}/posts", new, json=body)["id"]
    later = forum.reply(ada, made, "Meanwhile another member answers")
    read_all()
    assert not thread_of(forum, made, reader)["unread"]
    forum.done("POST", f"admin/forum/posts/{held}/approve", forum.moderator)
    assert thread_of(forum, made, reader)["unread"]
    assert ids(posts_of(forum, made)) == [made["postId"], later, held]
    assert thread_of(forum, made)["lastReplyBy"]["name"] == "Approved Late"
    read_all()
    assert not thread_of(forum, made, reader)["unread"]
    spam = forum.reply(ada, made, "Buy my course about it")
    assert thread_of(forum, made, reader)["unread"]
    forum.done("POST", f"admin/forum/posts/{spam}/delete", forum.moderator, json={"reason": "Advertising"})
    found = thread_of(forum, made, reader)
    assert (found["unread"], found["replies"], found["lastReplyBy"]["name"]) == (False, 2, "Approved Late")
    assert made["id"] not in ids(forum.read("forum/threads", reader, filter="unread", limit=200))
    for reply in (held, later):
        forum.done("POST", f"admin/forum/posts/{reply}/delete", forum.moderator, json={"reason": "All of it"})
    found = thread_of(forum, made)
    assert (found["replies"], found["lastReplyAt"], found["lastReplyBy"]) == (0, None, None)


def test_ones_own_thread_is_followed_and_so_is_one_replied_to(forum: Forum, ada: Person, eve: Person) -> None:
    made = forum.start(ada)
    assert thread_of(forum, made, ada)["followed"] and not thread_of(forum, made, eve)["followed"]
    forum.reply(eve, made)
    assert thread_of(forum, made, eve)["followed"]
    forum.done("DELETE", f"forum/threads/{made['id']}/follow", eve)
    forum.reply(eve, made, "Still here, without following")
    assert not thread_of(forum, made, eve)["followed"]
    assert made["id"] in ids(forum.read("forum/threads", ada, filter="following", limit=200))
    assert made["id"] in ids(forum.read("forum/threads", ada, filter="mine", limit=200))


def test_an_edit_shows_and_its_history_is_for_the_author_and_moderators(forum: Forum, ada: Person, eve: Person) -> None:
    made = forum.start(ada, text="What I said at first")
    forum.done("PATCH", f"forum/posts/{made['postId']}", ada, json={"text": "What I meant to say"})
    [post] = posts_of(forum, made)
    assert (post["text"], post["edits"]) == ("What I meant to say", 1) and post["editedAt"] is not None
    path = f"forum/posts/{made['postId']}/history"
    for person in (ada, forum.moderator):
        [edit] = forum.read(path, person)
        assert (edit["number"], edit["text"], edit["editedBy"]["name"]) == (1, "What I said at first", "Ada Byron")
    assert forum.call("GET", path, eve).status_code == 404
    assert forum.call("GET", path).status_code == 401
    refused = forum.call("PATCH", f"forum/posts/{made['postId']}", eve, json={"text": "What Eve wants to hear"})
    assert (refused.status_code, refused.json()["code"]) == (403, "not_allowed")


def test_a_moderator_who_edits_a_post_stays_mentioned_in_it(forum: Forum, ada: Person) -> None:
    handle = forum.handle(forum.moderator)
    made = forum.start(ada, text=f"What does @{handle} think of it?")
    text = f"What does @{handle} think of it, asks @{forum.handle(ada)}?"
    forum.done("PATCH", f"forum/posts/{made['postId']}", forum.moderator, json={"text": text})
    [post] = posts_of(forum, made)
    assert [one["handle"] for one in post["mentions"]] == [handle]


def test_what_its_author_deletes_is_gone_and_a_moderator_can_restore_it(forum: Forum, ada: Person, eve: Person) -> None:
    made = forum.start(ada)
    reply = forum.reply(eve, made)
    forum.project()
    answered = forum.call("DELETE", f"forum/posts/{made['postId']}", ada)
    assert (answered.status_code, answered.json()["code"]) == (409, "has_replies")
    forum.done("DELETE", f"forum/posts/{reply}", eve)
    assert reply not in ids(posts_of(forum, made, eve)) and thread_of(forum, made)["replies"] == 0
    [_, seen] = posts_of(forum, made, forum.moderator)
    assert (seen["id"], seen["state"]) == (reply, "deleted")
    assert forum.call("POST", f"admin/forum/posts/{reply}/restore", eve).status_code == 403
    forum.done("POST", f"admin/forum/posts/{reply}/restore", forum.moderator)
    assert reply in ids(posts_of(forum, made)) and thread_of(forum, made)["replies"] == 1


def test_a_moderator_removes_a_thread_with_a_reason_that_the_log_shows(forum: Forum, ada: Person, eve: Person) -> None:
    made = forum.start(ada, title="Buy my course")
    path = f"admin/forum/posts/{made['postId']}/delete"
    assert forum.call("POST", path, forum.moderator, json={"reason": " "}).status_code == 400
    forum.done("POST", path, forum.moderator, json={"reason": "Advertising"})
    assert made["id"] not in ids(forum.read("forum/threads", eve, limit=200))
    assert forum.call("GET", f"forum/threads/{made['id']}", eve).status_code == 404
    assert forum.call("GET", f"forum/threads/{made['id']}/posts", eve).status_code == 404
    [entry, *_] = forum.read("forum/log", eve)
    assert (entry["action"], entry["reason"], entry["by"]) == ("deleted", "Advertising", None)
    assert entry["member"]["name"] == "Ada Byron"
    assert forum.read("forum/log", forum.moderator)[0]["by"] == "Mo"
    forum.done("POST", f"admin/forum/posts/{made['postId']}/restore", forum.moderator)
    assert thread_of(forum, made, eve)["isVisible"]


def test_a_locked_thread_takes_no_replies_and_a_moved_one_is_elsewhere(forum: Forum, ada: Person, eve: Person) -> None:
    made = forum.start(ada)
    forum.done("POST", f"admin/forum/threads/{made['id']}/lock", forum.moderator, json={"reason": "Settled"})
    refused = forum.call("POST", f"forum/threads/{made['id']}/posts", eve, json={"text": TEXT})
    assert (refused.status_code, refused.json()["code"]) == (409, "thread_locked")
    found = thread_of(forum, made, eve)
    assert found["isLocked"] and not found["canReply"]
    assert thread_of(forum, made, forum.moderator)["canReply"]
    other = next(one for one in forum.read("forum/categories") if one["slug"] == "case-studies")
    forum.done("POST", f"admin/forum/threads/{made['id']}/move", forum.moderator, json={"categoryId": other["id"]})
    assert made["id"] in ids(forum.read("forum/threads", categoryId=other["id"], limit=200))
    assert [entry["action"] for entry in forum.read("forum/log")[:2]] == ["moved", "locked"]
    for path in ("pin", "unpin", "lock", "unlock"):
        assert forum.call("POST", f"admin/forum/threads/{made['id']}/{path}", ada, json={}).status_code == 403


def test_reports_reach_the_moderators_and_the_third_hides_the_post(forum: Forum, ada: Person, eve: Person) -> None:
    made = forum.start(ada)
    reply = forum.reply(eve, made, "You are all wrong here")
    reporters = [ada, *(forum.member(f"Reporter {number}") for number in range(2))]
    report = {"reason": "abusive", "note": "Not nice"}
    for person in reporters[:2]:
        forum.done("POST", f"forum/posts/{reply}/flag", person, json=report)
    again = forum.call("POST", f"forum/posts/{reply}/flag", ada, json=report)
    assert (again.status_code, again.json()["code"]) == (409, "already_reported")
    [queued] = [
        one for one in forum.read("admin/forum/queue", forum.moderator, limit=200) if one["post"]["id"] == reply
    ]
    assert queued["waitingSince"] == queued["flags"][0]["at"]  # not since the last report: it would wait indefinitely
    assert (queued["waitsFor"], len(queued["flags"]), queued["flags"][0]["note"]) == ("flags", 2, "Not nice")
    assert reply in ids(posts_of(forum, made, ada))
    forum.done("POST", f"forum/posts/{reply}/flag", reporters[2], json={"reason": "spam"})
    assert reply not in ids(posts_of(forum, made, ada))
    assert [one["state"] for one in posts_of(forum, made, eve)] == ["visible", "hidden"]
    forum.done("POST", f"admin/forum/posts/{reply}/dismiss-flags", forum.moderator)
    assert reply in ids(posts_of(forum, made, ada)) and thread_of(forum, made)["replies"] == 1
    reviewed = forum.call("POST", f"forum/posts/{reply}/flag", ada, json=report)
    assert (reviewed.status_code, reviewed.json()["code"]) == (409, "reviewed")
    assert forum.call("GET", "admin/forum/queue", ada).status_code == 403


def test_a_new_members_link_waits_for_approval(forum: Forum, eve: Person) -> None:
    new = forum.member("Newcomer", new=True)
    made = forum.start(new, text="See https://a.example for more of it")
    assert made["state"] == "held"
    assert made["id"] not in ids(forum.read("forum/threads", limit=200))
    assert forum.call("GET", f"forum/threads/{made['id']}", eve).status_code == 404
    assert thread_of(forum, made, new)["isVisible"] is False
    assert [one["state"] for one in posts_of(forum, made, new)] == ["held"]
    assert forum.call("PUT", f"forum/posts/{made['postId']}/like", eve).status_code == 404
    assert forum.read("platform/forum/me", new)["isNew"] is True
    forum.done("POST", f"admin/forum/posts/{made['postId']}/approve", forum.moderator)
    assert thread_of(forum, made, eve)["isVisible"] and ids(posts_of(forum, made)) == [made["postId"]]
    forum.rest(new)
    for text, code in (("[a](https://a.example) " * 3, "too_many_links"), ("@aa @bb @cc hello", "too_many_mentions")):
        body = {"text": text}
        refused = forum.call("POST", f"forum/threads/{made['id']}/posts", new, json=body)
        assert (refused.status_code, refused.json()["code"]) == (400, code)
    own = forum.api.query.settings.app_url
    assert (
        forum.done("POST", f"forum/threads/{made['id']}/posts", new, json={"text": f"It is at {own}/about"})["state"]
        == "visible"
    )
    refused = forum.call(
        "POST", f"forum/posts/{made['postId']}/flag", forum.member("N", new=True), json={"reason": "spam"}
    )
    assert (refused.status_code, refused.json()["code"]) == (403, "new_member")


def test_a_suspended_member_reads_and_writes_nothing(forum: Forum, ada: Person) -> None:
    rude = forum.member("Rude")
    path = f"admin/forum/members/{rude.account_id}"
    forum.done("POST", f"{path}/suspend", forum.moderator, json={"reason": "Rude", "until": "2999-01-01T00:00:00Z"})
    body = {"categoryId": str(STARTED), "title": "Why?", "text": TEXT}
    refused = forum.call("POST", "forum/threads", rude, json=body)
    assert (refused.status_code, refused.json()["code"]) == (403, "suspended")
    assert "until Jan 1, 2999" in refused.json()["message"]
    me = forum.read("platform/forum/me", rude)
    assert (me["suspendedUntil"][:4], me["suspensionReason"]) == ("2999", "Rude")
    assert forum.read("forum/log", ada)[0]["action"] == "suspended"
    forum.done("POST", f"{path}/reinstate", forum.moderator)
    assert forum.start(rude)["state"] == "visible"
    nobody = f"admin/forum/members/{uuid4()}/suspend"
    assert forum.call("POST", nobody, forum.moderator, json={"reason": "x"}).status_code == 404


def test_a_moderator_is_no_admin_and_keeps_order_in_the_forum_alone(forum: Forum, ada: Person) -> None:
    """A role of its own, which an admin gives."""
    warden = forum.member("Warden", "member", "moderator")
    new = forum.member("Held", new=True)
    made = forum.start(new, text="See https://a.example for more of it")
    assert forum.read("platform/forum/me", warden)["isModerator"] is True
    queue = forum.read("admin/forum/queue", warden, limit=200)
    assert made["postId"] in [one["post"]["id"] for one in queue]
    assert [one["state"] for one in posts_of(forum, made, warden)] == ["held"]
    forum.done("PATCH", f"forum/posts/{made['postId']}", new, json={"text": "See https://a.example or ask me"})
    assert len(forum.read(f"forum/posts/{made['postId']}/history", warden)) == 1
    forum.done("POST", f"admin/forum/posts/{made['postId']}/approve", warden)
    assert thread_of(forum, made, ada)["isVisible"]
    forum.done("POST", f"admin/forum/threads/{made['id']}/lock", warden, json={"reason": "Settled"})
    forum.done("POST", f"forum/threads/{made['id']}/posts", warden, json={"text": "A last word on it by a moderator"})
    assert forum.read("forum/log", warden)[0]["by"] == "Warden"
    forum.done("POST", f"admin/forum/members/{new.account_id}/suspend", warden, json={"reason": "Rude"})
    forum.postgres.execute("INSERT INTO lookup.admin VALUES (%s) ON CONFLICT DO NOTHING", (forum.moderator.account_id,))
    path = f"admin/forum/members/{forum.moderator.account_id}/suspend"
    try:
        assert forum.call("POST", path, warden, json={"reason": "Mine now"}).status_code == 403
    finally:
        forum.postgres.execute("DELETE FROM lookup.admin WHERE account_id = %s", (forum.moderator.account_id,))
    for path in ("admin/accounts", "admin/inquiries", "admin/outbox"):
        assert forum.call("GET", path, warden).status_code == 403, path
    assert forum.call("GET", "admin/forum/queue", ada).status_code == 403
    assert forum.call("GET", "admin/forum/queue").status_code == 401


def test_limits_say_when_to_come_back(forum: Forum, ada: Person) -> None:
    made = forum.start(ada)
    body = {"text": "Exactly these words again"}
    forum.reply(ada, made, body["text"])
    same = forum.call("POST", f"forum/threads/{made['id']}/posts", ada, json=body)
    assert (same.status_code, same.json()["code"]) == (409, "duplicate")
    forum.postgres.execute("UPDATE forum.act SET at = now() WHERE account_id = %s", (ada.account_id,))
    fast = forum.call("POST", f"forum/threads/{made['id']}/posts", ada, json={"text": "Other words now"})
    assert (fast.status_code, fast.json()["code"]) == (429, "too_fast")
    assert 1 <= int(fast.headers["Retry-After"]) <= 5
    new = forum.member("Eager", new=True)
    for _ in range(3):
        forum.start(new, title=f"Eager {uuid4()}", text=f"Once more {uuid4()}")
        forum.postgres.execute(
            "INSERT INTO forum.act (account_id, kind, at) VALUES (%s, 'topic', now() - interval '10 minutes')",
            (new.account_id,),
        )
    forum.postgres.execute(
        "INSERT INTO forum.act (account_id, kind, at)"
        " SELECT %s, 'topic', now() - interval '1 hour' FROM generate_series(1, 2)",
        (new.account_id,),
    )
    fourth = {"categoryId": str(STARTED), "title": "A fourth one", "text": "The fourth thread of a first day"}
    refused = forum.call("POST", "forum/threads", new, json=fourth)
    assert (refused.status_code, refused.json()["code"]) == (429, "daily_limit")
    assert "3 threads" in refused.json()["message"] and int(refused.headers["Retry-After"]) > 3600


def test_repeated_following_and_unfollowing_is_limited(forum: Forum, ada: Person) -> None:
    made, restless = forum.start(ada), forum.member("Restless")
    path = f"forum/threads/{made['id']}/follow"
    assert {forum.call("PUT", path, restless).status_code for _ in range(PER_FOLLOWER.burst)} == {204}
    # One more comes free after a while, which a busy machine may take for the first ones.
    tries = (forum.call("PUT", path, restless) for _ in range(PER_FOLLOWER.burst))
    refused = next(answer for answer in tries if answer.status_code != 204)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_attempts")


def test_search_finds_words_and_marks_them_without_html(forum: Forum, ada: Person, eve: Person) -> None:
    word = f"zebra{uuid4().hex[:8]}"
    by_title = forum.start(ada, title=f"All about {word}")
    in_text = forum.start(eve, text=f"Nobody has seen a <b>{word}</b> here yet")
    held = forum.start(forum.member("N", new=True), text=f"{word} at https://a.example")
    assert [one["threadId"] for one in forum.read("forum/search", q=word, categoryId=str(STARTED))] == ids(
        [by_title, in_text]
    )
    found = forum.read("forum/search", q=word)
    assert [one["threadId"] for one in found] == [by_title["id"], in_text["id"]]
    pieces = found[1]["excerpt"]
    assert [piece["text"] for piece in pieces if piece["hit"]] == [word]
    assert "".join(piece["text"] for piece in pieces).split() == f"Nobody has seen a {word} here".split()
    assert [one["postId"] for one in forum.read("forum/search", q=word, author=forum.handle(eve))] == [
        in_text["postId"]
    ]
    assert forum.read("forum/search", q=word, categoryId=str(uuid4())) == []
    assert forum.read("forum/search", q=word, author="nobody-at-all") == []
    forum.done("DELETE", f"forum/posts/{in_text['postId']}", eve)
    assert [one["threadId"] for one in forum.read("forum/search", forum.moderator, q=word)] == [by_title["id"]]
    assert held["id"] not in str(found)
    assert forum.call("GET", "forum/search", params={"q": "' & | ! :* <-> \\ \""}).status_code == 200


def test_a_word_of_very_many_posts_is_found_in_a_small_category_too(forum: Forum, ada: Person, eve: Person) -> None:
    word = f"common{uuid4().hex[:8]}"
    large, small = forum.start(ada), forum.start(eve)
    other = next(one["id"] for one in forum.read("forum/categories") if one["slug"] == "tools-resources")
    forum.done("POST", f"admin/forum/threads/{small['id']}/move", forum.moderator, json={"categoryId": other})
    forum.project()
    forum.postgres.execute(
        "INSERT INTO read.forum_posts__g1 (id, thread_id, author_id, text, is_first, mentions, state, created_at,"
        " position) SELECT gen_random_uuid(), CASE WHEN n <= 1100 THEN %(large)s ELSE %(small)s END::uuid, %(ada)s,"
        " %(word)s || ' is in all of them', false, '{}', 'visible', now(), n FROM generate_series(1, 1101) AS n",
        {"large": large["id"], "small": small["id"], "ada": ada.account_id, "word": word},
    )
    try:
        found = forum.read("forum/search", q=word, categoryId=other)
        assert [one["threadId"] for one in found] == [small["id"]]
        assert len(forum.read("forum/search", q=word, limit=50)) == 50
    finally:
        forum.postgres.execute("DELETE FROM read.forum_posts__g1 WHERE text LIKE %s", (f"{word}%",))


def test_a_profile_shows_what_everybody_may_see(forum: Forum, eve: Person) -> None:
    pro = forum.member("Prolific Writer")
    made = forum.start(pro)
    forum.done("PUT", f"forum/posts/{made['postId']}/like", eve)
    handle = forum.handle(pro)
    assert handle.startswith("prolific-writer")
    profile = forum.read(f"forum/members/{handle}")
    assert (profile["name"], profile["posts"], profile["threads"], profile["likesReceived"], profile["role"]) == (
        "Prolific Writer", 2, 2, 1, "member",
    )  # fmt: skip
    assert profile["joinedAt"] is not None and "email" not in profile
    assert ids(forum.read(f"forum/members/{handle}/posts"))[0] == made["postId"]
    assert handle in {one["handle"] for one in forum.read("forum/members", eve, prefix=handle[:12])}
    assert forum.call("GET", "forum/members", params={"prefix": "a"}).status_code == 401
    assert forum.call("GET", "forum/members/nobody-at-all").status_code == 404


def test_an_erased_account_is_a_deleted_member_everywhere(forum: Forum, eve: Person) -> None:
    leaver = forum.member("Leaving Soon", new=True)
    register(forum.api, leaver)
    made = forum.start(leaver, title="My secret title", text="My secret text, that I regret")
    reply = forum.reply(eve, made, "I keep my words", replyTo=made["postId"])
    handle = forum.handle(leaver)
    erase_account(forum.api.core, leaver.account_id, Client())
    found = thread_of(forum, made, eve)
    assert (found["author"], found["title"]) == (
        {"id": None, "name": "Deleted member", "handle": None, "role": "member"}, "Removed at its author's request.",
    )  # fmt: skip
    first, second = posts_of(forum, made, eve)
    assert "secret" not in str(first) and second["id"] == reply and "secret" not in str(second)
    assert forum.read("forum/search", q="secret regret") == []
    assert forum.call("GET", f"forum/members/{handle}").status_code == 404
    next_one = forum.member("Leaving Soon")
    assert forum.handle(next_one) != handle  # nobody gets it again
    forum.done("POST", f"admin/forum/posts/{made['postId']}/delete", forum.moderator, json={"reason": "Empty"})
    forum.project()
    assert forum.call("GET", f"forum/threads/{made['id']}", eve).status_code == 404


def test_row_level_security_hides_held_posts(forum: Forum, eve: Person, query_settings: Settings) -> None:
    """Row-level security, with every condition of the routes taken away."""
    new = forum.member("Walled", new=True)
    held = forum.start(new, text="See https://a.example for more of it")
    shown = forum.start(eve, text="Shown to everybody who comes by")
    forum.done("POST", f"forum/posts/{shown['postId']}/flag", forum.member("Walls"), json={"reason": "spam"})
    forum.project()
    both = [held["postId"], shown["postId"]]
    with open_pool(query_settings, 1, configure=take_role) as pool:
        readers = {
            "visitor": PostgresReader.of_service(pool), "eve": PostgresReader(pool, eve.account_id),
            "new": PostgresReader(pool, new.account_id),
            "moderator": PostgresReader(pool, ADMIN), "nobody": PostgresReader(pool, ""),
            "warden": PostgresReader.of_moderator(pool, eve.account_id),
        }  # fmt: skip
        seen = {who: _ids_of(reader, "forum_posts", "id", both) for who, reader in readers.items()}
        threads = {who: _ids_of(reader, "forum_threads", "first_post_id", both) for who, reader in readers.items()}
        marks = {who: len(reader.rows(_OF_OTHERS, (eve.account_id,))) for who, reader in readers.items()}
        reports = {who: len(_ids_of(reader, "forum_flags", "post_id", both)) for who, reader in readers.items()}
    only = {shown["postId"]}
    assert seen == threads == {
        "visitor": only, "eve": only, "new": set(both), "moderator": set(both), "warden": set(both), "nobody": set(),
    }  # fmt: skip
    assert reports == {"visitor": 0, "eve": 0, "new": 0, "moderator": 1, "warden": 1, "nobody": 0}
    assert marks["warden"] == marks["eve"] == 0 and marks["moderator"] > 0  # what others like is theirs to know


_OF_OTHERS = "SELECT 1 FROM read.forum_follows WHERE account_id <> %s"


def _ids_of(reader: PostgresReader, table: str, column: str, wanted: list[str]) -> set[str]:
    rows = reader.rows(f"SELECT {column} AS id FROM read.{table} WHERE {column} = ANY(%s::uuid[])", (wanted,))
    return {str(row["id"]) for row in rows}


def test_a_thread_sent_twice_with_one_key_is_one(forum: Forum) -> None:
    person, title = forum.member("Twice"), f"Twice {uuid4()}"
    body = {"categoryId": str(STARTED), "title": title, "text": f"Only once please {uuid4()}"}
    forum.rest(person)
    answers = [
        forum.api.call("POST", "/api/forum/threads", person, json=body, headers={"Idempotency-Key": title})
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [201, 201] and answers[0].json() == answers[1].json()
    assert len([one for one in forum.read("forum/threads", person, filter="mine") if one["title"] == title]) == 1


def test_what_is_wrong_with_a_post_is_named(forum: Forum, ada: Person) -> None:
    for body, field in (
        ({"title": "ab", "text": TEXT}, "title"),
        ({"title": "Fine", "text": "short"}, "text"),
        ({"title": "Fine", "text": "x" * 32_768}, "text"),
        ({"title": "Fine", "text": TEXT, "categoryId": str(uuid4())}, "categoryId"),
    ):
        refused = forum.call("POST", "forum/threads", ada, json={"categoryId": str(STARTED), **body})
        assert refused.status_code == 400, refused.text
        assert [error["field"] for error in refused.json()["errors"]] == [field]
