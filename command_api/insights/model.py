"""Aggregates: the insights of a website, and the digest choice of an account. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final
from uuid import UUID

from command_api.insights.finding import InsightFinding, InsightSubject
from command_api.insights.wording import Narrative, evidence, link_filters
from command_api.kernel.decision import CommandContext, event_metadata, invalid, not_found, require_existing
from command_api.websites.model import Website
from schemas.base import DomainEvent
from schemas.events.insights import (
    DigestMail,
    Insight,
    InsightAbout,
    InsightDismissed,
    InsightsDigestChosen,
    InsightsGenerated,
)
from schemas.evolution import Evolution, UnexpectedEvent
from schemas.http.insights import digest_id, insight_id, insights_id

MAX_REASON: Final = 500


@dataclass(frozen=True, slots=True)
class Insights:
    """The open insights of a website, the most important first."""

    version: int
    website_id: UUID
    last_day: date
    open: tuple[Insight, ...]
    dismissed: frozenset[str] = frozenset()
    """Keys of insights that stay hidden while analyses find them."""


@dataclass(frozen=True, slots=True)
class Digest:
    """State of an account's choice: how often insights are mailed to it."""

    version: int
    every: DigestMail


def generate(
    state: Insights | None,
    website: Website,
    last_day: date,
    found: Sequence[tuple[InsightFinding, Narrative]],
    names: Mapping[InsightSubject, str],
    silence: str | None,
    context: CommandContext,
) -> InsightsGenerated:
    """The event of one analysis, with insights in display order. `names`: of subjects."""
    since = {insight.key: insight.since for insight in state.open} if state else {}
    dismissed = state.dismissed if state else frozenset()
    return InsightsGenerated(
        **event_metadata(insights_id(website.id), state.version if state else 0, context),
        website_id=website.id,
        account_id=website.account_id,
        last_day=last_day,
        silence=silence,
        insights=tuple(
            _insight(finding, narrative, names, website.currency, since.get(finding.key, context.at))
            for finding, narrative in found
            if finding.key not in dismissed
        ),
        dismissed=tuple(finding.key for finding, _ in found if finding.key in dismissed),
    )


def dismiss(
    state: Insights | None, website: Website, insight: UUID, reason: str, context: CommandContext
) -> InsightDismissed:
    """Dismisses an insight. `insight`: the id of an open one."""
    reason = reason.strip()
    if not reason or len(reason) > MAX_REASON:
        raise invalid("bad_reason", f"Enter a reason of at most {MAX_REASON} characters.", "reason")
    key = next((one.key for one in state.open if insight_id(website.id, one.key) == insight), None) if state else None
    if state is None or key is None:
        raise not_found("insight")
    return InsightDismissed(
        **event_metadata(insights_id(website.id), state.version, context),
        website_id=website.id,
        account_id=website.account_id,
        key=key,
        reason=reason,
    )


def choose_digest(
    state: Digest | None, every: DigestMail, account_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    if (state.every if state else "off") == every:
        return []
    version = state.version if state else 0
    return [
        InsightsDigestChosen(
            **event_metadata(digest_id(account_id), version, context), account_id=account_id, every=every
        )
    ]


def evolve(state: Insights | None, event: DomainEvent) -> Insights:
    match event:
        case InsightsGenerated():
            return Insights(
                event.originator_version, event.website_id, event.last_day, event.insights, frozenset(event.dismissed)
            )
        case InsightDismissed():
            state = require_existing(state, event)
            return replace(
                state,
                version=event.originator_version,
                open=tuple(insight for insight in state.open if insight.key != event.key),
                dismissed=state.dismissed | {event.key},
            )
        case _:
            raise UnexpectedEvent(f"{event.NAME} does not happen to insights")


evolve_digest: Final = Evolution(Digest).begins(InsightsDigestChosen)


def _insight(
    finding: InsightFinding, told: Narrative, names: Mapping[InsightSubject, str], currency: str, since: datetime
) -> Insight:
    subject = finding.subject
    return Insight(
        key=finding.key,
        insight_type=finding.type,
        topic=finding.topic,
        metric=finding.metric,
        title=told.words.title,
        content=told.words.content,
        told_by=told.by,
        confidence=finding.confidence,
        about=InsightAbout(dimension=subject.dimension, value=subject.value, name=names[subject]) if subject else None,
        evidence=evidence(finding, currency),
        first_day=finding.now.first,
        last_day=finding.now.last,
        compared_first_day=finding.compared.first,
        compared_last_day=finding.compared.last,
        filters=link_filters(finding),
        since=since,
    )
