"""Defines when a listing's figures are verified: the website that is for sale was measured, and none is more than
`TOLERANCE_PERCENT` above the measured number. One rule for lists, filters, counts, emails and the listing's page. Pure.

The conditions are SQL on the columns of `read.listings`.
"""

from __future__ import annotations

from typing import Final

TOLERANCE_PERCENT: Final = 10
"""The percentage by which a figure may be above what was measured: months differ, and sellers round."""


def difference(stated: int | None, measured: int) -> float | None:
    """Returns by how many percent the stated figure is above what was measured."""
    if stated is None or measured <= 0:
        return None
    return round((stated - measured) / measured * 100, 1)


def is_overstated(stated: int | None, measured: int | None) -> bool:
    """Returns whether the stated figure is too far above what was measured. Nothing measured allows none."""
    if stated is None or measured is None:
        return False
    return stated * 100 > measured * (100 + TOLERANCE_PERCENT)


def _overstated(stated: str, measured: str) -> str:
    return f"coalesce({stated}::numeric * 100 > ({measured})::numeric * {100 + TOLERANCE_PERCENT}, false)"


IS_MEASURED: Final = "coalesce(verified_website = website_id, false)"
"""Measured, and it still is that website which is for sale."""
IS_OVERSTATED: Final = (
    "("
    + _overstated("monthly_traffic", "verification ->> 'monthly_traffic'")
    + " OR "
    + _overstated("monthly_revenue", "verification #>> '{monthly_revenue,amount}'")
    + ")"
)
IS_VERIFIED: Final = f"({IS_MEASURED} AND NOT {IS_OVERSTATED})"
