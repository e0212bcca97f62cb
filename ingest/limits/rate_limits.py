"""Rates by GCRA: one number per website, no window edges, an exact time to wait."""

from __future__ import annotations

from math import ceil
from time import monotonic
from typing import Final
from uuid import UUID

from ingest.errors import EventRejected
from schemas.tracking import Outcome

_FORGET_AT: Final = 10_000


class Bucket:
    """`rate` a second on average, `burst` at once."""

    __slots__ = ("_free_at", "_spacing", "_tolerance")

    def __init__(self, rate: float, burst: float) -> None:
        self._spacing = 1.0 / rate
        self._tolerance = burst / rate
        self._free_at = 0.0

    def wait(self, count: int, now: float | None = None) -> float:
        """Takes `count` and returns 0, or takes nothing and returns the seconds after which it would fit."""
        now = monotonic() if now is None else now
        free_at = max(self._free_at, now) + count * self._spacing
        late = free_at - now - self._tolerance
        if late > 1e-9:
            return late
        self._free_at = free_at
        return 0.0

    def is_idle(self, now: float) -> bool:
        return self._free_at <= now


class SiteRateLimits:
    """One bucket per website; a full batch always fits an idle one."""

    def __init__(self, rate: int, largest_batch: int) -> None:
        self._rate = rate
        self._burst = max(2 * rate, largest_batch)
        self._buckets: dict[UUID, Bucket] = {}

    def take(self, website_id: UUID, count: int) -> None:
        """Takes `count` events from the website's bucket. Raises `EventRejected` (throttled, 429) when the website
        sends more than its rate."""
        bucket = self._buckets.get(website_id)
        if bucket is None:
            bucket = self._new(website_id)
        wait = bucket.wait(count)
        if wait:
            raise EventRejected(
                Outcome.THROTTLED,
                "throttled",
                f"This website may send {self._rate:,} events a second.",
                status=429,
                retry_after=max(1, ceil(wait)),
            )

    def _new(self, website_id: UUID) -> Bucket:
        if len(self._buckets) >= _FORGET_AT:
            now = monotonic()
            self._buckets = {key: bucket for key, bucket in self._buckets.items() if not bucket.is_idle(now)}
        return self._buckets.setdefault(website_id, Bucket(self._rate, self._burst))
