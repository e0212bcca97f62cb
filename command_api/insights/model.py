"""Aggregates: the insights of a website, and the digest choice of an account. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from command_api.insights.finding import Finding, Subject
from command_api.insights.wording import Narrative, evidence, link_filters
from command_api.kernel.decision import CommandContext, UnexpectedEvent, event_metadata
from command_api.websites.model import Website
from schemas.base import DomainEvent
from schemas.events.insights import About, DigestMail, Insight, InsightsDigestChosen, InsightsGenerated
from schemas.http.insights import digest_id, insights_id


@dataclass(frozen=True, slots=True)
class Insights:
    """The open insights of a website, the most important first."""

    version: int
    website_id: UUID
    last_day: date
    open: tuple[Insight, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    """State of an account's choice: how often insights are mailed to it."""

    version: int
    every: DigestMail


def generate(
    before: Insights | None,
    website: Website,
    last_day: date,
    found: Sequence[tuple[Finding, Narrative]],
    names: Mapping[Subject, str],
    silence: str | None,
    context: CommandContext,
) -> InsightsGenerated:
    """The event of one analysis, with insights in display order. `names`: of subjects."""
    since = {insight.key: insight.since for insight in before.open} if before else {}
    return InsightsGenerated(
        **event_metadata(insights_id(website.id), before.version if before else 0, context),
        website_id=website.id,
        account_id=website.account_id,
        last_day=last_day,
        silence=silence,
        insights=tuple(
            _insight(finding, told, names, website.currency, since.get(finding.key, context.at))
            for finding, told in found
        ),
    )


def choose_digest(
    before: Digest | None, every: DigestMail, account_id: UUID, context: CommandContext
) -> list[DomainEvent]:
    if (before.every if before else "off") == every:
        return []
    version = before.version if before else 0
    return [
        InsightsDigestChosen(
            **event_metadata(digest_id(account_id), version, context), account_id=account_id, every=every
        )
    ]


def evolve(_: Insights | None, event: DomainEvent) -> Insights:
    if not isinstance(event, InsightsGenerated):
        raise UnexpectedEvent(f"{event.NAME} does not happen to insights")
    return Insights(event.originator_version, event.website_id, event.last_day, event.insights)


def evolve_digest(_: Digest | None, event: DomainEvent) -> Digest:
    if not isinstance(event, InsightsDigestChosen):
        raise UnexpectedEvent(f"{event.NAME} does not happen to a digest")
    return Digest(event.originator_version, event.every)


def _insight(
    finding: Finding, told: Narrative, names: Mapping[Subject, str], currency: str, since: datetime
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
        about=About(dimension=subject.dimension, value=subject.value, name=names[subject]) if subject else None,
        evidence=evidence(finding, currency),
        first_day=finding.now.first,
        last_day=finding.now.last,
        compared_first_day=finding.before.first,
        compared_last_day=finding.before.last,
        filters=link_filters(finding),
        since=since,
    )
