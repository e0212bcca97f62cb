"""Command handlers of destinations, and what follows from decisions about conversions.

decision about a conversion -> a delivery for each destination of its website, in the transaction of the decision
-> process manager `destinations:deliver` (`process`) -> `RecordDelivery`
"""

from __future__ import annotations

from datetime import timedelta
from typing import Final, LiteralString
from uuid import UUID

from command_api.destinations import commands, model, store
from command_api.destinations.model import DestinationAggregate
from command_api.destinations.store import PROCESS
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.websites import model as websites
from schemas.base import DomainEvent
from schemas.events.conversions import (
    ConversionApproved,
    ConversionAttributed,
    ConversionForgotten,
    ConversionRejected,
    ConversionRestated,
    ConversionReversed,
)
from schemas.events.destinations import DestinationChanged, DestinationRemoved
from schemas.events.websites import WebsiteDisconnected, WebsiteTransferred
from schemas.http.destinations import Destination, mapping_shape

DecisionEvent = ConversionApproved | ConversionAttributed | ConversionRejected | ConversionReversed | ConversionRestated
HANDLERS: Final = CommandHandlers()
MAX_DESTINATIONS: Final = 10
"""Of a website."""
RETRY_DELAYS: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 360, 720, 1_440))
"""Before the second attempt, the third, …; after the last one the delivery has failed."""
MAX_ANSWER: Final = 300
_FINISHED: Final = frozenset({"sent", "in_file", "skipped", "failed"})


@HANDLERS.on(commands.AddDestination, senders="accounts")
def add_destination(command: commands.AddDestination, uow: UnitOfWork) -> Destination:
    website = websites.require_owned(uow.load(command.website_id, websites.evolve), uow.context)
    credentials = model.checked_credentials(command.platform, command.credentials)
    is_automatic = bool(credentials)
    mapping = model.checked_mapping(command.platform, command.mapping, is_automatic=is_automatic)
    added = model.add(
        command.destination_id, website, command.platform, mapping, uow.context, is_automatic=is_automatic
    )
    held = uow.advance(model.evolve, None, [added])
    if len(uow.select(_OF_WEBSITE, website.id)) >= MAX_DESTINATIONS:
        raise conflict("too_many_destinations", f"A website has at most {MAX_DESTINATIONS} destinations.")
    sealed, hash_ = store.seal_credentials(uow.settings, held.id, credentials)
    uow.cursor.execute(_ADD, (held.id, website.id, held.platform, sealed, hash_))
    return state_of(held)


@HANDLERS.on(commands.ChangeDestination, senders="accounts")
def change_destination(command: commands.ChangeDestination, uow: UnitOfWork) -> Destination:
    held = _owned(command.destination_id, uow)
    given = command.credentials
    credentials = model.checked_credentials(held.platform, given) if given else {}
    is_automatic = held.is_automatic or bool(credentials)
    mapping = model.checked_mapping(held.platform, command.mapping or held.mapping, is_automatic=is_automatic)
    events = model.change(held, mapping, uow.context, has_new_credentials=bool(credentials))
    changed = uow.advance(model.evolve, held, events)
    if credentials:
        uow.cursor.execute(_RECONNECT, (*store.seal_credentials(uow.settings, held.id, credentials), held.id))
    return state_of(changed)


@HANDLERS.on(commands.RemoveDestination, senders="accounts")
def remove_destination(command: commands.RemoveDestination, uow: UnitOfWork) -> None:
    uow.append(*model.remove(_owned(command.destination_id, uow), uow.context))


@HANDLERS.on(commands.RecordDelivery, senders="system")
def record_delivery(command: commands.RecordDelivery, uow: UnitOfWork) -> None:
    uow.lock()
    rows = uow.select(_ONE, command.delivery_id)
    if not rows:
        return  # finished, or its destination is removed
    [(destination_id, attempts, credentials_hash)] = rows
    attempt, outcome = command.attempt, command.attempt.outcome
    if outcome == "known":
        uow.cursor.execute(_DELETE_ONE, (command.delivery_id,))
        uow.set_timeout(PROCESS, command.delivery_id, None)
        return
    if outcome == "refused" and command.credentials_hash == credentials_hash:
        _refuse(uow, destination_id, attempt.answer)
    is_over = outcome in _FINISHED or (outcome == "retry" and attempts >= len(RETRY_DELAYS))
    delay = max(attempt.wait, RETRY_DELAYS[min(attempts, len(RETRY_DELAYS) - 1)])
    due = None if is_over else attempt.at + delay
    state = "ready" if due else "failed" if outcome == "retry" else outcome
    values = (state, attempt.status, attempt.answer[:MAX_ANSWER], attempt.reason, attempt.at, due)
    uow.cursor.execute(_NOTE, (*values, int(outcome not in ("refused", "in_file")), command.delivery_id))
    uow.set_timeout(PROCESS, command.delivery_id, due)


@HANDLERS.after(ConversionApproved, ConversionAttributed)
def deliver(event: DomainEvent, uow: Appended) -> None:
    """Each destination of the website gets the conversion."""
    if isinstance(event, ConversionApproved | ConversionAttributed):
        _queue(uow, event, uow.select(_OF_WEBSITE, event.facts.website_id))


@HANDLERS.after(ConversionRejected, ConversionReversed, ConversionRestated)
def correct(event: DomainEvent, uow: Appended) -> None:
    """Each destination that got the conversion gets what it is now."""
    if isinstance(event, ConversionRejected | ConversionReversed | ConversionRestated):
        _queue(uow, event, uow.select(_DELIVERED, event.originator_id))


@HANDLERS.after(ConversionForgotten)
def forget_click(event: ConversionForgotten, uow: Appended) -> None:
    """Deletes what leads to the person from deliveries; what was sent stays in the log."""
    uow.cursor.execute(_FORGET, (event.originator_id,))


@HANDLERS.after(DestinationChanged)
def deliver_again(event: DestinationChanged, uow: Appended) -> None:
    """New credentials send what the old ones could not."""
    if event.has_new_credentials:
        ids = [id_ for (id_,) in uow.select(_OF_DESTINATION, event.originator_id)]
        uow.set_timeouts(PROCESS, ids, event.timestamp)


@HANDLERS.after(DestinationRemoved)
def delete_destination(event: DestinationRemoved, uow: Appended) -> None:
    """Deletes credentials and deliveries."""
    uow.cursor.execute(_END_TIMEOUTS, (PROCESS, event.originator_id))
    uow.cursor.execute(_DELETE, (event.originator_id,))


@HANDLERS.before(WebsiteDisconnected, WebsiteTransferred)
def remove_destinations(event: DomainEvent, uow: UnitOfWork) -> None:
    """Ends the destinations of a website that is gone, or has another owner: the account at the platform is the former
    one's."""
    for (destination_id,) in uow.select(_OF_WEBSITE, event.originator_id):
        held = uow.load(destination_id, model.evolve)
        if held is not None:
            uow.append(*model.remove(held, uow.context))


def state_of(held: DestinationAggregate) -> Destination:
    """Returns the response."""
    return Destination(
        id=held.id,
        website_id=held.website_id,
        platform=held.platform,
        mapping=mapping_shape(held.mapping),
        is_automatic=held.is_automatic,
        is_refused=held.is_refused,
    )


def _owned(destination_id: UUID, uow: UnitOfWork) -> DestinationAggregate:
    loaded = uow.load(destination_id, model.evolve)
    website = uow.load(loaded.website_id, websites.evolve) if loaded else None
    return model.require_owned(loaded, website, uow.context)


def _queue(
    uow: Appended,
    event: DecisionEvent,
    destinations: list[tuple[UUID]],
) -> None:
    """One delivery looks at all that was decided before it: a destination that has a new one needs no other. That one
    is locked, so that it is not prepared before this decision can be seen."""
    for (destination_id,) in destinations:
        values = (destination_id, event.facts.website_id, event.originator_id, event.timestamp, event.timestamp)
        for row in uow.cursor.execute(_QUEUE, values).fetchall():
            uow.set_timeout(PROCESS, row["id"], event.timestamp)


def _refuse(uow: UnitOfWork, destination_id: UUID, problem: str) -> None:
    held = uow.load(destination_id, model.evolve)
    if held is not None:
        uow.append(*model.refuse(held, problem, uow.context))
        uow.cursor.execute(_REFUSE, (destination_id,))


_OF_WEBSITE: Final[LiteralString] = (
    "SELECT destination_id FROM destinations.destination WHERE website_id = %s ORDER BY destination_id"
)
_DELIVERED: Final[LiteralString] = (
    "SELECT DISTINCT destination_id FROM destinations.delivery WHERE conversion_id = %s ORDER BY destination_id"
)
_ADD: Final[LiteralString] = (
    "INSERT INTO destinations.destination (destination_id, website_id, platform, credentials_sealed, credentials_hash)"
    " VALUES (%s, %s, %s, %s, %s)"
)
_RECONNECT: Final[LiteralString] = (
    "UPDATE destinations.destination SET credentials_sealed = %s, credentials_hash = %s, is_refused = false,"
    " paused_until = NULL WHERE destination_id = %s"
)
_ONE: Final[LiteralString] = (
    "SELECT d.destination_id, d.attempts, t.credentials_hash FROM destinations.delivery AS d"
    " JOIN destinations.destination AS t ON t.destination_id = d.destination_id"
    " WHERE d.id = %s AND d.state IN ('new', 'ready')"
)
_NOTE: Final[LiteralString] = (
    "UPDATE destinations.delivery SET state = %s, status = %s, answer = %s, reason = %s, attempted_at = %s,"
    " due_at = coalesce(%s, due_at), attempts = attempts + %s WHERE id = %s"
)
_DELETE_ONE: Final[LiteralString] = "DELETE FROM destinations.delivery WHERE id = %s"
_REFUSE: Final[LiteralString] = "UPDATE destinations.destination SET is_refused = true WHERE destination_id = %s"
_QUEUE: Final[LiteralString] = (
    "INSERT INTO destinations.delivery (destination_id, website_id, conversion_id, created_at, due_at)"
    " VALUES (%s, %s, %s, %s, %s) ON CONFLICT (destination_id, conversion_id) WHERE state = 'new'"
    " DO UPDATE SET due_at = excluded.due_at RETURNING id"
)
_FORGET: Final[LiteralString] = (
    "UPDATE destinations.delivery SET click_sealed = NULL, click_event_id = NULL, page_url = NULL"
    " WHERE conversion_id = %s"
)
_OF_DESTINATION: Final[LiteralString] = (
    "SELECT id FROM destinations.delivery WHERE destination_id = %s AND state IN ('new', 'ready')"
)
_END_TIMEOUTS: Final[LiteralString] = (
    "DELETE FROM kernel.timeout WHERE process = %s AND id IN"
    " (SELECT id FROM destinations.delivery WHERE destination_id = %s AND state IN ('new', 'ready'))"
)
_DELETE: Final[LiteralString] = "DELETE FROM destinations.destination WHERE destination_id = %s"
