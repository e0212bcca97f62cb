"""Recognizes a web page or XML that was uploaded instead of a report."""

from __future__ import annotations

import re
from typing import Final

from infra.domain.report_files.layouts import UnreadableReport
from infra.domain.report_files.source import quoted

_HIDDEN: Final = re.compile(r"<(script|style|head)\b.*?(</\1\s*>|$)", re.I | re.S)
_TAG: Final = re.compile(r"<[^<>]{0,2000}>?")
_TITLE: Final = re.compile(r"<title[^>]*>([^<]*)", re.I)


def page_instead_of_report(text: str) -> UnreadableReport:
    """The refusal of a page or of XML, with what it says. `text`: its beginning."""
    title = _TITLE.search(text)
    body = " ".join(_TAG.sub(" ", _HIDDEN.sub(" ", text)).split())
    says = " ".join(filter(None, [title[1].strip() if title else "", body]))
    return UnreadableReport("not_a_report", f"This is a web page or XML, not a report. It says: {quoted(says)}")
