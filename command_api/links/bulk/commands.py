"""Commands of changes of many links."""

from __future__ import annotations

from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.links.bulk.schemas import ChangeManyLinks, LinkBulkState, LinkChangePlan


class PlanLinkBulk(Command[LinkChangePlan]):
    """Says what a change of many links would do; changes nothing."""

    body: ChangeManyLinks


class StartLinkBulk(Command[LinkBulkState]):
    """Begins a change of many links."""

    bulk_id: UUID
    body: ChangeManyLinks


class CancelLinkBulk(Command[LinkBulkState]):
    """Stops a change: the links that were not decided yet stay as they are."""

    bulk_id: UUID


class UndoLinkBulk(Command[LinkBulkState]):
    """Begins a change that restores what another one changed."""

    bulk_id: UUID
    undone_id: UUID


class AdvanceLinkBulk(Command[None]):
    """Decides the next batch of a change."""

    bulk_id: UUID
