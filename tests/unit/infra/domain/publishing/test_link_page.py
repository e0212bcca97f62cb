"""A link-in-bio page: one page with the links in order and a disclosure, which renders without a fault."""

from __future__ import annotations

from uuid import UUID

import pytest

from infra.domain.publishing.blocks import MAX_OFFERS, Offers
from infra.domain.publishing.errors import DocumentRejected
from infra.domain.publishing.link_page import ListedLink, entry_name, start_link_page

LINKS = [ListedLink(UUID(int=number), f"Link {number}") for number in range(1, MAX_OFFERS + 1)]


def test_a_page_lists_the_links_in_order_and_says_that_they_earn() -> None:
    site, documents = start_link_page("@fjord", LINKS)
    [page] = site.pages
    document = documents[page.id]
    assert (page.path, page.title) == ("", "@fjord")
    assert [block.type for block in document.blocks] == ["hero", "offers", "disclosure"]
    [offers] = [block for block in document.blocks if isinstance(block, Offers)]
    assert [offer.name for offer in offers.offers] == [link.name for link in LINKS]
    assert list(document.links()) == [link.id for link in LINKS]


@pytest.mark.parametrize(("name", "links"), [("", LINKS), ("a" * 81, LINKS), ("@fjord", [*LINKS, *LINKS])])
def test_bad_names_and_too_many_links_are_rejected(name: str, links: list[ListedLink]) -> None:
    with pytest.raises(DocumentRejected):
        start_link_page(name, links)


@pytest.mark.parametrize(("slug", "name"), [("best-vpn", "Best vpn"), ("x", "X"), ("2026", "2026")])
def test_entries_are_named_after_their_slugs(slug: str, name: str) -> None:
    assert entry_name(slug) == name
