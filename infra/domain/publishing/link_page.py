"""A link-in-bio page: a site of one page that lists tracked links, for the profile of a social channel."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID, uuid4

from infra.domain.publishing.document import PageDocument, SiteDocument, parse_page, parse_site

_DISCLOSURE: Final = (
    "Links may be affiliate links: if you buy through one, we receive a commission, and you pay no more."
)


@dataclass(frozen=True, slots=True)
class ListedLink:
    """A tracked link, and the name of its entry."""

    id: UUID
    name: str


def start_link_page(
    name: str, links: Iterable[ListedLink], new_id: Callable[[], UUID] = uuid4
) -> tuple[SiteDocument, Mapping[UUID, PageDocument]]:
    """A new site called `name`, with its page by id. Raises `DocumentRejected` for a name that is none, and for more
    links than a list of offers holds."""
    page_id = new_id()
    page = {"id": str(page_id), "path": "", "title": name, "description": f"Links from {name}"}
    site = parse_site(json.dumps({"name": name, "language": "en", "pages": [page]}).encode())
    offers = [
        {"name": link.name, "label": "Open", "target": {"kind": "link", "link_id": str(link.id)}} for link in links
    ]
    blocks: list[dict[str, object]] = [
        {"type": "hero", "name": "opening", "title": name},
        {"type": "offers", "name": "links", "offers": offers},
        {"type": "disclosure", "name": "disclosure", "text": _DISCLOSURE},
    ]
    document = {"blocks": [{**block, "id": str(new_id())} for block in blocks]}
    return site, {page_id: parse_page(json.dumps(document).encode())}


def entry_name(slug: str) -> str:
    """The name of a link's entry until its author writes another: `best-vpn` becomes "Best vpn"."""
    words = slug.replace("-", " ").strip()
    return words[:1].upper() + words[1:]
