"""The data that a site's pages need and their documents do not contain: addresses, sizes of images, dates."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from infra.domain.publishing.blocks import is_web_address

_RELATIVE: Final = re.compile(r"/?(?:[A-Za-z0-9._~%-]+/)*[A-Za-z0-9._~%-]+(?:\?[A-Za-z0-9._~%=&-]*)?")
_PARAMETER: Final = re.compile(r"[a-z0-9_]{0,20}")


def is_address(address: str) -> bool:
    """Returns whether the text is a web address, or a path: from the host's root, or relative to the home page."""
    return (is_web_address(address) and address.isascii()) or bool(_RELATIVE.fullmatch(address))


@dataclass(frozen=True, slots=True)
class SiteImage:
    """An uploaded image as it is served: a web address, or a path relative to the home page (`images/HASH.webp`).

    `narrow`: the address of its copy that is `NARROW_WIDTH` pixels wide; empty: there is none.
    """

    address: str
    width: int
    height: int
    narrow: str = ""


@dataclass(frozen=True, slots=True)
class PageDates:
    """The time when a page was first published, and the time of the release that changed it last. Raises `ValueError`
    for a time without a zone."""

    published: datetime
    updated: datetime

    def __post_init__(self) -> None:
        if self.published.tzinfo is None or self.updated.tzinfo is None:
            raise ValueError("dates of pages need a time zone")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """The world of a site. Addresses are ASCII (hosts in their `xn--` form). Raises `ValueError` for one that is none.

    - `base_address`: of the home page, with `/` at its end. Empty: not known, as for an export; then nothing that needs
      complete addresses is made (canonical, sitemap, feed).
    - `links`: the address of each tracked link, such as `https://track.example.com/go/summer` or `/go/summer`.
    - `images`: by content hash.
    - `tracker_address`: of the tracking API, which serves `t.js`; `/`: the page's host. Needs `site_key`
      (`pk_...`). Without both the page has no script: so in previews.
    - `newsletter_address`: where newsletter forms are posted to, as `email`, `page` (path) and `block` (placement).
      Empty: there are none.
    - `dates`: of published pages.
    - `page_parameter`, `placement_parameter`: names of query parameters in which tracked links carry the page's path
      and the block's placement. Empty: none. See `infra.domain.publishing.render`.
    - `has_fonts`: the font's files are served beside the pages; without it, as in previews, the page declares none.
    """

    base_address: str = ""
    links: Mapping[UUID, str] = field(default_factory=dict)
    images: Mapping[str, SiteImage] = field(default_factory=dict)
    tracker_address: str = ""
    site_key: str = ""
    newsletter_address: str = ""
    dates: Mapping[UUID, PageDates] = field(default_factory=dict)
    page_parameter: str = ""
    placement_parameter: str = ""
    has_fonts: bool = False

    def __post_init__(self) -> None:
        base = self.base_address
        if base and not (
            is_web_address(base) and base.isascii() and base.endswith("/") and not re.search("[?#]", base)
        ):
            raise ValueError(f"base_address must be a web address that ends with /, not {base!r}")
        addresses = [*self.links.values(), *(image.address for image in self.images.values())]
        optional = [self.newsletter_address, *(image.narrow for image in self.images.values())]
        addresses += [address for address in optional if address]
        for address in addresses:
            if not is_address(address):
                raise ValueError(f"neither a web address nor a path: {address!r}")
        tracker = self.tracker_address
        if tracker not in ("", "/") and not (is_web_address(tracker) and tracker.isascii()):
            raise ValueError(f"tracker_address must be a web address, not {self.tracker_address!r}")
        if not re.fullmatch(r"[A-Za-z0-9_-]{0,100}", self.site_key):
            raise ValueError("site_key is not a site key")
        if not all(_PARAMETER.fullmatch(name) for name in (self.page_parameter, self.placement_parameter)):
            raise ValueError("names of parameters are lowercase letters, digits and _")

    @property
    def is_tracked(self) -> bool:
        """Returns whether pages have the tracking script."""
        return bool(self.tracker_address and self.site_key)

    @property
    def root_path(self) -> str:
        """The path of the home page on its host."""
        return urlsplit(self.base_address).path or "/"

    def absolute(self, path: str) -> str:
        """The complete address of a path relative to the home page, or a web address unchanged; needs
        `base_address`."""
        if is_web_address(path):
            return path
        parts = urlsplit(self.base_address)
        return f"{parts.scheme}://{parts.netloc}{path}" if path.startswith("/") else self.base_address + path
