"""Settings of a website's alerts of one kind. Pure. Without settings the defaults of `schemas.alerts` apply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from command_api.kernel.decision import CommandContext, event_metadata, invalid, not_found
from command_api.websites.model import Website, require_owned
from schemas.alerts import ALERTS, AlertParameter, alert_rule_id
from schemas.events.notifications import AlertKind, AlertRuleReset, AlertRuleSet
from schemas.evolution import Evolution


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """The settings of a rule. `threshold`, `minimum`: as set; `None`: the default."""

    id: UUID
    version: int
    website_id: UUID
    kind: AlertKind
    enabled: bool = True
    threshold: int | None = None
    minimum: int | None = None
    is_default: bool = False


def set_rule(
    rule: RuleSettings | None,
    website: Website | None,
    kind: AlertKind,
    *,
    enabled: bool,
    threshold: int | None,
    minimum: int | None,
    context: CommandContext,
) -> list[AlertRuleSet]:
    """Sets the rule; returns no events if nothing is different. Raises `CommandRejected` for a number out of bounds."""
    website = require_owned(website, context)
    _check(ALERTS[kind].threshold, threshold, "threshold")
    _check(ALERTS[kind].minimum, minimum, "minimum")
    if (
        rule is not None
        and not rule.is_default
        and (rule.enabled, rule.threshold, rule.minimum) == (enabled, threshold, minimum)
    ):
        return []
    metadata = event_metadata(alert_rule_id(website.id, kind), rule.version if rule is not None else 0, context)
    return [
        AlertRuleSet(
            **metadata, website_id=website.id, kind=kind, enabled=enabled, threshold=threshold, minimum=minimum
        )
    ]


def reset(rule: RuleSettings, context: CommandContext) -> AlertRuleReset:
    """Sets the rule to its defaults."""
    metadata = event_metadata(rule.id, rule.version, context)
    return AlertRuleReset(**metadata, website_id=rule.website_id, kind=rule.kind)


def require_set(
    rule: RuleSettings | None, website: Website | None, context: CommandContext
) -> tuple[RuleSettings, Website]:
    """Returns both. Raises `CommandRejected` (missing) unless the rule is set and the actor may act for the owner."""
    if rule is None or rule.is_default or website is None:
        raise not_found("alert")
    if website.disconnected or not context.may_act_for(website.account_id):
        raise not_found("alert")
    return rule, website


def _check(bounds: AlertParameter | None, value: int | None, field: str) -> None:
    if value is None:
        return
    if bounds is None:
        raise invalid(f"no_{field}", f"This alert has no {field}.", field)
    if not bounds.least <= value <= bounds.most:
        raise invalid(f"bad_{field}", f"Enter {bounds.least:,} to {bounds.most:,} {bounds.unit}.", field)


evolve: Final = (
    Evolution(RuleSettings)
    .begins(AlertRuleSet)
    .follows(AlertRuleReset, enabled=True, threshold=None, minimum=None, is_default=True)
)
