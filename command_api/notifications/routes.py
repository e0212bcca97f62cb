"""`/api/platform/notifications*`: what was seen, and what members want to be told. `/api/public/notifications/*`: the
way out of the mails, by the link or button in them; nothing happens on a GET."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Final
from uuid import UUID

from fastapi import APIRouter, Path, Request, Response
from pydantic import BaseModel, Field

from command_api.accounts import limits
from command_api.commands import Decided
from command_api.core import Core
from command_api.decision import by_system, missing
from command_api.http import Answer, Body, From, Id, Run, Runs, core_of
from command_api.notifications import model
from command_api.store import Conflict
from infra.digest import stopped_by
from infra.problems import Problem
from schemas.events.notifications import DigestMail
from schemas.identity import notification_choices_id
from schemas.notifications import KINDS

router = APIRouter(prefix="/api", tags=["notifications"])

STOP_PATH: Final = "/api/public/notifications/stop/"
PER_VISITOR: Final = limits.Limit("notifications", timedelta(seconds=3), 20)
_ATTEMPTS: Final = 10


class Choice(Body):
    in_app: bool
    mail: DigestMail


class Preference(Answer):
    kind: str
    title: str
    in_app: bool
    mail: DigestMail


class MailedCode(Body):
    code: Annotated[str, Field(max_length=200)]


class Stopped(BaseModel):
    ok: bool = True
    message: str = "You will get no more of these mails. You can choose them again in your settings."


@router.post("/platform/notifications/{id}/seen", status_code=204)
def see_notification(notification_id: Id, run: Runs) -> Response:
    """No event: it is nobody else's business."""
    if not _see(run, notification_id):
        raise missing("notification")
    return Response(status_code=204)


@router.post("/platform/notifications/seen", status_code=204)
def see_notifications(run: Runs) -> Response:
    """All that are shown in the app; what the member only wants by mail is still to be mailed."""
    choices = run.core.store.load(notification_choices_id(run.person.account_id), model.evolve) or model.Choices()
    _see(run, None, [kind for kind in KINDS if not choices.of(kind)[0]])
    return Response(status_code=204)


@router.put("/platform/notification-preferences/{kind}", response_model=Preference)
def set_notification_preference(kind: Annotated[str, Path(max_length=50)], body: Choice, run: Runs) -> Response:
    account = run.person.account_id

    def decide() -> Decided[Preference]:
        choices = run.core.store.load(notification_choices_id(account), model.evolve)
        events = model.choose(choices, account, kind, body.in_app, body.mail, run.asked)
        preference = Preference(kind=kind, title=KINDS[kind].title, in_app=body.in_app, mail=body.mail)
        return Decided(events, preference)

    return run(decide, body)


@router.post("/public/notifications/unsubscribe", response_model=Stopped)
def unsubscribe_from_digests(body: MailedCode, request: Request, client: From) -> Stopped:
    """`code`: from a mail's unsubscribe link."""
    core = core_of(request)
    limits.charge(core.pool, PER_VISITOR, client.address)
    account = stopped_by(core.settings, body.code)
    if account is None:
        raise Problem(400, "link_invalid", "This link is not valid. You can stop the mails in your settings.")
    _stop(core, account, "page")
    return Stopped()


@router.post("/public/notifications/stop/{token}", response_model=Stopped)
def stop_digests(token: Annotated[str, Path(max_length=200)], request: Request, client: From) -> Stopped:
    """One click in a mail program (RFC 8058): a form, from a server, which the token in the address speaks for."""
    core = core_of(request)
    limits.charge(core.pool, PER_VISITOR, client.address)
    account = stopped_by(core.settings, token)
    if account is None:
        raise Problem(404, "not_found", "There is nothing at this address.")
    _stop(core, account, "one_click")
    return Stopped()


def _stop(core: Core, account: UUID, way: str) -> None:
    for _ in range(_ATTEMPTS):
        choices = core.store.load(notification_choices_id(account), model.evolve)
        by = by_system(datetime.now(UTC))
        try:
            core.store.write(model.stop_mail(choices, account, "page" if way == "page" else "one_click", by))
            return
        except Conflict:
            continue
    raise Problem(409, "busy", "Please try again.")


def _see(run: Run, notification_id: UUID | None, but: Sequence[str] = ()) -> int:
    with run.core.pool.connection() as connection:
        seen = connection.execute(_SEE, {"account": run.person.account_id, "id": notification_id, "but": list(but)})
        return int(seen.rowcount)


_SEE: Final = (
    "UPDATE ops.notification SET seen_at = coalesce(seen_at, now()) WHERE account_id = %(account)s"
    " AND (id = %(id)s OR %(id)s::uuid IS NULL AND seen_at IS NULL AND NOT kind = ANY(%(but)s))"
)
