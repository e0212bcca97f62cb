"""The tracked link of an application: an address of ours that counts that it was followed and leads on to the program's
page, which it tells where the visitor came from.

Links under `/go` count for the website that they belong to. A member who applies to a program is no visitor of the own
website: so this link counts for the application, and no dashboard knows of it. Pure.
"""

from __future__ import annotations

from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit
from uuid import UUID

from infra import PRODUCT_NAME

_MARKS: Final = {"utm_source": PRODUCT_NAME.lower(), "utm_medium": "program-directory"}


def link_of(application: UUID) -> str:
    """The tracked link, as a path of the app."""
    return f"/api/platform/affiliate/applications/{application}/go"


def program_page(url: str, application: UUID) -> str:
    """`url` with the marks of a campaign added, the application's short reference among them: it says nothing about
    the member. Marks that the address has already, stay."""
    parts = urlsplit(url)
    given = parse_qsl(parts.query, keep_blank_values=True)
    marks = {**_MARKS, "utm_content": application.hex[:12]}
    names = {name for name, _ in given}
    query = urlencode([*given, *((name, value) for name, value in marks.items() if name not in names)])
    return urlunsplit(parts._replace(query=query))
