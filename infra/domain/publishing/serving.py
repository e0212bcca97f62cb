"""Addresses of published sites that the services share."""

from __future__ import annotations

from typing import Final

SITES: Final = "/sites/"
"""Where the tracking address serves sites, each under its slug."""
PAGE_PARAMETER: Final = "page"
PLACEMENT_PARAMETER: Final = "placement"
"""Query parameters in which the tracked links of a page tell where they were followed."""


def site_path(slug: str) -> str:
    """The path of a site's home page on the tracking address."""
    return f"{SITES}{slug}/"


def image_path(content_hash: str) -> str:
    """The path of an image, relative to the home page."""
    return f"images/{content_hash}.webp"
