"""The kinds of alerts: their texts, defaults and the bounds of their thresholds. The same for both APIs.

A new kind is one entry in `ALERTS` and a check in `command_api/notifications/alerts/checks.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid5

from schemas.events.notifications import AlertKind
from schemas.identity import NAMESPACE


@dataclass(frozen=True, slots=True)
class AlertParameter:
    """A number that a person may set. `unit`: what it counts."""

    unit: str
    default: int
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class AlertDefaults:
    """`threshold`: from where on the alert opens; `minimum`: clicks or decisions below which nothing is
    compared."""

    title: str
    threshold: AlertParameter | None = None
    minimum: AlertParameter | None = None


_FALL: Final = AlertParameter("percent", 30, 10, 90)
_CLICKS: Final = AlertParameter("clicks", 200, 50, 1_000_000)

ALERTS: Final[Mapping[AlertKind, AlertDefaults]] = {
    AlertKind.NO_EVENTS: AlertDefaults("No page views or clicks arrive", AlertParameter("hours", 6, 1, 168)),
    AlertKind.POSTBACKS_REJECTED: AlertDefaults(
        "Postbacks are rejected", AlertParameter("postbacks per hour", 5, 1, 100_000)
    ),
    AlertKind.CONVERSION_RATE_FELL: AlertDefaults("The conversion rate falls", _FALL, _CLICKS),
    AlertKind.EPC_FELL: AlertDefaults("Earnings per click fall", _FALL, _CLICKS),
    AlertKind.PENDING_CONVERSIONS: AlertDefaults("Conversions stay pending", AlertParameter("days", 30, 1, 365)),
    AlertKind.PARTNER_DEACTIVATED: AlertDefaults("A partner with links is deactivated"),
    AlertKind.LINK_BROKEN: AlertDefaults("The page behind a link is gone"),
    AlertKind.MONTH_CLOSED: AlertDefaults("A month is closed, with its totals"),
    AlertKind.REPORTS_STOPPED: AlertDefaults(
        "Reports of a connected network stop arriving", AlertParameter("days", 2, 1, 60)
    ),
    AlertKind.IMPORT_FAILED: AlertDefaults("A report of a network cannot be read"),
    AlertKind.DECLINES_ROSE: AlertDefaults(
        "A partner declines more than usual",
        AlertParameter("percentage points", 15, 5, 90),
        AlertParameter("decided conversions", 30, 10, 1_000_000),
    ),
    AlertKind.PARTNER_OVERDUE: AlertDefaults("A partner pays late", AlertParameter("days", 30, 1, 90)),
}


def alert_rule_id(website_id: UUID, kind: AlertKind) -> UUID:
    """The settings of a website's alerts of one kind."""
    return uuid5(NAMESPACE, f"alert-rule\n{website_id}\n{kind}")


def alert_id(website_id: UUID, kind: AlertKind, cause: str) -> UUID:
    """The alert of one cause: it opens and ends again and again."""
    return uuid5(NAMESPACE, f"alert\n{website_id}\n{kind}\n{cause}")


def alert_delivery_id(account_id: UUID) -> UUID:
    """The delivery settings of an account's alerts."""
    return uuid5(NAMESPACE, f"alert-delivery\n{account_id}")
