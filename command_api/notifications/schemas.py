"""Request and response models of notification preferences."""

from __future__ import annotations

from command_api.kernel.http import RequestModel
from schemas.events.notifications import DigestMail


class Choice(RequestModel):
    """Where notifications of one kind appear: in the app, and in which email digest."""

    in_app: bool
    mail: DigestMail
