"""Commands of notifications."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from command_api.kernel.command_handlers import Command
from command_api.notifications import schemas
from schemas.http.notifications import NotificationPreference


class SetPreference(Command[NotificationPreference]):
    """Chooses where the sender's notifications of one kind appear."""

    kind: str
    fields: schemas.Choice


class StopDigests(Command[None]):
    """Ends the digests of an account, by the page or the one-click button of a mail."""

    account_id: UUID
    way: Literal["page", "one_click"]
