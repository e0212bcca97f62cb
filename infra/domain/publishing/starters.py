"""Starters: a site with pages, structure and texts for each niche of the marketplace (`templates/*.json`).

Texts in square brackets, such as `[Name of product A]`, are placeholders; `infra.domain.publishing.placeholders` finds
those that are left.
In a starter pages have keys: a target is `{"kind": "page", "page": KEY}`, a link in Markdown `page:KEY`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, get_args
from uuid import UUID, uuid4

from infra.domain.publishing.document import PageDocument, SiteDocument, parse_page, parse_site
from schemas.events.marketplace import Niche

NICHES: Final[tuple[Niche, ...]] = get_args(Niche)
_PAGE_LINK: Final = re.compile(r"\]\(page:([a-z-]+)\)")


@dataclass(frozen=True, slots=True)
class Starter:
    """The description of a starter, for choosing one. `pages`: titles, the home page first."""

    niche: Niche
    label: str
    description: str
    pages: tuple[str, ...]


def starters() -> tuple[Starter, ...]:
    """A starter for each niche, in the order of the marketplace."""
    return tuple(
        Starter(niche, data["label"], data["description"], tuple(page["title"] for page in data["pages"]))
        for niche, data in ((niche, _data(niche)) for niche in NICHES)
    )


def start_site(
    niche: Niche, name: str, new_id: Callable[[], UUID] = uuid4
) -> tuple[SiteDocument, Mapping[UUID, PageDocument]]:
    """A new site called `name`, with its pages by id. Raises `DocumentRejected` for a name that is none."""
    data = _data(niche)
    ids = {page["key"]: new_id() for page in data["pages"]}
    pages = [
        {"id": str(ids[page["key"]]), **{name: page[name] for name in ("path", "title", "short_title", "description")}}
        for page in data["pages"]
    ]
    site = {
        "name": name, "language": "en", "theme": data["theme"], "pages": pages,
        "navigation": [str(ids[key]) for key in data["navigation"]],
    }  # fmt: skip
    documents = {
        ids[page["key"]]: {"blocks": [{**_linked(block, ids), "id": str(new_id())} for block in page["blocks"]]}
        for page in data["pages"]
    }
    return (
        parse_site(json.dumps(site).encode()),
        {page_id: parse_page(json.dumps(document).encode()) for page_id, document in documents.items()},
    )


@cache
def _data(niche: Niche) -> Mapping[str, Any]:
    source = (files("infra.domain.publishing.templates") / f"{niche}.json").read_text("utf-8")
    data: Mapping[str, Any] = json.loads(source)
    return data


def _linked(value: Any, ids: Mapping[str, UUID]) -> Any:
    """The value with ids in place of keys of pages."""
    if isinstance(value, dict):
        if value.get("kind") == "page":
            return {"kind": "page", "page_id": str(ids[value["page"]])}
        return {key: _linked(inner, ids) for key, inner in value.items()}
    if isinstance(value, list):
        return [_linked(inner, ids) for inner in value]
    if isinstance(value, str):
        return _PAGE_LINK.sub(lambda found: f"](page:{ids[found[1]]})", value)
    return value
