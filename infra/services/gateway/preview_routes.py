"""Routes of pages with members' content: the API paths of a page's data, and its meta tags.

The data is requested anonymously: what the query service shows without a session is public.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from infra.services.gateway.meta_tags import MAX_TITLE, PICTURE, PageHead, line

_ID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HANDLE: Final = re.compile(r"[a-z0-9-]{1,40}")
_AVAILABILITY: Final = {"active": "InStock", "under_offer": "LimitedAvailability", "sold": "SoldOut"}
_BEGIN: Final = 500

Answers = Sequence[Any]
"""JSON of the calls, in their order; None for one but the first that could not be had."""


@dataclass(frozen=True, slots=True)
class PreviewRoute:
    """`reads`: paths of the API; the first one says whether the page exists. `describe`: the head from their answers,
    `path` and the app's address; raises `KeyError`, `TypeError` or `AttributeError` for unexpected answers."""

    path: str
    reads: tuple[str, ...]
    describe: Callable[[Answers, str, str], PageHead]


class InvalidData:
    """An address that no page can have."""


def route_for(path: str) -> PreviewRoute | InvalidData | None:
    """Returns the route of a page; None: the page is not one of these."""
    for begin, form, reads, describe in _PAGES:
        if path.startswith(begin):
            name = path.removeprefix(begin).rstrip("/").lower()
            if not name or "/" in name:
                return None
            if form.fullmatch(name) is None:
                return InvalidData()
            return PreviewRoute(begin + name, tuple(read.format(name) for read in reads), describe)
    return None


def _thread(answers: Answers, path: str, origin: str) -> PageHead:
    thread, posts = answers
    first = posts[0] if posts and posts[0]["isFirst"] else None
    title, replies = str(thread["title"]), int(thread["replies"])
    words = first["excerpt"] if first is not None else ""
    counted = f"{replies} {'reply' if replies == 1 else 'replies'}"
    return PageHead(
        title=title,
        description=words or f"A thread in the forum for affiliate marketers, with {counted}.",
        path=path,
        kind="article",
        described={
            "@type": "DiscussionForumPosting",
            "headline": line(title, MAX_TITLE),
            "text": line(words or title, _BEGIN),
            "url": origin + path,
            "mainEntityOfPage": origin + path,
            "datePublished": thread["createdAt"],
            "author": _person(thread["author"], "/forum/member/", "handle", origin),
            "commentCount": replies,
            "interactionStatistic": {
                "@type": "InteractionCounter",
                "interactionType": "https://schema.org/CommentAction",
                "userInteractionCount": replies,
            },
        },
    )


def _listing(answers: Answers, path: str, origin: str) -> PageHead:
    [listing] = answers
    title, words, price = str(listing["title"] or "Untitled"), listing["description"], listing["askingPrice"]
    description = words or "An affiliate website for sale: its numbers, what was verified, and its price."
    image = listing["image"]
    product = {
        "@type": "Product",
        "name": line(title, MAX_TITLE),
        "description": line(description, _BEGIN),
        "url": origin + path,
        "category": listing["niche"],
        "image": origin + image if image else None,
        "offers": {
            "@type": "Offer",
            "url": origin + path,
            "price": price,
            "priceCurrency": listing["currency"],
            "availability": f"https://schema.org/{_AVAILABILITY.get(listing['status'], 'OutOfStock')}",
            "seller": _person(listing["seller"], "/marketplace/seller/", "id", origin),
        },
    }
    described = {name: value for name, value in product.items() if value is not None}
    return PageHead(title, description, path, image or PICTURE, described=described if price is not None else None)


def _seller(answers: Answers, path: str, _: str) -> PageHead:
    name = str(answers[0]["name"])
    text = f"What {name} sells in the marketplace, and which listings have verified numbers."
    return PageHead(name, text, path, kind="profile", indexed=False)


def _member(answers: Answers, path: str, _: str) -> PageHead:
    name = str(answers[0]["name"])
    return PageHead(name, f"{name} in the forum for affiliate marketers.", path, kind="profile", indexed=False)


def _person(of: Mapping[str, Any], pages: str, by: str, origin: str) -> dict[str, Any]:
    page = {"url": f"{origin}{pages}{of[by]}"} if of[by] else {}
    return {"@type": "Person", "name": line(of["name"], MAX_TITLE), **page}


_PAGES: Final = (
    ("/forum/thread/", _ID, ("/api/forum/threads/{0}", "/api/forum/threads/{0}/posts?limit=1"), _thread),
    ("/forum/member/", _HANDLE, ("/api/forum/members/{0}",), _member),
    ("/marketplace/listing/", _ID, ("/api/marketplace/listings/{0}",), _listing),
    ("/marketplace/seller/", _ID, ("/api/marketplace/sellers/{0}",), _seller),
)
