"""Given saved queries, when one is saved, changed, shared, removed or pinned, then these events."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

from command_api.kernel.aggregates import state_after
from command_api.kernel.decision import CommandContext
from command_api.sql import pins, queries
from command_api.sql.queries import Content, QueryAggregate
from schemas.events.sql import MAX_VERSIONS, QueryChanged, QueryRemoved, QueryRestored, QueryShared, QueryUnshared
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
AUTHOR, EVE, ADMIN = (
    CommandContext(NOW, uuid4()),
    CommandContext(NOW, uuid4()),
    CommandContext(NOW, uuid4(), is_admin=True),
)
FIRST, SECOND = Content("Sales", "SELECT 1", "a"), Content("Sales", "SELECT 2", "a")


def saved() -> QueryAggregate:
    return queries.evolve(None, queries.save(uuid4(), FIRST, AUTHOR))


def shared() -> QueryAggregate:
    query = saved()
    return state_after(queries.evolve, query, queries.share(query, "Ada", AUTHOR))


def test_each_new_text_is_a_version_and_an_earlier_one_comes_back_as_a_new_one() -> None:
    query = saved()
    given(query).when(queries.change, FIRST, AUTHOR).then()
    [changed] = queries.change(query, SECOND, AUTHOR)
    assert (changed.number, changed.text, changed.account_id) == (2, "SELECT 2", query.account_id)
    query = queries.evolve(query, changed)
    [restored] = queries.restore_version(query, 1, AUTHOR)
    assert (restored.number, restored.text, restored.restored_from) == (3, "SELECT 1", 1)
    assert queries.restore_version(query, 2, AUTHOR) == [], "it is the current one"


def test_the_last_versions_are_kept() -> None:
    query = saved()
    for number in range(MAX_VERSIONS + 1):
        query = state_after(queries.evolve, query, queries.change(query, Content("Sales", str(number), "a"), AUTHOR))
    assert (min(query.versions), max(query.versions)) == (3, MAX_VERSIONS + 2)
    given(query).when(queries.restore_version, 2, AUTHOR).then(rejected(says="Version not found"))


def test_a_query_is_for_its_author_until_it_is_shared() -> None:
    query = saved()
    assert queries.require_visible(query, AUTHOR) is query
    for stranger in (EVE, ADMIN):
        given(query).when(queries.require_visible, stranger).then(rejected(says="Query not found"))
        given(query).when(queries.require_editable, stranger).then(rejected(says="Query not found"))


def test_analysts_see_a_shared_query_and_only_its_author_and_admins_change_it() -> None:
    query = shared()
    given(query).when(queries.share, "Ada", AUTHOR).then()
    assert {queries.require_visible(query, one).id for one in (AUTHOR, EVE, ADMIN)} == {query.id}
    assert queries.require_editable(query, ADMIN) is query
    given(query).when(queries.require_editable, EVE).then(rejected(says="Only the author or an admin"))
    [by_admin] = queries.change(query, SECOND, ADMIN)
    assert (by_admin.account_id, by_admin.actor_id) == (AUTHOR.account_id, ADMIN.account_id), "whose key encrypts it"
    [unshared] = queries.unshare(query, AUTHOR)
    assert isinstance(unshared, QueryUnshared)
    given(queries.evolve(query, unshared)).when(queries.require_visible, EVE).then(rejected(says="Query not found"))


def test_a_removed_query_is_gone_until_its_author_restores_it() -> None:
    query = shared()
    removed = queries.evolve(query, queries.remove(query, AUTHOR))
    assert isinstance(queries.remove(query, AUTHOR), QueryRemoved)
    for caller in (AUTHOR, EVE, ADMIN):
        given(removed).when(queries.require_visible, caller).then(rejected(says="Query not found"))
    given(removed).when(queries.require_editable, ADMIN, removed=True).then(rejected(says="Query not found"))
    [restored] = queries.restore(queries.require_editable(removed, AUTHOR, removed=True), AUTHOR)
    assert isinstance(restored, QueryRestored)
    assert not queries.evolve(removed, restored).removed
    given(query).when(queries.restore, AUTHOR).then()


def test_content_and_sharing_change_together() -> None:
    query = saved()
    events: list[QueryChanged | QueryShared] = [*queries.change(query, SECOND, AUTHOR)]
    events += queries.share(query, "Ada", AUTHOR, after=len(events))
    assert [event.originator_version for event in events] == [2, 3]
    assert state_after(queries.evolve, query, events).is_shared


def test_only_the_person_who_pinned_a_chart_unpins_it() -> None:
    pinned = pins.pin(uuid4(), shared(), kind="bar", x="day", y=["clicks"], parameters={"site": "1"}, context=EVE)
    pin = pins.evolve(None, pinned)
    assert (pin.account_id, pin.y, pin.parameters) == (EVE.account_id, ("clicks",), {"site": "1"})
    for stranger in (AUTHOR, ADMIN):
        given(pin).when(pins.unpin, stranger).then(rejected(says="Chart not found"))
    gone = pins.evolve(pin, pins.unpin(pin, EVE))
    given(gone).when(pins.unpin, EVE).then(rejected(says="Chart not found"))
