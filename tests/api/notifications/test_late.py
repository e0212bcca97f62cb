"""Digests after the scheduler was away: late, once, and of all that nobody was written to about. In days long past, so
that nobody else's notifications are of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

import infra.ops.jobs.notification_digest
from infra.kernel.mail.outbox import decrypt_mail, queue
from infra.ops.jobs.notification_digest import send_due
from tests.support.forum import Forum, forum
from tests.support.query import Person

__all__ = ["forum"]


def at(month: int, day: int, hour: int = 12) -> datetime:
    return datetime(2020, month, day, hour, tzinfo=UTC)


def mentioned(forum: Forum, name: str, when: datetime) -> Person:
    """A member with an unseen mention of that time."""
    person = forum.member(name)
    made = forum.start(forum.member("Late Starter"), title=f"Of {name}")
    forum.reply(forum.member("Late Talker"), made, f"What would @{forum.handle(person)} say?")
    forum.project()
    forum.postgres.execute(
        "UPDATE notifications.notification SET created_at = %s, updated_at = %s WHERE account_id = %s",
        (when, when, person.account_id),
    )
    return person


def texts(forum: Forum, person: Person) -> list[str]:
    rows = forum.postgres.execute(
        "SELECT id, recipient_sealed, text_sealed FROM kernel.mail"
        " WHERE kind = 'digest' AND account_id = %s ORDER BY id",
        (person.account_id,),
    ).fetchall()
    return [text or "" for _, text in (decrypt_mail(forum.api.query.settings, *row) for row in rows)]


def test_the_digest_of_an_outage_day_is_sent_late_and_once(forum: Forum) -> None:
    settings = forum.api.query.settings
    send_due(settings, at(3, 10, 7))  # the last one before the outage: of the 9th
    person, later = mentioned(forum, "Late", at(3, 10, 14)), mentioned(forum, "Later", at(3, 11, 14))
    for moment in (at(3, 12, 5), at(3, 12, 6), at(3, 12, 23), at(3, 13, 7)):
        send_due(settings, moment)
        assert len(texts(forum, person)) == len(texts(forum, later)) == (moment.hour != 5)
    [text] = texts(forum, person)
    assert "Your unread notifications (since 10 March)" in text and "mentioned you in “Of Late”" in text
    after = mentioned(forum, "After", at(3, 13))
    send_due(settings, at(3, 14))
    assert "Your unread notifications (yesterday)" in texts(forum, after)[0]


def test_the_digest_of_an_outage_week_is_sent_with_the_next(forum: Forum) -> None:
    settings = forum.api.query.settings
    send_due(settings, at(8, 3, 7))  # a Monday, of the week from 27 July
    person = mentioned(forum, "Weekly", at(8, 5))
    path = "platform/notification-preferences/mention"
    forum.done("PUT", path, person, json={"inApp": True, "mail": "weekly"})
    forum.project()
    for day in (17, 18, 24):
        send_due(settings, at(8, day))
    [text] = texts(forum, person)
    assert "Your unread notifications (since 3 August)" in text


def test_who_was_written_to_before_a_crash_is_not_written_to_again_the_day_after(
    forum: Forum, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = forum.api.query.settings
    send_due(settings, at(4, 10))
    both = [mentioned(forum, name, at(4, 10, 14)) for name in ("First", "Second")]
    written: list[Any] = []

    def crashing_process(*of: Any) -> None:
        if written:
            raise ConnectionError
        written.append(of)
        queue(*of)

    monkeypatch.setattr(infra.ops.jobs.notification_digest, "queue", crashing_process)
    with pytest.raises(ConnectionError):
        send_due(settings, at(4, 11))
    monkeypatch.undo()
    assert sorted(len(texts(forum, person)) for person in both) == [0, 1]
    send_due(settings, at(4, 12))
    assert [len(texts(forum, person)) for person in both] == [1, 1]


def test_what_is_long_ago_is_no_news(forum: Forum) -> None:
    settings = forum.api.query.settings
    before = mentioned(forum, "Before the First", at(1, 5))
    send_due(settings, at(1, 20))  # the first one of all tells of yesterday alone
    old, new = mentioned(forum, "Old", at(5, 1)), mentioned(forum, "New", at(6, 20))
    send_due(settings, at(4, 30))
    send_due(settings, at(7, 1))
    assert [len(texts(forum, person)) for person in (before, old, new)] == [0, 0, 1]
