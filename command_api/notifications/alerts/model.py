"""The alert of one cause: it opens once, stays open while the cause lasts, and opens again only after its end. Pure.

The id of its stream follows from website, kind and cause, and each opening is the stream's next version. Therefore an
opening exists once, whatever is killed, repeated or runs twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from command_api.kernel.decision import CommandContext, event_metadata
from command_api.websites.model import Website
from schemas.alerts import ALERTS, alert_id
from schemas.events.notifications import AlertKind, AlertOpened, AlertResolved
from schemas.evolution import Evolution


@dataclass(frozen=True, slots=True)
class EffectiveRule:
    """The rule of a website's alerts of one kind, defaults included; 0: the kind has no such number."""

    enabled: bool
    threshold: int
    minimum: int


@dataclass(frozen=True, slots=True)
class AlertCause:
    """A cause that is there now. `title`: one line, without the website's name; `path`: where the app shows it."""

    kind: AlertKind
    cause: str
    title: str
    text: str
    path: str

    @property
    def key(self) -> tuple[AlertKind, str]:
        return self.kind, self.cause


@dataclass(frozen=True, slots=True)
class Alert:
    """State of one cause, with the finding of its last opening."""

    id: UUID
    version: int
    website_id: UUID
    domain: str
    finding: AlertCause
    is_open: bool


def rule_of(
    kind: AlertKind, enabled: bool = True, threshold: int | None = None, minimum: int | None = None
) -> EffectiveRule:
    """The rule with the defaults for what is not set."""
    alert = ALERTS[kind]
    default, least = alert.threshold, alert.minimum
    return EffectiveRule(
        enabled,
        threshold if threshold is not None else default.default if default is not None else 0,
        minimum if minimum is not None else least.default if least is not None else 0,
    )


def decide(
    alerts: Mapping[tuple[AlertKind, str], Alert],
    website: Website,
    checked: Iterable[AlertKind],
    found: Iterable[AlertCause],
    context: CommandContext,
) -> list[AlertOpened | AlertResolved]:
    """Opens and resolves alerts after a check. `alerts`: those of the website that are open or found; `checked`: the
    kinds that the check looked for."""
    kinds, present = frozenset(checked), {finding.key: finding for finding in found}
    events: list[AlertOpened | AlertResolved] = [
        _opened(alerts.get(key), website, finding, context)
        for key, finding in present.items()
        if finding.kind in kinds and not (key in alerts and alerts[key].is_open)
    ]
    events += [
        resolved(alert, website.id, website.account_id, context)
        for key, alert in alerts.items()
        if alert.is_open and alert.finding.kind in kinds and key not in present
    ]
    return events


def resolved(alert: Alert, website_id: UUID, account_id: UUID, context: CommandContext) -> AlertResolved:
    """Ends an open alert. `account_id`: whose website it is."""
    return AlertResolved(
        **event_metadata(alert.id, alert.version, context),
        website_id=website_id,
        account_id=account_id,
        kind=alert.finding.kind,
        cause=alert.finding.cause,
    )


evolve: Final = Evolution(Alert).follows(AlertResolved, but=("website_id", "domain"), is_open=False)


@evolve.begun(AlertOpened)
def _state(event: AlertOpened) -> dict[str, Any]:
    finding = AlertCause(event.kind, event.cause, event.title, event.text, event.path)
    return {"website_id": event.website_id, "domain": event.domain, "finding": finding, "is_open": True}


def _opened(alert: Alert | None, website: Website, finding: AlertCause, context: CommandContext) -> AlertOpened:
    return AlertOpened(
        **event_metadata(
            alert_id(website.id, finding.kind, finding.cause), alert.version if alert is not None else 0, context
        ),
        website_id=website.id,
        account_id=website.account_id,
        domain=website.domain,
        kind=finding.kind,
        cause=finding.cause,
        title=finding.title,
        text=finding.text,
        path=finding.path,
    )
