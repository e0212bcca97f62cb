"""Given a site of a sold website, when the website moves, then the buyer has what visitors see and the draft."""

from __future__ import annotations

from uuid import UUID, uuid4

from command_api.publishing import pages, sites, transfer
from command_api.publishing.pages import PageAggregate
from command_api.publishing.sites import Site
from infra.domain.publishing.document import to_json
from schemas.base import DomainEvent
from schemas.events.publishing import PageSaved, SitePublished
from tests.unit.command_api.publishing.test_sites import (
    ABOUT,
    BOTH,
    CONTEXT,
    DOCUMENT,
    HOME,
    SITE,
    a_site,
    article,
    published,
    saved,
)

BUYER, DOMAIN = uuid4(), uuid4()
SHOWN = transfer.SiteContent(to_json(DOCUMENT).decode(), {page_id: page.document for page_id, page in BOTH.items()})


def handed_over(
    site: Site, content: dict[UUID, PageAggregate], shown: transfer.SiteContent | None
) -> list[DomainEvent]:
    return transfer.transfer_site(site, content, shown, account_id=BUYER, domain_id=DOMAIN, context=CONTEXT)


def site_after(site: Site, events: list[DomainEvent]) -> Site:
    for event in events:
        if event.originator_id == SITE:
            site = sites.evolve(site, event)
    return site


def pages_after(content: dict[UUID, PageAggregate], events: list[DomainEvent]) -> dict[UUID, PageAggregate]:
    after = dict(content)
    for event in events:
        if isinstance(event, PageSaved):
            after[event.originator_id] = pages.evolve(after[event.originator_id], event)
    return after


def test_a_published_site_stays_published_and_its_documents_are_the_buyers() -> None:
    content = {**BOTH, HOME: pages.evolve(BOTH[HOME], saved(HOME, article("New."), BOTH[HOME])[0])}
    shown = transfer.SiteContent(SHOWN.site, {page_id: page.document for page_id, page in content.items()})
    site = published(published(a_site()), content)
    events = handed_over(site, content, shown)
    assert [one.NAME for one in events] == ["site.transferred", "page.saved", "page.saved", "site.published"]
    assert {one.account_id for one in events if isinstance(one, PageSaved)} == {BUYER}
    after = site_after(site, events)
    assert (after.account_id, after.domain_id, after.published) == (BUYER, DOMAIN, 1)
    assert after.shown is not None and after.shown.has(site.version + 1, {HOME: 3, ABOUT: 2})
    assert len(after.releases) == 1  # what the seller published before stays behind
    assert (
        sites.publish(after, {id_: page.version for id_, page in pages_after(content, events).items()}, CONTEXT) == []
    )


def test_a_draft_that_visitors_do_not_see_follows_what_they_see() -> None:
    renamed = DOCUMENT.model_copy(update={"name": "More tents"})
    site = published(a_site())
    site = sites.evolve(site, sites.save(site, renamed, 1, None, CONTEXT)[0])
    draft = {**BOTH, HOME: pages.evolve(BOTH[HOME], saved(HOME, article("Not yet."), BOTH[HOME])[0])}
    events = handed_over(site, draft, SHOWN)
    [release] = [one for one in events if isinstance(one, SitePublished)]
    assert (release.release, release.pages) == (1, {HOME: 3, ABOUT: 2})
    after = site_after(site, events)
    assert (after.document, after.published) == (to_json(renamed).decode(), 1)
    assert pages_after(draft, events) == {
        HOME: PageAggregate(HOME, 4, SITE, draft[HOME].document),
        ABOUT: PageAggregate(ABOUT, 2, SITE, BOTH[ABOUT].document),
    }


def test_a_site_that_is_not_published_is_not_published_by_the_move() -> None:
    events = handed_over(a_site(), dict(BOTH), None)
    assert [one.NAME for one in events] == ["site.transferred", "page.saved", "page.saved"]
    assert site_after(a_site(), events).published is None
