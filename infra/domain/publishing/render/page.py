"""One page as HTML: its blocks by their templates, inside of the page's template.

Jinja escapes every value. What a block's template gives passes an allowlist of elements and attributes as well, and so
does Markdown before that: a mistake in a template is then a missing attribute, and no script.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from hashlib import sha256
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

import nh3
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from infra.domain.publishing.blocks import AnyBlock, ComparedProduct, Hero, Newsletter
from infra.domain.publishing.document import PageDocument, SiteDocument, SitePage
from infra.domain.publishing.fonts import font_css, font_files
from infra.domain.publishing.page_markdown import Anchor, render_page
from infra.domain.publishing.paths import ancestors, file_of
from infra.domain.publishing.render.art import drawing
from infra.domain.publishing.render.references import MissingReference, ReferenceResolver
from infra.domain.publishing.render.structured_data import graph, script_json
from infra.domain.publishing.render.surroundings import Surroundings
from infra.domain.publishing.render.text_mark import initial
from infra.domain.publishing.render.wording import SiteWording, decimal_text, is_right_to_left, money_text, wording_of
from infra.domain.publishing.serving import FORM_REFUSED, FORM_SENT
from infra.domain.publishing.theme import art_css, css_of, fonts_of

BlockTypes = Collection[str]
TEXTS: Final = frozenset({"article", "review"})
"""Blocks that make a page one to read."""
NEWSLETTER: Final = "newsletter"
HTML: Final = "text/html; charset=utf-8"
TAGS: Final = frozenset(
    {"h1", "h2", "h3", "h4", "h5", "h6", "p", "br", "hr", "strong", "em", "s", "code", "pre", "blockquote", "small"}
    | {"ul", "ol", "li", "a", "img", "figure", "figcaption", "div", "span", "del", "details", "summary"}
    | {"table", "caption", "thead", "tbody", "tr", "th", "td", "form", "label", "input", "button"}
)
"""Elements of blocks."""
ATTRIBUTES: Final[Mapping[str, frozenset[str]]] = {
    "a": frozenset({"href", "title", "rel", "class"}),
    "img": frozenset({"src", "srcset", "sizes", "alt", "width", "height", "loading", "fetchpriority"}),
    "div": frozenset({"class", "role", "tabindex", "aria-label"}),
    "span": frozenset({"class", "role", "aria-label", "aria-hidden"}),
    "p": frozenset({"class", "hidden"}),
    "ul": frozenset({"class"}),
    "ol": frozenset({"start"}),
    "li": frozenset({"class"}),
    "code": frozenset({"class"}),
    "th": frozenset({"scope"}),
    "form": frozenset({"method", "action"}),
    "label": frozenset({"for"}),
    "input": frozenset({"id", "type", "name", "value", "required", "autocomplete", "tabindex", "maxlength"}),
    "button": frozenset({"class", "type"}),
}
"""Attributes of elements of blocks."""
_PARAGRAPHS: Final = re.compile(r"\n\s*\n")
_HEADING: Final = re.compile("<h[1-6]>")


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file of a site. `security_policy`: the value of its header `Content-Security-Policy`, for HTML.

    `problems`: what the page refers to and is not there.
    """

    body: bytes
    content_type: str
    security_policy: str = ""
    problems: tuple[MissingReference, ...] = ()


def page_file(site: SiteDocument, page: SitePage, document: PageDocument, around: Surroundings) -> SiteFile:
    """The page."""
    root = "../" * (page.path.count("/") + 1) if page.path else "./"
    references = ReferenceResolver(site, around, page.id, page.path, root)
    blocks = [block for block in document.blocks if around.newsletter_address or not isinstance(block, Newsletter)]
    heading_block = _heading_block(blocks)
    sections = [_section(block, references, 1 if block is heading_block else 2) for block in blocks]
    crumbs = _crumbs(site, page)
    dates = around.dates.get(page.id)
    data = graph(site, blocks, crumbs, around, dates)
    canonical = around.absolute(f"{page.path}/" if page.path else "") if around.base_address else ""
    title = page.title if page.title == site.name else f"{page.title} | {site.name}"
    is_text = any(block.type in TEXTS for block in blocks)
    head = {
        "title": title,
        "description": page.description,
        "is_indexed": page.is_indexed,
        "canonical": canonical,
        "feed": f"{root if root != './' else ''}feed.xml",
        "open_graph": _open_graph(site, page, references, canonical, is_text),
        "structured_data": Markup(script_json(data)) if data else "",  # noqa: S704 - script_json escapes it
    }
    updated = dates.updated.date().isoformat() if dates is not None and is_text else ""
    return _file(
        references, has_form=has_newsletter(blocks), head=head, sections=sections, crumbs=crumbs, updated=updated,
        lead="", heading="" if heading_block is not None else page.title,
    )  # fmt: skip


def not_found_file(site: SiteDocument, around: Surroundings) -> SiteFile:
    """The page for addresses without one. It is served at any depth, so its links begin at the host's root."""
    words = wording_of(site.language)
    return _message_file(site, around, "404", words.not_found, words.not_found_text)


def form_files(site: SiteDocument, around: Surroundings) -> Mapping[str, SiteFile]:
    """The pages that answer a newsletter form: one whatever we know of the address, one for what is no address."""
    words = wording_of(site.language)
    return {
        file_of(FORM_SENT): _message_file(site, around, FORM_SENT, words.sent, words.sent_text),
        file_of(FORM_REFUSED): _message_file(site, around, FORM_REFUSED, words.refused, words.refused_text),
    }


def has_newsletter(blocks: Iterable[AnyBlock]) -> bool:
    """Returns whether a form is among the blocks."""
    return any(block.type == NEWSLETTER for block in blocks)


def _message_file(site: SiteDocument, around: Surroundings, path: str, heading: str, text: str) -> SiteFile:
    head = {
        "title": f"{heading} | {site.name}", "description": "", "is_indexed": False, "canonical": "",
        "feed": "", "open_graph": (), "structured_data": "",
    }  # fmt: skip
    references = ReferenceResolver(site, around, None, path, around.root_path)
    return _file(references, head=head, sections=(), crumbs=(), updated="", heading=heading, lead=text)


def security_policy(around: Surroundings, css: str, *, has_form: bool, has_font: bool) -> str:
    """The `Content-Security-Policy` of pages with this style sheet: nothing but it, images, the tracker and, on a page
    that has one, the form or the site's font.

    It has no `frame-ancestors` and no `sandbox`: serving adds what it needs.
    """
    own = "'self'"
    images = sorted({_origin(image.address) or own for image in around.images.values()})
    tracker = (_origin(around.tracker_address) or own) if around.is_tracked else "'none'"
    form = (_origin(around.newsletter_address) or own) if has_form else "'none'"
    digest = b64encode(sha256(css.encode()).digest()).decode()
    return "; ".join(
        (
            "default-src 'none'",
            f"style-src 'sha256-{digest}'",
            f"img-src {' '.join(images) or own}",
            *([f"font-src {own}"] if has_font else []),
            f"script-src {tracker}",
            f"connect-src {tracker}",
            f"form-action {form}",
            "base-uri 'none'",
        )
    )


def _file(references: ReferenceResolver, *, has_form: bool = False, **values: Any) -> SiteFile:
    site, around = references.site, references.surroundings
    has_font = around.has_fonts and "inter" in fonts_of(site.theme)
    home = references.to_file("")
    has_art = any(art is not None for *_, art in values["sections"])
    css = (font_css(home) if has_font else "") + css_of(site.theme) + (art_css() if has_art else "")
    menu = [page for page_id in site.navigation if (page := site.page(page_id)) is not None]
    tracker = f"{around.tracker_address.rstrip('/')}/t.js" if around.is_tracked else ""
    html = _templates().get_template("page.html").render(
        site=site, r=references, w=wording_of(site.language), menu=menu, tracker=tracker,
        mark=initial(site.name), logo=references.logo(), font=f"{home}{font_files()[0].path}" if has_font else "",
        css=Markup(css),  # noqa: S704 - made of tokens that cannot contain anything else
        is_right_to_left=is_right_to_left(site.language), **values,
    )  # fmt: skip
    policy = security_policy(around, css, has_form=has_form, has_font=has_font)
    return SiteFile(html.encode(), HTML, policy, tuple(references.problems))


def _section(block: AnyBlock, references: ReferenceResolver, level: int) -> tuple[str, str, str, Markup, Markup | None]:
    """Element, anchor, placement, HTML and drawing of a block. A section has a heading; what has none is no section."""
    references.placement = block.placement
    language = references.site.language
    words = wording_of(language)

    def rendered(source: str, first_level: int) -> Markup:
        html = render_page(source, references, first_level=first_level, table_label=words.table)
        return Markup(html)  # noqa: S704 - it passed nh3

    def targets_of(products: Sequence[ComparedProduct]) -> list[Anchor | None]:
        return [references.target(product.target) for product in products]

    html = _templates().get_template(f"{block.type}.html").render(
        block=block, level=level, r=references, w=words, markdown=rendered, targets_of=targets_of,
        number=lambda rating: decimal_text(Decimal(rating) / 10, language),
        money=lambda amount, currency: money_text(amount, currency, language),
        visit=lambda name: _visit(words, name), stars=_stars,
    )  # fmt: skip
    content = Markup(_clean(html))  # noqa: S704 - it passed nh3
    art = drawing(block.art) if isinstance(block, Hero) and block.art != "none" and block.image is None else None
    tag = "section" if _HEADING.search(content) else "div"
    return tag, f"b-{block.placement}", block.placement, content, art


def _clean(html: str) -> str:
    attributes = {tag: set(names) for tag, names in ATTRIBUTES.items()}
    return nh3.clean(html, tags=set(TAGS), attributes=attributes, url_schemes={"http", "https"}, link_rel=None)


def _heading_block(blocks: Sequence[AnyBlock]) -> Hero | None:
    """The block that has the page's one `<h1>`: a hero before which nothing has a heading. Else the page has it."""
    for block in blocks:
        if isinstance(block, Hero):
            return block
        if block.type not in ("disclosure", "image"):
            return None
    return None


def _crumbs(site: SiteDocument, page: SitePage) -> list[SitePage]:
    """The pages above and the page; none for the home page."""
    if not page.path:
        return []
    above = ancestors(page.path)
    by_path = {one.path: one for one in site.pages}
    return [*(by_path[path] for path in above if path in by_path), page]


def _open_graph(
    site: SiteDocument, page: SitePage, references: ReferenceResolver, canonical: str, is_text: bool
) -> tuple[tuple[str, str], ...]:
    """`references`: after the blocks were rendered."""
    around, first = references.surroundings, references.first_image
    has_image = first is not None and bool(around.base_address)
    return (
        ("og:site_name", site.name),
        ("og:title", page.title),
        ("og:type", "article" if is_text else "website"),
        ("og:description", page.description),
        ("og:url", canonical),
        ("og:locale", site.language.replace("-", "_")),
        ("og:image", around.absolute(first.address) if first is not None and has_image else ""),
        ("og:image:width", str(first.width) if first is not None and has_image else ""),
        ("og:image:height", str(first.height) if first is not None and has_image else ""),
    )


def _stars(rating: int) -> str:
    """`★★★★½` for 45: whole and half stars, rounded; an empty one for each that is missing."""
    halves = (rating + 2) // 5
    text = "★" * (halves // 2) + "½" * (halves % 2)
    return text + "☆" * (5 - len(text))


def _visit(words: SiteWording, name: str) -> str:
    return words.visit.replace("{name}", name)


def _origin(address: str) -> str:
    """Scheme and host of a web address; empty for a path."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""


def _paragraphs(text: str) -> Iterator[str]:
    return (part.strip() for part in _PARAGRAPHS.split(text) if part.strip())


def _lines(text: str) -> Markup:
    return Markup("<br>").join(escape(line) for line in text.split("\n"))


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("infra.domain.publishing.render", "html"), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False,
    )  # fmt: skip
    made.filters["paragraphs"] = _paragraphs
    made.filters["lines"] = _lines
    return made


def page_of(site: SiteDocument, page_id: UUID) -> SitePage:
    """The page with this id. Raises `LookupError`."""
    page = site.page(page_id)
    if page is None:
        raise LookupError(f"the site has no page {page_id}")
    return page
