"""`GET /api/platform/alerts`: what holds for a website's alerts. `…/alerts/raised`: alerts that are or were open, of
all websites of the account or of one. `…/alert-delivery`: how the account gets them outside the app.

All are read as the account itself, whatever roles it has: an admin's own alerts are not those of everybody.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from pydantic import Field

from query_api.kernel.dependencies import CallerScope, Reads
from query_api.kernel.pagination import Page20
from schemas.alerts import ALERTS, Number
from schemas.events.notifications import AlertKind
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/platform", tags=["notifications"])


class AlertNumber(ResponseModel):
    """A number of a rule, with its default and bounds."""

    value: int
    unit: str
    default: int
    least: int
    most: int


class AlertRule(ResponseModel):
    """The rule of a website's alerts of one kind."""

    id: UUID | None = Field(description="Null: nothing is set, the defaults hold")
    website_id: UUID
    kind: AlertKind
    title: str
    enabled: bool
    threshold: AlertNumber | None = Field(description="From where on the alert opens")
    minimum: AlertNumber | None = Field(description="Clicks below which nothing is compared")


class RaisedAlert(ResponseModel):
    """An open or resolved alert."""

    id: UUID
    website_id: UUID
    domain: str
    kind: AlertKind
    title: str
    text: str
    path: str = Field(description="Where the app shows the cause")
    opened_at: datetime
    resolved_at: datetime | None = Field(description="Null: open")


class AlertDeliveryState(ResponseModel):
    """How you get alerts outside the app; quiet hours are in your time zone."""

    mail: bool = True
    mail_resolved: bool = False
    quiet_from: str | None = None
    quiet_until: str | None = None
    timezone: str


_RULES: Final = "SELECT id, kind, enabled, threshold, minimum FROM read.alert_rules WHERE website_id = %s"
_RAISED: Final = """
SELECT a.id, a.website_id, w.domain, a.kind, a.title, a.text, a.path, a.opened_at, a.resolved_at
FROM read.alerts AS a JOIN read.websites AS w ON w.id = a.website_id AND w.deleted_at IS NULL
WHERE w.account_id = %(me)s AND (%(website)s::uuid IS NULL OR a.website_id = %(website)s)
  AND (NOT %(open)s OR a.resolved_at IS NULL)
  AND (%(at)s::timestamptz IS NULL OR (a.opened_at, a.id) < (%(at)s, %(last)s::uuid))
ORDER BY a.opened_at DESC, a.id DESC LIMIT %(limit)s"""
_DELIVERY: Final = """
SELECT d.mail, d.mail_resolved, to_char(d.quiet_from, 'HH24:MI') AS quiet_from,
    to_char(d.quiet_until, 'HH24:MI') AS quiet_until
FROM read.alert_deliveries AS d WHERE d.account_id = %s"""
_ZONE: Final = "SELECT timezone FROM read.account_details WHERE account_id = %s"


@router.get("/alerts", dependencies=[Depends(Reads("alert_rules", "websites"))])
def get_alerts(website_id: Annotated[UUID, Query(alias="websiteId")], scope: CallerScope) -> list[AlertRule]:
    """All kinds."""
    website = scope.website(website_id)
    rules = {row["kind"]: row for row in scope.reader.rows(_RULES, (website.id,))}
    found = []
    for kind, alert in ALERTS.items():
        row = rules.get(str(kind))
        found.append(
            AlertRule(
                id=row["id"] if row is not None else None,
                website_id=website.id,
                kind=kind,
                title=alert.title,
                enabled=row["enabled"] if row is not None else True,
                threshold=_number(alert.threshold, row["threshold"] if row is not None else None),
                minimum=_number(alert.minimum, row["minimum"] if row is not None else None),
            )
        )
    return found


@router.get("/alerts/raised", dependencies=[Depends(Reads("alerts", "websites"))])
def get_raised_alerts(
    scope: CallerScope,
    page: Page20,
    website_id: Annotated[UUID | None, Query(alias="websiteId")] = None,
    open_only: Annotated[bool, Query(alias="open", description="Only those whose cause lasts")] = False,
) -> list[RaisedAlert]:
    """Newest first."""
    website = scope.website(website_id).id if website_id is not None else None
    bound = {"me": scope.principal.account_id, "website": website, "open": open_only}
    return [RaisedAlert.of_row(row) for row in page.rows(scope.reader, _RAISED, "opened_at", bound)]


@router.get("/alert-delivery", dependencies=[Depends(Reads("alert_deliveries", "account_details"))])
def get_alert_delivery(scope: CallerScope) -> AlertDeliveryState:
    """Your choice; the default is by email at any time."""
    me = (scope.principal.account_id,)
    zone, row = scope.reader.row(_ZONE, me), scope.reader.row(_DELIVERY, me)
    timezone = zone["timezone"] if zone is not None and zone["timezone"] else "UTC"
    if row is None:
        return AlertDeliveryState(timezone=timezone)
    return AlertDeliveryState(
        mail=row["mail"],
        mail_resolved=row["mail_resolved"],
        quiet_from=row["quiet_from"],
        quiet_until=row["quiet_until"],
        timezone=timezone,
    )


def _number(bounds: Number | None, value: int | None) -> AlertNumber | None:
    if bounds is None:
        return None
    return AlertNumber(
        value=bounds.default if value is None else value,
        unit=bounds.unit,
        default=bounds.default,
        least=bounds.least,
        most=bounds.most,
    )
