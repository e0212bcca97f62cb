"""Notifications of admins about the platform itself."""

from __future__ import annotations

from command_api.notifications.notification import ADMINS, Notifications, OutgoingNotification, on
from schemas.events.operations import ReferenceRatesMissed
from schemas.inline_text import inline


@on(ReferenceRatesMissed)
def rates_missed(event: ReferenceRatesMissed) -> Notifications:
    newest = (
        "None are recorded yet." if event.newest_day is None else f"The newest are of {event.newest_day:%-d %B %Y}."
    )
    title = f"Exchange rates do not arrive: {inline(event.problem)} {newest}"
    yield OutgoingNotification(
        "rates", "reference-rates", None, title=title, path="/admin/exchange-rates", roles=ADMINS
    )
