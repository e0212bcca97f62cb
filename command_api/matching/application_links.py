"""The tracked link of an application: counts that it was followed and redirects to the program's page with campaign
parameters.

Links under `/go` count for their website. A member who applies to a program is not a visitor of the website, so this
link counts for the application only. Pure.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from uuid import UUID

from infra import PRODUCT_NAME

_CAMPAIGN: Final = {"utm_source": PRODUCT_NAME.lower(), "utm_medium": "program-directory"}


def tracked_link(application: UUID) -> str:
    """The tracked link, as a path of the app."""
    return f"/api/platform/affiliate/applications/{application}/go"


def program_page(url: str, application: UUID) -> str:
    """Returns `url` with campaign parameters, among them a short reference of the application without personal data.
    Existing parameters stay."""
    parts = urlsplit(url)
    parameters = parse_qsl(parts.query, keep_blank_values=True)
    marks = {**_CAMPAIGN, "utm_content": application.hex[:12]}
    names = {name for name, _ in parameters}
    query = urlencode([*parameters, *((name, value) for name, value in marks.items() if name not in names)])
    return urlunsplit(parts._replace(query=query))
