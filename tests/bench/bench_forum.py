"""The forum's lists through HTTP, over 100,000 threads and 1,000,000 replies of 5,000 members.

The baseline of each figure is the bare reading of so many rows of the table, in the same Postgres, without HTTP, names,
read marks and row-level security. The rows are made by SQL in the read models' tables.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

from projectors.read_models.forum.forum_members import FORUM_MEMBERS
from projectors.read_models.forum.forum_posts import FORUM_POSTS
from projectors.read_models.forum.forum_threads import FORUM_THREADS
from tests.bench import Figure
from tests.bench.query_world import query_world
from tests.support.query import Person, QueryService

MODELS = (FORUM_MEMBERS, FORUM_THREADS, FORUM_POSTS)
COMMAND = "python -m tests.bench forum"
THREADS, REPLIES, MEMBERS, CATEGORIES = 100_000, 1_000_000, 5_000, 6
REPEATS = 60
AIM = "≤ 100"
LARGEST_THREAD = 1
"""The thread with the most replies: one in a hundred of all is in it."""

_MEMBERS = """
INSERT INTO read.forum_members__g1 (account_id, name, handle, registered_at, joined_at, posts)
SELECT md5('m' || n)::uuid, 'Member ' || n, 'member-' || n, now() - interval '900 days', now(), 9
FROM generate_series(1, {members}) AS n"""
_CATEGORIES = """
INSERT INTO read.forum_categories__g1 (id, name, slug, description, place)
SELECT md5('c' || n)::uuid, 'Category ' || n, 'category-' || n, '', n FROM generate_series(0, {categories} - 1) AS n"""
_THREADS = """
INSERT INTO read.forum_threads__g1 (id, title, category_id, author_id, first_post_id, is_pinned, visible, views,
    replies, created_at, last_reply_at, last_reply_by, position, last_position)
SELECT md5('t' || n)::uuid, 'What about word' || n % 7919 || ' and word' || n % 104729,
    md5('c' || n % {categories})::uuid, md5('m' || 1 + n % {members})::uuid, md5('p' || n)::uuid, n % 20000 = 0,
    n % 100 > 0, n % 997, 10, now() - interval '1 minute' * ({threads} - n),
    now() - interval '1 second' * (n * 7 % 100000),
    md5('m' || 1 + n * 7 % {members})::uuid, n, {threads} + n * 7 % 100000
FROM generate_series(1, {threads}) AS n"""
_POSTS = """
INSERT INTO read.forum_posts__g1 (id, thread_id, author_id, text, is_first, mentions, state, likes, created_at,
    position)
SELECT md5('p' || n)::uuid, md5('t' || CASE WHEN n % 100 = 1 THEN {longest} ELSE 1 + n % {threads} END)::uuid,
    md5('m' || 1 + n * 13 % {members})::uuid,
    'A member writes word' || n % 104729 || ' and **word' || n % 7919 || '** about word' || n % 31
        || E' of it.\\n\\nThe rest of the text is as long as people write: ' || repeat('and so on ', 20),
    n <= {threads}, '{{}}', CASE WHEN n % 200 = 0 THEN 'deleted' ELSE 'visible' END, n % 17,
    now() - interval '1 second' * ({threads} + {replies} - n), n
FROM generate_series({first}, {last}) AS n"""

_NOTIFICATIONS = """
INSERT INTO notifications.notification
    (id, account_id, kind, about, actor_id, thread_id, created_at, updated_at, seen_at)
SELECT gen_random_uuid(), %s, 'reply', n::text, md5('m' || n)::uuid, md5('t' || n)::uuid, now(),
    now() - interval '1 minute' * n, CASE WHEN n %% 2 = 0 THEN now() END
FROM generate_series(1, 1000) AS n"""


def run() -> list[Figure]:
    """Milliseconds of each call, everything on this machine."""
    with query_world() as world:
        service = world.service
        member = service.person()
        reader = service.person()
        _fill(service, member, reader)
        return _lists(service, member, reader)


def _fill(service: QueryService, member: Person, reader: Person) -> None:
    """Indexes are made when the rows are there, as the engine does it in a rebuild."""
    for model in MODELS:
        for number in range(len(model.indexes)):
            service.postgres.execute(f"DROP INDEX read.{model.table(1)}_{number}".encode())
    values = {
        "members": MEMBERS,
        "categories": CATEGORIES,
        "threads": THREADS,
        "replies": REPLIES,
        "longest": LARGEST_THREAD,
    }
    for statement in (_MEMBERS, _CATEGORIES, _THREADS):
        service.postgres.execute(statement.format(**values).encode())
    step = 100_000
    for first in range(1, THREADS + REPLIES, step):
        service.postgres.execute(_POSTS.format(**values, first=first, last=first + step - 1).encode())
    for person in (member, reader):
        row = {"account_id": person.account_id, "name": "Ada", "registered_at": "2020-01-01T00:00:00Z"}
        service.insert("forum_members", row)
    service.postgres.execute(
        "INSERT INTO forum.read SELECT %s, %s, max(last_position) - 50 FROM read.forum_threads__g1",
        (reader.account_id, UUID(int=0)),
    )
    service.postgres.execute(_NOTIFICATIONS, (member.account_id,))
    service.postgres.execute(
        "INSERT INTO forum.read SELECT %s, id, last_position FROM read.forum_threads__g1 WHERE position %% 3 = 0",
        (member.account_id,),
    )
    service.postgres.execute(b"SET maintenance_work_mem = '256MB'")
    for model in MODELS:
        for statement in model.create_indexes(1):
            service.postgres.execute(statement.encode())
        service.postgres.execute(f"VACUUM ANALYZE read.{model.table(1)}".encode())


def _lists(service: QueryService, member: Person, reader: Person) -> list[Figure]:
    thread, category = _id(service, f"t{LARGEST_THREAD}"), _id(service, "c1")
    deep = _after(service, "/api/forum/threads?limit=50", 40)
    post = _id(service, f"p{THREADS // 2 + 1}")
    of_threads = (
        "SELECT * FROM read.forum_threads__g1 WHERE visible ORDER BY is_pinned DESC, last_position DESC LIMIT 20"
    )
    of_posts = f"SELECT * FROM read.forum_posts__g1 WHERE thread_id = '{thread}' ORDER BY position LIMIT 20"
    calls: tuple[tuple[str, str, Person | None, str], ...] = (
        ("categories with their counts", "/api/forum/categories", None, "SELECT count(*) FROM read.forum_threads__g1"),
        ("threads, first page, a visitor", "/api/forum/threads", None, of_threads),
        ("threads, first page, a member with read marks", "/api/forum/threads", member, of_threads),
        (
            "threads of a category, most replies first",
            f"/api/forum/threads?categoryId={category}&sort=replies",
            None,
            of_threads,
        ),
        ("threads, page 41 of 50 each", deep, member, of_threads),
        ("unread threads", "/api/forum/threads?filter=unread", member, of_threads),
        ("unread threads of one who has read nearly all", "/api/forum/threads?filter=unread", reader, of_threads),
        ("one thread", f"/api/forum/threads/{thread}", member, of_threads),
        ("posts of a thread of 11,000, first page", f"/api/forum/threads/{thread}/posts", member, of_posts),
        ("posts around one in its middle", f"/api/forum/threads/{thread}/posts?around={post}", member, of_posts),
        ("search, a rare word", "/api/forum/search?q=word104728", None, of_posts),
        ("search, a word of every 31st post", "/api/forum/search?q=word7", None, of_posts),
        ("search, a word of every post", "/api/forum/search?q=somebody", None, of_posts),
        ("search, a common word in a category", f"/api/forum/search?q=word7&categoryId={category}", None, of_posts),
        ("search, a common word of a member", "/api/forum/search?q=somebody&author=member-77", None, of_posts),
        ("search, two common words and not a third", "/api/forum/search?q=people word7 -word5", None, of_posts),
        ("search, its tenth page", _after(service, "/api/forum/search?q=somebody", 9), None, of_posts),
        ("posts of a member", "/api/forum/members/member-77/posts", None, of_posts),
        ("notifications of a member who has 1,000", "/api/platform/notifications", member, of_posts),
        ("how many of them are new", "/api/platform/notifications/unseen", member, of_posts),
    )
    figures = []
    for name, path, person, bare in calls:
        took = _times(lambda path=path, person=person: _get(service, path, person))  # type: ignore[misc]  # a default binds the loop's value
        baseline = _times(lambda bare=bare: service.postgres.execute(bare.encode()).fetchall())  # type: ignore[misc]  # a default binds the loop's value
        for share, aim in ((0.5, ""), (0.95, AIM)):
            figures.append(
                Figure(
                    name=f"{name}, p{share * 100:.0f}",
                    value=round(_at(took, share), 1),
                    unit="ms",
                    command=COMMAND,
                    baseline=round(_at(baseline, share), 1),
                    baseline_name="bare rows of the table, without HTTP",
                    aim=aim,
                )
            )
    return figures


def _get(service: QueryService, path: str, person: Person | None) -> Any:
    answer = service.get(path, person)
    if answer.status_code != 200 or not answer.json():
        raise RuntimeError(f"{path} answered {answer.status_code}: {answer.text[:200]}")
    return answer


def _after(service: QueryService, path: str, pages: int) -> str:
    for _ in range(pages):
        path = _get(service, path, None).links["next"]["url"]
    return path


def _times(call: Callable[[], object]) -> list[float]:
    """Milliseconds of each of many calls, after one that is not counted."""
    call()
    took = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        call()
        took.append((time.perf_counter() - began) * 1_000)
    return sorted(took)


def _at(took: list[float], share: float) -> float:
    return took[int(len(took) * share)]


def _id(service: QueryService, text: str) -> UUID:
    row = service.postgres.execute("SELECT md5(%s)::uuid", (text,)).fetchone()
    assert row is not None
    found: UUID = row[0]
    return found
