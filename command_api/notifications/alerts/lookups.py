"""Inline projection `alert_states`: what is set for the alerts of websites, and which alerts are open."""

from __future__ import annotations

from typing import Final

from command_api.kernel.inline_projection import InlineProjection, Table, Tables
from schemas.events.notifications import (
    AlertOpened,
    AlertResolved,
    AlertRuleReset,
    AlertRuleSet,
)
from schemas.events.websites import WebsiteDisconnected

ALERT_RULE_TABLE: Final = Table(
    "alert_rule",
    columns=(
        "website_id uuid not null",
        "kind text not null",
        "enabled boolean not null",
        "threshold int",
        "minimum int",
    ),
    key=("website_id", "kind"),
)
OPEN_ALERT_TABLE: Final = Table(
    "open_alert",
    columns=(
        "alert_id uuid not null",
        "website_id uuid not null",
        "kind text not null",
        "cause text not null",
        "opened_at timestamptz not null",
    ),
    key=("alert_id",),
    indexes=("website_id",),
)
ALERT_STATES: Final = InlineProjection(
    "alert_states",
    version=1,
    tables=(
        ALERT_RULE_TABLE,
        OPEN_ALERT_TABLE,
    ),
)


ALERT_RULE_TABLE.begins(AlertRuleSet)


@ALERT_STATES.on(AlertRuleReset)
def _rule_reset(tables: Tables, event: AlertRuleReset) -> None:
    tables["alert_rule"].delete(website_id=event.website_id, kind=str(event.kind))


OPEN_ALERT_TABLE.begins(AlertOpened, at="opened_at")
OPEN_ALERT_TABLE.ends(AlertResolved)


@ALERT_STATES.on(WebsiteDisconnected)
def _disconnected(tables: Tables, event: WebsiteDisconnected) -> None:
    for name in ("alert_rule", "open_alert"):
        tables[name].delete(website_id=event.originator_id)
