"""Files of published sites: planned from the versions of a release, and stored where ingest serves them.

A release has its files twice if the site has a custom domain: for `/sites/{slug}/` of the tracking address, and for the
root of the domain, since addresses in them differ.

A `ReleasePlan` names each page of a release by the hash of all that its file depends on.
`command_api.publishing.rendering` renders before the command what no file is there for; the command makes the plan
again, in its transaction, and takes the files by their names. So it publishes exactly what is saved at its commit, and
renders no page itself.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final
from uuid import UUID

from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from command_api.domains import model as domains
from command_api.kernel.account_usage import charge_bytes
from command_api.kernel.decision import conflict, not_found
from command_api.kernel.event_store import ConcurrencyConflict
from command_api.kernel.unit_of_work import Appended, UnitOfWork
from command_api.links import model as tracked_links
from command_api.publishing import pages
from command_api.publishing.pages import PageAggregate
from command_api.publishing.sites import PublishedVersions, Site
from command_api.websites import model as websites
from infra.domain.publishing.document import SiteDocument, parse_site
from infra.domain.publishing.page_job import Mentioned, block_types, key_of, mentioned, page_job
from infra.domain.publishing.paths import file_of
from infra.domain.publishing.render import (
    MissingReference,
    PageDates,
    SiteFile,
    SiteImage,
    Surroundings,
    render_other_files,
)
from infra.domain.publishing.serving import (
    NEWSLETTER_FORM,
    PAGE_PARAMETER,
    PLACEMENT_PARAMETER,
    image_path,
    narrow_path,
    site_path,
)
from schemas.events.publishing import PageSaved, SiteCreated, SiteSaved, SiteTransferred

Files = Mapping[str, SiteFile]
Found = Mapping[bytes, Sequence[MissingReference]]
"""The references that were missing when a page was rendered, by the names of pages that are rendered."""
MAX_LINKS: Final = 1_000
"""Different tracked links of a release: each is loaded when it is published."""
MAX_IDS: Final = 30_000
"""Different ids in the pages of a release, twice as many as blocks: those of links are looked up among them."""


class ReleaseOutdated(Exception):
    """A release is outdated: something that a page depends on changed since it was rendered, which has to be
    repeated."""


@dataclass(frozen=True, slots=True)
class PlannedPage:
    """A page of a release: where it is served, the job that renders it, and its name."""

    page_id: UUID
    is_own_host: bool
    path: str
    job: bytes
    key: bytes


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """The files of a release. `contents`: JSON of its pages. `own_path`, `own_host`: files that are no pages."""

    document: SiteDocument
    contents: Mapping[UUID, str]
    pages: Sequence[PlannedPage]
    own_path: Files
    own_host: Files

    @property
    def keys(self) -> list[bytes]:
        """The names of its pages."""
        return [page.key for page in self.pages]


def plan(site: Site, uow: UnitOfWork) -> ReleasePlan | None:
    """The files of the release that visitors see, after the event that `site` already has; none: nothing is published.
    Raises `CommandRejected` if a version cannot be read any more, without a site key, and with too many links."""
    release = site.shown
    if release is None:
        return None
    document, texts = contents(site, release, uow)
    website = uow.load(site.website_id, websites.evolve)
    if website is None or not website.page_key:
        raise conflict(
            "no_site_key",
            "The website has no site key that works on every page. Create one without origins: the pages need it to"
            " count their visitors.",
        )
    refers_to = {page_id: mentioned(text) for page_id, text in texts.items()}
    around = Surroundings(
        links=_links(site, refers_to, uow),
        images=_images(site, uow),
        tracker_address="/",
        site_key=website.page_key,
        dates={page_id: PageDates(*site.dates_of(page_id)) for page_id in release.pages},
        page_parameter=PAGE_PARAMETER,
        placement_parameter=PLACEMENT_PARAMETER,
        newsletter_address=NEWSLETTER_FORM,
        has_fonts=True,
    )
    types = {page_id: block_types(text) for page_id, text in texts.items()}
    planned: list[PlannedPage] = []
    others: list[Files] = [{}, {}]
    for is_own_host, base_address in enumerate(_bases(site, uow)):
        here = replace(around, base_address=base_address)
        others[is_own_host] = render_other_files(document, types, here)
        for page in document.pages:
            job = page_job(document, page.id, texts[page.id], here, refers_to[page.id])
            planned.append(PlannedPage(page.id, bool(is_own_host), file_of(page.path), job, key_of(job)))
    return ReleasePlan(document, texts, planned, *others)


def rendered(site: Site, plan: ReleasePlan, uow: UnitOfWork) -> Found:
    """Returns the rendered pages of the plan, with their problems."""
    rows = uow.select_named(_RENDERED, {"site": site.id, "keys": plan.keys})
    return {bytes(key): _PROBLEMS.validate_python(problems) for key, problems in rows}


def keep(site_id: UUID, page: PlannedPage, file: SiteFile, uow: UnitOfWork) -> None:
    """Keeps a rendered page for the command that publishes it."""
    problems = Jsonb(_PROBLEMS.dump_python(file.problems, mode="json"))
    values = (site_id, page.key, file.content_type, file.security_policy, _etag(file), file.body, problems)
    with uow.pool.connection() as connection:
        connection.execute(_KEEP, values)
        if uow.context.account_id is not None:
            charge_bytes(connection, uow.context.account_id, len(file.body))


def drop_others(site_id: UUID, plan: ReleasePlan, uow: UnitOfWork) -> None:
    """Deletes kept pages that the plan does not need: those of releases that were never published."""
    with uow.pool.connection() as connection:
        connection.execute(_DROP_OTHERS, (site_id, plan.keys))


def store(site: Site, plan: ReleasePlan | None, uow: Appended) -> None:
    """Serves these files, and nothing else of the site; none: nothing. Files that stay as they are are not written.
    Raises `ConcurrencyConflict` if a rendered page is gone."""
    if plan is None:
        uow.cursor.execute("DELETE FROM publishing.served_site WHERE site_id = %s", (site.id,))
        uow.cursor.execute(_DROP, (site.id,))
        return
    uow.cursor.execute(_SERVE, (site.id, site.website_id, site.slug, site.domain_id if plan.own_host else None))
    values = {
        "site": site.id,
        "hosts": [page.is_own_host for page in plan.pages],
        "paths": [page.path for page in plan.pages],
        "keys": plan.keys,
    }
    uow.cursor.execute(_END_PAGES, values)
    uow.cursor.execute(_SERVE_PAGES, values)
    served = uow.cursor.execute(_SERVED_PAGES, (site.id,)).fetchone()
    if served is None or served["pages"] != len(plan.pages):
        raise ConcurrencyConflict("rendered_page")
    uow.cursor.executemany(
        _SAVE_FILE,
        [
            (site.id, is_own_host, path, file.content_type, file.security_policy, _etag(file), file.body)
            for is_own_host, files in ((False, plan.own_path), (True, plan.own_host))
            for path, file in files.items()
        ],
    )
    uow.cursor.execute(_DROP, (site.id,))


def renew_key(website_id: UUID, key: str, uow: UnitOfWork) -> None:
    """Puts the site key into the pages of the website's published sites. They are not rendered again: nothing that they
    refer to can delay the revocation of a key, and the store is locked only as long as their texts are replaced."""
    uow.cursor.execute(_RENEW_KEY, {"website": website_id, "script": _SCRIPT, "key": key})


def contents(site: Site, release: PublishedVersions, uow: UnitOfWork) -> tuple[SiteDocument, Mapping[UUID, str]]:
    """The site's document, and JSON of the pages of a release. Raises `CommandRejected` if a version cannot be read any
    more."""
    saved = uow.event(site.id, release.site_version)
    if not isinstance(saved, SiteCreated | SiteSaved | SiteTransferred):
        raise not_found("release")
    documents: dict[UUID, str] = {}
    for page_id, version in release.pages.items():
        page = uow.event(page_id, version)
        if not isinstance(page, PageSaved):
            raise not_found("release")
        documents[page_id] = page.document
    return parse_site(saved.document.encode()), documents


def saved_pages(page_ids: Collection[UUID], uow: UnitOfWork) -> Mapping[UUID, PageAggregate]:
    """The pages that were saved, by their last events alone: each of thousands contains the whole page."""
    events = {page_id: uow.event(page_id, version) for page_id, version in uow.select(_LATEST, list(page_ids))}
    return {page_id: pages.evolve(None, page) for page_id, page in events.items() if isinstance(page, PageSaved)}


def _bases(site: Site, uow: UnitOfWork) -> list[str]:
    """The addresses of the site's home page: of the installation, and of its custom domain if it has one."""
    host = host_of(site, uow)
    own_path = uow.settings.tracking_base_url + site_path(site.slug)
    return [own_path, f"https://{host}/"] if host else [own_path]


def _links(site: Site, refers_to: Mapping[UUID, Mentioned], uow: UnitOfWork) -> Mapping[UUID, str]:
    """Addresses from the root of the host: a custom domain serves them as well."""
    ids = frozenset[UUID]().union(*(one.ids for one in refers_to.values()))
    if len(ids) > MAX_IDS:
        raise conflict("too_many_links", f"The pages of a site name at most {MAX_IDS:,} links, pages and blocks.")
    link_ids = [link_id for (link_id,) in uow.select(_OF_WEBSITE, site.website_id, list(ids))]
    if len(link_ids) > MAX_LINKS:
        raise conflict("too_many_links", f"The pages of a site have at most {MAX_LINKS:,} different tracked links.")
    links = {link_id: uow.load(link_id, tracked_links.evolve) for link_id in sorted(link_ids)}
    return {
        link_id: f"/go/{link.slug}"
        for link_id, link in links.items()
        if link is not None and not link.deleted and link.website_id == site.website_id
    }


def _images(site: Site, uow: UnitOfWork) -> Mapping[str, SiteImage]:
    return {
        content_hash: SiteImage(image_path(content_hash), width, height, narrow_path(content_hash) if is_wide else "")
        for content_hash, width, height, is_wide in uow.select(_SIZES, site.id)
    }


def host_of(site: Site, uow: UnitOfWork) -> str:
    """The custom domain that serves the site; empty: there is none."""
    domain = uow.load(site.domain_id, domains.evolve) if site.domain_id is not None else None
    is_usable = domain is not None and not domain.removed and domain.website_id == site.website_id
    return domain.domain if domain is not None and is_usable else ""


def _etag(file: SiteFile) -> str:
    return sha256(file.security_policy.encode() + b"\0" + file.body).hexdigest()[:32]


_PROBLEMS: Final = TypeAdapter(tuple[MissingReference, ...])
_LATEST: Final = (
    "SELECT originator_id, max(originator_version) FROM events.stored_events WHERE originator_id = ANY(%s)"
    " GROUP BY originator_id"
)
_OF_WEBSITE: Final = "SELECT link_id FROM lookup.link WHERE website_id = %s AND link_id = ANY(%s)"
_SIZES: Final = "SELECT hash, width, height, narrow IS NOT NULL FROM publishing.site_image WHERE site_id = %s"
_RENDERED: Final = (
    "SELECT made_of, problems FROM publishing.site_file WHERE site_id = %(site)s AND made_of = ANY(%(keys)s)"
    " UNION ALL"
    " SELECT made_of, problems FROM publishing.rendered_page WHERE site_id = %(site)s AND made_of = ANY(%(keys)s)"
)
_KEEP: Final = (
    "INSERT INTO publishing.rendered_page"
    " (site_id, made_of, content_type, security_policy, etag, body, problems)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING"
)
_DROP: Final = "DELETE FROM publishing.rendered_page WHERE site_id = %s"
_DROP_OTHERS: Final = f"{_DROP} AND made_of <> ALL(%s)"
_SERVE: Final = (
    "INSERT INTO publishing.served_site AS served (site_id, website_id, slug, domain_id) VALUES (%s, %s, %s, %s)"
    " ON CONFLICT (site_id) DO UPDATE"
    " SET website_id = EXCLUDED.website_id, slug = EXCLUDED.slug, domain_id = EXCLUDED.domain_id"
)
_END_PAGES: Final = """
DELETE FROM publishing.site_file AS f WHERE f.site_id = %(site)s AND NOT EXISTS (
    SELECT FROM unnest(%(hosts)s::boolean[], %(paths)s::text[], %(keys)s::bytea[]) AS p (is_own_host, path, made_of)
    WHERE (p.is_own_host, p.path, p.made_of) = (f.is_own_host, f.path, f.made_of)
)"""
_SERVE_PAGES: Final = """
INSERT INTO publishing.site_file
    (site_id, is_own_host, path, content_type, security_policy, etag, body, made_of, problems)
SELECT r.site_id, p.is_own_host, p.path, r.content_type, r.security_policy, r.etag, r.body, r.made_of, r.problems
FROM unnest(%(hosts)s::boolean[], %(paths)s::text[], %(keys)s::bytea[]) AS p (is_own_host, path, made_of)
JOIN publishing.rendered_page AS r ON r.site_id = %(site)s AND r.made_of = p.made_of
ON CONFLICT (site_id, is_own_host, path) DO NOTHING"""
_SERVED_PAGES: Final = "SELECT count(*) AS pages FROM publishing.site_file WHERE site_id = %s AND made_of IS NOT NULL"
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
SET body = page.body, made_of = NULL, problems = NULL,
    etag = substr(encode(sha256(convert_to(page.security_policy, 'UTF8') || '\\000'::bytea || page.body), 'hex'), 1, 32)
FROM page
WHERE (f.site_id, f.is_own_host, f.path) = (page.site_id, page.is_own_host, page.path) AND f.body <> page.body"""
"""The tag is that of `_etag`. What the page was made of had the other key."""
_SAVE_FILE: Final = (
    "INSERT INTO publishing.site_file (site_id, is_own_host, path, content_type, security_policy, etag, body)"
    " VALUES (%s, %s, %s, %s, %s, %s, %s)"
)
