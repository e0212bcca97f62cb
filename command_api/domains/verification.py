"""Evaluates domain checks: events, time of the next check, notice to the owner. Pure.

A missing record counts once a day, and only if the DNS answered. A domain is lost after seven days and more than seven
such days in a row, so outages, clock jumps and repeated manual checks do not accelerate it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from command_api.domains import model
from command_api.domains.dns_check import DnsResult, DnsVerdict
from command_api.domains.model import Domain, Host
from command_api.kernel.aggregates import state_after
from command_api.kernel.decision import CommandContext, CommandRejected
from schemas.base import DomainEvent

GRACE_PERIOD: Final = timedelta(days=7)
_MAX_MISSES: Final = 7
_DAY: Final = timedelta(days=1)
_MIN_MISS_INTERVAL: Final = timedelta(hours=20)
_WARN_AT_MISSES: Final = 2
_TLS_FAILURES: Final = 3
_TLS_RETRY_INTERVAL: Final = timedelta(minutes=10)
_SHORT_INTERVAL: Final = timedelta(seconds=10)
"""Ingest must learn that a domain is verified before it can answer under it."""


@dataclass(frozen=True, slots=True)
class CheckRecord:
    """Check history of a domain (`domains.dns_check`). `next_at` is its timeout; `None`: no further checks."""

    next_at: datetime | None = None
    checked_at: datetime | None = None
    misses: int = 0
    missing_since: datetime | None = None
    missed_at: datetime | None = None
    tls_failures: int = 0
    problem: str | None = None


class OwnerNotice(StrEnum):
    """Email notice to the owner."""

    MISSING = "missing"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """The outcome of one check: events to store, the state after them, the next check, and a mail to send."""

    events: Sequence[DomainEvent]
    domain: Domain
    record: CheckRecord
    news: OwnerNotice | None = None


def evaluate(
    domain: Domain, host: Host | None, record: CheckRecord, result: DnsResult, context: CommandContext
) -> CheckOutcome:
    """Evaluates one check. `host`: the reservation of the domain's name."""
    if result.token != domain.token:  # it was added again concurrently, with another token
        return CheckOutcome((), domain, replace(record, next_at=context.at))
    record = replace(record, checked_at=context.at, problem=result.problem)
    if domain.is_verified:
        return _evaluate_verified(domain, host, record, result, context)
    return _evaluate_unverified(domain, host, record, result, context)


def unverified_interval(age: timedelta) -> timedelta:
    """Returns the check interval of an unverified domain by its age."""
    if age < timedelta(minutes=10):
        return timedelta(seconds=30)
    if age < timedelta(hours=2):
        return timedelta(minutes=5)
    if age < _DAY:
        return timedelta(minutes=30)
    return timedelta(hours=3)


def missing_tls_interval(age: timedelta) -> timedelta:
    """Returns the check interval of a verified domain without TLS."""
    if age < timedelta(hours=1):
        return timedelta(minutes=1)
    if age < _DAY:
        return timedelta(minutes=10)
    return timedelta(hours=1) if age < timedelta(days=7) else _DAY


def _evaluate_unverified(
    domain: Domain, host: Host | None, record: CheckRecord, result: DnsResult, context: CommandContext
) -> CheckOutcome:
    if domain.is_over(context.at):
        return CheckOutcome((), domain, replace(record, next_at=None))
    if result.verdict is DnsVerdict.PROVEN:
        try:
            events = model.verify(domain, host, context)
        except CommandRejected as refused:
            record = replace(record, problem=refused.message)
        else:
            return CheckOutcome(events, _after(domain, events), CheckRecord(context.at + _SHORT_INTERVAL, context.at))
    pause = unverified_interval(context.at - (domain.lost_at or domain.added_at))
    return CheckOutcome((), domain, replace(record, next_at=min(context.at + pause, domain.expires_at)))


def _evaluate_verified(
    domain: Domain, host: Host | None, record: CheckRecord, result: DnsResult, context: CommandContext
) -> CheckOutcome:
    news = None
    if result.verdict is DnsVerdict.PROVEN:
        record = replace(record, misses=0, missing_since=None, missed_at=None, problem=result.tls_problem)
    elif result.verdict is not DnsVerdict.UNANSWERED:
        misses = record.misses
        record = _missed(record, context.at)
        since = record.missing_since or context.at
        if record.misses > _MAX_MISSES and context.at - since >= GRACE_PERIOD:
            events = model.lose(domain, host, since, context)
            problem = f"The record was missing for {GRACE_PERIOD.days} days."
            lost = CheckRecord(context.at + unverified_interval(timedelta()), context.at, problem=problem)
            return CheckOutcome(events, _after(domain, events), lost, OwnerNotice.LOST)
        news = OwnerNotice.MISSING if misses < _WARN_AT_MISSES <= record.misses else None
    if not result.tls_checked:  # it was verified in between
        return CheckOutcome((), domain, replace(record, next_at=context.at + _SHORT_INTERVAL), news)
    events, record = _tls(domain, record, result.tls_problem, context)
    return CheckOutcome(events, _after(domain, events), record, news)


def _missed(record: CheckRecord, at: datetime) -> CheckRecord:
    last, since = record.missed_at, record.missing_since
    if last is not None and last <= at < last + _MIN_MISS_INTERVAL:
        return record
    return replace(
        record, misses=record.misses + 1, missed_at=at, missing_since=min(since, at) if since is not None else at
    )


def _tls(
    domain: Domain, record: CheckRecord, problem: str | None, context: CommandContext
) -> tuple[list[DomainEvent], CheckRecord]:
    """Evaluates the check of the certificate, which counts as valid until three checks in a row fail."""
    if problem is None:
        return model.tls_seen(domain, context), replace(record, tls_failures=0, next_at=context.at + _DAY)
    failures = record.tls_failures + 1
    if domain.ssl and failures < _TLS_FAILURES:
        return [], replace(record, tls_failures=failures, next_at=context.at + _TLS_RETRY_INTERVAL)
    pause = missing_tls_interval(context.at - (domain.verified_at or context.at))
    record = replace(record, tls_failures=failures, next_at=context.at + pause, problem=record.problem or problem)
    return model.tls_lost(domain, problem, context), record


def _after(domain: Domain, events: Sequence[DomainEvent]) -> Domain:
    return state_after(model.evolve, domain, (event for event in events if event.originator_id == domain.id))
