"""Aggregate of a connection to the API of a network. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from command_api.networks.pulling.apis import REPORT_APIS
from command_api.websites.model import Website
from schemas.base import DomainEvent
from schemas.currencies import MINOR_DIGITS
from schemas.events import networks
from schemas.events.networks import PullSchedule
from schemas.evolution import Evolution

MAX_PROBLEM: Final = 300


@dataclass(frozen=True, slots=True)
class NetworkConnectionAggregate:
    """State of one connection. `import_id`: what its last pull with news became."""

    id: UUID
    version: int
    website_id: UUID
    network: str
    schedule: PullSchedule
    currency: str | None
    partner_id: UUID | None
    import_id: UUID | None = None
    is_refused: bool = False
    is_removed: bool = False


def checked_credentials(network: str, given: Mapping[str, str]) -> dict[str, str]:
    """The credentials that the network's API needs. Raises `CommandRejected` (not_pullable, bad_credentials)."""
    api = REPORT_APIS.get(network)
    if api is None:
        names = ", ".join(one.name for one in REPORT_APIS.values())
        raise invalid("not_pullable", f"Reports are fetched from {names}. Upload those of other networks.", "network")
    needed = " and ".join(api.credentials)
    if set(given) != set(api.credentials):
        raise invalid("bad_credentials", f"{api.name} needs {needed}.", "credentials")
    stripped = {name: value.strip() for name, value in given.items()}
    for name, pattern in api.credentials.items():
        if not pattern.fullmatch(stripped[name]):
            raise invalid("bad_credentials", f"This is no {name} of {api.name}.", "credentials")
    return stripped


def add(
    connection_id: UUID,
    website: Website,
    network: str,
    schedule: PullSchedule,
    *,
    currency: str | None,
    partner_id: UUID | None,
    context: CommandContext,
) -> networks.NetworkConnectionAdded:
    """Raises `CommandRejected` for a currency that is none."""
    if currency is not None and currency not in MINOR_DIGITS:
        raise invalid("unknown_currency", "This is no ISO 4217 currency.", "currency")
    return networks.NetworkConnectionAdded(
        **first_event(connection_id, context),
        website_id=website.id,
        network=network,
        schedule=schedule,
        currency=currency,
        partner_id=partner_id,
    )


def change(
    held: NetworkConnectionAggregate,
    schedule: PullSchedule | None,
    context: CommandContext,
    *,
    has_new_credentials: bool,
) -> list[DomainEvent]:
    """Changes what is given; new credentials let a refused connection go on."""
    wanted = schedule or held.schedule
    if wanted is held.schedule and not has_new_credentials:
        return []
    return [
        networks.NetworkConnectionChanged(
            **next_event(held, context),
            website_id=held.website_id,
            schedule=wanted,
            has_new_credentials=has_new_credentials,
        )
    ]


def refuse(held: NetworkConnectionAggregate, problem: str, context: CommandContext) -> list[DomainEvent]:
    """The network does not accept the credentials."""
    if held.is_refused or held.is_removed:
        return []
    return [
        networks.NetworkConnectionRefused(
            **next_event(held, context), website_id=held.website_id, problem=problem[:MAX_PROBLEM]
        )
    ]


def finish_pull(
    held: NetworkConnectionAggregate,
    pulled_until: datetime,
    rows: int,
    import_id: UUID | None,
    context: CommandContext,
) -> list[DomainEvent]:
    """Everything up to the moment is read."""
    if held.is_removed:
        return []
    return [
        networks.NetworkReportPulled(
            **next_event(held, context),
            website_id=held.website_id,
            pulled_until=pulled_until,
            rows=rows,
            import_id=import_id,
        )
    ]


def remove(held: NetworkConnectionAggregate, context: CommandContext) -> list[DomainEvent]:
    """Ends the connection."""
    if held.is_removed:
        return []
    return [networks.NetworkConnectionRemoved(**next_event(held, context), website_id=held.website_id)]


def require_pullable(held: NetworkConnectionAggregate) -> None:
    """Raises `CommandRejected` (credentials_refused)."""
    if held.is_refused:
        raise conflict("credentials_refused", "The network does not accept the credentials. Enter new ones first.")


def require_connected(
    held: NetworkConnectionAggregate | None, website: Website | None, context: CommandContext
) -> NetworkConnectionAggregate:
    """The connection, if its website's owner asks. Raises `CommandRejected` (missing)."""
    if held is None or held.is_removed or website is None or not context.may_act_for(website.account_id):
        raise not_found("connection")
    return held


evolve: Final = (
    Evolution(NetworkConnectionAggregate)
    .begins(networks.NetworkConnectionAdded)
    .follows(networks.NetworkConnectionRefused, but="website_id", is_refused=True)
    .follows(networks.NetworkConnectionRemoved, but="website_id", is_removed=True)
)


@evolve.on(networks.NetworkConnectionChanged)
def _changed(state: NetworkConnectionAggregate, event: networks.NetworkConnectionChanged) -> Mapping[str, object]:
    return {"schedule": event.schedule, "is_refused": state.is_refused and not event.has_new_credentials}


@evolve.on(networks.NetworkReportPulled)
def _pulled(state: NetworkConnectionAggregate, event: networks.NetworkReportPulled) -> Mapping[str, object]:
    return {"import_id": event.import_id or state.import_id}
