"""`GET /api/platform/sites*`: the caller's sites, their documents, versions and releases; previews and exports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from datetime import timedelta
from itertools import chain
from threading import BoundedSemaphore
from typing import Annotated, Any, Final, TypeVar
from uuid import UUID

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import StreamingResponse

from infra.domain.publishing.document import parse_site
from infra.domain.publishing.errors import DocumentRejected
from infra.domain.publishing.fonts import WOFF2, font_files
from infra.domain.publishing.page_job import Mentioned, block_types, mentioned, page_job
from infra.domain.publishing.page_workers import PageWorkers
from infra.domain.publishing.paths import file_of
from infra.domain.publishing.placeholders import TextPlaceholder, placeholders_of
from infra.domain.publishing.render import SiteFile, SiteImage, Surroundings, archive_stream, render_other_files
from infra.domain.publishing.serving import NEWSLETTER_FORM, image_path, narrow_path, site_path
from infra.domain.publishing.starters import starters
from infra.domain.publishing.theme import fonts_of
from infra.kernel.http.client_left import client_left
from infra.kernel.http.openapi import file_response
from infra.kernel.http.problems import FieldError, Problem
from infra.kernel.http.route_costs import STATEMENT, costs
from infra.kernel.security.rate_limits import Limit, consume
from query_api.kernel.authorization import AccountScope, require_existing
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope, Context, Services
from query_api.kernel.postgres_reader import PostgresReader, Row
from query_api.publishing.schemas import (
    PageDetails,
    PageVersion,
    PlaceToFill,
    Preview,
    PreviewOrder,
    PreviewProblem,
    Release,
    SiteDetails,
    SitePlaceholders,
    SiteSummary,
    SiteVersionDetails,
    StarterSummary,
    Version,
)

router = APIRouter(prefix="/api/platform/sites", tags=["sites"])

WEBP: Final = "image/webp"
ZIP: Final = "application/zip"
IMAGES: Final = "/api/platform/sites/images/"
MAX_VERSIONS: Final = 200
MAX_RELEASES: Final = 50
"""As many as can be published again."""
MAX_PLACEHOLDERS: Final = 500
PREVIEWS: Final = Limit("site-preview", timedelta(milliseconds=500), 120)
"""The limit of an account. An editor requests one a moment after each change, and several are open."""
EXPORTS: Final = Limit("site-export", timedelta(seconds=30), 10)
_EXPORTS: Final = BoundedSemaphore(2)
"""Exports of all accounts that are made at one time."""
WORKERS: Final = PageWorkers()
"""Render previews and exports: pages of the largest size take seconds."""
_EMPTY: Final = '{"blocks":[]}'
Result = TypeVar("Result")
PageId = Annotated[UUID, Path(alias="pageId")]
VersionNumber = Annotated[int, Path(alias="version", ge=1, le=2**31 - 1)]
_READS: Final = [READS_OWN_WRITES]

_SITES: Final = (
    "SELECT s.*, d.domain, d.is_verified AND d.website_id = s.website_id AS has_own_host,"
    " (SELECT jsonb_object_agg(v.document_id, v.version) FROM (SELECT document_id, max(version) AS version"
    " FROM read.site_versions WHERE site_id = s.id AND document_id <> s.id GROUP BY document_id) AS v) AS versions"
    " FROM read.sites AS s LEFT JOIN read.custom_domains AS d ON d.id = s.domain_id AND d.removed_at IS NULL"
    " WHERE s.account_id = %(account)s AND (%(id)s::uuid IS NULL OR s.id = %(id)s)"
    " ORDER BY s.created_at DESC, s.id"
)
_PAGES: Final = (
    "SELECT DISTINCT ON (document_id) document_id AS id, site_id, version, saved_at, document FROM read.site_versions"
    " WHERE site_id = %s AND document_id <> site_id ORDER BY document_id, version DESC"
)
_VERSIONS: Final = (
    "SELECT version, saved_at, restored_from FROM read.site_versions WHERE site_id = %s AND document_id = %s"
    " ORDER BY version DESC LIMIT %s"
)
_VERSION: Final = (
    "SELECT document_id AS id, site_id, version, saved_at, document FROM read.site_versions"
    " WHERE site_id = %(site)s AND document_id = %(document)s AND (%(version)s::int IS NULL OR version = %(version)s)"
    " ORDER BY version DESC LIMIT 1"
)
_RELEASES: Final = "SELECT * FROM read.site_releases WHERE site_id = %s ORDER BY number DESC LIMIT %s"
_LINKS: Final = "SELECT id, slug FROM read.links WHERE id = ANY(%s) AND website_id = %s AND deleted_at IS NULL"
_SIZES: Final = (
    "SELECT hash, width, height, narrow IS NOT NULL AS is_wide FROM publishing.site_image WHERE site_id = %s"
)
_BODIES: Final = "SELECT hash, body, narrow FROM publishing.site_image WHERE site_id = %s AND hash = ANY(%s)"
_IMAGE: Final = "SELECT body FROM publishing.site_image WHERE hash = %s LIMIT 1"


@router.get("", dependencies=_READS)
def get_sites(scope: CallerScope, context: Context) -> list[SiteSummary]:
    """Newest first. Admins, too, see their own alone."""
    rows = scope.reader.rows(_SITES, {"account": scope.principal.account_id, "id": None})
    return [SiteSummary.of_row(row, **_to_response_fields(row, context)) for row in rows]


@router.get("/starters", dependencies=[READS_OWN_WRITES])
def get_site_starters() -> list[StarterSummary]:
    """Sites to begin with: one for each niche of the marketplace."""
    return [
        StarterSummary(niche=one.niche, label=one.label, description=one.description, pages=list(one.pages))
        for one in starters()
    ]


@router.get("/images/{hash}", response_class=Response, responses=file_response(WEBP))
def get_site_image(
    context: Context, hash: Annotated[str, Path(pattern="^[0-9a-f]{64}$", min_length=64, max_length=64)]
) -> Response:
    """An image by the hash of its content, for the editor and previews: it never changes."""
    row = require_existing(PostgresReader.of_service(context.pool).row(_IMAGE, (hash,)), "image")
    headers = {
        "Cache-Control": "public, max-age=31536000, immutable",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cross-Origin-Resource-Policy": "cross-origin",
    }
    return Response(bytes(row["body"]), media_type=WEBP, headers=headers)


@router.get("/{id}", dependencies=_READS)
def get_site(id: UUID, scope: CallerScope, context: Context) -> SiteDetails:
    """A site with its document and the current versions of its pages."""
    row = _own(id, scope)
    pages = {page["id"]: page for page in scope.reader.rows(_PAGES, (id,))}
    listed = [pages[page.id] for page in parse_site(row["document"].encode()).pages if page.id in pages]
    return SiteDetails.of_row(
        {**row, **_to_response_fields(row, context)},
        document=json.loads(row["document"]),
        page_states=[PageVersion.of_row(page) for page in listed],
    )


@router.get("/{id}/versions", dependencies=_READS)
def get_site_versions(id: UUID, scope: CallerScope) -> list[Version]:
    """Saved versions of the site's document, newest first."""
    _own(id, scope)
    return [Version.of_row(row) for row in scope.reader.rows(_VERSIONS, (id, id, MAX_VERSIONS))]


@router.get("/{id}/versions/{version}", dependencies=_READS)
def get_site_version(id: UUID, version: VersionNumber, scope: CallerScope) -> SiteVersionDetails:
    """The site's document as it was saved then."""
    return SiteVersionDetails.of_row(_version(id, id, version, scope))


@router.get("/{id}/pages/{pageId}", dependencies=_READS)
def get_site_page(id: UUID, page_id: PageId, scope: CallerScope) -> PageDetails:
    """The blocks of a page; version 0 without blocks for a page of the site that was never saved."""
    site = parse_site(_own(id, scope)["document"].encode())
    values = {"site": id, "document": page_id, "version": None}
    row = scope.reader.row(_VERSION, values) if page_id != id else None
    if row is None and site.page(page_id) is not None:
        return PageDetails(id=page_id, version=0, saved_at=None, site_id=id, document={"blocks": []})
    row = require_existing(row, "page")
    return PageDetails.of_row({**row, "document": json.loads(row["document"])})


@router.get("/{id}/pages/{pageId}/versions", dependencies=_READS)
def get_site_page_versions(id: UUID, page_id: PageId, scope: CallerScope) -> list[Version]:
    """Saved versions of the page, newest first."""
    _own(id, scope)
    rows = scope.reader.rows(_VERSIONS, (id, page_id, MAX_VERSIONS)) if page_id != id else []
    return [Version.of_row(row) for row in rows]


@router.get("/{id}/pages/{pageId}/versions/{version}", dependencies=_READS)
def get_site_page_version(id: UUID, page_id: PageId, version: VersionNumber, scope: CallerScope) -> PageDetails:
    """The blocks of the page as they were saved then."""
    return PageDetails.of_row(_version(id, page_id, version, scope))


@router.get("/{id}/releases", dependencies=[READS_OWN_WRITES])
def get_site_releases(id: UUID, scope: CallerScope) -> list[Release]:
    """What was published, newest first."""
    number = _own(id, scope)["published"]
    rows = scope.reader.rows(_RELEASES, (id, MAX_RELEASES))
    return [Release.of_row(row, is_shown=row["number"] == number) for row in rows]


@router.post("/{id}/preview", dependencies=[READS_OWN_WRITES], openapi_extra=costs(STATEMENT))
def preview_site_page(id: UUID, order: PreviewOrder, scope: CallerScope, context: Context, request: Request) -> Preview:
    """A page of the draft as a document without a script, for a frame. 400 for what cannot be saved either; 429 above
    the rate of an editor."""
    row = _own(id, scope)
    account_id, has_left = scope.principal.account_id, client_left(request)
    consume(context.pool, PREVIEWS, str(account_id))
    saved = json.loads(row["document"])
    site = _parsed(parse_site, order.document if order.document is not None else saved)
    if site.page(order.page_id) is None:
        raise Problem(404, "not_found", "Page not found.")
    if order.page is not None:
        text = _parsed(lambda content: WORKERS.checked(content, account_id, has_left), order.page)
    else:
        text = _page(id, order.page_id, scope)
    refers_to = mentioned(text)
    around = _surroundings(row, [refers_to], scope, _in_preview, "/go/", NEWSLETTER_FORM)
    job = page_job(site, order.page_id, text, around, refers_to)
    made = _checked(lambda: WORKERS.render(job, account_id, has_left)).file
    return Preview(
        html=made.body.decode(),
        problems=[PreviewProblem(code=one.code, message=one.message, placement=one.placement) for one in made.problems],
        places_to_fill=[_place(one) for one in placeholders_of(site, {order.page_id: text})],
    )


@router.get("/{id}/placeholders", dependencies=_READS)
def get_site_placeholders(id: UUID, scope: CallerScope) -> SitePlaceholders:
    """Texts in square brackets of the saved site that are still to fill in. While there are any, publishing needs
    `allowsPlaceholders`."""
    site = parse_site(_own(id, scope)["document"].encode())
    contents = {page["id"]: page["document"] for page in scope.reader.rows(_PAGES, (id,))}
    found = placeholders_of(site, contents)
    return SitePlaceholders(count=len(found), places=[_place(one) for one in found[:MAX_PLACEHOLDERS]])


@router.get(
    "/{id}/export",
    dependencies=[READS_OWN_WRITES],
    response_class=Response,
    responses=file_response(ZIP),
)
def export_site(id: UUID, scope: CallerScope, context: Context) -> Response:
    """The saved site as static files for any host, images included. Its links lead through the tracking address.
    Newsletter forms post to the published site, and are left out of one that is not published."""
    row = _own(id, scope)
    account_id = scope.principal.account_id
    consume(context.pool, EXPORTS, str(account_id))
    site = parse_site(row["document"].encode())
    saved = {page["id"]: page["document"] for page in scope.reader.rows(_PAGES, (id,))}
    texts = {page.id: saved.get(page.id, _EMPTY) for page in site.pages}
    refers_to = {page_id: mentioned(text) for page_id, text in texts.items()}
    form = f"{_to_response_fields(row, context)['address']}{NEWSLETTER_FORM}" if row["published"] is not None else ""
    links = f"{context.settings.tracking_base_url}/go/"
    around = replace(_surroundings(row, refers_to.values(), scope, _in_archive, links, form), has_fonts=True)

    def pages() -> Iterator[tuple[str, SiteFile]]:
        for page in site.pages:
            job = page_job(site, page.id, texts[page.id], around, refers_to[page.id])
            yield file_of(page.path), WORKERS.render(job, account_id, lambda: False).file
        types = {page_id: block_types(text) for page_id, text in texts.items()}
        yield from render_other_files(site, types, around).items()
        if "inter" in fonts_of(site.theme):
            yield from ((font.path, SiteFile(font.body, WOFF2)) for font in font_files())
        for name in sorted(site.images().union(*(one.images for one in refers_to.values()))):
            for image in scope.reader.rows(_BODIES, (id, [name])):
                yield image_path(name), SiteFile(bytes(image["body"]), WEBP)
                if image["narrow"] is not None:
                    yield narrow_path(name), SiteFile(bytes(image["narrow"]), WEBP)

    headers = {"Content-Disposition": f'attachment; filename="{row["slug"]}.zip"', "Cache-Control": "private, no-store"}
    parts = _exported(pages())
    first = next(parts)  # what cannot begin is an error, not half a file
    return StreamingResponse(chain([first], parts), media_type=ZIP, headers=headers)


def _exported(files: Iterator[tuple[str, SiteFile]]) -> Iterator[bytes]:
    """The archive in parts, each when its page is rendered. Raises `Problem` 503 while others are made."""
    if not _EXPORTS.acquire(blocking=False):
        raise Problem(503, "busy", "Many sites are being exported. Please try again in a moment.")
    try:
        yield from archive_stream(files)
    finally:
        _EXPORTS.release()


def _place(placeholder: TextPlaceholder) -> PlaceToFill:
    return PlaceToFill(**asdict(placeholder))


def _own(site_id: UUID, scope: AccountScope) -> Row:
    """The caller's site. Raises `Problem` 404."""
    return require_existing(scope.reader.row(_SITES, {"account": scope.principal.account_id, "id": site_id}), "site")


def _to_response_fields(row: Row, context: Services) -> Mapping[str, Any]:
    document = json.loads(row["document"])
    listed = {page["id"] for page in document["pages"]}
    saved = {id_: version for id_, version in (row["versions"] or {}).items() if id_ in listed}
    own_host = row["domain"] if row["has_own_host"] else None
    base = f"https://{own_host}/" if own_host else context.settings.tracking_base_url + site_path(row["slug"])
    return {
        "name": document["name"],
        "address": base,
        "domain": row["domain"],
        "pages": len(document["pages"]),
        "has_changes": row["shown_versions"] != saved | {str(row["id"]): row["document_version"]},
    }


def _version(site_id: UUID, document_id: UUID, version: int | None, scope: AccountScope) -> dict[str, Any]:
    """A row of `read.site_versions` with its document. `version`: the latest one without it. Raises `Problem` 404."""
    _own(site_id, scope)
    values = {"site": site_id, "document": document_id, "version": version}
    row = require_existing(scope.reader.row(_VERSION, values), "version" if version is not None else "page")
    return {**row, "document": json.loads(row["document"])}


def _page(site_id: UUID, page_id: UUID, scope: AccountScope) -> str:
    """JSON of the saved page; of an empty one if it was never saved."""
    values = {"site": site_id, "document": page_id, "version": None}
    row = scope.reader.row(_VERSION, values) if page_id != site_id else None
    return str(row["document"]) if row is not None else _EMPTY


def _surroundings(
    row: Row,
    refers_to: Iterable[Mentioned],
    scope: AccountScope,
    image: Callable[[Row], SiteImage],
    links: str,
    form: str,
) -> Surroundings:
    ids = list(frozenset[UUID]().union(*(one.ids for one in refers_to)))
    return Surroundings(
        links={one["id"]: links + one["slug"] for one in scope.reader.rows(_LINKS, (ids, row["website_id"]))},
        images={one["hash"]: image(one) for one in scope.reader.rows(_SIZES, (row["id"],))},
        newsletter_address=form,
    )


def _in_preview(image: Row) -> SiteImage:
    return SiteImage(IMAGES + image["hash"], image["width"], image["height"])


def _in_archive(image: Row) -> SiteImage:
    content_hash = image["hash"]
    narrow = narrow_path(content_hash) if image["is_wide"] else ""
    return SiteImage(image_path(content_hash), image["width"], image["height"], narrow)


def _parsed(parse: Callable[[bytes], Result], document: Mapping[str, Any]) -> Result:
    """The parsed document. Raises `Problem` 400 for the first fault."""
    return _checked(lambda: parse(json.dumps(document).encode()))


def _checked(make: Callable[[], Result]) -> Result:
    try:
        return make()
    except DocumentRejected as fault:
        field = f"document.{fault.field}" if fault.field else "document"
        raise Problem(400, fault.code, fault.message, errors=[FieldError(field, fault.message)]) from fault
