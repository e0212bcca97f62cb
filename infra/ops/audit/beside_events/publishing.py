"""Rows of published sites: where a site is served, its files, its pictures.

A page is not rendered again: its file must be there, under the path that the published document gives the page, and be
what its tag says.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Final
from uuid import UUID

from infra.domain.publishing.document import DocumentRejected, parse_site
from infra.domain.publishing.paths import file_of
from infra.domain.publishing.serving import FORM_REFUSED, FORM_SENT
from infra.kernel.postgres.rows import Row
from infra.ops.audit.beside_events.fold import KeptTable, OneOf, TableFold, Tables, same
from infra.ops.audit.beside_events.marketplace import PICTURE
from schemas.base import ERASED
from schemas.events.publishing import (
    SiteCreated,
    SiteMoved,
    SitePublished,
    SiteRemoved,
    SiteSaved,
    SiteTransferred,
    SiteUnpublished,
)

_SERVED: Final = "publishing.served_site"
_FILES: Final = "publishing.site_file"
_PICTURES: Final = "publishing.site_image"
_TAG: Final = (
    "etag = substr(encode(sha256(convert_to(f.security_policy, 'UTF8') || '\\000'::bytea || f.body), 'hex'), 1, 32)"
)
_HTML: Final = "text/html; charset=utf-8"
_OTHER_FILES: Final[Mapping[str, str]] = {
    "404.html": _HTML,
    "robots.txt": "text/plain; charset=utf-8",
    "sitemap.xml": "application/xml; charset=utf-8",
    "feed.xml": "application/atom+xml; charset=utf-8",
}
"""The files that every site has besides its pages, by path with its type."""
_FORM_FILES: Final = (file_of(FORM_SENT), file_of(FORM_REFUSED))
"""A site with a form has them."""
_SHOWS_PICTURES: Final = f"""
NOT EXISTS (SELECT FROM regexp_matches(
    CASE WHEN f.content_type LIKE 'text/html%' THEN convert_from(f.body, 'UTF8') END,
    'images/([0-9a-f]{{64}})[.-]', 'g') AS named
    WHERE NOT EXISTS (SELECT FROM {_PICTURES} AS i WHERE i.site_id = f.site_id AND i.hash = named[1]))"""  # noqa: S608 - own text
"""The condition that each picture that a page shows exists."""


def _unlisted_file(tables: Tables, row: Row) -> Row | None:
    """A file of a form; of a document that cannot be read any more, any."""
    site = tables["site"].get(site_id=row["site_id"]) or {}
    is_right = site.get("is_published") and (row["path"] in _FORM_FILES or site.get("paths") is None)
    return _file(row["site_id"], row["path"], is_own_host=row["is_own_host"]) if is_right else None


def _unlisted_picture(tables: Tables, row: Row) -> Row | None:
    """Returns the row of a picture of a site: no event says that a picture was uploaded."""
    site = tables["site"].get(site_id=row["site_id"])
    return None if site is None else {**row, "is_whole": True}


PUBLISHING: Final = TableFold(
    (
        KeptTable(_SERVED, ("site_id",), same("site_id", "website_id", "slug", "domain_id")),
        KeptTable(
            _FILES,
            ("site_id", "is_own_host", "path"),
            {
                **{name: f"f.{name}" for name in ("site_id", "is_own_host", "path", "content_type")},
                "is_whole": _TAG,
                "shows_pictures": _SHOWS_PICTURES,
            },
            source=f"{_FILES} AS f",
            unlisted=_unlisted_file,
        ),
        KeptTable(
            _PICTURES, ("site_id", "hash"), {**same("site_id", "hash"), "is_whole": PICTURE}, unlisted=_unlisted_picture
        ),
    ),
    memory={"site": ("site_id",), "document": ("site_id", "version")},
)


@PUBLISHING.on(SiteCreated)
def _created(tables: Tables, event: SiteCreated) -> None:
    _note_paths(tables, event.originator_id, event.originator_version, event.document)
    tables["site"].put(site_id=event.originator_id, website_id=event.website_id, slug=event.slug, domain_id=None)


@PUBLISHING.on(SiteSaved)
def _saved(tables: Tables, event: SiteSaved) -> None:
    _note_paths(tables, event.originator_id, event.originator_version, event.document)


@PUBLISHING.on(SitePublished)
def _published(tables: Tables, event: SitePublished) -> None:
    document = tables["document"].get(site_id=event.originator_id, version=event.site_version) or {}
    tables["site"].update({"site_id": event.originator_id}, is_published=True, paths=document.get("paths"))
    _serve(tables, event.originator_id)


@PUBLISHING.on(SiteMoved)
def _moved(tables: Tables, event: SiteMoved) -> None:
    tables["site"].update({"site_id": event.originator_id}, slug=event.slug, domain_id=event.domain_id)
    _serve(tables, event.originator_id)


@PUBLISHING.on(SiteTransferred)
def _transferred(tables: Tables, event: SiteTransferred) -> None:
    """Changes the domain of the site; the published page stays as it is."""
    _note_paths(tables, event.originator_id, event.originator_version, event.document)
    tables["site"].update({"site_id": event.originator_id}, domain_id=event.domain_id)
    tables[_SERVED].update({"site_id": event.originator_id}, domain_id=OneOf((None, event.domain_id)))


@PUBLISHING.on(SiteUnpublished)
def _unpublished(tables: Tables, event: SiteUnpublished) -> None:
    tables["site"].update({"site_id": event.originator_id}, is_published=False)
    _end(tables, event.originator_id)


@PUBLISHING.on(SiteRemoved)
def _removed(tables: Tables, event: SiteRemoved) -> None:
    tables["site"].delete(site_id=event.originator_id)
    tables["document"].delete(site_id=event.originator_id)
    _end(tables, event.originator_id)


def _serve(tables: Tables, site_id: UUID) -> None:
    """A domain that cannot serve at that moment is left out, and its files are, too."""
    site = tables["site"].get(site_id=site_id)
    if site is None or not site.get("is_published"):
        return
    tables[_SERVED].put(
        site_id=site_id,
        website_id=site["website_id"],
        slug=site["slug"],
        domain_id=OneOf((None, site["domain_id"])),
    )
    tables[_FILES].delete(site_id=site_id)
    for path in (*(site.get("paths") or ()), *_OTHER_FILES):
        tables[_FILES].put(**_file(site_id, path, is_own_host=False))
        if site["domain_id"] is not None:
            tables[_FILES].put(**_file(site_id, path, is_own_host=True), optional=True)


def _end(tables: Tables, site_id: UUID) -> None:
    for name in (_SERVED, _FILES):
        tables[name].delete(site_id=site_id)


def _file(site_id: UUID, path: str, *, is_own_host: bool) -> Row:
    return {
        "site_id": site_id,
        "is_own_host": is_own_host,
        "path": path,
        "content_type": _OTHER_FILES.get(path, _HTML),
        "is_whole": True,
        "shows_pictures": True,
    }


def _note_paths(tables: Tables, site_id: UUID, version: int, document: str) -> None:
    """The files of the document's pages; none for one that cannot be read any more."""
    paths: tuple[str, ...] | None = None
    if document != ERASED:
        with suppress(DocumentRejected):
            paths = tuple(file_of(page.path) for page in parse_site(document.encode()).pages)
    tables["document"].put(site_id=site_id, version=version, paths=paths)
