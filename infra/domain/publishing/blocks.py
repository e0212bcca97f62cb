"""The blocks of a page, as the editor saves them: a union by `type`.

Every block has an `id`. It stays when the block moves, and is the block's name in analytics unless `name` gives a
readable one.
"""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from infra.domain.publishing.page_markdown import is_browsable
from infra.domain.publishing.texts import Line, Lines, Markdown
from schemas.currencies import MAX_AMOUNT, MINOR_DIGITS

MAX_URL: Final = 2_048
MAX_SIDE: Final = 12_000
MAX_PIXELS: Final = 50_000_000
MAX_COLUMNS: Final = 8
MAX_ROWS: Final = 40
MAX_OFFERS: Final = 24
MAX_QUESTIONS: Final = 40
MAX_POINTS: Final = 12
MAX_RATING: Final = 50
_HASH: Final = re.compile(r"[0-9a-f]{64}")
_NAME: Final = re.compile(r"[a-z0-9]+(?:-+[a-z0-9]+)*")
_HOST: Final = re.compile(r"(?:[\w.-]+|\[[0-9A-Fa-f:.]+\])(?::\d+)?")
_NOT_IN_ADDRESS: Final = re.compile(r"[\s\\\"'<>`{}|^\x00-\x1f\x7f-\x9f]")


class BlockPart(BaseModel):
    """Base of everything in a document: strict, closed and frozen."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def is_web_address(url: str) -> bool:
    """Returns whether the text is a complete http or https address with a host that browsers can read, without
    credentials."""
    if len(url) > MAX_URL or _NOT_IN_ADDRESS.search(url) or not url.lower().startswith(("http://", "https://")):
        return False
    try:
        parts = urlsplit(url)
        has_host = (
            bool(_HOST.fullmatch(parts.netloc)) and bool(parts.hostname) and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        return False
    return has_host and is_browsable(url)


def _web_address(url: str) -> str:
    if not is_web_address(url):
        raise ValueError(
            f"must be a web address that begins with https:// or http://, at most {MAX_URL:,} characters, without"
            " blanks, quotes, brackets, user name and password"
        )
    return url


def _content_hash(value: str) -> str:
    if not _HASH.fullmatch(value):
        raise ValueError("must be the content hash of an uploaded image: 64 hexadecimal digits in lower case")
    return value


def _block_name(value: str) -> str:
    if value and not _NAME.fullmatch(value):
        raise ValueError("must be lowercase letters, digits and hyphens, such as best-offer")
    return value


def _currency(value: str) -> str:
    if value not in MINOR_DIGITS:
        raise ValueError("must be a currency code of ISO 4217, such as EUR")
    return value


Title = Annotated[Line, Field(max_length=120)]
NeededTitle = Annotated[Line, Field(min_length=1, max_length=120)]
Label = Annotated[Line, Field(max_length=60)]
NeededLabel = Annotated[Line, Field(min_length=1, max_length=60)]
Point = Annotated[Line, Field(min_length=1, max_length=200)]
Paragraphs = Annotated[Lines, Field(max_length=2_000)]
ContentHash = Annotated[str, AfterValidator(_content_hash)]
Side = Annotated[int, Field(ge=1, le=MAX_SIDE)]
Amount = Annotated[int, Field(ge=0, le=MAX_AMOUNT)]


class LinkTarget(BlockPart):
    """A tracked link of the account."""

    kind: Literal["link"] = "link"
    link_id: UUID


class PageTarget(BlockPart):
    """Another page of the site."""

    kind: Literal["page"] = "page"
    page_id: UUID


class WebTarget(BlockPart):
    """A web address. Links to a host of a known affiliate network are sponsored whatever `is_sponsored` says."""

    kind: Literal["web"] = "web"
    url: Annotated[Line, AfterValidator(_web_address)]
    is_sponsored: bool = False


Target = Annotated[LinkTarget | PageTarget | WebTarget, Field(discriminator="kind")]


class ImagePart(BlockPart):
    """An uploaded image. `alt` describes it; it is empty only for an image that is marked as decorative."""

    hash: ContentHash
    alt: Annotated[Line, Field(max_length=250)] = ""
    is_decorative: bool = False
    width: Side
    height: Side

    @model_validator(mode="after")
    def _is_described(self) -> Self:
        if not self.alt and not self.is_decorative:
            raise ValueError('needs "alt", a text that says what it shows, or "is_decorative"')
        if self.alt and self.is_decorative:
            raise ValueError('must have either "alt" or "is_decorative"')
        if self.width * self.height > MAX_PIXELS:
            raise ValueError(f"must have at most {MAX_PIXELS // 1_000_000} megapixels")
        return self


class Action(BlockPart):
    """A button."""

    label: NeededLabel
    target: Target | None = None


class BlockBase(BlockPart):
    """What every block has. `name` is its readable name in analytics; without one, its id is."""

    id: UUID
    name: Annotated[Line, Field(max_length=60), AfterValidator(_block_name)] = ""

    @property
    def placement(self) -> str:
        """The block's name in analytics and its anchor in the page."""
        return self.name or str(self.id)


Art = Literal["none", "shield", "servers", "windows", "chart", "leaf", "book", "parcel"]
"""Drawings of the product, in the colors of the theme."""


class Hero(BlockBase):
    """The page's opening: its title is the page's heading if the block comes first. `art`: the drawing beside it while
    it has no image."""

    type: Literal["hero"] = "hero"
    title: NeededTitle
    text: Annotated[Lines, Field(max_length=600)] = ""
    image: ImagePart | None = None
    art: Art = "none"
    action: Action | None = None


class ArticleBlock(BlockBase):
    """Markdown.

    Its links may also be `link:ID` (a tracked link) and `page:ID` (a page of the site), its images
    `![what it shows](image:HASH)` (an uploaded image). Images from elsewhere become links.
    """

    type: Literal["article"] = "article"
    markdown: Annotated[Markdown, Field(min_length=1)]


class ReviewBlock(BlockBase):
    """A review of one product. `rating` is in tenths of a star; without one, the product has not been rated yet."""

    type: Literal["review"] = "review"
    product: NeededTitle
    rating: Annotated[int, Field(ge=0, le=MAX_RATING)] | None = None
    summary: Paragraphs = ""
    pros: Annotated[tuple[Point, ...], Field(max_length=MAX_POINTS)] = ()
    cons: Annotated[tuple[Point, ...], Field(max_length=MAX_POINTS)] = ()
    image: ImagePart | None = None
    label: Label = ""
    target: Target | None = None


class TextCell(BlockPart):
    """A cell with a text; empty: not known."""

    kind: Literal["text"] = "text"
    text: Annotated[Line, Field(max_length=160)] = ""


class YesCell(BlockPart):
    """The product has the feature."""

    kind: Literal["yes"] = "yes"


class NoCell(BlockPart):
    """The product lacks the feature."""

    kind: Literal["no"] = "no"


Cell = Annotated[TextCell | YesCell | NoCell, Field(discriminator="kind")]


class ComparedProduct(BlockPart):
    """A column of a comparison."""

    name: Annotated[Line, Field(min_length=1, max_length=80)]
    label: Label = ""
    target: Target | None = None


class ComparedFeature(BlockPart):
    """A row of a comparison, with a value for each product."""

    feature: Annotated[Line, Field(min_length=1, max_length=120)]
    values: Annotated[tuple[Cell, ...], Field(max_length=MAX_COLUMNS)]


class ComparisonBlock(BlockBase):
    """A table: products are its columns, features its rows."""

    type: Literal["comparison"] = "comparison"
    title: NeededTitle
    note: Paragraphs = ""
    products: Annotated[tuple[ComparedProduct, ...], Field(min_length=1, max_length=MAX_COLUMNS)]
    rows: Annotated[tuple[ComparedFeature, ...], Field(min_length=1, max_length=MAX_ROWS)]

    @model_validator(mode="after")
    def _is_complete(self) -> Self:
        for number, row in enumerate(self.rows, 1):
            if len(row.values) != len(self.products):
                raise ValueError(
                    f"has {len(row.values)} values in row {number} and {len(self.products)} products: each row needs"
                    " a value for each product"
                )
        return self


class OfferPart(BlockPart):
    """One entry of a list of offers; `price` is a text, such as "from $5 a month"."""

    name: NeededTitle
    text: Annotated[Lines, Field(max_length=600)] = ""
    image: ImagePart | None = None
    price: Label = ""
    label: Label = ""
    target: Target | None = None


class Offers(BlockBase):
    """A list of offers."""

    type: Literal["offers"] = "offers"
    title: Title = ""
    offers: Annotated[tuple[OfferPart, ...], Field(min_length=1, max_length=MAX_OFFERS)]


class Price(BlockBase):
    """A price box. Amounts are in minor units of the currency; `old_amount` is the price before a reduction."""

    type: Literal["price"] = "price"
    product: NeededTitle
    amount: Amount
    currency: Annotated[str, AfterValidator(_currency)]
    old_amount: Amount | None = None
    note: Annotated[Line, Field(max_length=200)] = ""
    label: Label = ""
    target: Target | None = None

    @model_validator(mode="after")
    def _is_reduced(self) -> Self:
        if self.old_amount is not None and self.old_amount <= self.amount:
            raise ValueError('must have an "old_amount" that is more than "amount"')
        return self


class QuestionPart(BlockPart):
    """A question with its answer in Markdown."""

    question: Annotated[Line, Field(min_length=1, max_length=200)]
    answer: Annotated[Markdown, Field(min_length=1, max_length=4_000)]


class Faq(BlockBase):
    """Questions and answers."""

    type: Literal["faq"] = "faq"
    title: Title = ""
    questions: Annotated[tuple[QuestionPart, ...], Field(min_length=1, max_length=MAX_QUESTIONS)]


class PictureBlock(BlockBase):
    """An image with a caption. One that leads somewhere is described: its text is the name of the link."""

    type: Literal["image"] = "image"
    image: ImagePart
    caption: Annotated[Line, Field(max_length=300)] = ""
    target: Target | None = None

    @model_validator(mode="after")
    def _is_named(self) -> Self:
        if self.target is not None and self.image.is_decorative:
            raise ValueError('must have an image with "alt", because the image is a link')
        return self


class Newsletter(BlockBase):
    """A form for an email address. It is left out of a site that has no address to send it to."""

    type: Literal["newsletter"] = "newsletter"
    title: NeededTitle
    text: Annotated[Lines, Field(max_length=600)] = ""
    label: Label = ""
    consent: Annotated[Line, Field(max_length=300)] = ""


class Disclosure(BlockBase):
    """Says that the site earns from its links."""

    type: Literal["disclosure"] = "disclosure"
    text: Annotated[Lines, Field(min_length=1, max_length=1_000)]


Block = Annotated[
    Hero | ArticleBlock | ReviewBlock | ComparisonBlock | Offers | Price | Faq | PictureBlock | Newsletter | Disclosure,
    Field(discriminator="type"),
]
AnyBlock = (
    Hero | ArticleBlock | ReviewBlock | ComparisonBlock | Offers | Price | Faq | PictureBlock | Newsletter | Disclosure
)
BLOCK_TYPES: Final = (
    *("hero", "article", "review", "comparison", "offers", "price", "faq", "image", "newsletter", "disclosure"),
)
