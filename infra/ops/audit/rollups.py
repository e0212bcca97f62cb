"""Compares every rollup with sums computed from the raw rows, cell by cell."""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from infra.domain.visits import tables
from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit.expired_events import NONE, Expired
from infra.ops.audit.report import AuditReport, DefectKind

_TRIES: Final = 5
"""Under live traffic the raw rows are a moment ahead of a rollup; a real difference stays."""

_TEXTS: Final = ("country", "outcome")
_IS_OTHER: Final = "raw.type NOT IN ('click', 'pageview', 'conversion')"
_MEASURES: Final = {
    "clicks": "toInt64(raw.type = 'click')",
    "pageviews": "toInt64(raw.type = 'pageview')",
    "customs": f"toInt64({_IS_OTHER})",
    "pending": "toInt64(raw.d_pending)",
    "approved": "toInt64(raw.d_approved)",
    "rejected": "toInt64(raw.d_rejected)",
    "reversed": "toInt64(raw.d_reversed)",
    "c_pending": "toInt128(raw.c_pending)",
    "c_approved": "toInt128(raw.c_approved)",
    "c_reversed": "toInt128(raw.c_reversed)",
}
_TYPES: Final = {"c_pending": "toInt128", "c_approved": "toInt128", "c_reversed": "toInt128"}
"""The types that a sum of each measure cannot exceed; the others count rows."""
_DECIDED: Final = ("pending", "approved", "rejected", "reversed", "c_pending", "c_approved", "c_reversed")
_QUARTER: Final = "toDateTime(intDiv(toUnixTimestamp(raw.occurred_at), 900) * 900, 'UTC')"
_MINUTE: Final = "toDateTime(intDiv(toUnixTimestamp(raw.received_at), 60) * 60, 'UTC')"
_NO_ID: Final = "toUUID('00000000-0000-0000-0000-000000000000')"


@dataclass(frozen=True)
class _Rollup:
    """`keys` and `measures` map a rollup's columns to what they are in a raw row."""

    name: str
    keys: dict[str, str]
    measures: dict[str, str]
    where: str = "1"


_CELL: Final = {"website_id": "raw.website_id", "bucket": _QUARTER, "is_bot": "raw.is_bot"}
_SUSPICIOUS: Final = (
    "('rate', 'burst', 'changing_agents', 'many_links', 'many_visitors', 'incoherent_headers',"
    " 'datacentre_address', 'impossible_sequence', 'remarked')"
)
_OUTCOME: Final = (
    "if(raw.bot_reason IN ('prefetch', 'spam_referrer'), toString(raw.bot_reason),"
    f" if(raw.bot_reason IN {_SUSPICIOUS}, 'suspicious', if(raw.is_bot, 'bot', 'accepted')))"
)
ROLLUPS: Final = (
    _Rollup("traffic_15m", _CELL, _MEASURES),
    _Rollup(
        "partner_15m",
        {**_CELL, "partner_id": "raw.partner_id"},
        {name: _MEASURES[name] for name in ("clicks", *_DECIDED)},
        f"raw.partner_id != {_NO_ID}",
    ),
    _Rollup(
        "country_15m",
        {**_CELL, "country": "toString(raw.country)"},
        {name: _MEASURES[name] for name in ("clicks", "pageviews", *_DECIDED)},
    ),
    _Rollup(
        "delivery_minute",
        {"website_id": "raw.website_id", "minute": _MINUTE, "outcome": _OUTCOME},
        {"events": "toInt64(1)"},
        "raw.type != 'conversion'",
    ),
    _Rollup(
        "event_days",
        {"website_id": "raw.website_id", "day": "toDate(raw.occurred_at)"},
        {
            "events": "toInt64(1)",
            # Int64, like the sums: both wrap around alike.
            "fingerprint": "toInt64(cityHash64(raw._topic, raw._partition, raw._offset, raw.is_bot, raw.bot_reason,"
            " raw.visitor, raw.click_id, raw.city, raw.props))",
        },
        "raw.type != 'conversion'",
    ),
)


def audit_rollups(clickhouse: Reader, expired: Expired = NONE) -> AuditReport:
    """Compares every cell of every rollup, but for days whose events have expired."""
    report = AuditReport()
    for rollup in ROLLUPS:
        report.add(_tried(clickhouse, rollup.name, _sums_query(rollup, expired)))
    report.add(_tried(clickhouse, "visitors_15m", _visitors_query(expired)))
    report.add(_tried(clickhouse, tables.CONVERSION_EVENTS, _copies_query()))
    return report


def _tried(clickhouse: Reader, name: str, query: str) -> AuditReport:
    for _ in range(_TRIES):
        report = AuditReport()
        for row in clickhouse.rows(f"SELECT * FROM ({query}) WHERE differs LIMIT 1000"):
            report.found(
                DefectKind.WRONG, name, ", ".join(f"{key}={value}" for key, value in row.items() if value != 0)
            )
        if report.is_clean:
            break
    [cells] = clickhouse.rows(f"SELECT count() AS cells FROM ({query})")
    if cells["cells"]:  # no day is built yet
        report.checked[f"cells of {name}"] += cells["cells"]
    return report


def _sums_query(rollup: _Rollup, expired: Expired) -> str:
    """One row per cell with the rollup's figures less the raw ones: all must be zero."""
    keys = ", ".join(rollup.keys)
    kept = ", ".join(
        f"toString({rollup.name}.{key}) AS {key}" if key in _TEXTS else f"{rollup.name}.{key} AS {key}"
        for key in rollup.keys
    )
    kept_sums = ", ".join(f"{_TYPES.get(name, 'toInt64')}({rollup.name}.{name}) AS {name}" for name in rollup.measures)
    raw = ", ".join(f"{text} AS {key}" for key, text in rollup.keys.items())
    raw_sums = ", ".join(f"-({text}) AS {name}" for name, text in rollup.measures.items())
    sums = ", ".join(f"sum({name}) AS sum_{name}" for name in rollup.measures)
    differs = " OR ".join(f"sum_{name} != 0" for name in rollup.measures)
    return (
        f"SELECT {keys}, {sums}, {differs} AS differs FROM ("
        f"SELECT {kept}, {kept_sums} FROM {rollup.name} WHERE NOT {_has_expired(rollup, expired)} "
        f"UNION ALL SELECT {raw}, {raw_sums} FROM events AS raw WHERE {rollup.where}"
        f" AND NOT {_raw_has_expired(rollup, expired)}) GROUP BY {keys}"
    )


def _has_expired(rollup: _Rollup, expired: Expired) -> str:
    """Minutes are those of arrival: which of their events have expired is not known."""
    if "minute" in rollup.keys:
        return expired.may_have_arrived("minute")
    return expired.condition("day" if "day" in rollup.keys else "toDate(bucket)")


def _raw_has_expired(rollup: _Rollup, expired: Expired) -> str:
    if "minute" in rollup.keys:
        return expired.may_have_arrived(_MINUTE, "raw.website_id")
    return expired.condition("toDate(raw.occurred_at)", "raw.website_id")


def _visitors_query(expired: Expired) -> str:
    raw = (
        f"SELECT website_id, {_QUARTER} AS bucket, is_bot, uniqCombinedIf(12)(visitor, type = 'click') AS clickers, "
        "uniqCombined(12)(visitor) AS visitors FROM events AS raw WHERE type != 'conversion' AND visitor != 0 "
        f"AND NOT {expired.condition('toDate(raw.occurred_at)')} GROUP BY website_id, bucket, is_bot"
    )
    kept = (
        "SELECT website_id, bucket, is_bot, uniqCombinedMerge(12)(clickers) AS clickers, "
        "uniqCombinedMerge(12)(visitors) AS visitors FROM visitors_15m AS v "
        f"WHERE NOT {expired.condition('toDate(v.bucket)')} GROUP BY website_id, bucket, is_bot"
    )
    return (
        "SELECT website_id, bucket, is_bot, kept.clickers AS kept_clickers, raw.clickers AS raw_clickers, "
        "kept.visitors AS kept_visitors, raw.visitors AS raw_visitors, "
        "kept_clickers != raw_clickers OR kept_visitors != raw_visitors AS differs "
        f"FROM ({kept}) AS kept FULL OUTER JOIN ({raw}) AS raw USING (website_id, bucket, is_bot)"
    )


def _copies_query() -> str:
    """One row per conversion's event with the copies of its row less the raw ones: all must be zero."""
    content = f"toInt64(cityHash64({', '.join(tables.CONVERSION_EVENTS_COLUMNS)}))"
    return (
        "SELECT website_id, event_id, sum(copies) AS sum_copies, sum(content) AS sum_content,"
        " sum_copies != 0 OR sum_content != 0 AS differs FROM ("
        f"SELECT website_id, event_id, toInt64(1) AS copies, {content} AS content FROM {tables.CONVERSION_EVENTS}"
        " UNION ALL "
        f"SELECT website_id, event_id, toInt64(-1), -{content} FROM events WHERE type = 'conversion'"
        ") GROUP BY website_id, event_id"
    )
