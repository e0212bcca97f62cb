"""Recognizes files that are no report of sales: error pages, and reports that only add up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from command_api.networks.reading.headers import header_name
from command_api.networks.reading.rows import UnreadableReport
from command_api.networks.reading.source import quoted

_HIDDEN: Final = re.compile(r"<(script|style|head)\b.*?(</\1\s*>|$)", re.I | re.S)
_TAG: Final = re.compile(r"<[^<>]{0,2000}>?")
_TITLE: Final = re.compile(r"<title[^>]*>([^<]*)", re.I)
_AMAZON_HINT: Final = 'In Amazon Associates, open Reports, Download reports, and choose "Fee-Earnings" or "Bounty".'
_ORDERS: Final = frozenset({"qty", "indirectsales", "linktype"})


def page_instead_of_report(text: str) -> UnreadableReport:
    """The refusal of a page or of XML, with what it says. `text`: its beginning."""
    title = _TITLE.search(text)
    body = " ".join(_TAG.sub(" ", _HIDDEN.sub(" ", text)).split())
    says = " ".join(filter(None, [title[1].strip() if title else "", body]))
    return UnreadableReport("not_a_report", f"This is a web page or XML, not a report. It says: {quoted(says)}")


def check_amazon(headers: Sequence[str], columns: Mapping[str, str]) -> None:
    """Raises `UnreadableReport` (wrong_report) for reports without single earnings."""
    keys = {name for header in headers for name in (header_name(header).key, header_name(header).bare)}
    if not columns.get("commission") and len(keys & _ORDERS) >= 2:
        raise UnreadableReport("wrong_report", f"This is Fee-Orders, which has no earnings. {_AMAZON_HINT}")
    is_bounty = {"name", "quantity", "dateshipped"} <= keys
    if "asin" not in columns and not is_bounty:
        raise UnreadableReport("wrong_report", f"This report has only totals. {_AMAZON_HINT}")
