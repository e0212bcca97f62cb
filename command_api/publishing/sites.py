"""Site aggregate: the document of a site, its address and its releases. Pure.

A release is a list of versions. Publishing checks that everything that the versions refer to exists
(`require_whole`); a release that is published again was checked then, and is shown without what is gone since.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from uuid import UUID

from command_api.domains.model import Domain
from command_api.kernel.aggregates import advanced, first_event, next_event
from command_api.kernel.decision import CommandContext, conflict, invalid, not_found
from command_api.partners import slug_reservation
from command_api.websites.model import Website, require_owned
from infra.domain.publishing.document import SiteDocument, SitePage, parse_site, read_page, to_json
from infra.domain.publishing.placeholders import placeholders_of
from infra.domain.publishing.render import MissingReference
from schemas.base import DomainEvent
from schemas.events.publishing import (
    SiteCreated,
    SiteMoved,
    SitePublished,
    SiteRemoved,
    SiteSaved,
    SiteTransferred,
    SiteUnpublished,
)
from schemas.evolution import UnexpectedEvent

KIND: Final = "site"
"""The kind of its slug's reservation."""
MAX_SITES: Final = 20
"""Sites of an account that are not removed."""
MAX_RELEASES: Final = 50
"""Releases that can be published again: the latest ones."""
MAX_NAMED: Final = 3
"""Pages that a rejection names."""
_SLUG: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class PublishedVersions:
    """Versions that were published together."""

    number: int
    site_version: int
    pages: Mapping[UUID, int]
    at: datetime

    def has(self, site_version: int, pages: Mapping[UUID, int]) -> bool:
        """Returns whether the release has exactly these versions."""
        return (self.site_version, dict(self.pages)) == (site_version, dict(pages))


@dataclass(frozen=True, slots=True)
class Site:
    """State of a site. `document_version`: the version that saved the document. `published`: the number of the release
    that visitors see. `releases`: the latest ones, oldest first. `first_published`: when each page was;
    `content_published`: when the content came out that its last release has."""

    id: UUID
    version: int
    account_id: UUID
    website_id: UUID
    slug: str
    document: str
    document_version: int
    domain_id: UUID | None = None
    published: int | None = None
    releases: tuple[PublishedVersions, ...] = ()
    first_published: Mapping[UUID, datetime] = field(default_factory=dict)
    content_published: Mapping[UUID, datetime] = field(default_factory=dict)
    removed: bool = False

    @property
    def shown(self) -> PublishedVersions | None:
        """The release that visitors see."""
        return next((each for each in self.releases if each.number == self.published), None)

    def dates_of(self, page_id: UUID) -> tuple[datetime, datetime]:
        """Returns when a published page came out first, and when the content came out that the last release has."""
        updated = self.content_published.get(page_id, self.releases[-1].at)
        return self.first_published.get(page_id, updated), updated


def create(
    site_id: UUID,
    website: Website | None,
    reservation: slug_reservation.SlugReservation | None,
    *,
    slug: str,
    document: SiteDocument,
    context: CommandContext,
) -> tuple[SiteCreated, DomainEvent]:
    """Makes a site of the website. Raises `CommandRejected` for an invalid or used slug."""
    website = require_owned(website, context)
    created = SiteCreated(
        **first_event(site_id, context),
        account_id=website.account_id,
        website_id=website.id,
        slug=checked_slug(slug),
        document=to_json(document).decode(),
    )
    return created, slug_reservation.reserve(KIND, created.slug, site_id, reservation, context)


def save(
    site: Site, document: SiteDocument, based_on: int, restored_from: int | None, context: CommandContext
) -> list[SiteSaved]:
    """Saves the document. `based_on`: the version that its author changed. Raises `CommandRejected` `site_changed` if
    another one was saved since; nothing happens if the document is the same."""
    text = to_json(document).decode()
    if text == site.document:
        return []
    if based_on != site.document_version:
        raise conflict(
            "site_changed",
            "This site was changed elsewhere. Reload it, or save your copy over it.",
            version=site.document_version,
        )
    return [
        SiteSaved(**next_event(site, context), account_id=site.account_id, document=text, restored_from=restored_from)
    ]


def publish(site: Site, pages: Mapping[UUID, int], context: CommandContext) -> list[SitePublished]:
    """Publishes the current versions. `pages`: those of the saved pages. Raises `CommandRejected` for a page without
    content; nothing happens if exactly this is published."""
    document = parse_site(site.document.encode())
    for page in document.pages:
        if page.id not in pages:
            raise conflict("empty_page", f"{_named(page)} has no content yet. Add a block, or remove the page.")
    versions = {page.id: pages[page.id] for page in document.pages}
    return _published(site, site.document_version, versions, None, context)


def require_whole(page: SitePage, content: str, problems: Collection[MissingReference]) -> None:
    """Raises `CommandRejected` for the first tracked link or image that the page refers to and that does not exist.
    `content`: JSON of the page; `problems`: what was found when it was rendered."""
    for problem in problems:
        if problem.code in _MISSING:
            blocks = read_page(content.encode()).blocks
            block = next((str(one.id) for one in blocks if one.placement == problem.placement), "")
            raise conflict("cannot_publish", f"{_named(page)}: {_MISSING[problem.code]}", block)


def require_filled(site: Site, contents: Mapping[UUID, str]) -> None:
    """Raises `CommandRejected` `placeholders_left` while texts in square brackets are to fill in, with how many and on
    which pages. `contents`: JSON of the saved pages."""
    document = parse_site(site.document.encode())
    found = placeholders_of(document, contents)
    if not found:
        return
    counts = Counter(place.page_id for place in found)
    pages = [f"{_named(page)}: {counts[page.id]}" for page in document.pages if counts[page.id]]
    where = [*(["the site's own texts"] if counts[None] else []), *pages[:MAX_NAMED]]
    others = len(pages) - MAX_NAMED
    where += [f"{others} more page{'' if others == 1 else 's'}"] if others > 0 else []
    what = "1 placeholder is" if len(found) == 1 else f"{len(found):,} placeholders are"
    raise conflict(
        "placeholders_left",
        f"{what} not filled in ({'; '.join(where)}). Fill them in, or publish with the placeholders.",
        placeholders=len(found),
    )


def publish_again(site: Site, number: int, context: CommandContext) -> list[SitePublished]:
    """Publishes the versions of an earlier release. Raises `CommandRejected` (missing) if there is none."""
    release = next((each for each in site.releases if each.number == number), None)
    if release is None:
        raise not_found("release")
    return _published(site, release.site_version, release.pages, number, context)


def unpublish(site: Site, context: CommandContext) -> list[SiteUnpublished]:
    """Takes the site offline; returns no events if it is not published."""
    return [SiteUnpublished(**next_event(site, context))] if site.published is not None else []


def move(
    site: Site,
    reservation: slug_reservation.SlugReservation | None,
    *,
    slug: str,
    domain: Domain | None,
    context: CommandContext,
) -> list[DomainEvent]:
    """Serves the site under a slug and, if `domain` is given, under this custom domain. A slug that it had stays
    reserved for it: nobody else gets its visitors. Raises `CommandRejected` for a
    domain of another website, and for an invalid or used slug."""
    slug = checked_slug(slug)
    if domain is not None and (domain.website_id != site.website_id or domain.removed):
        raise not_found("domain")
    if domain is not None and not domain.is_verified:
        raise conflict("domain_unverified", f"{domain.domain} is not verified yet.", "domainId")
    domain_id = domain.id if domain is not None else None
    if (slug, domain_id) == (site.slug, site.domain_id):
        return []
    moved = SiteMoved(**next_event(site, context), slug=slug, domain_id=domain_id)
    was_own = reservation is not None and reservation.owner_id == site.id
    if slug == site.slug or was_own:  # it may return to an earlier address
        return [moved]
    return [moved, slug_reservation.reserve(KIND, slug, site.id, reservation, context)]


def remove(site: Site, context: CommandContext) -> SiteRemoved:
    return SiteRemoved(**next_event(site, context))


def require_own(site: Site | None, context: CommandContext) -> Site:
    """Returns the site. Raises `CommandRejected` (missing) unless the actor may change it."""
    if site is None or site.removed or not context.may_act_for(site.account_id):
        raise not_found("site")
    return site


def checked_slug(slug: str) -> str:
    """Raises `CommandRejected` unless it is one."""
    if not _SLUG.fullmatch(slug) or slug in slug_reservation.RESERVED:
        raise invalid("bad_slug", "Use 1 to 64 lower-case letters, digits and hyphens.", "slug")
    return slug


def evolve(site: Site | None, event: DomainEvent) -> Site:
    """Applies an event."""
    match event:
        case SiteCreated():
            return Site(
                event.originator_id,
                event.originator_version,
                event.account_id,
                event.website_id,
                event.slug,
                event.document,
                event.originator_version,
            )
        case SiteSaved():
            return replace(advanced(site, event), document=event.document, document_version=event.originator_version)
        case SitePublished():
            release = PublishedVersions(event.release, event.site_version, dict(event.pages), event.timestamp)
            after = advanced(site, event)
            before = after.releases[-1].pages if after.releases else {}
            kept = {
                page_id: after.content_published[page_id]
                for page_id, version in event.pages.items()
                if version == before.get(page_id) and page_id in after.content_published
            }
            return replace(
                after,
                published=event.release,
                releases=(*after.releases, release)[-MAX_RELEASES:],
                first_published=dict.fromkeys(event.pages, event.timestamp) | dict(after.first_published),
                content_published=dict.fromkeys(event.pages, event.timestamp) | kept,
            )
        case SiteUnpublished():
            return replace(advanced(site, event), published=None)
        case SiteMoved():
            return replace(advanced(site, event), slug=event.slug, domain_id=event.domain_id)
        case SiteTransferred():
            return replace(
                advanced(site, event),
                account_id=event.account_id,
                domain_id=event.domain_id,
                document=event.document,
                document_version=event.originator_version,
                published=None,
                releases=(),
            )
        case SiteRemoved():
            return replace(advanced(site, event), published=None, removed=True)
        case _:
            raise UnexpectedEvent(f"{event.NAME} does not happen to sites")


def _published(
    site: Site, site_version: int, pages: Mapping[UUID, int], restored_from: int | None, context: CommandContext
) -> list[SitePublished]:
    if site.shown is not None and site.shown.has(site_version, pages):
        return []
    return [
        SitePublished(
            **next_event(site, context),
            account_id=site.account_id,
            release=site.releases[-1].number + 1 if site.releases else 1,
            site_version=site_version,
            pages=pages,
            restored_from=restored_from,
        )
    ]


_MISSING: Final = {
    "link_missing": "a tracked link of this block no longer exists.",
    "image_missing": "an image of this block no longer exists. Upload it again.",
}


def _named(page: SitePage) -> str:
    return f"Page \u201c{page.title}\u201d"
