"""Process manager `reference-rates`: records the European Central Bank's euro reference rates once a day.

On unless `ALTHING_EXCHANGE_RATES=none`: then nothing is fetched. The process has one timeout and runs in the
leader. It is due shortly after the bank's usual time of publication on its working days, and
every half hour for a few hours while the file of the day is missing; a day without one is a holiday. A failed check is
repeated at growing intervals.

The daily file is read first. If working days lie between the last recorded day and the file's (the installation was
off, or is new), the file of the last 90 days fills the gap. A rate is recorded once, however often it is read; one that
the bank revised replaces its earlier one.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, LiteralString, Protocol

import structlog
from prometheus_client import Counter, Gauge

from command_api.kernel.container import Container
from command_api.kernel.decision import system_context
from command_api.kernel.process_manager import Issue, ProcessManager
from command_api.kernel.timeouts import Timeout
from command_api.operations.exchange_rates.commands import RecordRateCheck, RecordReferenceRates
from command_api.operations.exchange_rates.reference import (
    PROCESS,
    BadRateFile,
    RateCheckResult,
    RateFile,
    ReferenceRate,
    parse,
)
from infra.domain.exchange_rates import PIVOT
from infra.kernel.config.settings import Settings
from infra.kernel.net.dns_resolvers import Resolvers
from infra.kernel.net.outbound_http import Outbound, OutboundFailed, OutboundRefused, origin_of
from schemas.events.operations import RateSource
from schemas.identity import REFERENCE_RATES
from schemas.zones import ZoneInfo

ADDRESS: Final = "https://www.ecb.europa.eu/stats/eurofxref"
DAILY: Final = "eurofxref-daily.xml"
LAST_90_DAYS: Final = "eurofxref-hist-90d.xml"
DEADLINE_S: Final = 20.0
MAX_BYTES: Final = 1024 * 1024
"""The file of 90 days has about 70 KB."""
PUBLISHED_AT: Final = time(16, 15)
"""The bank publishes around 16:00, Frankfurt time, on its working days."""
ZONE: Final = ZoneInfo("Europe/Berlin")
AGAIN_AFTER: Final = timedelta(minutes=30)
EXPECTED_FOR: Final = timedelta(hours=4)
RETRY_DELAYS: Final = tuple(timedelta(minutes=minutes) for minutes in (1, 5, 15, 60, 180))
MAX_DELAY: Final = timedelta(days=4)
"""A weekend and its working days; a timeout beyond it was set by a wrong clock."""
BATCH_SIZE: Final = 200
"""Rates of one transaction."""
_SATURDAY: Final = 5

log: structlog.typing.FilteringBoundLogger = structlog.get_logger(__name__)
_CHECKS = Counter("exchange_rate_checks_total", "Checks for new reference rates by outcome", ["outcome"])
_NEWEST = Gauge("exchange_rate_newest_day_timestamp_seconds", "The last day of the recorded reference rates, 00:00 UTC")


class RateFetcher(Protocol):
    """Reads files of reference rates."""

    def fetch(self, name: str) -> bytes:
        """The file. Raises `OutboundRefused`, `OutboundFailed` or `BadRateFile`."""


class OutwardRateFetcher:
    """Reads the files over the network. An address from the settings may be a private one; a redirect is an error."""

    def __init__(self, outbound: Outbound, address: str | None = None) -> None:
        self._outbound = outbound
        self._address = address or ADDRESS
        self._configured = origin_of(address) if address else None

    @classmethod
    def of(cls, settings: Settings) -> OutwardRateFetcher:
        outbound = Outbound(Resolvers(settings), also=settings.outbound_networks)
        return cls(outbound, settings.exchange_rates_url)

    def fetch(self, name: str) -> bytes:
        answer = asyncio.run(
            self._outbound.call(
                "GET",
                f"{self._address}/{name}",
                configured_origin=self._configured,
                deadline_s=DEADLINE_S,
                max_bytes=MAX_BYTES,
            )
        )
        if answer.status != 200:
            raise BadRateFile(f"The server answers {name} with {answer.status}.")
        return answer.body


def reference_rates(container: Container, fetcher: RateFetcher) -> ProcessManager:
    """The checks for new rates."""

    def plan(_timeouts: Sequence[Timeout], now: datetime) -> Issue:
        check = check_rates(container, fetcher, now)
        _CHECKS.labels("failed" if check.problem else "done").inc()
        earlier_failures = sum(container.select(_FAILURES)[0])
        _log_failure(check, earlier_failures)
        if check.newest_day is not None:
            _NEWEST.set(datetime.combine(check.newest_day, time(), UTC).timestamp())
        failures = 1 + earlier_failures if check.problem else 0
        return lambda _timeout: RecordRateCheck(check, next_check(now, check.newest_day, failures))

    ids: LiteralString = f"SELECT '{_ID}'::uuid"
    return ProcessManager(PROCESS, plan, ids=ids, max_delay=MAX_DELAY)


def _log_failure(check: RateCheckResult, earlier_failures: int) -> None:
    """The first failure in a row is a warning. An installation without the internet has one every few hours for years:
    admins see them with the rates, operators in `/metrics`."""
    if check.problem is not None and not earlier_failures:
        log.warning("reference_rates_failed", error=check.problem, hint="ALTHING_EXCHANGE_RATES=none turns it off")


def check_rates(container: Container, fetcher: RateFetcher, now: datetime) -> RateCheckResult:
    """Reads the bank's files and records what is new; a failure is the check's `problem`."""
    today = now.astimezone(UTC).date()
    newest_day = container.select(_NEWEST_DAY, PIVOT, RateSource.ECB.value)[0][0]
    try:
        file = parse(fetcher.fetch(DAILY), today)
        if _has_gap(newest_day, file.newest_day):
            file = _joined(parse(fetcher.fetch(LAST_90_DAYS), today), file)
    except (OutboundRefused, OutboundFailed, BadRateFile) as error:
        return RateCheckResult(str(error), newest_day)
    for part in _parts(_unknown(container, file.rates)):
        container.commands.dispatch(RecordReferenceRates(part), system_context(now))
    return RateCheckResult(None, max(file.newest_day, newest_day or file.newest_day), tuple(file.skipped))


def next_check(now: datetime, newest_day: date | None, failures: int) -> datetime:
    """Returns the time of the next check: after the next publication, or sooner if something is missing. `failures`: in
    a row."""
    if failures:
        return now + RETRY_DELAYS[min(failures, len(RETRY_DELAYS)) - 1]
    local = now.astimezone(ZONE)
    today = datetime.combine(local.date(), PUBLISHED_AT, ZONE)
    is_missing = newest_day is None or newest_day < local.date()
    if _is_working_day(local.date()) and today <= local < today + EXPECTED_FOR and is_missing:
        return now + AGAIN_AFTER
    day = local.date() if local < today else local.date() + timedelta(days=1)
    while not _is_working_day(day):
        day += timedelta(days=1)
    return datetime.combine(day, PUBLISHED_AT, ZONE).astimezone(UTC)


def _is_working_day(day: date) -> bool:
    return day.weekday() < _SATURDAY


def _has_gap(known: date | None, newest: date) -> bool:
    """Returns whether a working day lies between; one that is a holiday costs one request more."""
    if known is None:
        return True
    days = (known + timedelta(days=number) for number in range(1, (newest - known).days))
    return any(_is_working_day(day) for day in days)


def _joined(older: RateFile, newer: RateFile) -> RateFile:
    """Joins two files; for a day in both, the rates of `newer` count."""
    days = {one.on for one in newer.rates}
    rates = [one for one in older.rates if one.on not in days] + newer.rates
    return RateFile(rates, list(dict.fromkeys(older.skipped + newer.skipped)))


def _unknown(container: Container, rates: Sequence[ReferenceRate]) -> list[ReferenceRate]:
    """Returns the rates that are not recorded with the same value, oldest first."""
    days = sorted({one.on for one in rates})
    recorded = set(container.select(_KNOWN, PIVOT, days))
    new = [one for one in rates if (one.currency, one.on, one.rate) not in recorded]
    return sorted(new, key=lambda one: (one.on, one.currency))


def _parts(rates: Sequence[ReferenceRate]) -> Iterator[tuple[ReferenceRate, ...]]:
    for start in range(0, len(rates), BATCH_SIZE):
        yield tuple(rates[start : start + BATCH_SIZE])


_ID: Final = str(REFERENCE_RATES)
_FAILURES: Final[LiteralString] = "SELECT coalesce(max(failures), 0) FROM operations.rate_source"
_NEWEST_DAY: Final[LiteralString] = "SELECT max(on_day) FROM lookup.exchange_rate WHERE base = %s AND source = %s"
_KNOWN: Final[LiteralString] = (
    "SELECT quote, on_day, rate FROM lookup.exchange_rate WHERE base = %s AND on_day = ANY(%s)"
)
