"""Commands of costs."""

from __future__ import annotations

from uuid import UUID

from command_api.costs import schemas
from command_api.kernel.command_handlers import Command
from schemas.http.costs import Cost


class AddCost(Command[Cost]):
    """Enters what traffic of a website cost."""

    cost_id: UUID
    fields: schemas.CostInput


class ChangeCost(Command[Cost]):
    """Changes an entry."""

    cost_id: UUID
    fields: schemas.CostChanges


class RemoveCost(Command[None]):
    """Removes an entry; it can be restored."""

    cost_id: UUID


class RestoreCost(Command[Cost]):
    """Undoes the removal of an entry."""

    cost_id: UUID
