"""`/api/platform/alerts*`: thresholds of a website's alerts, and how a person gets them. `/api/public/alerts/stop`:
ends the emails, by the button of a mail program."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request, Response

from command_api.kernel import rate_limits
from command_api.kernel.decision import system_context
from command_api.kernel.http import Confirmation, From, Id, Runs, container_of
from command_api.notifications.alerts import commands
from command_api.notifications.alerts.schemas import AlertDelivery, ChangeAlertRule, SetAlertRule
from command_api.notifications.routes import PER_VISITOR
from infra.domain.unsubscribe import verify_unsubscribe_token
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import PUBLIC, costs
from schemas.http.notifications import AlertDeliveryState, AlertRule

router = APIRouter(prefix="/api", tags=["notifications"])


@router.post("/platform/alerts", status_code=201, response_model=AlertRule)
def set_alert(body: SetAlertRule, run: Runs) -> Response:
    """Turns a website's alerts of one kind on or off and sets their thresholds."""
    return run(commands.SetAlertRule(body), body, status=201, is_consistent=True)


@router.patch("/platform/alerts/{id}", response_model=AlertRule)
def change_alert(rule_id: Id, body: ChangeAlertRule, run: Runs) -> Response:
    """Changes a rule. 404 while the defaults apply."""
    return run(commands.ChangeAlertRule(rule_id, body), body, is_consistent=True)


@router.delete("/platform/alerts/{id}", status_code=204)
def reset_alert(rule_id: Id, run: Runs) -> Response:
    """Restores the defaults."""
    return run(commands.ResetAlertRule(rule_id), status=204, is_consistent=True)


@router.put("/platform/alert-delivery", response_model=AlertDeliveryState)
def choose_alert_delivery(body: AlertDelivery, run: Runs) -> Response:
    """Alerts by email or not, and quiet hours in the person's time zone."""
    return run(commands.ChooseAlertDelivery(body), body, is_consistent=True)


@router.post("/public/alerts/stop/{token}", response_model=Confirmation, openapi_extra=costs(PUBLIC))
def stop_alert_mail(token: Annotated[str, Path(max_length=200)], request: Request, client: From) -> Confirmation:
    """One-click unsubscribe (RFC 8058): a mail client's POST, authenticated by the token."""
    container = container_of(request)
    rate_limits.consume(container.pool, PER_VISITOR, client.address)
    account = verify_unsubscribe_token(container.settings, "alerts", token)
    if account is None:
        raise Problem(404, "not_found", "There is nothing at this address.")
    container.commands.dispatch(commands.StopAlertMail(account), system_context())
    return Confirmation(message="You will no longer get alerts by email. You can turn them on again in your settings.")
