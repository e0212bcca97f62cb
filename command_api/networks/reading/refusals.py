"""Recognizes files that are no report of sales: reports that only add up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from infra.domain.report_files.headers import header_name
from infra.domain.report_files.layouts import UnreadableReport

_AMAZON_HINT: Final = 'In Amazon Associates, open Reports, Download reports, and choose "Fee-Earnings" or "Bounty".'
_ORDERS: Final = frozenset({"qty", "indirectsales", "linktype"})


def check_amazon(headers: Sequence[str], columns: Mapping[str, str]) -> None:
    """Raises `UnreadableReport` (wrong_report) for reports without single earnings."""
    keys = {name for header in headers for name in (header_name(header).key, header_name(header).bare)}
    if not columns.get("commission") and len(keys & _ORDERS) >= 2:
        raise UnreadableReport("wrong_report", f"This is Fee-Orders, which has no earnings. {_AMAZON_HINT}")
    is_bounty = {"name", "quantity", "dateshipped"} <= keys
    if "asin" not in columns and not is_bounty:
        raise UnreadableReport("wrong_report", f"This report has only totals. {_AMAZON_HINT}")
