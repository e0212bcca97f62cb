"""Given a website, when its owner makes, edits, publishes and moves a site, then these events and nothing lost."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from io import BytesIO
from typing import Any
from uuid import UUID, uuid4
from zlib import crc32

import pytest
from PIL import Image

from command_api.domains.model import Domain
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.kernel.images.model import WebpImage, narrowed, reencode
from command_api.partners import slug_reservation
from command_api.publishing import pages, sites
from command_api.publishing.handlers import parsed
from command_api.publishing.pages import PageAggregate
from command_api.publishing.sites import Site
from command_api.websites.model import Website
from infra.domain.publishing.document import PageDocument, SiteDocument, parse_page, parse_site, to_json
from infra.domain.publishing.render import Surroundings, render_page
from infra.domain.publishing.starters import NICHES, start_site
from infra.kernel.http.problems import Problem
from schemas.base import DomainEvent
from schemas.events.publishing import PageSaved, SiteCreated, SiteMoved, SitePublished, SiteUnpublished
from schemas.identity import slug_id
from tests.support.given_when_then import given

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
OWNER, SITE = uuid4(), uuid4()
CONTEXT, STRANGER = CommandContext(NOW, OWNER), CommandContext(NOW, uuid4())
WEBSITE = Website(uuid4(), 1, OWNER, "shop.example", "UTC", "USD", NOW)
HOME, ABOUT = uuid4(), uuid4()
LINK = {"kind": "link", "link_id": str(uuid4())}
IMAGE = {"hash": "0" * 64, "alt": "A tent", "width": 8, "height": 8}
DOCUMENT = parse_site(
    json.dumps(
        {
            "name": "Tents",
            "pages": [
                {"id": str(HOME), "path": "", "title": "Home"},
                {"id": str(ABOUT), "path": "about", "title": "About"},
            ],
        }
    ).encode()
)


def blocks(*found: Mapping[str, Any]) -> PageDocument:
    return parse_page(json.dumps({"blocks": [{"id": str(uuid4()), **block} for block in found]}).encode())


def article(text: str = "Hello.") -> PageDocument:
    return blocks({"type": "article", "markdown": text})


def created(slug: str = "tents", document: SiteDocument = DOCUMENT, context: CommandContext = CONTEXT) -> SiteCreated:
    return sites.create(SITE, WEBSITE, None, slug=slug, document=document, context=context)[0]


def a_site() -> Site:
    return sites.evolve(None, created())


def saved(
    page_id: UUID, document: PageDocument, before: PageAggregate | None = None, **changes: Any
) -> list[PageSaved]:
    values: dict[str, Any] = {
        "site_id": SITE,
        "account_id": OWNER,
        "based_on": before.version if before else 0,
        "restored_from": None,
        "context": CONTEXT,
        **changes,
    }
    return pages.save(page_id, before, document, **values)


def a_page(page_id: UUID, document: PageDocument | None = None) -> PageAggregate:
    return pages.evolve(None, saved(page_id, document or article())[0])


BOTH = {HOME: a_page(HOME), ABOUT: a_page(ABOUT)}


def versions(content: Mapping[UUID, PageAggregate]) -> dict[UUID, int]:
    return {page_id: page.version for page_id, page in content.items()}


def published(site: Site, content: Mapping[UUID, PageAggregate] = BOTH, at: datetime = NOW) -> Site:
    [event] = sites.publish(site, versions(content), replace(CONTEXT, at=at))
    return sites.evolve(site, event)


def refused(code: str, act: Callable[[], Any]) -> CommandRejected:
    with pytest.raises(CommandRejected) as found:
        act()
    assert found.value.code == code
    return found.value


def test_a_site_with_placeholders_is_rejected_with_their_number() -> None:
    starter, documents = start_site("vpn", "Measured", uuid4)
    site = sites.evolve(None, created(document=starter))
    contents = {page_id: to_json(document).decode() for page_id, document in documents.items()}
    rejection = refused("placeholders_left", lambda: sites.require_filled(site, contents))
    assert rejection.kind == "conflict" and rejection.more["placeholders"] > 20
    assert rejection.message.startswith(f"{rejection.more['placeholders']} placeholders are not filled in (")
    assert f"“{starter.pages[0].title}”" in rejection.message and "more page" in rejection.message


def test_a_single_placeholder_is_named_with_its_page_and_a_link_is_none() -> None:
    home = to_json(article("A [Name of product A] and [Your guide](https://a.example/), [see page](page:x).")).decode()
    rejection = refused("placeholders_left", lambda: sites.require_filled(a_site(), {HOME: home}))
    assert rejection.message.startswith("1 placeholder is not filled in (Page “Home”: 1).")
    sites.require_filled(a_site(), {HOME: home.replace("[Name of product A]", "Tent"), ABOUT: BOTH[ABOUT].document})


def fault(document: Mapping[str, Any], code: str, field: str, *words: str) -> None:
    """The page is refused with this code for this field, in a sentence with these words."""
    error = refused(code, lambda: parsed(parse_page, document))
    assert error.kind == "invalid" and error.field == field
    assert all(word in error.message for word in words), error.message


def test_a_site_begins_with_its_document_and_reserves_its_slug() -> None:
    event, reservation = sites.create(SITE, WEBSITE, None, slug="tents", document=DOCUMENT, context=CONTEXT)
    assert (event.website_id, event.account_id, event.slug) == (WEBSITE.id, OWNER, "tents")
    assert reservation.originator_id == slug_id("site", "tents")
    assert parse_site(event.document.encode()) == DOCUMENT


@pytest.mark.parametrize("niche", NICHES)
def test_a_starter_can_be_saved_and_published_as_it_is(niche: Any) -> None:
    document, contents = start_site(niche, "Mine", uuid4)
    site = sites.evolve(None, created(document=document))
    content = {page_id: a_page(page_id, page) for page_id, page in contents.items()}
    assert published(site, content).published == 1


def test_sites_are_made_for_own_websites_under_free_slugs_alone() -> None:
    refused("not_found", lambda: created(context=STRANGER))
    taken = slug_reservation.SlugReservation(1, uuid4())
    make = partial(sites.create, SITE, WEBSITE, taken, slug="tents", document=DOCUMENT, context=CONTEXT)
    assert refused("slug_taken", make).field == "slug"
    for slug in ("", "Tents", "a/b", "-a", "a" * 65, "go", "tents\n"):
        assert refused("bad_slug", partial(created, slug)).field == "slug"


def test_others_find_no_site() -> None:
    assert sites.require_own(a_site(), CONTEXT) == a_site()
    for site in (None, a_site(), replace(a_site(), removed=True)):
        refused("not_found", partial(sites.require_own, site, STRANGER))


def test_of_two_editors_the_second_learns_the_version_of_the_first() -> None:
    before = BOTH[HOME]
    [first] = saved(HOME, article("First."), before)
    after = pages.evolve(before, first)
    error = refused("page_changed", lambda: saved(HOME, article("Second."), after, based_on=before.version))
    assert error.kind == "conflict" and error.more == {"version": 2}
    assert [event.originator_version for event in saved(HOME, article("Second."), after, based_on=2)] == [3]


def test_the_same_goes_for_the_document_of_the_site() -> None:
    site, other = a_site(), DOCUMENT.model_copy(update={"name": "More tents"})
    [event] = sites.save(site, other, 1, None, CONTEXT)
    site = sites.evolve(site, event)
    third = DOCUMENT.model_copy(update={"name": "Tents again"})
    assert refused("site_changed", lambda: sites.save(site, third, 1, None, CONTEXT)).more == {"version": 2}
    given(site).when(sites.save, other, 1, None, CONTEXT).then()


def test_a_version_is_restored_by_saving_it_again() -> None:
    before = BOTH[HOME]
    after = pages.evolve(before, saved(HOME, article("Second."), before)[0])
    [event] = saved(HOME, parse_page(before.document.encode()), after, restored_from=1)
    assert (event.document, event.restored_from, event.originator_version) == (before.document, 1, 3)


def test_a_page_belongs_to_one_site() -> None:
    refused("not_found", lambda: saved(HOME, article(), BOTH[HOME], site_id=uuid4()))


def test_publishing_names_the_versions_and_the_same_is_published_once() -> None:
    site = a_site()
    [event] = sites.publish(site, versions(BOTH), CONTEXT)
    assert isinstance(event, SitePublished)
    assert (event.release, event.site_version, event.pages) == (1, 1, {HOME: 1, ABOUT: 1})
    given(sites.evolve(site, event)).when(sites.publish, versions(BOTH), CONTEXT).then()


def test_a_page_without_content_is_named_and_nothing_is_published() -> None:
    error = refused("empty_page", lambda: sites.publish(a_site(), {HOME: 1}, CONTEXT))
    assert "About" in error.message


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ({"type": "article", "markdown": f"Buy\n\n[here](link:{uuid4()})"}, "tracked link"),
        ({"type": "article", "markdown": f"![A tent](image:{'0' * 64})"}, "image"),
        ({"type": "faq", "questions": [{"question": "Where?", "answer": f"[Here](link:{uuid4()})"}]}, "tracked link"),
        ({"type": "hero", "title": "Hi", "action": {"label": "Go", "target": LINK}}, "tracked link"),
        ({"type": "hero", "title": "Hi", "image": IMAGE}, "image"),
        ({"type": "review", "product": "A", "target": LINK}, "tracked link"),
        ({"type": "review", "product": "A", "image": IMAGE}, "image"),
        (
            {
                "type": "comparison",
                "title": "A",
                "products": [{"name": "A", "target": LINK}],
                "rows": [{"feature": "F", "values": [{"kind": "yes"}]}],
            },
            "tracked link",
        ),
        ({"type": "offers", "offers": [{"name": "A", "target": LINK}]}, "tracked link"),
        ({"type": "offers", "offers": [{"name": "A", "image": IMAGE}]}, "image"),
        ({"type": "price", "product": "A", "amount": 1, "currency": "EUR", "target": LINK}, "tracked link"),
        ({"type": "image", "image": IMAGE}, "image"),
        ({"type": "image", "image": IMAGE, "target": LINK}, "tracked link"),
    ],
)
def test_what_is_missing_is_named_with_its_block(block: dict[str, Any], words: str) -> None:
    document = blocks({"type": "disclosure", "text": "Ads."}, block)
    [page, _] = DOCUMENT.pages
    problems = render_page(DOCUMENT, HOME, document, Surroundings()).problems
    error = refused("cannot_publish", lambda: sites.require_whole(page, to_json(document).decode(), problems))
    assert words in error.message and error.field == str(document.blocks[1].id)


def test_a_page_that_lacks_nothing_is_whole() -> None:
    document = blocks({"type": "article", "markdown": f"`[a](link:{uuid4()})` and [About](page:{uuid4()})"})
    problems = render_page(DOCUMENT, HOME, document, Surroundings()).problems
    assert [problem.code for problem in problems] == ["page_missing"]
    sites.require_whole(DOCUMENT.pages[0], to_json(document).decode(), problems)


def test_a_page_that_stays_keeps_its_date_whatever_is_published_besides() -> None:
    """Of more releases than are kept."""
    site, content = published(a_site()), dict(BOTH)
    for day in range(1, sites.MAX_RELEASES + 3):
        content[HOME] = pages.evolve(content[HOME], saved(HOME, article(f"Day {day}."), content[HOME])[0])
        site = published(site, content, NOW + timedelta(days=day))
    assert site.dates_of(ABOUT) == (NOW, NOW)
    assert site.dates_of(HOME) == (NOW, NOW + timedelta(days=sites.MAX_RELEASES + 2))


def test_an_earlier_release_is_published_again_as_a_new_one() -> None:
    first = published(a_site())
    changed = pages.evolve(BOTH[HOME], saved(HOME, article("New."), BOTH[HOME])[0])
    second = published(first, BOTH | {HOME: changed}, NOW + timedelta(days=1))
    [event] = sites.publish_again(second, 1, replace(CONTEXT, at=NOW + timedelta(days=2)))
    third = sites.evolve(second, event)
    assert (event.release, event.restored_from, event.pages) == (3, 1, {HOME: 1, ABOUT: 1})
    assert third.dates_of(HOME) == (NOW, NOW + timedelta(days=2))
    assert third.dates_of(ABOUT) == (NOW, NOW)
    refused("not_found", lambda: sites.publish_again(third, 9, CONTEXT))


def test_an_unpublished_site_can_be_published_again() -> None:
    site = published(a_site())
    [event] = sites.unpublish(site, CONTEXT)
    assert isinstance(event, SiteUnpublished)
    hidden = sites.evolve(site, event)
    assert hidden.shown is None and sites.unpublish(hidden, CONTEXT) == []
    assert published(hidden).published == 2


def test_a_site_moves_to_a_verified_domain_of_its_website() -> None:
    domain = Domain(uuid4(), 1, OWNER, WEBSITE.id, "tents.example", "t", NOW, NOW, verified_at=NOW)

    def move(**changes: Any) -> list[DomainEvent]:
        return sites.move(a_site(), None, slug="tents", domain=replace(domain, **changes), context=CONTEXT)

    [moved] = move()
    assert isinstance(moved, SiteMoved) and moved.domain_id == domain.id
    assert refused("domain_unverified", lambda: move(verified_at=None)).field == "domainId"
    changes: tuple[dict[str, Any], ...] = ({"website_id": uuid4()}, {"removed": True})
    for change in changes:
        refused("not_found", partial(move, **change))


def test_a_site_keeps_the_slugs_that_it_had() -> None:
    moved, reservation = sites.move(a_site(), None, slug="camping", domain=None, context=CONTEXT)
    assert isinstance(moved, SiteMoved) and reservation.originator_id == slug_id("site", "camping")
    site = sites.evolve(a_site(), moved)
    own = slug_reservation.SlugReservation(1, SITE)
    assert len(sites.move(site, own, slug="tents", domain=None, context=CONTEXT)) == 1
    other = slug_reservation.SlugReservation(1, uuid4())
    refused("slug_taken", lambda: sites.move(site, other, slug="tents", domain=None, context=CONTEXT))


def test_bad_documents_are_refused_by_block_and_field() -> None:
    def block(**fields: Any) -> dict[str, Any]:
        return {"id": str(uuid4()), **fields}

    fault({"blocks": [block(type="carousel")]}, "unknown_type", "document.blocks.0.type", "hero", "article")
    many = [block(type="disclosure", text="Ads.") for _ in range(500)]
    fault({"blocks": many}, "invalid_document", "document.blocks", "200")
    fault({"blocks": [block(type="article", markdown="a" * 2_000_000)]}, "document_too_large", "document", "262,144")
    target = {"kind": "web", "url": "javascript:alert(1)"}
    hero = block(type="hero", title="Hi", action={"label": "Go", "target": target})
    fault({"blocks": [hero]}, "invalid_document", "document.blocks.0.action.target.url", "https://")
    fault({"blocks": [block(type="article", markdown="\ud800")]}, "invalid_text", "document.blocks.0.markdown")


def test_an_image_that_is_wider_has_a_narrow_copy_in_its_proportions() -> None:
    def sent(width: int, height: int) -> WebpImage:
        drawn = BytesIO()
        Image.new("RGB", (width, height), "teal").save(drawn, "PNG")
        return reencode(drawn.getvalue())

    copy = narrowed(sent(1600, 900), 800)
    assert copy is not None and (copy.width, copy.height) == (800, 450)
    with Image.open(BytesIO(copy.body)) as opened:
        assert (opened.format, opened.size) == ("WEBP", (800, 450))
    assert narrowed(sent(800, 1600), 800) is None


def test_an_image_of_a_hundred_megapixels_is_refused_unopened() -> None:
    header = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (10_000).to_bytes(4, "big") * 2 + b"\x08\x02\x00\x00\x00"
    with pytest.raises((CommandRejected, Problem)):
        reencode(header + crc32(header[12:]).to_bytes(4, "big"))
