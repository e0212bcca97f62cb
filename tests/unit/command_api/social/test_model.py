"""Given a website, when a social channel is added, renamed, removed or linked, then these events and parameters."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from command_api.kernel.decision import CommandContext
from command_api.social import model
from command_api.websites.model import Website
from schemas.events.social import SocialChannelAdded, SocialChannelRemoved, SocialChannelRenamed
from schemas.social_networks import Network
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWNER = uuid4()
CONTEXT, STRANGER = CommandContext(NOW, OWNER), CommandContext(NOW, uuid4())
SITE = Website(uuid4(), 1, OWNER, "shop.example", "UTC", "USD", NOW)


def added(handle: str = "@Fjord", **changes: Any) -> SocialChannelAdded:
    values: dict[str, Any] = {"network": Network.INSTAGRAM, "name": None, "context": CONTEXT, **changes}
    return model.add(uuid4(), values.pop("website", SITE), values.pop("others", ()), handle=handle, **values)


def channel() -> model.SocialChannelAggregate:
    return model.evolve(None, added())


def test_a_channel_belongs_to_an_own_website_and_is_called_by_its_handle() -> None:
    event = added()
    assert (event.account_id, event.website_id, event.handle, event.name) == (OWNER, SITE.id, "fjord", "@fjord")
    assert added(name=" Main   account ").name == "Main account"
    for website, context in ((SITE, STRANGER), (None, CONTEXT)):
        given().when(added, website=website, context=context).then(rejected())


def test_a_website_has_a_channel_once() -> None:
    given().when(added, others=[channel()]).then(rejected("channel_exists", field="handle"))
    assert added(others=[channel()], network=Network.TIKTOK).handle == "fjord"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"handle": "https://www.youtube.com/@fjord"}, "bad_handle"),
        ({"name": "x" * 61}, "bad_name"),
        ({"name": "a\u202eb"}, "bad_name"),
    ],
)
def test_handles_and_names_are_checked(changes: dict[str, str], code: str) -> None:
    given().when(added, **changes).then(rejected(code))


def rename(state: model.SocialChannelAggregate, handle: str | None, name: str | None) -> list[SocialChannelRenamed]:
    return model.rename(state, SITE, [state], handle=handle, name=name, context=CONTEXT)


def test_what_is_named_changes() -> None:
    state = channel()
    [renamed] = rename(state, None, "Main account")
    assert (renamed.handle, renamed.name, renamed.originator_version) == ("fjord", "Main account", 2)
    [moved] = rename(state, "fjord.tests", None)
    assert (moved.handle, moved.name) == ("fjord.tests", "@fjord.tests"), "a name that is the handle follows it"
    [kept] = rename(model.evolve(state, renamed), "fjord.tests", None)
    assert kept.name == "Main account"
    given(state).when(rename, "@FJORD", "").then()
    given(state).when(model.rename, SITE, (), handle=None, name="Mine", context=STRANGER).then(rejected())


def test_a_removed_channel_is_not_there() -> None:
    state = channel()
    removed = model.remove(state, SITE, CONTEXT)
    assert isinstance(removed, SocialChannelRemoved)
    given(model.evolve(state, removed)).when(model.remove, SITE, CONTEXT).then(rejected())
    given(state).when(model.remove, SITE, STRANGER).then(rejected())


def test_links_of_a_channel_say_where_their_clicks_come_from() -> None:
    state = channel()
    social = {"utm_source": "instagram", "utm_medium": "social"}
    assert model.utm_of(state, "ig-acme", None) == {**social, "utm_campaign": "ig-acme"}
    assert model.utm_of(state, "ig-acme", " spring ") == {**social, "utm_campaign": "spring"}
    given(state).when(model.utm_of, "ig-acme", "x" * 101).then(rejected())


def test_slugs_are_short_and_readable() -> None:
    assert model.slugs_of(channel(), "acme", "k7pm") == ("ig-acme", "ig-acme-k7pm")
    [short, longer] = model.slugs_of(channel(), "a-partner-with-a-long-name", "k7pm")
    assert len(short) <= 24 and not short.endswith("-") and longer == f"{short}-k7pm"
