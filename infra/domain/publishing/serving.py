"""Addresses of published sites that the services share."""

from __future__ import annotations

from typing import Final

SITES: Final = "/sites/"
"""The path under which the tracking address serves sites, each under its slug."""
PAGE_PARAMETER: Final = "page"
PLACEMENT_PARAMETER: Final = "placement"
"""Query parameters in which the tracked links of a page tell where they were followed."""

NEWSLETTER_FORM: Final = "subscribe"
"""The path that newsletter forms of a site are posted to, relative to its home page."""
FORM_SENT: Final = "subscribe/sent"
FORM_REFUSED: Final = "subscribe/again"
"""Pages that answer a form: whatever we know of the address, and when it is none."""
NEWSLETTER_FORMS: Final = "publishing:newsletter-form"
"""The process manager that handles forms (`command_api.publishing.subscriptions.process`)."""
NARROW_WIDTH: Final = 800
"""Pixels of the copy of a wider image: enough for the width of a phone, and a quarter of the bytes."""


def site_path(slug: str) -> str:
    """The path of a site's home page on the tracking address."""
    return f"{SITES}{slug}/"


def image_path(content_hash: str) -> str:
    """The path of an image, relative to the home page."""
    return f"images/{content_hash}.webp"


def narrow_path(content_hash: str) -> str:
    """The path of its copy for narrow screens."""
    return f"images/{content_hash}-{NARROW_WIDTH}.webp"
