"""Starters: every niche has a site of four to six pages that is valid, renders without a fault and shows its gaps."""

from __future__ import annotations

import re
from uuid import UUID

import pytest

from infra.domain.publishing.document import to_json
from infra.domain.publishing.placeholders import placeholders_of
from infra.domain.publishing.render import Surroundings, render_site
from infra.domain.publishing.starters import NICHES, start_site, starters
from schemas.events.marketplace import Niche
from tests.support.strict_html import read


def ids() -> UUID:
    ids.last += 1  # type: ignore[attr-defined]
    return UUID(int=ids.last)  # type: ignore[attr-defined]


ids.last = 0  # type: ignore[attr-defined]


def test_every_niche_of_the_marketplace_has_one() -> None:
    assert [starter.niche for starter in starters()] == list(NICHES) and len(NICHES) == 7
    assert all(4 <= len(starter.pages) <= 6 and starter.label and starter.description for starter in starters())


@pytest.mark.parametrize("niche", NICHES)
def test_a_starter_is_a_site_that_renders_without_a_fault(niche: Niche) -> None:
    site, documents = start_site(niche, "My site", ids)
    files = render_site(
        site, documents, Surroundings(base_address="https://a.example/", newsletter_address="subscribe")
    )
    for page in site.pages:
        file = files[f"{page.path}/index.html" if page.path else "index.html"]
        assert file.problems == () and len(file.body) < 14_000
        document = read(file.body)
        assert len(list(document.headings())) >= 3 and document.meta("description")
    types = {block.type for document in documents.values() for block in document.blocks}
    assert types >= {"hero", "article", "review", "comparison", "offers", "faq", "newsletter", "disclosure"}


@pytest.mark.parametrize("niche", NICHES)
def test_every_page_that_recommends_has_a_disclosure(niche: Niche) -> None:
    _, documents = start_site(niche, "My site", ids)
    for document in documents.values():
        types = {block.type for block in document.blocks}
        assert not types & {"review", "comparison", "offers"} or "disclosure" in types


@pytest.mark.parametrize("niche", NICHES)
def test_places_to_fill_are_found_and_nothing_is_invented(niche: Niche) -> None:
    site, documents = start_site(niche, "My site", ids)
    contents = {page_id: to_json(document).decode() for page_id, document in documents.items()}
    places = placeholders_of(site, contents)
    assert {"[Name of product A]", "[Your name]"} <= {place.text for place in places}
    text = to_json(site).decode() + "".join(contents.values())
    marked = re.findall(r"\[[A-Z][^\[\]]+\](?!\()", text)
    assert sorted(marked) == sorted(place.text for place in places)
    for place in places:
        assert place.page_id is not None
        blocks = {block.placement for block in documents[place.page_id].blocks}
        assert place.placement in blocks or place.field in ("title", "short_title", "description")
    assert not re.search(r"lorem|ipsum|[$€£]\s?\d|\bTODO\b", text, re.I)
    for document in documents.values():
        for block in document.blocks:
            assert block.type != "price" and (block.type != "review" or block.rating is None)


def test_names_of_blocks_are_readable_and_unique_within_their_page() -> None:
    _, documents = start_site("vpn", "My site", ids)
    names = [[block.name for block in document.blocks] for document in documents.values()]
    assert all(all(page) and len(set(page)) == len(page) for page in names)
