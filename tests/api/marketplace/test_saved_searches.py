"""Saved searches with their mails, and the watch list."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.kernel import unit_of_work
from command_api.marketplace import lookups, saved_search_handlers
from command_api.marketplace.timeouts import SEARCH_DIGEST
from infra.domain.unsubscribe import unsubscribe_token
from infra.kernel.config.settings import Settings
from infra.kernel.mail.outbox import Mail, queue
from tests.api.kernel.test_command_races import at_once
from tests.support.marketplace import LIST, Market
from tests.support.query import Person


@pytest.mark.usefixtures("now_again")
def test_a_saved_search_tells_of_each_new_listing_once(there: Market, seller: Person, admin: Person) -> None:
    member, mark = there.person("Searching"), uuid4().hex[:8]
    before = there.online(seller, admin, title=f"Old {mark}")
    there.postgres.execute(
        "UPDATE read.listings__g1 SET published_at = now() - interval '2 days' WHERE id = %s", (before,)
    )
    search = there.post(member, "marketplace/saved-searches", 201, search=mark.upper(), niche="vpn", maxPrice=50_000)[
        "id"
    ]
    fitting = there.online(seller, admin, title=f"New {mark}")
    there.online(seller, admin, title=f"Dear {mark}", askingPrice=60_000)
    there.run_due()
    assert there.mails("saved_search", member) == []
    for day in (1, 2, 3):
        there.later = timedelta(days=day, minutes=1)
        there.run_due()
    [mail] = there.mails("saved_search", member)
    assert fitting in mail and before not in mail and "Dear" not in mail
    token = unsubscribe_token(there.settings, "saved_search", UUID(search))
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    stop = f"/api/public/marketplace/searches/stop/{token}"
    assert there.api.call("POST", stop, headers=form, content=b"List-Unsubscribe=One-Click").status_code == 200
    assert there.api.call("POST", stop[:-1] + "?", headers=form).status_code == 404
    there.sync()
    assert there.get(member, "marketplace/my/saved-searches") == []


@pytest.mark.usefixtures("now_again")
def test_a_mail_tells_how_many_more_there_are_and_none_is_lost_while_the_read_model_is_behind(
    there: Market, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_search_handlers, "MAX_NAMED", 2)
    member, seller, mark = there.person("Patient"), there.person("Prolific"), uuid4().hex[:8]
    there.post(member, "marketplace/saved-searches", 201, search=mark)
    made = [there.online(seller, admin, title=f"Site {number} {mark}") for number in range(4)]
    late = there.online(seller, admin, title=f"Late {mark}")
    there.postgres.execute("UPDATE read.listings__g1 SET status = 'in_review' WHERE id = %s", (late,))
    there.later = timedelta(days=1, minutes=1)
    there.run_due()
    [mail] = there.mails("saved_search", member)
    assert "4 new listings match" in mail and "and 2 more" in mail and mail.count("/marketplace/listing/") == 2
    there.postgres.execute("UPDATE read.listings__g1 SET status = 'active' WHERE id = %s", (late,))
    there.later = timedelta(days=2, minutes=2)
    there.run_due()
    second = there.mails("saved_search", member)[-1]
    assert late in second and not any(one in second for one in made) and "more" not in second


@pytest.mark.usefixtures("now_again")
def test_a_search_that_fails_after_its_mail_is_mailed_once_and_blocks_no_other(
    there: Market, seller: Person, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, mark = there.person("First"), there.person("Second"), uuid4().hex[:8]
    searches = [there.post(one, "marketplace/saved-searches", 201, search=mark)["id"] for one in (first, second)]
    there.online(seller, admin, title=f"New {mark}")
    assert len(set(searches)) == 2

    def dies(cursor: Any, settings: Settings, mail: Mail) -> None:
        queue(cursor, settings, mail)
        if mail.account_id == first.account_id:
            raise ValueError("killed between the mail and the note of it")

    monkeypatch.setattr(unit_of_work, "queue", dies)
    there.later = timedelta(days=1, minutes=1)
    there.run_due()
    assert (len(there.mails("saved_search", first)), len(there.mails("saved_search", second))) == (0, 1)
    monkeypatch.undo()
    there.later += timedelta(minutes=11)

    at_once(lambda _: there.process.run_once(SEARCH_DIGEST), 4)
    assert (len(there.mails("saved_search", first)), len(there.mails("saved_search", second))) == (1, 1)


def test_a_watched_listing_is_on_the_list(there: Market, seller: Person, other: Person, admin: Person) -> None:
    listing = there.online(seller, admin)
    there.post(other, f"{LIST}/{listing}/watch", 204, method="PUT")
    there.post(other, f"{LIST}/{listing}/watch", 204, method="PUT")
    assert [one["id"] for one in there.get(other, "marketplace/my/watches")] == [listing]
    assert there.get(other, f"{LIST}/{listing}")["isWatched"] is True
    there.post(other, f"{LIST}/{listing}/watch", 204, method="DELETE")
    assert there.get(other, "marketplace/my/watches") == []


def test_only_what_is_for_sale_fills_the_watch_list(
    there: Market, seller: Person, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lookups, "MAX_WATCHED", 1)
    member = there.person("Watchful")
    first, second = there.online(seller, admin), there.online(seller, admin)
    there.post(member, f"{LIST}/{first}/watch", 204, method="PUT")
    assert there.post(member, f"{LIST}/{second}/watch", 409, method="PUT")["code"] == "too_many_watched"
    there.post(seller, f"{LIST}/{first}/withdraw")
    there.post(member, f"{LIST}/{second}/watch", 204, method="PUT")
