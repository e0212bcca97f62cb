"""Aggregate of a destination: a website's conversions at one ad platform. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, invalid, not_found
from command_api.websites.model import Website
from infra.domain.ad_platforms.rules import PLATFORMS, PlatformRules
from schemas.base import DomainEvent
from schemas.events import destinations
from schemas.events.destinations import AdPlatform, DestinationMapping
from schemas.evolution import Evolution

MAX_PROBLEM: Final = 300
_BEGINS_FORMULA: Final = frozenset("=+-@")
"""What a spreadsheet would compute when the file is opened in one."""


@dataclass(frozen=True, slots=True)
class DestinationAggregate:
    """State of one destination. `is_automatic`: it has credentials of the platform's API."""

    id: UUID
    version: int
    website_id: UUID
    platform: AdPlatform
    mapping: DestinationMapping
    is_automatic: bool
    is_refused: bool = False
    is_removed: bool = False

    @property
    def rules(self) -> PlatformRules:
        return PLATFORMS[self.platform]


def checked_credentials(platform: AdPlatform, given: Mapping[str, str]) -> dict[str, str]:
    """The credentials of the platform's API; none are needed where there are files. Raises `CommandRejected`
    (bad_credentials)."""
    rules = PLATFORMS[platform]
    stripped = {name: value.strip() for name, value in given.items()}
    if not stripped and rules.has_files:
        return {}
    if set(stripped) != set(rules.credentials):
        needed = ", ".join(rules.credentials)
        end = ", or nothing: conversions are then in files to upload" if rules.has_files else ""
        raise invalid("bad_credentials", f"{rules.name} needs {needed}{end}.", "credentials")
    for name, credential in rules.credentials.items():
        if not credential.form.fullmatch(stripped[name]):
            raise invalid("bad_credentials", f"This is no {name} of {rules.name}.", "credentials")
    return stripped


def checked_mapping(platform: AdPlatform, given: DestinationMapping, *, is_automatic: bool) -> DestinationMapping:
    """The mapping in its stored form. Raises `CommandRejected` (bad_mapping)."""
    rules = PLATFORMS[platform]
    stripped = given.model_copy(update={"sale": given.sale.strip(), "lead": given.lead.strip()})
    names = {"sale": stripped.sale, "lead": stripped.lead}
    if not any(names.values()):
        raise invalid("bad_mapping", f"Enter the name that sales or leads have at {rules.name}.", "mapping")
    for kind, name in names.items():
        if name and (not name.isprintable() or name[0] in _BEGINS_FORMULA):
            raise invalid("bad_mapping", f"The name of {kind}s has characters that no name there has.", "mapping")
        if name and is_automatic and rules.name_form is not None and not rules.name_form.fullmatch(name):
            raise invalid("bad_mapping", f"The API of {rules.name} needs {rules.name_hint} as the name.", "mapping")
    return stripped


def add(
    destination_id: UUID,
    website: Website,
    platform: AdPlatform,
    mapping: DestinationMapping,
    context: CommandContext,
    *,
    is_automatic: bool,
) -> destinations.DestinationAdded:
    """From now on decided conversions go to the platform."""
    return destinations.DestinationAdded(
        **first_event(destination_id, context),
        website_id=website.id,
        platform=platform,
        mapping=mapping,
        is_automatic=is_automatic,
    )


def change(
    held: DestinationAggregate, mapping: DestinationMapping, context: CommandContext, *, has_new_credentials: bool
) -> list[DomainEvent]:
    """Changes the mapping; new credentials let a refused destination go on."""
    if mapping == held.mapping and not has_new_credentials:
        return []
    return [
        destinations.DestinationChanged(
            **next_event(held, context),
            website_id=held.website_id,
            mapping=mapping,
            is_automatic=held.is_automatic or has_new_credentials,
            has_new_credentials=has_new_credentials,
        )
    ]


def refuse(held: DestinationAggregate, problem: str, context: CommandContext) -> list[DomainEvent]:
    """The platform does not accept the credentials."""
    if held.is_refused or held.is_removed:
        return []
    return [
        destinations.DestinationRefused(
            **next_event(held, context), website_id=held.website_id, problem=problem[:MAX_PROBLEM]
        )
    ]


def remove(held: DestinationAggregate, context: CommandContext) -> list[DomainEvent]:
    """Ends the destination."""
    if held.is_removed:
        return []
    return [destinations.DestinationRemoved(**next_event(held, context), website_id=held.website_id)]


def require_owned(
    held: DestinationAggregate | None, website: Website | None, context: CommandContext
) -> DestinationAggregate:
    """The destination, if its website's owner asks. Raises `CommandRejected` (missing)."""
    if held is None or held.is_removed or website is None or not context.may_act_for(website.account_id):
        raise not_found("destination")
    return held


evolve: Final = (
    Evolution(DestinationAggregate)
    .begins(destinations.DestinationAdded)
    .follows(destinations.DestinationRefused, but="website_id", is_refused=True)
    .follows(destinations.DestinationRemoved, but="website_id", is_removed=True)
)


@evolve.on(destinations.DestinationChanged)
def _changed(state: DestinationAggregate, event: destinations.DestinationChanged) -> Mapping[str, object]:
    return {
        "mapping": event.mapping,
        "is_automatic": event.is_automatic,
        "is_refused": state.is_refused and not event.has_new_credentials,
    }
