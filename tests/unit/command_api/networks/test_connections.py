"""Given a connection to a network's API, when it is changed, refused, pulled or removed, then these events."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.networks.connections import model
from command_api.networks.connections.store import StoredPull, open_credentials, seal_credentials
from command_api.networks.pulling.apis import REPORT_APIS
from command_api.websites.model import Website
from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import DecryptionError
from schemas.events.networks import NetworkConnectionAdded, NetworkConnectionChanged, NetworkReportPulled, PullSchedule
from schemas.networks import NETWORKS
from tests.support.given_when_then import given, rejected

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
OWNER = uuid4()
CONTEXT, STRANGER = CommandContext(NOW, OWNER), CommandContext(NOW, uuid4())
SITE = Website(uuid4(), 1, OWNER, "shop.example", "UTC", "USD", NOW)
SETTINGS = Settings(master_key="ab" * 32)
AWIN = {"publisherId": "4711", "token": "a-token"}


def added(network: str = "awin", **changes: Any) -> NetworkConnectionAdded:
    values: dict[str, Any] = {"currency": None, "partner_id": None, "context": CONTEXT, **changes}
    return model.add(uuid4(), SITE, network, PullSchedule.DAILY, **values)


def connection() -> model.NetworkConnectionAggregate:
    return model.evolve(None, added())


def test_what_a_form_requests_is_what_the_report_api_needs() -> None:
    asked = {slug: {*one.account, *one.secret} for slug, one in NETWORKS.items() if one.account or one.secret}
    assert asked == {slug: set(api.credentials) for slug, api in REPORT_APIS.items()}
    assert all(one.secret for slug, one in NETWORKS.items() if slug in REPORT_APIS)


def test_credentials_are_those_that_the_network_needs() -> None:
    assert model.checked_credentials("awin", {"publisherId": " 4711 ", "token": "a-token"}) == AWIN
    impact = {"accountSid": "IRabc", "authToken": "x"}
    assert model.checked_credentials("impact", impact) == impact
    refused: list[tuple[str, dict[str, str], str]] = [
        ("rakuten", AWIN, "not_pullable"),
        ("awin", {"token": "a-token"}, "bad_credentials"),
        ("awin", {**AWIN, "more": "x"}, "bad_credentials"),
        ("awin", {"publisherId": "../4711", "token": "a-token"}, "bad_credentials"),
        ("cj", {"publisherId": "1", "token": "two\nlines"}, "bad_credentials"),
        ("impact", AWIN, "bad_credentials"),
    ]
    for network, credentials, code in refused:
        with pytest.raises(CommandRejected) as rejection:
            model.checked_credentials(network, credentials)
        assert rejection.value.code == code, (network, credentials)
        assert "a-token" not in rejection.value.message


def test_a_currency_is_one_of_iso_4217() -> None:
    assert added("cj", currency="SEK").currency == "SEK"
    given().when(added, "cj", currency="ZZZ").then(rejected("unknown_currency", field="currency"))


def test_a_refused_connection_goes_on_with_new_credentials_and_not_with_a_new_schedule() -> None:
    refused = model.evolve(connection(), *model.refuse(connection(), "Awin does not accept these.", CONTEXT))
    assert refused.is_refused and model.refuse(refused, "again", CONTEXT) == []
    given(refused).when(model.require_pullable).then(rejected("credentials_refused"))
    [hourly] = model.change(refused, PullSchedule.HOURLY, CONTEXT, has_new_credentials=False)
    assert model.evolve(refused, hourly).is_refused
    [renewed] = model.change(refused, None, CONTEXT, has_new_credentials=True)
    assert isinstance(renewed, NetworkConnectionChanged) and renewed.schedule is PullSchedule.DAILY
    assert not model.evolve(refused, renewed).is_refused


def test_a_change_to_the_same_is_none() -> None:
    assert model.change(connection(), PullSchedule.DAILY, CONTEXT, has_new_credentials=False) == []


def test_a_pull_without_news_keeps_the_last_import() -> None:
    held, import_id = connection(), uuid4()
    for given_id in (import_id, None):
        [event] = model.finish_pull(held, NOW, 3, given_id, CONTEXT)
        assert isinstance(event, NetworkReportPulled)
        held = model.evolve(held, event)
    assert held.import_id == import_id


def test_a_removed_connection_is_gone_for_everybody_and_one_of_another_for_a_stranger() -> None:
    held = connection()
    [ended] = model.remove(held, CONTEXT)
    removed = model.evolve(held, ended)
    assert model.remove(removed, CONTEXT) == []
    assert model.finish_pull(removed, NOW, 1, None, CONTEXT) == []
    assert model.require_connected(held, SITE, CONTEXT) is held
    for loaded, website, context in (
        (removed, SITE, CONTEXT),
        (None, SITE, CONTEXT),
        (held, None, CONTEXT),
        (held, SITE, STRANGER),
    ):
        given().when(model.require_connected, loaded, website, context).then(rejected("not_found"))


def stored(connection_id: UUID, sealed: str) -> StoredPull:
    return StoredPull(connection_id, SITE.id, "awin", sealed, "hash", None, None, None, None)


def test_credentials_are_sealed_for_their_connection() -> None:
    ours, other = uuid4(), uuid4()
    sealed = seal_credentials(SETTINGS, ours, AWIN)
    assert open_credentials(SETTINGS, stored(ours, sealed.sealed)) == AWIN
    assert "a-token" not in repr(sealed) + sealed.sealed + repr(stored(ours, sealed.sealed))
    with pytest.raises(DecryptionError):
        open_credentials(SETTINGS, stored(other, sealed.sealed))


def test_a_new_token_is_of_the_same_account_and_another_publisher_is_not() -> None:
    first = seal_credentials(SETTINGS, uuid4(), AWIN)
    renewed = seal_credentials(SETTINGS, uuid4(), {**AWIN, "token": "another"})
    other = seal_credentials(SETTINGS, uuid4(), {**AWIN, "publisherId": "12"})
    assert first.account_hash == renewed.account_hash != other.account_hash
    assert len({first.hash, renewed.hash, other.hash}) == 3
