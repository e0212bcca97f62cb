"""`/api/platform/notifications*`: marks notifications as seen, and sets preferences. `/api/public/notifications/*`:
unsubscribes from mails, by the link or button in them; a GET changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Annotated, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Path, Request, Response
from pydantic import Field

from command_api.kernel import rate_limits
from command_api.kernel.decision import not_found, system_context
from command_api.kernel.http import CommandRunner, Confirmation, From, Id, RequestModel, Runs, container_of
from command_api.notifications import commands, model
from command_api.notifications.schemas import Choice
from infra.domain.unsubscribe import verify_unsubscribe_token
from infra.kernel.http.problems import Problem
from infra.kernel.http.route_costs import PUBLIC, costs
from infra.kernel.security.client_info import Client
from schemas.http.notifications import NotificationPreference
from schemas.identity import notification_choices_id
from schemas.notifications import KINDS

router = APIRouter(prefix="/api", tags=["notifications"])

STOP_PATH: Final = "/api/public/notifications/stop/"
PER_VISITOR: Final = rate_limits.Limit("notifications", timedelta(seconds=3), 20)


class MailedCode(RequestModel):
    """The code from an email's unsubscribe link."""

    code: Annotated[str, Field(max_length=200)]


@router.post("/platform/notifications/{id}/seen", status_code=204)
def see_notification(notification_id: Id, run: Runs) -> Response:
    """Marks a notification as seen. Stores no event."""
    if not _mark_seen(run, notification_id):
        raise not_found("notification")
    return Response(status_code=204)


@router.post("/platform/notifications/seen", status_code=204)
def see_notifications(run: Runs) -> Response:
    """Marks all in-app notifications as seen; email-only kinds remain unseen for the digest."""
    choices = run.container.load(notification_choices_id(run.person.account_id), model.evolve) or model.Choices()
    _mark_seen(run, None, [kind for kind in KINDS if not choices.of(kind)[0]])
    return Response(status_code=204)


@router.put("/platform/notification-preferences/{kind}", response_model=NotificationPreference)
def set_notification_preference(kind: Annotated[str, Path(max_length=50)], body: Choice, run: Runs) -> Response:
    return run(commands.SetPreference(kind, body), body)


@router.post("/public/notifications/unsubscribe", response_model=Confirmation, openapi_extra=costs(PUBLIC))
def unsubscribe_from_digests(body: MailedCode, request: Request, client: From) -> Confirmation:
    """`code`: from an email's unsubscribe link."""
    message = "This link is not valid. You can stop the emails in your settings."
    return _stop_digests(request, client, body.code, "page", Problem(400, "link_invalid", message))


@router.post("/public/notifications/stop/{token}", response_model=Confirmation, openapi_extra=costs(PUBLIC))
def stop_digests(token: Annotated[str, Path(max_length=200)], request: Request, client: From) -> Confirmation:
    """One-click unsubscribe (RFC 8058): a mail client's POST, authenticated by the token."""
    otherwise = Problem(404, "not_found", "There is nothing at this address.")
    return _stop_digests(request, client, token, "one_click", otherwise)


def _stop_digests(
    request: Request, client: Client, token: str, way: Literal["page", "one_click"], otherwise: Problem
) -> Confirmation:
    container = container_of(request)
    rate_limits.consume(container.pool, PER_VISITOR, client.address)
    account = verify_unsubscribe_token(container.settings, "notification_digest", token)
    if account is None:
        raise otherwise
    container.commands.dispatch(commands.StopDigests(account, way), system_context())
    return Confirmation(message="You will no longer get these emails. You can turn them on again in your settings.")


def _mark_seen(run: CommandRunner, notification_id: UUID | None, but: Sequence[str] = ()) -> int:
    return run.container.execute(_SEE, run.person.account_id, notification_id, notification_id, list(but))


_SEE: Final = (
    "UPDATE notifications.notification SET seen_at = coalesce(seen_at, now()) WHERE account_id = %s"
    " AND (id = %s OR %s::uuid IS NULL AND seen_at IS NULL AND NOT kind = ANY(%s))"
)
