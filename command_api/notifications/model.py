"""Notification preferences of an account. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from command_api.kernel.decision import CommandContext, event_metadata, invalid, not_found
from schemas.base import DomainEvent
from schemas.events.notifications import DigestMail, NotificationMailStopped, NotificationPreferenceSet
from schemas.evolution import UnexpectedEvent
from schemas.identity import notification_choices_id
from schemas.notifications import KINDS


@dataclass(frozen=True, slots=True)
class Choices:
    """`chosen`: in-app and mail per kind; other kinds have defaults, without mail once it is stopped."""

    version: int = 0
    chosen: Mapping[str, tuple[bool, DigestMail]] = field(default_factory=dict)
    stopped: bool = False

    def of(self, kind: str) -> tuple[bool, DigestMail]:
        return self.chosen.get(kind, (True, "off" if self.stopped else KINDS[kind].mail))


def choose(
    choices: Choices | None, account_id: UUID, kind: str, in_app: bool, mail: DigestMail, context: CommandContext
) -> list[DomainEvent]:
    """Returns no event without a change. Raises `CommandRejected` for unknown kinds and kinds without a digest."""
    if kind not in KINDS:
        raise not_found("kind of notification")
    if KINDS[kind].at_once and mail != "off":
        raise invalid("at_once", "This is emailed immediately and is not part of a digest.", "mail")
    choices = choices or Choices()
    if kind in choices.chosen and choices.of(kind) == (in_app, mail):
        return []
    base = event_metadata(notification_choices_id(account_id), choices.version, context)
    return [NotificationPreferenceSet(**base, account_id=account_id, kind=kind, in_app=in_app, mail=mail)]


def stop_mail(
    choices: Choices | None, account_id: UUID, way: Literal["page", "one_click"], context: CommandContext
) -> list[DomainEvent]:
    choices = choices or Choices()
    if choices.stopped and all(choices.of(kind)[1] == "off" for kind in KINDS):
        return []
    base = event_metadata(notification_choices_id(account_id), choices.version, context)
    return [NotificationMailStopped(**base, account_id=account_id, way=way)]


def evolve(choices: Choices | None, event: DomainEvent) -> Choices:
    current = choices or Choices()
    match event:
        case NotificationPreferenceSet():
            chosen = {**current.chosen, event.kind: (event.in_app, event.mail)}
            return Choices(event.originator_version, chosen, current.stopped)
        case NotificationMailStopped():
            off: DigestMail = "off"
            chosen = {kind: (in_app, off) for kind, (in_app, _) in current.chosen.items()}
            return Choices(event.originator_version, chosen, stopped=True)
        case _:
            raise UnexpectedEvent(f"{event.NAME} does not happen to choices of notifications")
