"""Delivery of alerts outside the app: by email or not, and quiet hours in the person's time zone. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from typing import Final
from uuid import UUID

from command_api.kernel.decision import CommandContext, event_metadata, invalid
from schemas.alerts import alert_delivery_id
from schemas.days import instant
from schemas.events.notifications import AlertDeliverySet
from schemas.evolution import Evolution
from schemas.zones import ZoneInfo


@dataclass(frozen=True, slots=True)
class DeliveryChoice:
    """The choice of a person; without a choice alerts are mailed at any time, and their end is not."""

    version: int = 0
    mail: bool = True
    mail_resolved: bool = False
    quiet_from: time | None = None
    quiet_until: time | None = None

    def quiet_end(self, zone: ZoneInfo, now: datetime) -> datetime | None:
        """Returns the end of the quiet hours that `now` lies in; none outside of them."""
        if self.quiet_from is None or self.quiet_until is None:
            return None
        today = now.astimezone(zone).date()
        for day in (today - timedelta(days=1), today):
            until_day = day if self.quiet_from < self.quiet_until else day + timedelta(days=1)
            begin = instant(datetime.combine(day, self.quiet_from), zone)
            end = instant(datetime.combine(until_day, self.quiet_until), zone)
            if begin <= now < end:
                return end
        return None


def choose(
    current: DeliveryChoice | None,
    account_id: UUID,
    *,
    mail: bool,
    mail_resolved: bool,
    quiet_from: time | None,
    quiet_until: time | None,
    context: CommandContext,
) -> list[AlertDeliverySet]:
    """Sets the delivery; returns no events if nothing is different. Raises `CommandRejected` for quiet hours without
    beginning or end."""
    if (quiet_from is None) != (quiet_until is None):
        raise invalid("bad_quiet_hours", "Enter when the quiet hours begin and when they end.", "quietUntil")
    if quiet_from is not None and quiet_from == quiet_until:
        raise invalid("bad_quiet_hours", "Quiet hours end at another time than they begin.", "quietUntil")
    current = current or DeliveryChoice()
    chosen = (mail, mail_resolved, quiet_from, quiet_until)
    if chosen == (current.mail, current.mail_resolved, current.quiet_from, current.quiet_until):
        return []
    return [
        AlertDeliverySet(
            **event_metadata(alert_delivery_id(account_id), current.version, context),
            account_id=account_id,
            mail=mail,
            mail_resolved=mail_resolved,
            quiet_from=quiet_from,
            quiet_until=quiet_until,
        )
    ]


evolve: Final = Evolution(DeliveryChoice).begins(AlertDeliverySet)
