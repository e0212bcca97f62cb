"""How an account wants to be told of things. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from command_api.decision import AnotherKind, Asked, invalid, missing, step
from schemas.base import DomainEvent
from schemas.events.notifications import DigestMail, NotificationMailStopped, NotificationPreferenceSet
from schemas.identity import notification_choices_id
from schemas.notifications import KINDS


@dataclass(frozen=True, slots=True)
class Choices:
    """`chosen`: kind to in-app and mail; kinds that are not there are as by default, without mail once it stopped."""

    version: int = 0
    chosen: Mapping[str, tuple[bool, DigestMail]] = field(default_factory=dict)
    stopped: bool = False

    def of(self, kind: str) -> tuple[bool, DigestMail]:
        return self.chosen.get(kind, (True, "off" if self.stopped else KINDS[kind].mail))


def choose(
    choices: Choices | None, account_id: UUID, kind: str, in_app: bool, mail: DigestMail, asked: Asked
) -> list[DomainEvent]:
    """Nothing when it is so already. Raises `Refused` for a kind that there is not, and one that is in no digest."""
    if kind not in KINDS:
        raise missing("kind of notification")
    if KINDS[kind].at_once and mail != "off":
        raise invalid("at_once", "This is mailed when it happens, and is in no digest.", "mail")
    choices = choices or Choices()
    if kind in choices.chosen and choices.of(kind) == (in_app, mail):
        return []
    base = step(notification_choices_id(account_id), choices.version, asked)
    return [NotificationPreferenceSet(**base, account_id=account_id, kind=kind, in_app=in_app, mail=mail)]


def stop_mail(
    choices: Choices | None, account_id: UUID, way: Literal["page", "one_click"], asked: Asked
) -> list[DomainEvent]:
    choices = choices or Choices()
    if choices.stopped and all(choices.of(kind)[1] == "off" for kind in KINDS):
        return []
    base = step(notification_choices_id(account_id), choices.version, asked)
    return [NotificationMailStopped(**base, account_id=account_id, way=way)]


def evolve(choices: Choices | None, event: DomainEvent) -> Choices:
    before = choices or Choices()
    match event:
        case NotificationPreferenceSet():
            chosen = {**before.chosen, event.kind: (event.in_app, event.mail)}
            return Choices(event.originator_version, chosen, before.stopped)
        case NotificationMailStopped():
            off: DigestMail = "off"
            chosen = {kind: (in_app, off) for kind, (in_app, _) in before.chosen.items()}
            return Choices(event.originator_version, chosen, stopped=True)
        case _:
            raise AnotherKind(f"{event.NAME} does not happen to choices of notifications")
