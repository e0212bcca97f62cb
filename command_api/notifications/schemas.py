"""Request and response models of notification preferences."""

from __future__ import annotations

from command_api.kernel.http import RequestModel
from schemas.events.notifications import DigestMail
from schemas.http.responses import ResponseModel


class Choice(RequestModel):
    """Where notifications of one kind appear: in the app, and in which email digest."""

    in_app: bool
    mail: DigestMail


class Preference(ResponseModel):
    """The choice for one kind of notification, after the change."""

    kind: str
    title: str
    in_app: bool
    mail: DigestMail
