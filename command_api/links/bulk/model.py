"""Aggregate of a change of many links. Pure.

`link_bulk.started` names the links. Its timeout decides a batch, stores the events of the links with
`link_bulk.advanced`, and sets the next one, until all are decided or a person cancels it. A crash leaves whole batches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

from command_api.kernel.aggregates import first_event, next_event
from command_api.kernel.decision import CommandContext, conflict, not_found
from command_api.websites.model import Website
from schemas.base import DomainEvent
from schemas.events.links import (
    BulkChange,
    BulkKind,
    ChangedLink,
    LinkBulkAdvanced,
    LinkBulkCancelled,
    LinkBulkStarted,
    LinkFailure,
)
from schemas.evolution import Evolution
from schemas.http.links import LinkBulkProgress

MAX_LINKS: Final = 10_000
BATCH: Final = 200


@dataclass(frozen=True, slots=True)
class BulkAggregate:
    """State of one change of many links. `done`: how many were decided; `changed`: those that it changed."""

    id: UUID
    version: int
    website_id: UUID
    change: BulkChange
    link_ids: tuple[UUID, ...]
    actor_id: UUID | None
    done: int = 0
    changed: tuple[ChangedLink, ...] = ()
    state: LinkBulkProgress = LinkBulkProgress.RUNNING

    @property
    def batch(self) -> Sequence[UUID]:
        """The links to decide next."""
        return self.link_ids[self.done : self.done + BATCH]

    def as_its_author(self, context: CommandContext) -> CommandContext:
        """The context in which the links are decided: by the person who began it, now."""
        return replace(context, account_id=self.actor_id)


def start(
    bulk_id: UUID, website: Website, change: BulkChange, link_ids: Sequence[UUID], context: CommandContext
) -> LinkBulkStarted:
    """Raises `CommandRejected` for none, or too many."""
    if not link_ids:
        raise conflict("no_links", "No links match.")
    if len(link_ids) > MAX_LINKS:
        raise conflict("too_many_links", f"At most {MAX_LINKS:,} links can be changed at once. Narrow the filter.")
    return LinkBulkStarted(
        **first_event(bulk_id, context), website_id=website.id, change=change, link_ids=tuple(link_ids)
    )


def undo(bulk_id: UUID, undone: BulkAggregate, website: Website, context: CommandContext) -> LinkBulkStarted:
    """A change that restores what another one changed. Raises `CommandRejected` while that is running."""
    if undone.state is LinkBulkProgress.RUNNING:
        raise conflict("still_running", "These links are still being changed. Stop it first.")
    change = BulkChange(kind=BulkKind.UNDO, undoes=undone.id)
    return start(bulk_id, website, change, [one.link_id for one in undone.changed], context)


def advance(
    bulk: BulkAggregate, changed: Sequence[ChangedLink], failures: Sequence[LinkFailure], context: CommandContext
) -> LinkBulkAdvanced:
    """The end of a batch."""
    done = bulk.done + len(bulk.batch)
    return LinkBulkAdvanced(
        **next_event(bulk, context),
        website_id=bulk.website_id,
        done=done,
        changed=tuple(changed),
        failures=tuple(failures),
        is_finished=done >= len(bulk.link_ids),
    )


def cancel(bulk: BulkAggregate, context: CommandContext) -> list[DomainEvent]:
    """Stops it; nothing if it has ended."""
    if bulk.state is not LinkBulkProgress.RUNNING:
        return []
    return [LinkBulkCancelled(**next_event(bulk, context), website_id=bulk.website_id)]


def require_owned(bulk: BulkAggregate | None, website: Website | None, context: CommandContext) -> BulkAggregate:
    """The change, if its website's owner asks. Raises `CommandRejected` (missing)."""
    if bulk is None or website is None or not context.may_act_for(website.account_id):
        raise not_found("change")
    return bulk


evolve: Final = (
    Evolution(BulkAggregate)
    .begins(LinkBulkStarted, takes={"actor_id": "actor_id"})
    .follows(LinkBulkCancelled, but="website_id", state=LinkBulkProgress.CANCELLED)
)


@evolve.on(LinkBulkAdvanced)
def _advanced(state: BulkAggregate, event: LinkBulkAdvanced) -> dict[str, Any]:
    return {
        "done": event.done,
        "changed": (*state.changed, *event.changed),
        "state": LinkBulkProgress.FINISHED if event.is_finished else LinkBulkProgress.RUNNING,
    }
