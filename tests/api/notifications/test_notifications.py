"""Notifications: mentions, answers, replies, likes and moderation, in the app and by mail digest."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from command_api.kernel.decision import event_metadata, system_context
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import decrypt_mail
from infra.ops.jobs.notification_digest import periods, send_due
from infra.ops.jobs.retention import RULES
from schemas.events.websites import ClaimsUnusual
from schemas.notifications import KINDS
from tests.api.kernel.test_command_races import at_once
from tests.support.engines import ROOT
from tests.support.forum import Forum, forum
from tests.support.query import Person

__all__ = ["forum"]
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


def told(forum: Forum, person: Person, **params: Any) -> list[tuple[str, str, int]]:
    """Kind, words and count, newest first."""
    return [(one["kind"], one["title"], one["count"]) for one in forum.read("platform/notifications", person, **params)]


def waiting_for(forum: Forum, person: Person) -> int:
    """How many posts wait for the review of the person."""
    [one] = [item for item in forum.read("platform/notifications", person) if item["kind"] == "review"] or [
        {"count": 0}
    ]
    assert one["count"] == 0 or one["path"] == "/forum/moderation"
    return int(one["count"])


def choose(forum: Forum, person: Person, kind: str, in_app: bool, mail: str) -> Any:
    path = f"platform/notification-preferences/{kind}"
    return forum.done("PUT", path, person, json={"inApp": in_app, "mail": mail})


def test_each_member_gets_one_notification_of_a_post_of_the_closest_kind(forum: Forum) -> None:
    ada, eve, una = (forum.member(name) for name in ("Ada Told", "Eve Told", "Una Told"))
    made = forum.start(ada, title="Told")
    answered = forum.reply(eve, made)
    follower = forum.member("Follower")
    forum.done("PUT", f"forum/threads/{made['id']}/follow", follower)
    forum.reply(una, made, f"As @{forum.handle(ada)} says, and @{forum.handle(una)} knows", replyTo=answered)
    assert told(forum, ada)[0] == ("mention", "Una Told mentioned you in “Told”", 1)
    assert told(forum, eve) == [("quote", "Una Told replied to your post in “Told”", 1)]
    assert told(forum, follower) == [("reply", "Una Told replied in “Told”", 1)]
    assert told(forum, una) == []
    assert forum.read("platform/notifications/unseen", ada) == {"unseen": 2}


def test_replies_and_likes_are_gathered_until_they_are_seen(forum: Forum) -> None:
    ada, fans = forum.member("Gatherer"), [forum.member(f"Fan {number}") for number in range(3)]
    made = forum.start(ada, title="Gathered")
    for fan in fans:
        forum.done("PUT", f"forum/posts/{made['postId']}/like", fan)
        forum.reply(fan, made, f"Well said, says {uuid4()}")
    assert told(forum, ada) == [
        ("reply", "3 new replies in “Gathered”", 3),
        ("like", "Fan 2 and 2 others like your post in “Gathered”", 3),
    ]
    forum.done("DELETE", f"forum/posts/{made['postId']}/like", fans[0])
    assert told(forum, ada)[1][2] == 2
    [reply, like] = forum.read("platform/notifications", ada)
    assert reply["path"].startswith(f"/forum/thread/{made['id']}?post=") and reply["actor"]["name"] == "Fan 2"
    forum.done("POST", f"platform/notifications/{like['id']}/seen", ada)
    assert forum.read("platform/notifications/unseen", ada) == {"unseen": 1}
    forum.reply(fans[1], made, "One more of it")
    assert told(forum, ada, unseen="true") == [("reply", "4 new replies in “Gathered”", 4)]
    forum.done("POST", "platform/notifications/seen", ada)
    assert told(forum, ada, unseen="true") == [] and len(told(forum, ada)) == 2
    forum.reply(fans[1], made, "And one after that")
    assert told(forum, ada, unseen="true") == [("reply", "Fan 1 replied in “Gathered”", 1)]


def test_a_withdrawn_like_leaves_those_of_others(forum: Forum) -> None:
    ada, first, second = (forum.member(name) for name in ("Liked Twice", "First Fan", "Second Fan"))
    made = forum.start(ada, title="Liked")
    path = f"forum/posts/{made['postId']}/like"
    forum.done("PUT", path, first)
    forum.done("PUT", path, second)
    forum.done("DELETE", path, second)
    assert told(forum, ada) == [("like", "Someone likes your post in “Liked”", 1)]  # and not the one who does no more
    forum.project()
    forum.done("POST", "platform/notifications/seen", ada)
    forum.done("PUT", path, second)
    forum.done("DELETE", path, first)  # the first one, whom an earlier notification named
    assert told(forum, ada, unseen="true") == [("like", "Second Fan likes your post in “Liked”", 1)]
    forum.done("DELETE", path, second)
    assert told(forum, ada, unseen="true") == []


def test_each_event_tells_once_whatever_is_killed_in_the_middle(forum: Forum) -> None:
    """The process that raises notifications dies with SIGKILL after it wrote some, before it moved on."""
    ada, eve = forum.member("Told Once"), forum.member("Talks")
    made = forum.start(ada, title="Killed")
    forum.project()
    for number in range(3):
        forum.reply(eve, made, f"Reply number {number}")
    command = [sys.executable, "-c", _KILLED_HANDLER]
    environment = environment_of(forum.api.query.settings)
    assert subprocess.run(command, env=environment, cwd=ROOT, timeout=150, check=False).returncode == -signal.SIGKILL
    assert told(forum, ada) == [("reply", "3 new replies in “Killed”", 3)]


def test_a_poison_event_is_a_dead_letter_and_blocks_no_notification(forum: Forum) -> None:
    """It is listed, skipped by an admin, and then the events of its aggregate that were parked behind it go on."""
    ada, eve, admin = forum.member("Waits Not"), forum.member("Replies"), forum.moderator
    made, site = forum.start(ada, title="Poison"), uuid4()
    forum.project()
    alarm = ClaimsUnusual(
        **event_metadata(site, 1, system_context()),
        website_id=site,
        account_id=ada.account_id,
        hour=datetime.now(UTC),
        claims=99,
        usual=1,
    )
    forum.postgres.execute(
        "INSERT INTO events.stored_events (originator_id, originator_version, topic, state)"
        " VALUES (%s, 1, 'website.claims_unusual.v1', '{}')",
        (site,),
    )
    try:
        forum.api.core.store.append([alarm])
        forum.reply(eve, made, "Right behind it")
        assert told(forum, ada) == [("reply", "Replies replied in “Poison”", 1)]
        where = {"projection": "notifications", "state": "open"}
        letters = forum.done("GET", "admin/dead-letters", admin, params=where)
        assert sorted(letter["reason"] for letter in letters) == ["parked", "undecodable"]
        [poison] = [letter["id"] for letter in letters if letter["reason"] == "undecodable"]
        forum.done("POST", f"admin/dead-letters/{poison}/retry", admin, json={})
        assert told(forum, ada) == [("reply", "Replies replied in “Poison”", 1)]
        forum.done("POST", f"admin/dead-letters/{poison}/skip", admin, json={"reason": "never readable"})
        assert sorted(kind for kind, *_ in told(forum, ada)) == ["claims", "reply"]
        assert forum.done("GET", "admin/dead-letters", admin, params=where) == []
    finally:
        forum.postgres.execute("DELETE FROM events.stored_events WHERE originator_id = %s", (site,))


def test_reading_a_thread_marks_its_notifications_as_seen(forum: Forum) -> None:
    ada, eve = forum.member("Reader"), forum.member("Writer")
    made = forum.start(ada)
    forum.reply(eve, made)
    assert forum.read("platform/notifications/unseen", ada) == {"unseen": 1}
    forum.done("POST", f"forum/threads/{made['id']}/read", ada, json={"position": 2**40})
    assert forum.read("platform/notifications/unseen", ada) == {"unseen": 0}


def test_who_waits_for_approval_tells_nobody_before(forum: Forum) -> None:
    ada, new = forum.member("Waited For"), forum.member("Waiting", new=True)
    made = forum.start(ada, title="Approved")
    text = f"Look @{forum.handle(ada)}: https://a.example"
    assert forum.done("POST", f"forum/threads/{made['id']}/posts", new, json={"text": text})["state"] == "held"
    assert told(forum, ada) == []
    forum.project()
    before = waiting_for(forum, forum.moderator)
    forum.done("POST", f"forum/threads/{made['id']}/posts", forum.member("Too", new=True), json={"text": f"{text}/2"})
    assert waiting_for(forum, forum.moderator) == before + 1 >= 2
    assert waiting_for(forum, ada) == 0, "a member is no moderator"
    [queued] = [
        one for one in forum.read("admin/forum/queue", forum.moderator, limit=200) if one["post"]["text"] == text
    ]
    forum.done("POST", f"admin/forum/posts/{queued['post']['id']}/approve", forum.moderator)
    assert told(forum, ada) == [("mention", "Waiting mentioned you in “Approved”", 1)]
    assert told(forum, new)[0][:2] == ("moderation", "A moderator approved your post in “Approved”")
    forum.done(
        "POST", f"admin/forum/posts/{queued['post']['id']}/delete", forum.moderator, json={"reason": "After all"}
    )
    assert told(forum, ada) == []  # nobody is led to what is gone
    assert told(forum, new)[0][:2] == ("moderation", "A moderator removed your post in “Approved”")
    assert forum.read("platform/notifications", new)[0]["path"] == "/forum/log"  # which says why


def test_a_member_who_follows_no_more_hears_nothing_and_neither_does_one_who_chose_so(forum: Forum) -> None:
    ada, eve = forum.member("Left"), forum.member("Stayed")
    made = forum.start(ada)
    forum.done("DELETE", f"forum/threads/{made['id']}/follow", ada)
    forum.reply(eve, made)
    assert told(forum, ada) == []
    forum.done("PUT", f"forum/posts/{made['postId']}/like", eve)
    assert len(told(forum, ada)) == 1
    assert choose(forum, ada, "like", False, "off") == {
        "kind": "like", "title": KINDS["like"].title, "inApp": False, "mail": "off", "atOnce": False,
    }  # fmt: skip
    assert told(forum, ada) == [] and forum.read("platform/notifications/unseen", ada) == {"unseen": 0}
    chosen = {one["kind"]: one for one in forum.read("platform/notification-preferences", ada)}
    assert chosen.keys() == KINDS.keys() and chosen["like"]["inApp"] is False and chosen["reply"]["mail"] == "weekly"
    unknown = forum.call("PUT", "platform/notification-preferences/weather", ada, json={"inApp": True, "mail": "off"})
    assert unknown.status_code == 404


def test_an_account_keeps_its_newest_thousand(forum: Forum) -> None:
    ada, eve = forum.member("Flooded"), forum.member("Not Flooded")
    forum.postgres.execute(
        "INSERT INTO notifications.notification (id, account_id, kind, about, created_at, updated_at, title)"
        " SELECT gen_random_uuid(), %s, 'moderation', n::text, now(), now() - interval '1 minute' * n, n::text"
        " FROM generate_series(1, 1003) AS n",
        (ada.account_id,),
    )
    forum.reply(ada, forum.start(eve, title="Kept"))
    forum.project()
    forum.postgres.execute(RULES["notifications of which there are too many"].encode())
    sql = "SELECT count(*), max(title::int) FROM notifications.notification WHERE account_id = %s"
    assert forum.postgres.execute(sql, (ada.account_id,)).fetchone() == (1000, 1000)
    assert len(told(forum, eve)) == 1


def test_notifications_are_nobody_elses(forum: Forum) -> None:
    ada, eve = forum.member("Private"), forum.member("Curious")
    made = forum.start(ada)
    forum.reply(eve, made)
    [one] = forum.read("platform/notifications", ada)
    assert one["id"] not in str(forum.read("platform/notifications", eve))
    assert forum.call("POST", f"platform/notifications/{one['id']}/seen", eve).status_code == 404
    assert forum.call("GET", "platform/notifications").status_code == 401


def test_a_digest_tells_of_yesterday_once_however_often_it_is_sent(forum: Forum) -> None:
    ada, settings = digested(forum, "Mentioned")
    tomorrow = noon_after(forum, ada)
    assert send_due(settings, tomorrow.replace(hour=5)) == 0  # nobody is written to at night
    for moment in ("before", "after"):
        assert killed(settings, tomorrow, moment) == -signal.SIGKILL
        assert mails(forum, ada) == []
    assert sum(at_once(lambda _: send_due(settings, tomorrow), 6)) >= 1
    assert send_due(settings, tomorrow + timedelta(hours=3)) == 0
    [(to, text)] = mails(forum, ada)
    assert to.endswith("@example.com") and "mentioned you in “Digested”" in text
    assert f"{settings.app_url}/forum/thread/" in text


def test_one_click_ends_the_digests_and_nothing_happens_on_a_get(forum: Forum) -> None:
    ada, settings = digested(forum, "Annoyed")
    send_due(settings, noon_after(forum, ada))
    [(_, text)] = mails(forum, ada)
    found = re.search(r"#code=(\S+)", text)
    assert found is not None
    stop = f"/api/public/notifications/stop/{found[1]}"
    assert forum.api.call("GET", stop).status_code in (404, 405)
    changed = f"{stop[:-1]}{'0' if stop[-1] != '0' else '1'}"
    assert forum.api.call("POST", changed, headers=FORM, content=b"List-Unsubscribe=One-Click").status_code == 404
    for _ in range(2):  # mail programs try twice
        assert forum.api.call("POST", stop, headers=FORM, content=b"List-Unsubscribe=One-Click").status_code == 200
    assert {one["mail"] for one in forum.read("platform/notification-preferences", ada)} == {"off"}
    choose(forum, ada, "mention", True, "daily")
    chosen = {one["kind"]: one["mail"] for one in forum.read("platform/notification-preferences", ada)}
    assert chosen["mention"] == "daily" and chosen["quote"] == "off"
    by_page = forum.call("POST", "public/notifications/unsubscribe", json={"code": found[1]})
    assert by_page.json()["ok"] is True
    assert forum.call("POST", "public/notifications/unsubscribe", json={"code": "nonsense"}).status_code == 400


def test_what_was_seen_or_is_not_chosen_is_in_no_mail(forum: Forum) -> None:
    seen, settings = digested(forum, "Seen")
    forum.done("POST", "platform/notifications/seen", seen)
    off, _ = digested(forum, "Off")
    choose(forum, off, "mention", True, "off")
    forum.project()
    for person in (seen, off):
        send_due(settings, noon_after(forum, person))
    assert mails(forum, seen) == mails(forum, off) == []


def test_what_grows_on_before_the_mail_goes_out_is_in_it(forum: Forum) -> None:
    """Replies of one thread are one line: an answer in the small hours must not postpone it repeatedly."""
    ada, settings = digested(forum, "Night Thread")
    forum.postgres.execute(
        "UPDATE notifications.notification SET created_at = created_at - interval '1 day' WHERE account_id = %s",
        (ada.account_id,),
    )
    send_due(settings, noon_after(forum, ada).replace(hour=23))
    assert len(mails(forum, ada)) == 1


def test_what_is_wanted_by_mail_alone_is_not_seen_by_looking_at_the_app(forum: Forum) -> None:
    ada, settings = digested(forum, "Mail Alone")
    choose(forum, ada, "mention", False, "daily")
    forum.done("POST", "platform/notifications/seen", ada)
    forum.project()
    send_due(settings, noon_after(forum, ada))
    assert len(mails(forum, ada)) == 1


def test_a_day_and_a_week_are_over_at_midnight() -> None:
    daily, weekly = periods(datetime(2026, 1, 1, 9, 30, tzinfo=UTC))
    assert (daily.name, daily.begin.isoformat(), daily.end.isoformat()) == (
        "2025-12-31", "2025-12-31T00:00:00+00:00", "2026-01-01T00:00:00+00:00",
    )  # fmt: skip
    assert (weekly.name, weekly.begin.isoformat(), weekly.end.isoformat()) == (
        "2025-W52", "2025-12-22T00:00:00+00:00", "2025-12-29T00:00:00+00:00",
    )  # fmt: skip


def killed(settings: Settings, now: datetime, moment: str) -> int:
    """How the job ends in a process of its own that is killed before or after it wrote down its first mail."""
    command = [sys.executable, "-c", _KILLED, now.isoformat(), moment]
    return subprocess.run(command, env=environment_of(settings), cwd=ROOT, timeout=150, check=False).returncode


def environment_of(settings: Settings) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("ALTHING_")},
        "PYTHONPATH": str(ROOT),
        "POSTGRES_URL": settings.postgres_url or "",
        "ALTHING_LOG": "postgres",
        "ALTHING_DATA_DIR": str(settings.data_dir),
    }


_KILLED_HANDLER = """
import os, signal
from command_api.registry import open_container
from command_api.kernel.leader_election import connect
from command_api.notifications import handler
from infra.kernel.config.loading import load
from tests.support.subscriptions import notify

settings, told = load(env_file=None), []

def dying(*of, tell=handler._insert):
    tell(*of)
    told.append(of)
    if len(told) == 2:
        os.kill(os.getpid(), signal.SIGKILL)

handler._insert = dying
with connect(settings.postgres_url, "notifications") as connection:
    notify(open_container(settings), connection)
"""
_KILLED = """
import os, signal, sys
from datetime import datetime
import infra.ops.jobs.notification_digest
from infra.kernel.config.loading import load

def dying(*mail, queue=infra.ops.jobs.notification_digest.queue):
    if sys.argv[2] == "after":
        queue(*mail)
    os.kill(os.getpid(), signal.SIGKILL)

infra.ops.jobs.notification_digest.queue = dying
infra.ops.jobs.notification_digest.send_due(load(env_file=None), datetime.fromisoformat(sys.argv[1]))
"""


def digested(forum: Forum, name: str) -> tuple[Person, Any]:
    """A member with an unseen mention of today."""
    person = forum.member(name)
    made = forum.start(forum.member("Digester"), title="Digested")
    forum.reply(forum.member("Talker"), made, f"What would @{forum.handle(person)} say?")
    forum.project()
    return person, forum.api.query.settings


def noon_after(forum: Forum, person: Person) -> datetime:
    """On the day after the person's notification, which may not be the day on which the test runs."""
    row = forum.postgres.execute(
        "SELECT max(created_at) FROM notifications.notification WHERE account_id = %s", (person.account_id,)
    ).fetchone()
    assert row is not None
    told_at: datetime = row[0].astimezone(UTC)
    return (told_at + timedelta(days=1)).replace(hour=12)


def mails(forum: Forum, person: Person) -> list[tuple[str, str]]:
    rows = forum.postgres.execute(
        "SELECT id, recipient_sealed, text_sealed FROM kernel.mail"
        " WHERE kind = 'digest' AND account_id = %s ORDER BY id",
        (person.account_id,),
    ).fetchall()
    return [(to, text or "") for to, text in (decrypt_mail(forum.api.query.settings, *row) for row in rows)]
