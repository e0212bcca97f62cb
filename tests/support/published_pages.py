"""A site with every type of block, and its surroundings: what tests of publishing begin with."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from infra.domain.publishing.document import PageDocument, SiteDocument, parse_page, parse_site
from infra.domain.publishing.render import PageDates, SiteImage, Surroundings

HOME: Final = UUID(int=1)
TENTS: Final = UUID(int=2)
ABOUT: Final = UUID(int=3)
LINK: Final = UUID(int=99)
PHOTO: Final = "ab" * 32
IMAGE: Final = {"hash": PHOTO, "alt": "A tent in the rain", "width": 800, "height": 600}
TO_LINK: Final = {"kind": "link", "link_id": str(LINK)}
TO_HOME: Final = {"kind": "page", "page_id": str(HOME)}
DATES: Final = PageDates(datetime(2026, 3, 1, 12, tzinfo=UTC), datetime(2026, 4, 2, 12, tzinfo=UTC))


def web(url: str) -> dict[str, Any]:
    return {"kind": "web", "url": url}


def blocks() -> list[dict[str, Any]]:
    """One block of each type, with ids in order."""
    found: list[dict[str, Any]] = [
        {"type": "disclosure", "text": "We earn from links."},
        {
            "type": "hero",
            "title": "Tents",
            "text": "For rain.",
            "image": IMAGE,
            "action": {"label": "Home", "target": TO_HOME},
        },
        {
            "type": "article",
            "markdown": f"## Poles\n\n[Offer](link:{LINK}), [home](page:{HOME}) and ![a pole](image:{PHOTO}).\n\n"
            "| | weight |\n|---|---|\n| A | 2 kg |",
        },
        {
            "type": "review",
            "name": "best-tent",
            "product": "Tent A",
            "rating": 45,
            "summary": "Dry.",
            "pros": ["Light"],
            "cons": ["Loud"],
            "image": IMAGE,
            "target": TO_LINK,
        },
        {
            "type": "comparison",
            "title": "All tents",
            "products": [{"name": "A", "target": TO_LINK}, {"name": "B"}],
            "rows": [{"feature": "Dry", "values": [{"kind": "yes"}, {"kind": "no"}]}],
        },
        {
            "type": "offers",
            "title": "Offers",
            "offers": [{"name": "Tent B", "price": "$90", "target": web("https://www.awin1.com/x")}],
        },
        {
            "type": "price",
            "product": "Tent A",
            "amount": 1099,
            "currency": "USD",
            "old_amount": 2000,
            "target": TO_LINK,
        },
        {"type": "faq", "title": "Questions", "questions": [{"question": "Is it dry?", "answer": "Yes, **very**."}]},
        {"type": "image", "image": IMAGE, "caption": "In the rain"},
        {"type": "newsletter", "title": "News", "consent": "No spam."},
    ]
    return [{**block, "id": str(UUID(int=1_000 + number))} for number, block in enumerate(found)]


def page(*blocks: dict[str, Any]) -> PageDocument:
    """A page of these blocks; those without an id get one."""
    numbered = [{"id": str(UUID(int=2_000 + number)), **block} for number, block in enumerate(blocks)]
    return parse_page(json.dumps({"blocks": numbered}).encode())


def site(**changes: Any) -> SiteDocument:
    data: dict[str, Any] = {
        "name": "Rain & Tents",
        "navigation": [str(TENTS), str(ABOUT)],
        "pages": [
            {"id": str(HOME), "path": "", "title": "Start", "description": "All about tents."},
            {"id": str(TENTS), "path": "reviews/tents", "title": "Tents", "description": "Tested in the rain."},
            {"id": str(ABOUT), "path": "about", "title": "About", "is_indexed": False},
        ],
    }
    return parse_site(json.dumps({**data, **changes}).encode())


def surroundings(**changes: Any) -> Surroundings:
    values: dict[str, Any] = {
        "base_address": "https://tents.example/",
        "links": {LINK: "https://track.example/go/tent"},
        "images": {PHOTO: SiteImage(f"images/{PHOTO}.webp", 800, 600)},
        "tracker_address": "https://track.example",
        "site_key": "pk_1",
        "newsletter_address": "subscribe",
        "dates": {TENTS: DATES},
    }
    return Surroundings(**{**values, **changes})
