"""The forum's read models: given these events, then these rows; whatever was hidden meanwhile, the counts agree."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

from infra.kernel.postgres.pool import pool
from infra.kernel.security.subject_keys import Keyring
from schemas.base import ERASED, DomainEvent, personal_fields, subject_of
from schemas.events import accounts, forum
from tests.support.projection_bench import ProjectionBench, moment

CATEGORY = uuid4()


class History:
    """Decided events of several aggregates, each in its order, with personal fields sealed as the store has them."""

    def __init__(self, bench: ProjectionBench, keyring: Keyring) -> None:
        self.bench, self.keyring = bench, keyring
        self.versions: dict[UUID, int] = {}

    def decide(self, aggregate: UUID, event_class: type[DomainEvent], **values: Any) -> None:
        version = self.versions[aggregate] = self.versions.get(aggregate, 0) + 1
        subject = subject_of(event_class, aggregate, {name: str(value) for name, value in values.items()})
        sealed = {
            name: self.keyring.encrypt(subject, name, value) if name in personal_fields(event_class) else value
            for name, value in values.items()
        }
        self.bench.decide(
            event_class(originator_id=aggregate, originator_version=version, timestamp=moment(), **sealed)
        )


def test_others_see_the_display_name_and_an_erased_member_has_none(projecting: ProjectionBench) -> None:
    keys = pool(projecting.settings, 1)
    history, ada = History(projecting, Keyring(keys, projecting.settings)), uuid4()
    details = "select display_name from read.account_details where account_id = %s"
    shown = [f"select name from read.{table} where account_id = %s" for table in ("forum_members", "sellers")]
    history.decide(ada, accounts.AccountRegistered, email="a@example.com", name="Ada", way="setup")
    history.decide(ada, accounts.DisplayNameChanged, name="Countess", chosen=True)
    history.decide(ada, accounts.AccountRenamed, name="Ada L")

    def rows() -> list[Any]:
        for table in ("forum_members", "sellers", "account_details"):
            projecting.wait(table)
        return [projecting.sql(query, ada)[0][0] for query in (*shown, details)]

    with projecting.running("forum_members", "sellers", "account_details"):
        assert rows() == ["Countess", "Countess", "Countess"]
        history.decide(ada, accounts.DisplayNameChanged, name="Ada L", chosen=False)
        assert rows() == ["Ada L", "Ada L", ""]
        history.decide(ada, accounts.AccountRenamed, name="Ada Lovelace")
        assert rows() == ["Ada Lovelace", "Ada Lovelace", ""]
        history.decide(ada, accounts.DisplayNameChanged, name="Countess", chosen=True)
        history.keyring.erase(ada)
        history.decide(ada, accounts.AccountErased)
        assert rows() == [ERASED, ERASED, ERASED]
    keys.close()


def test_a_thread_its_posts_and_their_author_through_everything_that_happens(projecting: ProjectionBench) -> None:
    keys = pool(projecting.settings, 1)
    history = History(projecting, Keyring(keys, projecting.settings))
    ada, eve, thread, first, second = (uuid4() for _ in range(5))
    for who, name in ((ada, "Ada"), (eve, "Eve")):
        history.decide(who, accounts.AccountRegistered, email="a@example.com", name=name, way="setup")
    of_first = {"author_id": ada, "thread_id": thread, "is_first": True}
    of_second = {"author_id": eve, "thread_id": thread}
    history.decide(uuid4(), forum.ForumMemberJoined, account_id=eve, handle="eve")
    history.decide(
        thread, forum.ThreadStarted, author_id=ada, category_id=CATEGORY, first_post_id=first, title="Title", held=True
    )
    history.decide(first, forum.PostWritten, **of_first, text="The first text", held=True)
    history.decide(first, forum.PostApproved, **of_first)
    history.decide(thread, forum.ThreadShown)
    history.decide(second, forum.PostWritten, **of_second, text="The second text", reply_to=first, reply_to_author=ada)
    history.decide(second, forum.PostEdited, **of_second, text="Another text", before="The second text")
    history.decide(uuid4(), forum.PostLiked, account_id=ada, post_id=second, thread_id=thread, author_id=eve)
    history.decide(uuid4(), forum.ThreadViewsCounted, thread_id=thread, views=12)
    threads = "select title, visible, replies, views, last_reply_by from read.forum_threads where id = %s"
    posts = "select state, text, likes, edits, flags, waiting_since is not null from read.forum_posts where id = %s"
    members = "select name, handle, posts, threads, likes_received from read.forum_members where account_id = %s"
    found = "select count(*) from read.search_forum('another text', null, null, 10)"
    with projecting.running():
        _wait(projecting)
        assert projecting.sql(threads, thread) == [("Title", True, 1, 12, eve)]
        assert projecting.sql(posts, second) == [("visible", "Another text", 1, 1, 0, False)]
        assert projecting.sql(members, ada) == [("Ada", None, 1, 1, 0)]
        assert projecting.sql(members, eve) == [("Eve", "eve", 1, 0, 1)]
        assert projecting.sql("select text from read.forum_edits where post_id = %s", second) == [("The second text",)]
        assert projecting.sql(found) == [(1,)]
        for _ in range(3):
            history.decide(
                second, forum.PostFlagged, account_id=uuid4(), author_id=eve, thread_id=thread, reason="spam"
            )
        history.decide(second, forum.PostHidden, **of_second)
        _wait(projecting)
        assert projecting.sql(posts, second) == [("hidden", "Another text", 1, 1, 3, True)]
        assert projecting.sql(threads, thread)[0][2] == 0 and projecting.sql(members, eve)[0][2] == 0
        assert projecting.sql(found) == [(0,)]
        history.decide(second, forum.PostDeleted, **of_second, was="hidden", by_moderator=True, reason="Spam")
        history.decide(second, forum.PostRestored, **of_second)
        _wait(projecting)
        assert projecting.sql(posts, second) == [("visible", "Another text", 1, 1, 0, False)]
        assert projecting.sql(threads, thread)[0][2] == 1 and projecting.sql(members, eve)[0][2] == 1
        log = "select action, reason from read.forum_log where thread_id = %s order by position"
        assert projecting.sql(log, thread) == [("approved", ""), ("hidden", ""), ("deleted", "Spam"), ("restored", "")]
        history.keyring.erase(eve)
        history.decide(eve, accounts.AccountErased)
        _wait(projecting)
        assert projecting.sql(posts, second)[0][1] == ERASED
        assert projecting.sql(members, eve)[0][:2] == (ERASED, None)
        assert projecting.sql(log, thread)[2] == ("deleted", ERASED)
        assert projecting.sql("select text from read.forum_edits where post_id = %s", second) == [(ERASED,)]
        assert projecting.sql(found) == [(0,)]
    keys.close()


def _wait(projecting: ProjectionBench) -> None:
    for name in ("forum_threads", "forum_posts", "forum_members", "forum_edits", "forum_log"):
        projecting.wait(name)
