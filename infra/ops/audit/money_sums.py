"""Sums of money: none is below zero where none can be, and none has left the range in which it is kept.

A sum that has wrapped is equal to the wrapped sum of its parts, so comparing the two finds nothing: here they are added
up with 256 bits as well. Postgres adds up as `numeric`, which does not wrap.
"""

# ruff: noqa: S608 - queries are made of this package's own names and of numbers

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import psycopg

from infra.kernel.clickhouse.reader import Reader
from infra.ops.audit.quiescence import exists
from infra.ops.audit.report import AuditReport, DefectKind

_CHECK: Final = "money"
_COMMISSIONS: Final = ("c_pending", "c_approved", "c_reversed")
_ROLLUPS: Final = ("traffic_15m", "country_15m")
"""The rollups that hold all of a website's conversions."""
_WRAP: Final = 2**32
"""Overflown sums differ by a multiple of this; rows in transit do not, except by chance."""


def audit_money_sums(clickhouse: Reader, postgres: psycopg.Connection[Any]) -> AuditReport:
    """Checks every sum by website, in the raw rows, in the rollups and in the read models."""
    report = AuditReport()
    # A step whose beginning is a dead letter may subtract more than there is.
    is_whole = not _has_dead_letters(postgres)
    raw = _sums(clickhouse, "events", (*_COMMISSIONS, "value"), "WHERE type = 'conversion'", is_whole, report)
    for table in _ROLLUPS:
        for website, sums in _sums(clickhouse, table, _COMMISSIONS, "", is_whole, report).items():
            for name, total in sums.items():
                apart = total - raw.get(website, {}).get(name, 0)
                if apart and apart % _WRAP == 0:
                    what = f"{table}: {name} of website {website} has wrapped: it is {apart} off the raw rows"
                    report.found(DefectKind.WRONG, _CHECK, what)
    if exists(postgres, "read.conversions"):
        _check_conversions(postgres, report)
    return report


def _sums(
    clickhouse: Reader, table: str, names: tuple[str, ...], where: str, is_whole: bool, report: AuditReport
) -> Mapping[str, Mapping[str, int]]:
    """The true sums by website. Reports those that come out otherwise with the table's own type, or below zero where
    every step was read."""
    wide = ", ".join(f"toString(sum(toInt256({name}))) AS true_{name}" for name in names)
    kept = ", ".join(f"toString(sum({name})) AS kept_{name}" for name in names)
    query = f"SELECT toString(website_id) AS website, {wide}, {kept} FROM {table} {where} GROUP BY website_id"
    sums: dict[str, dict[str, int]] = {}
    for row in clickhouse.rows(query):
        website = row["website"]
        sums[website] = {name: int(row[f"true_{name}"]) for name in names}
        for name, total in sums[website].items():
            report.checked["sums of money"] += 1
            if total != int(row[f"kept_{name}"]):
                what = f"{table}: {name} of website {website} is {total} and wraps to {row[f'kept_{name}']}"
                report.found(DefectKind.WRONG, _CHECK, what)
            elif total < 0 and is_whole:
                report.found(DefectKind.WRONG, _CHECK, f"{table}: {name} of website {website} is {total}, below zero")
    return sums


def _has_dead_letters(postgres: psycopg.Connection[Any]) -> bool:
    row = postgres.execute(
        "SELECT EXISTS (SELECT FROM engine.dead_letter WHERE projection = 'events' AND topic = 'domain'"
        " AND state <> 'retried')"
    ).fetchone()
    return row is not None and bool(row[0])


def _check_conversions(postgres: psycopg.Connection[Any], report: AuditReport) -> None:
    for website, count, strange in postgres.execute(_CONVERSIONS):
        report.checked["money of conversions"] += count
        if strange:
            what = f"read.conversions: {strange} conversions of website {website} have money below zero, or take back"
            report.found(DefectKind.WRONG, _CHECK, f"{what} more than they brought", strange)


_CONVERSIONS: Final = """
SELECT website_id::text, count(*), count(*) FILTER (
    WHERE amount < 0 OR commission < 0 OR reversed_amount < 0 OR reversed_commission < 0 OR reversed_amount > amount)
FROM read.conversions GROUP BY website_id"""
