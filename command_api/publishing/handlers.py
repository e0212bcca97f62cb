"""Command handlers of sites and their pages."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

from command_api.domains import model as domains
from command_api.kernel.aggregates import state_after
from command_api.kernel.command_handlers import CommandHandlers
from command_api.kernel.decision import conflict, invalid, not_found
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.links import model as tracked_links
from command_api.partners import slug_reservation
from command_api.publishing import commands, pages, releases, sites, transfer
from command_api.publishing.lookups import require_free_domain, require_site_limit
from command_api.publishing.schemas import ImageState, NewSite, site_state
from command_api.websites import model as websites
from infra.domain.publishing.document import PageDocument, SiteDocument, SitePage, parse_site, read_page, to_json
from infra.domain.publishing.errors import DocumentRejected
from infra.domain.publishing.link_page import ListedLink, entry_name, start_link_page
from infra.domain.publishing.starters import start_site
from schemas.base import DomainEvent
from schemas.events.publishing import SiteMoved
from schemas.events.websites import WebsiteDisconnected, WebsiteKeyIssued, WebsiteKeyRevoked, WebsiteTransferred
from schemas.http.publishing import PageState, SiteState
from schemas.identity import domain_id, slug_id
from schemas.uuid7 import uuid7

HANDLERS: Final = CommandHandlers()
MAX_IMAGES: Final = 300
"""The largest number of images of a site."""
Document = TypeVar("Document")


@HANDLERS.on(commands.CreateSite, senders="accounts")
def create_site(command: commands.CreateSite, uow: UnitOfWork) -> SiteState:
    fields = command.fields
    document, contents = _new_documents(fields, uow)
    created, reserved = sites.create(
        command.site_id,
        uow.load(fields.website_id, websites.evolve),
        uow.load(slug_id(sites.KIND, fields.slug), slug_reservation.evolve),
        slug=fields.slug,
        document=document,
        context=uow.context,
    )
    saved = [
        event
        for page_id, content in contents.items()
        for event in pages.save(
            page_id,
            None,
            content,
            site_id=command.site_id,
            account_id=created.account_id,
            based_on=0,
            restored_from=None,
            context=uow.context,
        )
    ]
    appended = uow.append(created, reserved, *saved)
    site = sites.evolve(None, created)
    require_site_limit(appended, site.account_id)
    return site_state(site)


@HANDLERS.on(commands.SaveSite, senders="accounts")
def save_site(command: commands.SaveSite, uow: UnitOfWork) -> SiteState:
    site, fields = _own(command.site_id, uow), command.fields
    document = parsed(parse_site, fields.document)
    return _after(uow, site, sites.save(site, document, fields.based_on, fields.restored_from, uow.context))


@HANDLERS.on(commands.SavePage, senders="accounts")
def save_page(command: commands.SavePage, uow: UnitOfWork) -> PageState:
    site, fields = _own(command.site_id, uow), command.fields
    if parse_site(site.document.encode()).page(command.page_id) is None:
        raise not_found("page")
    current = releases.saved_pages([command.page_id], uow).get(command.page_id)
    events = pages.save(
        command.page_id,
        current,
        read_page(command.document.encode()),
        site_id=site.id,
        account_id=site.account_id,
        based_on=fields.based_on,
        restored_from=fields.restored_from,
        context=uow.context,
    )
    uow.append(*events)
    page = pages.evolve(current, events[0]) if events else current
    assert page is not None  # noqa: S101 - without events the same document was saved before
    return PageState.of(page, saved_at=uow.context.at)


@HANDLERS.on(commands.PublishSite, senders="accounts")
def publish_site(command: commands.PublishSite, uow: UnitOfWork) -> SiteState:
    return _serve(uow, *decide(command, uow), is_new=True)


@HANDLERS.on(commands.PublishRelease, senders="accounts")
def publish_release(command: commands.PublishRelease, uow: UnitOfWork) -> SiteState:
    return _serve(uow, *decide(command, uow))


@HANDLERS.on(commands.UnpublishSite, senders="accounts")
def unpublish_site(command: commands.UnpublishSite, uow: UnitOfWork) -> SiteState:
    site = _own(command.site_id, uow)
    return _serve(uow, site, sites.unpublish(site, uow.context))


@HANDLERS.on(commands.MoveSite, senders="accounts")
def move_site(command: commands.MoveSite, uow: UnitOfWork) -> SiteState:
    return _serve(uow, *decide(command, uow))


@HANDLERS.after(SiteMoved)
def require_domain_of_its_own(event: SiteMoved, uow: Appended) -> None:
    require_free_domain(uow, event.originator_id, event.domain_id)


def decide(command: commands.Serving, uow: UnitOfWork) -> tuple[sites.Site, Sequence[DomainEvent]]:
    """Returns the site and the events of the command, but appends nothing: it also runs before the command, for the
    pages to render."""
    site = _own(command.site_id, uow)
    match command:
        case commands.PublishSite():
            listed = [page.id for page in parse_site(site.document.encode()).pages]
            saved = {page.id: page for page in releases.saved_pages(listed, uow).values() if page.site_id == site.id}
            versions = {page_id: page.version for page_id, page in saved.items()}
            events = sites.publish(site, versions, uow.context)
            if events and not command.allows_placeholders:
                sites.require_filled(site, {page_id: page.document for page_id, page in saved.items()})
            return site, events
        case commands.PublishRelease():
            return site, sites.publish_again(site, command.release, uow.context)
        case commands.MoveSite(fields=fields):
            domain = uow.load(fields.domain_id, domains.evolve) if fields.domain_id is not None else None
            if fields.domain_id is not None and domain is None:
                raise not_found("domain")
            reservation = uow.load(slug_id(sites.KIND, fields.slug), slug_reservation.evolve)
            return site, sites.move(site, reservation, slug=fields.slug, domain=domain, context=uow.context)


@HANDLERS.on(commands.RemoveSite, senders="accounts")
def remove_site(command: commands.RemoveSite, uow: UnitOfWork) -> None:
    _remove(_own(command.site_id, uow), uow)


@HANDLERS.on(commands.AddSiteImage, senders="accounts")
def add_image(command: commands.AddSiteImage, uow: UnitOfWork) -> ImageState:
    site, picture = _own(command.site_id, uow), command.picture
    uow.lock()  # what is counted stays true until the commit
    [[count]] = uow.select("SELECT count(*) FROM publishing.site_image WHERE site_id = %s", site.id)
    if count >= MAX_IMAGES:
        raise conflict("too_many_images", f"A site has at most {MAX_IMAGES} images.", "image")
    narrow = command.narrow.body if command.narrow is not None else None
    values = (site.id, picture.hash, picture.width, picture.height, picture.body, narrow)
    uow.cursor.execute(_SAVE_IMAGE, values)
    return ImageState.of(picture)


@HANDLERS.before(WebsiteDisconnected)
def remove_sites(event: WebsiteDisconnected, uow: UnitOfWork) -> None:
    """Removes the website's sites: their links are gone with it."""
    for (site_id,) in uow.select(_OF_WEBSITE, event.originator_id):
        site = uow.load(site_id, sites.evolve)
        if site is not None and not site.removed:
            _remove(site, uow)


@HANDLERS.before(WebsiteTransferred)
def transfer_sites(event: WebsiteTransferred, uow: UnitOfWork) -> None:
    """Moves the website's sites with their subscribers; visitors see what they saw. Raises `CommandRejected` when the
    buyer would have too many."""
    for (site_id,) in uow.select(_OF_WEBSITE, event.originator_id):
        site = uow.load(site_id, sites.evolve)
        if site is None or site.removed:
            continue
        published = _shown(site, uow)
        page_ids = {page.id for page in parse_site(site.document.encode()).pages} | set(
            published.pages if published else ()
        )
        saved = releases.saved_pages(page_ids, uow)
        domain = _domain_after(site, event.account_id, uow)
        uow.append(
            *transfer.transfer_site(
                site, saved, published, account_id=event.account_id, domain_id=domain, context=uow.context
            )
        )
        uow.cursor.execute(_SERVE_UNDER, (domain, site.id))
        uow.cursor.execute("UPDATE leads.contact SET account_id = %s WHERE site_id = %s", (event.account_id, site.id))


@HANDLERS.after(WebsiteTransferred)
def require_room_for_sites(event: WebsiteTransferred, uow: Appended) -> None:
    require_site_limit(uow, event.account_id)


def _shown(site: sites.Site, uow: UnitOfWork) -> transfer.SiteContent | None:
    if site.shown is None:
        return None
    document, texts = releases.contents(site, site.shown, uow)
    return transfer.SiteContent(to_json(document).decode(), texts)


def _domain_after(site: sites.Site, account_id: UUID, uow: UnitOfWork) -> UUID | None:
    """The id of the site's verified domain in the account that gets the website, also before it has moved."""
    domain = uow.load(site.domain_id, domains.evolve) if site.domain_id is not None else None
    if domain is None:
        return None
    id_ = domain_id(account_id, domain.domain)
    moved = uow.load(id_, domains.evolve)
    has_moved = moved is not None and moved.is_verified and moved.website_id == site.website_id
    return id_ if has_moved or (domain.is_verified and domain.website_id == site.website_id) else None


@HANDLERS.before(WebsiteKeyIssued, WebsiteKeyRevoked)
def renew_key(event: DomainEvent, uow: UnitOfWork) -> None:
    """Puts the website's other key into published pages when theirs is revoked: their views go on counting. If there is
    none, the next one that is made comes into them."""
    website = uow.load(event.originator_id, websites.evolve)
    key = websites.evolve(website, event).page_key if website is not None else ""
    if website is not None and key and key != website.page_key:
        releases.renew_key(website.id, key, uow)


def _remove(site: sites.Site, uow: UnitOfWork) -> None:
    releases.store(site, None, uow.append(sites.remove(site, uow.context)))
    uow.cursor.execute("DELETE FROM publishing.site_image WHERE site_id = %s", (site.id,))


def _own(site_id: UUID, uow: UnitOfWork) -> sites.Site:
    return sites.require_own(uow.load(site_id, sites.evolve), uow.context)


def _after(uow: UnitOfWork, site: sites.Site, events: list[Any]) -> SiteState:
    return site_state(uow.advance(sites.evolve, site, events))


def after(site: sites.Site, events: Sequence[DomainEvent]) -> sites.Site:
    """The site after those of the events that are its own."""
    return state_after(sites.evolve, site, [event for event in events if event.originator_id == site.id])


def _serve(uow: UnitOfWork, site: sites.Site, events: Sequence[DomainEvent], *, is_new: bool = False) -> SiteState:
    """Appends the events and serves the site as it is after them. `is_new`: a release whose pages must refer to nothing
    that is missing. Raises `ReleaseOutdated` if a page is not rendered as it is now."""
    if events:
        site = after(site, events)
        plan = releases.plan(site, uow)
        if plan is not None:
            _require_rendered(site, plan, uow, is_new=is_new)
        releases.store(site, plan, uow.append(*events))
    return site_state(site)


def _require_rendered(site: sites.Site, plan: releases.ReleasePlan, uow: UnitOfWork, *, is_new: bool) -> None:
    rendered = releases.rendered(site, plan, uow)
    for page in plan.pages:
        if page.key not in rendered:
            raise releases.ReleaseOutdated
        entry = plan.document.page(page.page_id)
        if is_new and entry is not None:
            sites.require_whole(entry, plan.contents[page.page_id], rendered[page.key])


def _new_documents(fields: NewSite, uow: UnitOfWork) -> tuple[SiteDocument, Mapping[UUID, PageDocument]]:
    niche = fields.niche
    if fields.links is not None:
        if niche is not None:
            raise invalid("two_starters", "A site begins with a niche or with links, not with both.", "links")
        listed = [ListedLink(id_, entry_name(_link(uow, id_, fields.website_id).slug)) for id_ in fields.links]
        return checked(lambda: start_link_page(fields.name, listed, uuid7))
    if niche is not None:
        return checked(lambda: start_site(niche, fields.name, uuid7))
    home = SitePage(id=uuid7(), path="", title="Home")
    site = parsed(parse_site, {"name": fields.name, "pages": [home.model_dump(mode="json")]})
    return site, {home.id: PageDocument()}


def parsed(parse: Callable[[bytes], Document], document: Mapping[str, Any]) -> Document:
    """Returns the parsed document. Raises `CommandRejected` for the first fault."""
    return checked(lambda: parse(content_of(document)))


def content_of(document: Mapping[str, Any]) -> bytes:
    """The document as JSON; half of a character stays one, which the parser names."""
    try:
        return json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(document).encode()


def checked(make: Callable[[], Document]) -> Document:
    """Returns what `make` returns. Raises `CommandRejected` for the fault of a document."""
    try:
        return make()
    except DocumentRejected as fault:
        field = f"document.{fault.field}" if fault.field else "document"
        raise invalid(fault.code, fault.message, field) from fault


def _link(uow: UnitOfWork, link_id: UUID, website_id: UUID) -> tracked_links.LinkAggregate:
    link = uow.load(link_id, tracked_links.evolve)
    if link is None or link.deleted or link.website_id != website_id:
        raise not_found("link")
    return link


_OF_WEBSITE: Final = "SELECT site_id FROM lookup.site WHERE website_id = %s ORDER BY site_id"
_SERVE_UNDER: Final = "UPDATE publishing.served_site SET domain_id = %s WHERE site_id = %s AND domain_id IS NOT NULL"
_SAVE_IMAGE: Final = (
    "INSERT INTO publishing.site_image (site_id, hash, width, height, body, narrow) VALUES (%s, %s, %s, %s, %s, %s)"
    " ON CONFLICT (site_id, hash) DO UPDATE SET narrow = excluded.narrow"
)
