"""Documents of the website builder: what the editor saves. A contract of the editor, the events and the renderer.

A page is a list of blocks; a site has its pages' paths and titles, its navigation and its theme. `parse_page` and
`parse_site` read JSON and raise one `DocumentRejected` with the place of the first fault; `to_json` writes a document
the same way every time. Texts are cleaned while they are read (`infra.domain.publishing.texts`), so store what
`to_json` returns. Stored documents must stay readable: later versions may add optional fields and raise limits only.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Self, TypeVar
from uuid import UUID

from pydantic import AfterValidator, BaseModel, Field, ValidationError, model_validator

from infra.domain.publishing.blocks import AnyBlock, ArticleBlock, Block, BlockPart, Faq, ImagePart, LinkTarget
from infra.domain.publishing.errors import DocumentRejected as DocumentRejected
from infra.domain.publishing.errors import Location, at, rejected
from infra.domain.publishing.page_markdown import page_references
from infra.domain.publishing.paths import checked_path, collision
from infra.domain.publishing.texts import STORED, SURROGATE, Line
from infra.domain.publishing.theme import Theme

MAX_BLOCKS: Final = 200
MAX_PAGES: Final = 64
MAX_NAVIGATION: Final = 12
MAX_BYTES: Final = 256 * 1024
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?:-[A-Z][a-z]{3})?(?:-(?:[A-Z]{2}|[0-9]{3}))?")
_Model = TypeVar("_Model", bound=BaseModel)


def _language(value: str) -> str:
    if not _LANGUAGE.fullmatch(value):
        raise ValueError("must be a language code, such as en, de or pt-BR")
    return value


class PageDocument(BlockPart):
    """The blocks of a page, in order."""

    blocks: Annotated[tuple[Block, ...], Field(max_length=MAX_BLOCKS)] = ()

    @model_validator(mode="after")
    def _names_are_unique(self) -> Self:
        both = collision(block.placement for block in self.blocks)
        if both is not None:
            first, second = (number + 1 for number in both)
            raise ValueError(f"has the same id or name in blocks {first} and {second}")
        return self

    def images(self) -> Iterator[str]:
        """Hashes of the images, in order, each as often as it occurs."""
        for block in self.blocks:
            yield from (image.hash for image in _parts(block, ImagePart))
            for source in _sources(block):
                yield from page_references(source).images

    def links(self) -> Iterator[UUID]:
        """Ids of the tracked links, in order, each as often as it occurs."""
        for block in self.blocks:
            yield from (target.link_id for target in _parts(block, LinkTarget))
            for source in _sources(block):
                yield from map(UUID, page_references(source).links)


class SitePage(BlockPart):
    """A page as the site knows it. `title` and `description` are for browsers, search engines and previews;
    `short_title`, or else the title, is for menus and breadcrumbs."""

    id: UUID
    path: Annotated[str, AfterValidator(checked_path)]
    title: Annotated[Line, Field(min_length=1, max_length=120)]
    short_title: Annotated[Line, Field(max_length=40)] = ""
    description: Annotated[Line, Field(max_length=300)] = ""
    is_indexed: bool = True

    @property
    def label(self) -> str:
        """Its name in menus and breadcrumbs."""
        return self.short_title or self.title


class SiteDocument(BlockPart):
    """A site. `navigation`: ids of the pages in its menu, in order; `author`: who writes its reviews (the name of a
    person; without one, the site itself); `logo`: an image for the header of every page and the browser's tab."""

    name: Annotated[Line, Field(min_length=1, max_length=80)]
    author: Annotated[Line, Field(max_length=80)] = ""
    logo: ImagePart | None = None
    language: Annotated[str, AfterValidator(_language)] = "en"
    theme: Theme = Theme()
    navigation: Annotated[tuple[UUID, ...], Field(max_length=MAX_NAVIGATION)] = ()
    pages: Annotated[tuple[SitePage, ...], Field(min_length=1, max_length=MAX_PAGES)]

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        both = collision(page.path for page in self.pages)
        if both is not None:
            first, second = (self.pages[number] for number in both)
            raise ValueError(
                f'has two pages at the path "{first.path}": "{first.title}" and "{second.title}"'
                if first.path
                else f'has two home pages (an empty path): "{first.title}" and "{second.title}"'
            )
        ids = [page.id for page in self.pages]
        if len(set(ids)) < len(ids):
            raise ValueError("has two pages with the same id")
        if not any(page.path == "" for page in self.pages):
            raise ValueError("needs a home page: one page with an empty path")
        if not set(self.navigation) <= set(ids) or len(set(self.navigation)) < len(self.navigation):
            raise ValueError('must name each page at most once in "navigation", and only its own pages')
        return self

    def images(self) -> frozenset[str]:
        """Hashes of the images that every page has."""
        return frozenset((self.logo.hash,)) if self.logo is not None else frozenset()

    def page(self, page_id: UUID) -> SitePage | None:
        """The page with this id."""
        return next((page for page in self.pages if page.id == page_id), None)


def parse_page(content: bytes) -> PageDocument:
    """The page in `content`, JSON of at most `MAX_BYTES`. Raises `DocumentRejected`."""
    return _parse(PageDocument, content, "page")


def read_page(content: bytes) -> PageDocument:
    """A stored page. Its Markdown was checked when it was saved and is not parsed again."""
    return PageDocument.model_validate_json(content, context=STORED)


def parse_site(content: bytes) -> SiteDocument:
    """The site in `content`, JSON of at most `MAX_BYTES`. Raises `DocumentRejected`."""
    return _parse(SiteDocument, content, "site")


def to_json(document: PageDocument | SiteDocument) -> bytes:
    """The document as JSON; equal documents give equal bytes."""
    return document.model_dump_json().encode()


def _parse(model: type[_Model], content: bytes, what: str) -> _Model:
    if len(content) > MAX_BYTES:
        raise DocumentRejected(
            "document_too_large", f"The {what} has {len(content):,} bytes; at most {MAX_BYTES:,} are allowed."
        )
    try:
        data = json.loads(content.decode())
    except (ValueError, RecursionError):
        raise DocumentRejected("invalid_json", f"The {what} is not valid JSON in UTF-8.") from None
    half = _half_character(data)
    if half is not None:
        raise at("invalid_text", "contains half of a character, such as a cut emoji; remove it", half, data)
    try:
        return model.model_validate_json(content)
    except ValidationError as error:
        raise rejected(error, data) from None


def _half_character(data: object) -> Location | None:
    """The place of the first text with a lone surrogate."""
    open_places: list[tuple[Location, object]] = [((), data)]
    while open_places:
        place, value = open_places.pop()
        if isinstance(value, str):
            if SURROGATE.search(value):
                return place
        elif isinstance(value, Mapping):
            if any(SURROGATE.search(key) for key in value):
                return place
            open_places += [((*place, key), inner) for key, inner in value.items()]
        elif isinstance(value, list):
            open_places += [((*place, number), inner) for number, inner in enumerate(value)]
    return None


def _sources(block: AnyBlock) -> Iterator[str]:
    if isinstance(block, ArticleBlock):
        yield block.markdown
    elif isinstance(block, Faq):
        yield from (question.answer for question in block.questions)


def _parts(value: Any, kind: type[_Model]) -> Iterator[_Model]:
    """Every part of this kind inside of a part, in order."""
    if isinstance(value, kind):
        yield value
    elif isinstance(value, BaseModel):
        for _, inner in value:
            yield from _parts(inner, kind)
    elif isinstance(value, tuple):
        for inner in value:
            yield from _parts(inner, kind)
