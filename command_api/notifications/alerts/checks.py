"""Common parts of the alert checks: the websites that are checked, their rules, and which of their alerts are open.

A check looks for several kinds of causes at once. Each kind has a finder, which gets the websites whose alerts of that
kind are on, and returns the causes that are there; or `None` when it cannot know, so that nothing opens or ends.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from command_api.kernel.container import Container
from command_api.notifications.alerts.model import AlertCause, EffectiveRule, rule_of
from command_api.websites import model as websites
from command_api.websites.model import Website
from schemas.events.notifications import AlertKind
from schemas.zones import ZoneInfo

MAX_CAUSES: Final = 20
"""Causes of one kind that a website is alerted about at once."""


@dataclass(frozen=True, slots=True)
class Watched:
    """A website that is checked. `opened`: since when its open alerts are open, by kind and cause."""

    website: Website
    rules: Mapping[AlertKind, EffectiveRule]
    opened: Mapping[tuple[AlertKind, str], datetime]

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.website.timezone)

    def is_open(self, kind: AlertKind, cause: str = "") -> bool:
        return (kind, cause) in self.opened


Found = Iterable[tuple[UUID, AlertCause]]
"""The causes by website."""
Finder = Callable[[Sequence[Watched], datetime], Found | None]


@dataclass(frozen=True, slots=True)
class Check:
    """One process manager's work. `next_due`: when a website is checked again."""

    name: str
    finders: Mapping[AlertKind, Finder]
    next_due: Callable[[Website, datetime], datetime]


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The causes that a check found for some websites. `kinds`: those that it could look for."""

    kinds: frozenset[AlertKind]
    by_website: Mapping[UUID, Sequence[AlertCause]]

    def changes(self, one: Watched) -> bool:
        """Returns whether an alert opens or ends."""
        opened = {key for key in one.opened if key[0] in self.kinds}
        return opened != {finding.key for finding in self.by_website.get(one.website.id, ())}


def run(check: Check, watched: Sequence[Watched], now: datetime) -> CheckResult:
    """Runs the finders of the check; returns the causes that they found."""
    kinds, by_website = set(), defaultdict[UUID, list[AlertCause]](list)
    for kind, finder in check.finders.items():
        causes = finder([one for one in watched if one.rules[kind].enabled], now)
        if causes is None:
            continue
        kinds.add(kind)
        per_website = defaultdict[UUID, int](int)
        for website_id, finding in causes:
            if per_website[website_id] < MAX_CAUSES:
                per_website[website_id] += 1
                by_website[website_id].append(finding)
    return CheckResult(frozenset(kinds), by_website)


def watch(container: Container, ids: Collection[UUID]) -> list[Watched]:
    """The connected websites among `ids`."""
    website_ids = list(ids)
    rules = defaultdict[UUID, dict[AlertKind, EffectiveRule]](dict)
    opened = defaultdict[UUID, dict[tuple[AlertKind, str], datetime]](dict)
    for website_id, kind, *values in container.select(_RULES, website_ids):
        rules[website_id][AlertKind(kind)] = rule_of(AlertKind(kind), *values)
    for website_id, kind, cause, at in container.select(_OPEN, website_ids):
        opened[website_id][AlertKind(kind), cause] = at
    loaded = (container.load(website_id, websites.evolve) for website_id in website_ids)
    return [
        Watched(website, {**_DEFAULTS, **rules[website.id]}, opened[website.id])
        for website in loaded
        if website is not None and not website.disconnected
    ]


def clock(zone: ZoneInfo, moment: datetime, now: datetime) -> str:
    """A moment as the website's zone shows it, with the day unless it is today."""
    local, today = moment.astimezone(zone), now.astimezone(zone).date()
    return f"{local:%H:%M}" if local.date() == today else f"{local:%b} {local.day}, {local:%H:%M}"


def plural(count: int, one: str, many: str = "") -> str:
    """Returns a count with its noun: `1 link`, `1,204 links`."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"


def span(hours: float) -> str:
    """A time in whole hours or, from two days on, in days."""
    whole = timedelta(hours=round(hours))
    return plural(whole.days, "day") if whole >= timedelta(days=2) else plural(round(hours), "hour")


_DEFAULTS: Final[Mapping[AlertKind, EffectiveRule]] = {kind: rule_of(kind) for kind in AlertKind}
_RULES: Final = "SELECT website_id, kind, enabled, threshold, minimum FROM lookup.alert_rule WHERE website_id = ANY(%s)"
_OPEN: Final = "SELECT website_id, kind, cause, opened_at FROM lookup.open_alert WHERE website_id = ANY(%s)"
