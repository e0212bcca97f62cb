"""Given saved views, when one is saved, changed, removed, restored or made the default, then these events."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime
from uuid import uuid4

import pytest

from command_api.analytics.views import model
from command_api.kernel.decision import CommandContext, OnBehalf
from command_api.websites.model import Website
from schemas.events.analytics import MAX_VIEW_NAME, ViewChanged, ViewKind, ViewRemoved, ViewRestored, ViewState
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWNER = uuid4()
CONTEXT, STRANGER, ADMIN = (
    CommandContext(NOW, OWNER),
    CommandContext(NOW, uuid4()),
    CommandContext(NOW, uuid4(), is_admin=True),
)
SITE = Website(uuid4(), 1, OWNER, "shop.example", "UTC", "USD", NOW)
SHOWN = ViewState(filters=("page:is:/a|/b",), time_range="30d", metric="revenue")


def saved(
    website: Website | None = None, kind: ViewKind = ViewKind.VIEW, state: ViewState = SHOWN
) -> model.ViewAggregate:
    event = model.save(uuid4(), website, kind=kind, name="  EU \n mobile ", state=state, context=CONTEXT)
    return model.evolve(None, event)


def test_a_view_keeps_what_is_shown_and_a_segment_its_filters_alone() -> None:
    view = saved(SITE)
    assert (view.name, view.website_id, view.account_id, view.state) == ("EU mobile", SITE.id, OWNER, SHOWN)
    assert saved(kind=ViewKind.SEGMENT).state == ViewState(filters=SHOWN.filters)
    given().when(saved, kind=ViewKind.SEGMENT, state=ViewState()).then(rejected(says="at least one filter"))


@pytest.mark.parametrize("name", ["", " \n", "x" * (MAX_VIEW_NAME + 1), "a\u202eb"])
def test_a_name_is_short_and_printable(name: str) -> None:
    given().when(model.save, uuid4(), None, kind=ViewKind.VIEW, name=name, state=SHOWN, context=CONTEXT).then(
        rejected(says=r"Enter a name|at most")
    )


@pytest.mark.parametrize(
    ("state", "message"),
    [
        (ViewState(filters=("planet:is:Mars",)), "'planet' is not a dimension. Use one of page,"),
        (ViewState(filters=("page:like:/a",)), "operators are is, is_not"),
        (ViewState(filters=("page",)), "A filter is DIMENSION:OPERATOR:VALUES"),
        (ViewState(details=("page", "planet")), "'planet' is not a dimension"),
        (ViewState(time_range="custom", from_date=date(2026, 11, 1)), "first and the last day"),
        (ViewState(compare_to=date(2026, 11, 1), compare_from=date(2026, 11, 1)), "first and the last day"),
    ],
)
def test_what_the_analytics_calls_would_refuse_is_not_saved(state: ViewState, message: str) -> None:
    given().when(saved, state=state).then(rejected(says=message))


@pytest.mark.parametrize("text", ["page:is:", "prop:plan:is_not:pro", "reason:is:bot_ua", "page:contains:a\\:b|\n-x"])
def test_every_value_of_every_dimension_can_be_saved(text: str) -> None:
    assert saved(state=ViewState(filters=(text,))).state.filters == (text,)


def test_a_personal_view_is_its_authors_alone() -> None:
    view = saved()
    assert model.require_active(view, None, CONTEXT) is view
    for other in (STRANGER, ADMIN):
        given(view).when(model.require_active, None, other).then(rejected(says="View not found"))


def test_a_shared_view_is_for_who_may_see_the_website() -> None:
    view = saved(SITE)
    assert model.require_active(view, SITE, CONTEXT) is view
    for website, context in (
        (SITE, STRANGER),
        (SITE, ADMIN),
        (None, CONTEXT),
        (replace(SITE, disconnected=True), CONTEXT),
    ):
        given(view).when(model.require_active, website, context).then(rejected(says="View not found"))


def test_a_view_is_renamed_shared_and_shows_something_else() -> None:
    view = saved()
    [changed] = model.change(view, SITE, name="All", state=ViewState(), context=CONTEXT)
    assert isinstance(changed, ViewChanged)
    assert (changed.name, changed.website_id, changed.state) == ("All", SITE.id, ViewState())
    given(view).when(model.change, None, name="EU mobile", state=SHOWN, context=CONTEXT).then()


def test_nobody_makes_a_view_of_another_person_personal() -> None:
    given(saved(SITE)).when(
        model.change,
        None,
        name="Mine",
        state=SHOWN,
        context=replace(ADMIN, on_behalf=OnBehalf(OWNER, "x", uuid4(), "x")),
    ).then(rejected(says="Only the person who saved a view"))


def test_a_removed_view_is_gone_until_it_is_restored() -> None:
    view = saved()
    removed = model.remove(view, CONTEXT)
    assert isinstance(removed, ViewRemoved)
    gone = model.evolve(view, removed)
    given(gone).when(model.require_active, None, CONTEXT).then(rejected(says="View not found"))
    [restored] = model.restore(gone, CONTEXT)
    assert isinstance(restored, ViewRestored)
    back = model.evolve(gone, restored)
    assert (back.removed, back.state) == (False, SHOWN)
    given(back).when(model.restore, CONTEXT).then()


def test_a_website_opens_with_a_view_for_one_person() -> None:
    view = saved()
    [chosen] = model.choose_default(None, SITE, view, CONTEXT)
    assert (chosen.view_id, chosen.account_id, chosen.website_id) == (view.id, OWNER, SITE.id)
    current = model.evolve_default(None, chosen)
    given(current).when(model.choose_default, SITE, view, CONTEXT).then()
    [ended] = model.choose_default(current, SITE, None, CONTEXT)
    assert (ended.view_id, ended.originator_version) == (None, 2)


def test_the_default_is_a_view_that_fits_an_own_website() -> None:
    other = replace(SITE, id=uuid4())
    for website, view, context in (
        (SITE, saved(), STRANGER),
        (None, saved(), CONTEXT),
        (other, saved(SITE), CONTEXT),
        (SITE, saved(kind=ViewKind.SEGMENT), CONTEXT),
    ):
        given().when(model.choose_default, None, website, view, context).then(rejected())
