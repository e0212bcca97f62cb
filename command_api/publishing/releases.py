"""Files of published sites: rendered from the versions of a release, and stored where ingest serves them.

A release has its files twice if the site has a custom domain: for `/sites/{slug}/` of the tracking address, and for the
root of the domain, since addresses in them differ. Rendering happens before the append, so that it holds no lock;
`store` runs after it, in the same transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from uuid import UUID

from command_api.domains import model as domains
from command_api.kernel.decision import conflict, not_found
from command_api.kernel.unit_of_work import UnitOfWork
from command_api.links import model as tracked_links
from command_api.publishing.sites import Release, Site
from command_api.websites import model as websites
from infra.domain.publishing.document import PageDocument, SiteDocument, parse_page, parse_site
from infra.domain.publishing.render import File, PageDates, SiteImage, Surroundings, render_site
from infra.domain.publishing.serving import (
    NEWSLETTER_FORM,
    PAGE_PARAMETER,
    PLACEMENT_PARAMETER,
    image_path,
    narrow_path,
    site_path,
)
from schemas.events.publishing import PageSaved, SiteCreated, SiteSaved, SiteTransferred

Files = Mapping[str, File]


@dataclass(frozen=True, slots=True)
class Rendered:
    """Files by path: of the installation, and of the root of the custom domain."""

    own_path: Files
    own_host: Files


def render(site: Site, uow: UnitOfWork) -> Rendered | None:
    """The files of the release that visitors see, after the event that `site` already has; none: nothing is published.
    Raises `CommandRejected` if a version cannot be read any more, and without a site key."""
    release = site.shown
    if release is None:
        return None
    document, pages = documents(site, release, uow)
    website = uow.load(site.website_id, websites.evolve)
    if website is None or not website.page_key:
        raise conflict(
            "no_site_key",
            "The website has no site key that works on every page. Create one without origins: the pages need it to"
            " count their visitors.",
        )
    links = _links(site, pages, uow)
    images = {
        content_hash: SiteImage(image_path(content_hash), width, height, narrow_path(content_hash) if is_wide else "")
        for content_hash, width, height, is_wide in uow.select(_SIZES, site.id)
    }
    dates = {page_id: PageDates(*site.dates_of(page_id)) for page_id in release.pages}

    def files(base_address: str) -> Files:
        around = Surroundings(
            base_address=base_address,
            links=links,
            images=images,
            tracker_address="/",
            site_key=website.page_key,
            dates=dates,
            page_parameter=PAGE_PARAMETER,
            placement_parameter=PLACEMENT_PARAMETER,
            newsletter_address=NEWSLETTER_FORM,
        )
        return render_site(document, pages, around)

    host = host_of(site, uow)
    return Rendered(
        files(uow.settings.tracking_base_url + site_path(site.slug)), files(f"https://{host}/") if host else {}
    )


def store(site: Site, rendered: Rendered | None, uow: UnitOfWork) -> None:
    """Serves these files, and nothing else of the site; none: nothing. Called after the append."""
    uow.cursor.execute("DELETE FROM publishing.served_site WHERE site_id = %s", (site.id,))
    if rendered is None:
        return
    uow.cursor.execute(_SERVE, (site.id, site.website_id, site.slug, site.domain_id if rendered.own_host else None))
    uow.cursor.executemany(
        _SAVE_FILE,
        [
            (site.id, is_own_host, path, file.content_type, file.security_policy, _etag(file), file.body)
            for is_own_host, files in ((False, rendered.own_path), (True, rendered.own_host))
            for path, file in files.items()
        ],
    )


def renew_key(website_id: UUID, key: str, uow: UnitOfWork) -> None:
    """Puts the site key into the pages of the website's published sites. They are not rendered again: nothing that they
    refer to can delay the revocation of a key, and the store is locked only as long as their texts are replaced."""
    uow.cursor.execute(_RENEW_KEY, {"website": website_id, "script": _SCRIPT, "key": key})


def documents(site: Site, release: Release, uow: UnitOfWork) -> tuple[SiteDocument, Mapping[UUID, PageDocument]]:
    """The documents of a release. Raises `CommandRejected` if a version cannot be read any more."""
    saved = uow.event(site.id, release.site_version)
    if not isinstance(saved, SiteCreated | SiteSaved | SiteTransferred):
        raise not_found("release")
    pages: dict[UUID, PageDocument] = {}
    for page_id, version in release.pages.items():
        page = uow.event(page_id, version)
        if not isinstance(page, PageSaved):
            raise not_found("release")
        pages[page_id] = parse_page(page.document.encode())
    return parse_site(saved.document.encode()), pages


def _links(site: Site, pages: Mapping[UUID, PageDocument], uow: UnitOfWork) -> Mapping[UUID, str]:
    """Addresses from the root of the host: a custom domain serves them as well."""
    wanted = {link_id for page in pages.values() for link_id in page.links()}
    found = {link_id: uow.load(link_id, tracked_links.evolve) for link_id in sorted(wanted)}
    return {
        link_id: f"/go/{link.slug}"
        for link_id, link in found.items()
        if link is not None and not link.deleted and link.website_id == site.website_id
    }


def host_of(site: Site, uow: UnitOfWork) -> str:
    """The custom domain that serves the site; empty: there is none."""
    domain = uow.load(site.domain_id, domains.evolve) if site.domain_id is not None else None
    is_usable = domain is not None and not domain.removed and domain.website_id == site.website_id
    return domain.domain if domain is not None and is_usable else ""


def _etag(file: File) -> str:
    return sha256(file.security_policy.encode() + b"\0" + file.body).hexdigest()[:32]


_SIZES: Final = "SELECT hash, width, height, narrow IS NOT NULL FROM publishing.site_image WHERE site_id = %s"
_SERVE: Final = "INSERT INTO publishing.served_site (site_id, website_id, slug, domain_id) VALUES (%s, %s, %s, %s)"
_SCRIPT: Final = r'(<script defer src="[^"]*/t\.js" data-site=")[^"]*"'
"""The element of the tracking script. No text of a page can look like it: `<` is escaped there."""
_RENEW_KEY: Final = """
WITH page AS (
    SELECT f.site_id, f.is_own_host, f.path, f.security_policy,
        convert_to(regexp_replace(convert_from(f.body, 'UTF8'), %(script)s, '\\1' || %(key)s || '"'), 'UTF8') AS body
    FROM publishing.site_file AS f JOIN publishing.served_site AS s USING (site_id)
    WHERE s.website_id = %(website)s AND f.content_type LIKE 'text/html%%'
)
UPDATE publishing.site_file AS f
SET body = page.body,
    etag = substr(encode(sha256(convert_to(page.security_policy, 'UTF8') || '\\000'::bytea || page.body), 'hex'), 1, 32)
FROM page
WHERE (f.site_id, f.is_own_host, f.path) = (page.site_id, page.is_own_host, page.path) AND f.body <> page.body"""
"""The tag is that of `_etag`."""
_SAVE_FILE: Final = (
    "INSERT INTO publishing.site_file (site_id, is_own_host, path, content_type, security_policy, etag, body)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s)"
)
