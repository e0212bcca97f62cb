"""What is told of a website, and to whom by mail. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from uuid import UUID

from command_api.decision import AnotherKind, Asked, step
from command_api.insights.finding import Finding, Subject
from command_api.insights.words import Told, evidence, link_filters
from command_api.websites.model import Website
from schemas.base import DomainEvent
from schemas.events.insights import About, DigestMail, Insight, InsightsDigestChosen, InsightsGenerated
from schemas.insights import digest_id, insights_id


@dataclass(frozen=True, slots=True)
class Insights:
    """What holds of a website, the weightiest first."""

    version: int
    website_id: UUID
    last_day: date
    open: tuple[Insight, ...]


@dataclass(frozen=True, slots=True)
class Digest:
    version: int
    every: DigestMail


def generate(
    before: Insights | None,
    website: Website,
    last_day: date,
    found: Sequence[tuple[Finding, Told]],
    names: Mapping[Subject, str],
    silence: str | None,
    asked: Asked,
) -> InsightsGenerated:
    """What a look at the history came to, in the order in which it is told. `names`: of subjects."""
    since = {insight.key: insight.since for insight in before.open} if before else {}
    return InsightsGenerated(
        **step(insights_id(website.id), before.version if before else 0, asked),
        website_id=website.id,
        account_id=website.account_id,
        last_day=last_day,
        silence=silence,
        insights=tuple(
            _insight(finding, told, names, website.currency, since.get(finding.key, asked.at))
            for finding, told in found
        ),
    )


def choose_digest(before: Digest | None, every: DigestMail, account_id: UUID, asked: Asked) -> list[DomainEvent]:
    if (before.every if before else "off") == every:
        return []
    version = before.version if before else 0
    return [InsightsDigestChosen(**step(digest_id(account_id), version, asked), account_id=account_id, every=every)]


def evolve(_: Insights | None, event: DomainEvent) -> Insights:
    if not isinstance(event, InsightsGenerated):
        raise AnotherKind(f"{event.NAME} does not happen to insights")
    return Insights(event.originator_version, event.website_id, event.last_day, event.insights)


def evolve_digest(_: Digest | None, event: DomainEvent) -> Digest:
    if not isinstance(event, InsightsDigestChosen):
        raise AnotherKind(f"{event.NAME} does not happen to a digest")
    return Digest(event.originator_version, event.every)


def _insight(finding: Finding, told: Told, names: Mapping[Subject, str], currency: str, since: datetime) -> Insight:
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
