"""The topics of the log, in one table: who writes them, how they are keyed, how long they are kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic. `partitions`: of a new installation; those of `clicks` can be multiplied later
    (`infra.kernel.log.partitions`). `retention_ms` -1 = unlimited: every projection can be rebuilt from the log's
    beginning."""

    name: str
    partitions: int
    key: str
    holds: str
    retention_ms: int = -1


MAX_PARTITIONS: Final = 1024

CLICKS: Final = Topic("clicks", 2, "event id", "clicks, page views, custom events (`schemas.tracking.TrackedEvent`)")
CONVERSIONS: Final = Topic(
    "conversions",
    2,
    "website id + transaction id",
    "reports of leads and sales (`tracking.ConversionReported`)",
)
DOMAIN: Final = Topic("domain", 1, "aggregate id", "all decisions, in commit order (`schemas.envelope`)")
REJECTED: Final = Topic(
    "rejected", 1, "website id", "events that ingest rejected, with the reason (`schemas.tracking.Refusal`)"
)

ALL: Final = (CLICKS, CONVERSIONS, DOMAIN, REJECTED)
BY_NAME: Final = {topic.name: topic for topic in ALL}
READ_BY: Final[Mapping[str, tuple[Topic, ...]]] = {
    "events": (CLICKS, DOMAIN),
    "refusals": (REJECTED,),
    "conversion_reports": (CONVERSIONS,),
    "cost_changes": (DOMAIN,),
}
"""The topics that each projection in ClickHouse reads; those in Postgres read `domain` only."""
