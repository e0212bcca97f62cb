"""Addresses in one page: of targets, of images, and of references in its Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlencode, urlsplit
from uuid import UUID

from infra.domain.publishing.blocks import ImagePart, LinkTarget, PageTarget, Target, WebTarget
from infra.domain.publishing.document import SiteDocument
from infra.domain.publishing.page_markdown import Anchor, Picture
from infra.domain.publishing.paths import relative
from infra.domain.publishing.render.surroundings import SiteImage, Surroundings
from infra.domain.publishing.serving import NARROW_WIDTH
from schemas.networks import network_of_host

SPONSORED = "sponsored nofollow noopener"
OUTBOUND = "noopener"


LOGO_HEIGHT = 40
"""In CSS pixels."""
WORDMARK = 1.6
"""A logo that is so many times as wide as high is a written name."""


@dataclass(frozen=True, slots=True)
class Logo:
    """The logo as the header shows it. `is_name`: it stands in place of the site's name, else beside it."""

    address: str
    width: int
    height: int
    is_name: bool


@dataclass(frozen=True, slots=True)
class MissingReference:
    """Something that a page refers to is not there; the page is rendered without it.

    `code`: `link_missing`, `page_missing` or `image_missing`. `placement`: of the block.
    """

    code: str
    message: str
    page_id: UUID | None
    placement: str


@dataclass(slots=True)
class ReferenceResolver:
    """Resolves what the page at `path` refers to, and collects what is missing.

    `root`: the address of the home page, as this page writes it. `placement`: of the block that is being rendered.
    `first_image`: of those that were resolved.
    """

    site: SiteDocument
    surroundings: Surroundings
    page_id: UUID | None
    path: str
    root: str
    placement: str = ""
    problems: list[MissingReference] = field(default_factory=list)
    first_image: SiteImage | None = None

    @property
    def served_path(self) -> str:
        """The path of the page on its host, as page views have it."""
        return self.surroundings.root_path + (f"{self.path}/" if self.path else "")

    def to_page(self, path: str) -> str:
        """The address of a page of the site."""
        if self.page_id is None:
            return f"{self.root}{path}/" if path else self.root
        return relative(self.path, path)

    def to_file(self, address: str) -> str:
        """A web address or a path from the host's root unchanged; else a path relative to the home page."""
        is_whole = address.startswith("/") or "://" in address
        return address if is_whole else (self.root if self.root != "./" else "") + address

    def target(self, target: Target | None) -> Anchor | None:
        """Returns the anchor for a target; `None`: it leads nowhere."""
        match target:
            case LinkTarget():
                return self._to_link(target.link_id)
            case PageTarget():
                return self._to_page(target.page_id)
            case WebTarget():
                return self._to_web(target.url, target.is_sponsored)
        return None

    def anchor(self, address: str) -> Anchor | None:
        """Returns the anchor of a link in Markdown."""
        kind, _, name = address.partition(":")
        if kind == "link":
            return self._to_link(UUID(name))
        if kind == "page":
            return self._to_page(UUID(name))
        return self._to_web(address, False)

    def picture(self, content_hash: str) -> Picture | None:
        """Returns the picture of an image in Markdown. The page's first image loads at once, the others when they come
        into view."""
        image = self.surroundings.images.get(content_hash)
        if image is None:
            self._lacks("image_missing", "An image is missing")
            return None
        is_first = self.first_image is None
        self.first_image = self.first_image or image
        copies = {NARROW_WIDTH: self.to_file(image.narrow)} if image.narrow else {}
        return Picture(self.to_file(image.address), image.width, image.height, copies, is_first)

    def image(self, image: ImagePart | None) -> Picture | None:
        """Returns the picture of an image of a block."""
        return self.picture(image.hash) if image is not None else None

    def logo(self) -> Logo | None:
        """Returns the site's logo. It is none of the page's own images, of which the first one loads at once."""
        logo = self.site.logo
        image = self.surroundings.images.get(logo.hash) if logo is not None else None
        if image is None:
            if logo is not None:
                self._lacks("image_missing", "The logo is missing")
            return None
        width = max(1, round(LOGO_HEIGHT * image.width / image.height))
        address = self.to_file(image.narrow or image.address)
        return Logo(address, width, LOGO_HEIGHT, width > LOGO_HEIGHT * WORDMARK)

    def has_picture(self, image: ImagePart) -> bool:
        """Returns whether the image of a block exists."""
        return image.hash in self.surroundings.images

    def _to_link(self, link_id: UUID) -> Anchor | None:
        address = self.surroundings.links.get(link_id)
        if address is None:
            self._lacks("link_missing", "A tracked link is missing or was deleted")
            return None
        around = self.surroundings
        pairs = ((around.page_parameter, self.served_path), (around.placement_parameter, self.placement))
        query = urlencode([(name, value) for name, value in pairs if name])
        if query:
            address, mark, fragment = address.partition("#")
            address += f"{'&' if '?' in address else '?'}{query}{mark}{fragment}"
        return Anchor(self.to_file(address), SPONSORED)

    def _to_page(self, page_id: UUID) -> Anchor | None:
        page = self.site.page(page_id)
        if page is None:
            self._lacks("page_missing", "A page that a link leads to is not part of the site")
            return None
        return Anchor(self.to_page(page.path))

    def _to_web(self, url: str, is_sponsored: bool) -> Anchor:
        return Anchor(url, SPONSORED if is_sponsored or _is_of_network(url) else OUTBOUND)

    def _lacks(self, code: str, message: str) -> None:
        problem = MissingReference(code, message, self.page_id, self.placement)
        if problem not in self.problems:
            self.problems.append(problem)


def _is_of_network(url: str) -> bool:
    try:
        return network_of_host(urlsplit(url).hostname or "") is not None
    except ValueError:
        return False
