"""An id of something else: each model says so of the first event, and only that is taken for "there is no such"."""

from __future__ import annotations

from typing import Any, cast

import pytest

import command_api.accounts.invites.model
import command_api.accounts.model
import command_api.conversions.model
import command_api.domains.model
import command_api.links.model
import command_api.operations.exchange_rates.model
import command_api.partners.model
import command_api.partners.slug_reservation
import command_api.websites.model
from command_api.kernel.event_store import EventMapper, fold
from schemas.base import DomainEvent
from schemas.evolution import UnexpectedEvent
from tests.support.decisions import history

KINDS: dict[str, Any] = {
    "account": command_api.accounts.model.evolve,
    "email": command_api.accounts.model.evolve_email,
    "invite": command_api.accounts.invites.model.evolve,
    "website": command_api.websites.model.evolve,
    "domain": command_api.domains.model.evolve,
    "host": command_api.domains.model.evolve_host,
    "partner": command_api.partners.model.evolve,
    "link": command_api.links.model.evolve,
    "slug": command_api.partners.slug_reservation.evolve,
    "conversion": command_api.conversions.model.evolve,
    "exchange_rate": command_api.operations.exchange_rates.model.evolve,
}


def plain(_: object, __: object, text: str) -> str:
    return text


@pytest.mark.parametrize("kind", KINDS)
def test_a_history_of_another_kind_is_refused_as_that(kind: str) -> None:
    events = history(cast(Any, plain))
    others = [event for event in events if not event.NAME.startswith(f"{kind}.")]
    assert len(others) > 20
    for event in others:
        with pytest.raises(UnexpectedEvent):
            KINDS[kind](None, event)


def loaded(evolve: Any, *events: DomainEvent) -> Any:
    mapper = EventMapper(None)
    return fold(lambda _: [mapper.to_stored_event(event) for event in events], mapper, evolve).state


def test_only_another_kind_is_nothing_and_a_mistake_stays_one() -> None:
    events = history(cast(Any, plain))
    partner = next(event for event in events if event.NAME == "partner.registered")
    assert loaded(command_api.websites.model.evolve, partner) is None

    for error in (AssertionError, TypeError, KeyError):

        def broken(_: object, __: object, error: type[Exception] = error) -> None:
            raise error

        with pytest.raises(error):
            loaded(broken, partner)

    def once(state: object, event: DomainEvent) -> object:
        if state is not None:
            raise UnexpectedEvent(event.NAME)
        return event

    with pytest.raises(UnexpectedEvent):
        loaded(once, partner, partner)
