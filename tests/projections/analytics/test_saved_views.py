"""Saved views and the default of each person, as they are read."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from schemas.events.accounts import AccountErased
from schemas.events.analytics import DefaultViewChanged, ViewChanged, ViewRemoved, ViewRestored, ViewSaved
from schemas.events.websites import WebsiteDisconnected
from tests.support.events import event_at
from tests.support.projection_bench import WEBSITE, ProjectionBench

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
step = partial(event_at, NOW)


def test_the_latest_content_is_shown_and_what_is_gone_is_not(projecting: ProjectionBench) -> None:
    kept, removed, shared, erased, other, me, left = (uuid4() for _ in range(7))
    saved = {"account_id": me, "website_id": None, "kind": "view", "name": "Old", "state": {"bots": "only"}}
    projecting.decide(
        step(kept, 1, ViewSaved, **saved),
        step(kept, 2, ViewChanged, website_id=WEBSITE, name="New", state={"tabs": {"pages": "page"}}),
        step(kept, 3, ViewRemoved),
        step(kept, 4, ViewRestored),
        step(removed, 1, ViewSaved, **saved),
        step(removed, 2, ViewRemoved),
        step(shared, 1, ViewSaved, **{**saved, "website_id": other}),
        step(erased, 1, ViewSaved, **{**saved, "account_id": left}),
        step(uuid4(), 1, DefaultViewChanged, account_id=me, website_id=WEBSITE, view_id=kept),
        step(uuid4(), 1, DefaultViewChanged, account_id=me, website_id=other, view_id=kept),
        step(uuid4(), 1, DefaultViewChanged, account_id=left, website_id=WEBSITE, view_id=shared),
        step(other, 1, WebsiteDisconnected),
        step(left, 1, AccountErased),
    )
    with projecting.running("saved_views", "default_views"):
        for name in ("saved_views", "default_views"):
            projecting.wait(name)
    shown = projecting.sql("select id, name, website_id, state ->> 'bots', state -> 'tabs' from read.saved_views"
                           " where removed_at is null")  # fmt: skip
    assert shown == [(kept, "New", WEBSITE, "exclude", {"pages": "page"})]
    assert projecting.sql("select account_id, website_id, view_id from read.default_views") == [(me, WEBSITE, kept)]
