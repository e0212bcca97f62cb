"""What follows from a look at a custom domain: events, when to look again, whom to tell. Pure.

A record that is missing counts once a day, and only when the DNS answered: after seven days and more than seven such
days in a row the domain is lost. So neither an outage, nor a clock that jumps, nor a person who asks again and again
brings that nearer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from command_api.decision import Asked, Refused
from command_api.domains import model
from command_api.domains.looking import Seen, Verdict
from command_api.domains.model import Domain, Host
from schemas.base import DomainEvent

KEPT_WITHOUT_RECORD: Final = timedelta(days=7)
_MISSES: Final = 7
_A_DAY: Final = timedelta(days=1)
_COUNTS_AGAIN_AFTER: Final = timedelta(hours=20)
_WARN_AT: Final = 2
_TLS_FAILURES: Final = 3
_AFTER_TLS_FAILURE: Final = timedelta(minutes=10)
_SOON: Final = timedelta(seconds=10)
"""The edge has to hear that a domain is verified before it can answer under it."""


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of the looks before (`policy.custom_domain`). `next_at` none: nobody looks any more."""

    next_at: datetime | None = None
    checked_at: datetime | None = None
    misses: int = 0
    missing_since: datetime | None = None
    missed_at: datetime | None = None
    tls_failures: int = 0
    problem: str | None = None


class News(StrEnum):
    """What the owner is told by mail."""

    MISSING = "missing"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Settled:
    events: Sequence[DomainEvent]
    domain: Domain
    record: Record
    news: News | None = None


def settle(domain: Domain, host: Host | None, record: Record, seen: Seen, asked: Asked) -> Settled:
    """`host`: the guard of the domain's name."""
    if seen.token != domain.token:  # it was added anew meanwhile: the look was for what is no more
        return Settled((), domain, replace(record, next_at=asked.at))
    record = replace(record, checked_at=asked.at, problem=seen.problem)
    if domain.is_verified:
        return _of_verified(domain, host, record, seen, asked)
    return _of_unverified(domain, host, record, seen, asked)


def pause_unproven(age: timedelta) -> timedelta:
    """How long a domain is left alone whose proof has been awaited for so long."""
    if age < timedelta(minutes=10):
        return timedelta(seconds=30)
    if age < timedelta(hours=2):
        return timedelta(minutes=5)
    if age < _A_DAY:
        return timedelta(minutes=30)
    return timedelta(hours=3)


def pause_without_tls(age: timedelta) -> timedelta:
    """How long a domain is left alone that was verified so long ago and does not lead here by TLS."""
    if age < timedelta(hours=1):
        return timedelta(minutes=1)
    if age < _A_DAY:
        return timedelta(minutes=10)
    return timedelta(hours=1) if age < timedelta(days=7) else _A_DAY


def _of_unverified(domain: Domain, host: Host | None, record: Record, seen: Seen, asked: Asked) -> Settled:
    if domain.is_over(asked.at):
        return Settled((), domain, replace(record, next_at=None))
    if seen.verdict is Verdict.PROVEN:
        try:
            events = model.verify(domain, host, asked)
        except Refused as refused:
            record = replace(record, problem=refused.message)
        else:
            return Settled(events, _after(domain, events), Record(asked.at + _SOON, asked.at))
    pause = pause_unproven(asked.at - (domain.lost_at or domain.added_at))
    return Settled((), domain, replace(record, next_at=min(asked.at + pause, domain.expires_at)))


def _of_verified(domain: Domain, host: Host | None, record: Record, seen: Seen, asked: Asked) -> Settled:
    news = None
    if seen.verdict is Verdict.PROVEN:
        record = replace(record, misses=0, missing_since=None, missed_at=None, problem=seen.tls_problem)
    elif seen.verdict is not Verdict.UNANSWERED:
        before = record.misses
        record = _missed(record, asked.at)
        since = record.missing_since or asked.at
        if record.misses > _MISSES and asked.at - since >= KEPT_WITHOUT_RECORD:
            events = model.lose(domain, host, since, asked)
            problem = f"The record was missing for {KEPT_WITHOUT_RECORD.days} days."
            lost = Record(asked.at + pause_unproven(timedelta()), asked.at, problem=problem)
            return Settled(events, _after(domain, events), lost, News.LOST)
        news = News.MISSING if before < _WARN_AT <= record.misses else None
    if not seen.tls_looked:  # it was verified in between
        return Settled((), domain, replace(record, next_at=asked.at + _SOON), news)
    events, record = _tls(domain, record, seen.tls_problem, asked)
    return Settled(events, _after(domain, events), record, news)


def _missed(record: Record, at: datetime) -> Record:
    last, since = record.missed_at, record.missing_since
    if last is not None and last <= at < last + _COUNTS_AGAIN_AFTER:
        return record
    return replace(
        record, misses=record.misses + 1, missed_at=at, missing_since=min(since, at) if since is not None else at
    )


def _tls(domain: Domain, record: Record, problem: str | None, asked: Asked) -> tuple[list[DomainEvent], Record]:
    """A certificate that was seen is believed in until three looks in a row find none."""
    if problem is None:
        return model.tls_seen(domain, asked), replace(record, tls_failures=0, next_at=asked.at + _A_DAY)
    failures = record.tls_failures + 1
    if domain.ssl and failures < _TLS_FAILURES:
        return [], replace(record, tls_failures=failures, next_at=asked.at + _AFTER_TLS_FAILURE)
    pause = pause_without_tls(asked.at - (domain.verified_at or asked.at))
    record = replace(record, tls_failures=failures, next_at=asked.at + pause, problem=record.problem or problem)
    return model.tls_lost(domain, problem, asked), record


def _after(domain: Domain, events: Sequence[DomainEvent]) -> Domain:
    for event in events:
        if event.originator_id == domain.id:
            domain = model.evolve(domain, event)
    return domain
