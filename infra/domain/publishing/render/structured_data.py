"""JSON-LD of a page: reviews, questions and breadcrumbs, in the vocabulary of schema.org."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from infra.domain.publishing.blocks import MAX_RATING, AnyBlock, Faq, ReviewBlock
from infra.domain.publishing.document import SiteDocument, SitePage
from infra.domain.publishing.page_markdown import plain_page
from infra.domain.publishing.render.surroundings import PageDates, Surroundings

_ESCAPES: Final = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&'\u2028\u2029"}
"""The escapes with which no text can end the element, begin a comment in it, or be another line for a script."""


def script_json(value: Mapping[str, Any]) -> str:
    """The value as JSON that may stand in a `<script>` element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(_ESCAPES)


def graph(
    site: SiteDocument, blocks: Sequence[AnyBlock], crumbs: Sequence[SitePage], around: Surroundings,
    dates: PageDates | None,
) -> Mapping[str, Any] | None:  # fmt: skip
    """Everything that the page says in structured form; `None`: nothing. A review without a rating is left out."""
    things: list[Mapping[str, Any]] = [
        _product(site, block, around, dates)
        for block in blocks
        if isinstance(block, ReviewBlock) and block.rating is not None
    ]
    questions = [question for block in blocks if isinstance(block, Faq) for question in block.questions]
    if questions:
        things.append({"@type": "FAQPage", "mainEntity": [_question(one.question, one.answer) for one in questions]})
    if crumbs and around.base_address:
        things.append({"@type": "BreadcrumbList", "itemListElement": _crumbs(crumbs, around)})
    return {"@context": "https://schema.org", "@graph": things} if things else None


def _product(
    site: SiteDocument, block: ReviewBlock, around: Surroundings, dates: PageDates | None
) -> Mapping[str, Any]:
    author = {"@type": "Person", "name": site.author} if site.author else {"@type": "Organization", "name": site.name}
    review: dict[str, Any] = {
        "@type": "Review",
        "author": author,
        "reviewRating": {
            "@type": "Rating", "ratingValue": f"{(block.rating or 0) / 10:g}", "bestRating": f"{MAX_RATING // 10}",
            "worstRating": "0",
        },
    }  # fmt: skip
    if block.summary:
        review["reviewBody"] = block.summary
    if dates is not None:
        review["datePublished"] = dates.published.date().isoformat()
    for name, points in (("positiveNotes", block.pros), ("negativeNotes", block.cons)):
        if points:
            review[name] = {"@type": "ItemList", "itemListElement": _numbered({"name": point} for point in points)}
    product: dict[str, Any] = {"@type": "Product", "name": block.product, "review": review}
    image = around.images.get(block.image.hash) if block.image is not None else None
    if image is not None and around.base_address:
        product["image"] = around.absolute(image.address)
    return product


def _question(question: str, answer: str) -> Mapping[str, Any]:
    return {
        "@type": "Question", "name": question,
        "acceptedAnswer": {"@type": "Answer", "text": plain_page(answer)},
    }  # fmt: skip


def _crumbs(crumbs: Sequence[SitePage], around: Surroundings) -> Sequence[Mapping[str, Any]]:
    return _numbered(
        {"name": page.label, "item": around.absolute(f"{page.path}/" if page.path else "")} for page in crumbs
    )


def _numbered(items: Any) -> list[Mapping[str, Any]]:
    return [{"@type": "ListItem", "position": number, **item} for number, item in enumerate(items, 1)]
