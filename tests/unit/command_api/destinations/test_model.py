"""Given a destination, when something is decided, then these events; and what may be entered."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.destinations import model
from command_api.destinations.model import DestinationAggregate
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.websites.model import Website
from schemas.events.destinations import AdPlatform, DestinationMapping
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
OWNER = uuid4()
CONTEXT = CommandContext(NOW, OWNER)
SITE = Website(uuid4(), 1, OWNER, "fjord.example", "Europe/Berlin", "EUR", NOW)
MAPPING = DestinationMapping(sale="Affiliate sale")
GOOGLE = {
    "customerId": "1234567890",
    "developerToken": "developer-token",
    "clientId": "client-id",
    "clientSecret": "client-secret",
    "refreshToken": "refresh-token",
}


def added(platform: AdPlatform = AdPlatform.GOOGLE_ADS, *, is_automatic: bool = True) -> DestinationAggregate:
    event = model.add(UUID(int=1), SITE, platform, MAPPING, CONTEXT, is_automatic=is_automatic)
    return model.evolve(None, event)


def refused() -> DestinationAggregate:
    held = added()
    [event] = model.refuse(held, "no", CONTEXT)
    return model.evolve(held, event)


def test_changes_are_events_and_nothing_new_is_none() -> None:
    given(added()).when(model.change, DestinationMapping(sale="Other"), CONTEXT, has_new_credentials=False).then(
        "destination.changed"
    )
    given(added()).when(model.change, MAPPING, CONTEXT, has_new_credentials=True).then("destination.changed")
    given(added()).when(model.change, MAPPING, CONTEXT, has_new_credentials=False).then()
    given(added()).when(model.refuse, "x" * 1_000, CONTEXT).then("destination.refused")
    given(refused()).when(model.refuse, "again", CONTEXT).then()
    given(added()).when(model.remove, CONTEXT).then("destination.removed")


def test_new_credentials_let_a_refused_destination_go_on() -> None:
    held = refused()
    [event] = model.change(held, MAPPING, CONTEXT, has_new_credentials=True)
    assert (held.is_refused, model.evolve(held, event).is_refused) == (True, False)
    [event] = model.change(held, DestinationMapping(sale="Other"), CONTEXT, has_new_credentials=False)
    assert model.evolve(held, event).is_refused


def test_a_destination_by_files_becomes_automatic_with_credentials() -> None:
    held = added(is_automatic=False)
    [event] = model.change(held, MAPPING, CONTEXT, has_new_credentials=True)
    assert model.evolve(held, event).is_automatic


def test_nobody_but_the_owner_finds_it() -> None:
    assert model.require_owned(added(), SITE, CONTEXT) == added()
    stranger = CommandContext(NOW, uuid4())
    for held, website, context in ((None, None, CONTEXT), (added(), None, CONTEXT), (added(), SITE, stranger)):
        with pytest.raises(CommandRejected, match="not found"):
            model.require_owned(held, website, context)


@pytest.mark.parametrize(
    ("platform", "credentials", "is_accepted"),
    [
        ("google_ads", {}, True),
        ("microsoft", {}, True),
        ("google_ads", GOOGLE, True),
        ("google_ads", {**GOOGLE, "customerId": " 1234567890 "}, True),
        ("google_ads", {**GOOGLE, "customerId": "123-456-7890"}, False),
        ("google_ads", {"customerId": "1234567890"}, False),
        ("google_ads", {**GOOGLE, "more": "x"}, False),
        ("meta", {}, False),
        ("meta", {"pixelId": "123456789", "accessToken": "an-access-token"}, True),
        ("meta", {"pixelId": "1/events", "accessToken": "an-access-token"}, False),
        ("meta", {"pixelId": "123456789", "accessToken": "a\nheader: x"}, False),
        ("tiktok", {"pixelCode": "C4A1B2C3D4E5", "accessToken": "an-access-token"}, True),
    ],
)
def test_credentials_are_those_of_the_platform(platform: str, credentials: dict[str, str], is_accepted: bool) -> None:
    if is_accepted:
        found = model.checked_credentials(AdPlatform(platform), credentials)
        assert found == {name: value.strip() for name, value in credentials.items()}
        return
    with pytest.raises(CommandRejected) as refusal:
        model.checked_credentials(AdPlatform(platform), credentials)
    assert refusal.value.code == "bad_credentials"
    assert not any(value in str(refusal.value) for value in credentials.values() if len(value) > 1)


@pytest.mark.parametrize(
    ("names", "is_automatic", "is_accepted"),
    [
        ({"sale": "Affiliate sale"}, False, True),
        ({"lead": "Sign-up"}, False, True),
        ({}, False, False),
        ({"sale": "   "}, False, False),
        ({"sale": "=1+1"}, False, False),
        ({"sale": "two\nlines"}, False, False),
        ({"sale": "987654321"}, True, True),
        ({"sale": "Affiliate sale"}, True, False),
    ],
)
def test_a_mapping_names_sales_or_leads(names: dict[str, Any], is_automatic: bool, is_accepted: bool) -> None:
    """The API of Google Ads knows a conversion action by its number, a file by its name."""
    mapping = DestinationMapping(**names)
    check = model.checked_mapping
    if is_accepted:
        assert check(AdPlatform.GOOGLE_ADS, mapping, is_automatic=is_automatic) == mapping
        return
    given(AdPlatform.GOOGLE_ADS).when(check, mapping, is_automatic=is_automatic).then(rejected("bad_mapping"))
