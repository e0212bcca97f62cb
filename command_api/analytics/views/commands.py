"""Commands of saved views."""

from __future__ import annotations

from uuid import UUID

from command_api.analytics.views import schemas
from command_api.kernel.command_handlers import Command
from schemas.http.analytics import SavedView


class SaveView(Command[SavedView]):
    """Saves what the analytics page shows, or its filters, under a name."""

    view_id: UUID
    fields: schemas.SaveView


class ChangeView(Command[SavedView]):
    """Changes name, content or whom a view is for."""

    view_id: UUID
    fields: schemas.ChangeView


class RemoveView(Command[None]):
    """Removes the view; it can be restored."""

    view_id: UUID


class RestoreView(Command[SavedView]):
    """Undoes the removal."""

    view_id: UUID


class ChooseDefaultView(Command[None]):
    """A website opens with the view for the sender. `is_default`: whether it shall, or no longer."""

    view_id: UUID
    website_id: UUID
    is_default: bool
