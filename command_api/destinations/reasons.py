"""Why a conversion is not sent, in sentences for its owner."""

from __future__ import annotations

from typing import Final

from command_api.destinations.decision import SkipReason
from infra.domain.ad_platforms.rules import PlatformRules


def reason_text(reason: SkipReason, rules: PlatformRules) -> str:
    """The sentence."""
    days = {
        SkipReason.CLICK_TOO_OLD: rules.max_click_age,
        SkipReason.TOO_OLD: rules.max_event_age,
    }.get(reason)
    return _TEXTS[reason].format(name=rules.name, days="" if days is None else days.days)


_TEXTS: Final = {
    SkipReason.UNDECIDED: "The conversion is pending again.",
    SkipReason.NOT_APPROVED: "The conversion was rejected or reversed before it was sent.",
    SkipReason.NOT_MAPPED: "Conversions of this kind have no name at {name}: enter one to send them.",
    SkipReason.NOT_KEPT: "The website does not keep ad click IDs. Turn them on in its settings.",
    SkipReason.NO_CLICK_ID: "The visit has no click ID of {name}: it began with no ad, or the visitor did not agree.",
    SkipReason.ERASED: "The click ID is erased: its days are over, or the visitor was erased.",
    SkipReason.BAD_CLICK_ID: "The click ID of the visit is not one of {name}.",
    SkipReason.CLICK_TOO_OLD: "The click is older than the {days} days that {name} accepts.",
    SkipReason.BEFORE_CLICK: "The conversion happened before the click on the ad.",
    SkipReason.TOO_OLD: "The conversion is older than the {days} days that {name} accepts.",
    SkipReason.NO_VALUE: "The conversion has no value.",
    SkipReason.NO_CORRECTIONS: "{name} accepts no corrections: it still counts what was sent.",
    SkipReason.RETRACTED: "The conversion was retracted at {name}, which does not count it again.",
}
