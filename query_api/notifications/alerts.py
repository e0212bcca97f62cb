"""`GET /api/platform/alerts`: the settings of a website's alerts. `…/alerts/raised`: alerts that are or were open, of
all websites of the account or of one. `…/alert-delivery`: how the account gets them outside the app.

All are read as the account itself, whatever roles it has: an admin's own alerts are not those of everybody.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.pagination import Page20
from schemas.alerts import ALERTS
from schemas.events.notifications import AlertKind
from schemas.http.notifications import AlertDeliveryState, AlertRule, alert_rule
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/platform", tags=["notifications"])


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


class AlertDeliveryInZone(AlertDeliveryState):
    """How you get alerts outside the app; quiet hours are in your time zone."""

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
_BY_MAIL: Final = {"mail": True, "mail_resolved": False, "quiet_from": None, "quiet_until": None}
_ZONE: Final = "SELECT timezone FROM read.account_details WHERE account_id = %s"


@router.get("/alerts", dependencies=[READS_OWN_WRITES])
def get_alerts(website_id: Annotated[UUID, Query(alias="websiteId")], scope: CallerScope) -> list[AlertRule]:
    """All kinds."""
    website = scope.website(website_id)
    rules = {row.pop("kind"): row for row in scope.reader.rows(_RULES, (website.id,))}
    return [alert_rule(website.id, kind, **rules.get(str(kind), {})) for kind in ALERTS]


@router.get("/alerts/raised", dependencies=[READS_OWN_WRITES])
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


@router.get("/alert-delivery", dependencies=[READS_OWN_WRITES])
def get_alert_delivery(scope: CallerScope) -> AlertDeliveryInZone:
    """Your choice; the default is by email at any time."""
    me = (scope.principal.account_id,)
    zone, row = scope.reader.row(_ZONE, me), scope.reader.row(_DELIVERY, me)
    timezone = zone["timezone"] if zone is not None and zone["timezone"] else "UTC"
    return AlertDeliveryInZone.of_row(row or _BY_MAIL, timezone=timezone)
