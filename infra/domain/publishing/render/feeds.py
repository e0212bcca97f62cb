"""The files of a site for machines: `sitemap.xml`, `feed.xml` (Atom, RFC 4287) and `robots.txt`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final
from uuid import UUID
from xml.sax.saxutils import escape, quoteattr

from infra.domain.publishing.document import SiteDocument, SitePage
from infra.domain.publishing.render.page import TEXTS, BlockTypes, SiteFile
from infra.domain.publishing.render.surroundings import Surroundings

MAX_ENTRIES: Final = 50
_HEAD: Final = '<?xml version="1.0" encoding="utf-8"?>\n'


def sitemap(site: SiteDocument, around: Surroundings) -> SiteFile:
    """The addresses of the pages that search engines may show, with the day of their last change."""
    entries = []
    for page in site.pages:
        if page.is_indexed:
            dates = around.dates.get(page.id)
            changed = f"<lastmod>{_moment(dates.updated)}</lastmod>" if dates is not None else ""
            entries.append(f"<url><loc>{escape(_address(page, around))}</loc>{changed}</url>\n")
    body = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{"".join(entries)}</urlset>\n'
    return SiteFile((_HEAD + body).encode(), "application/xml; charset=utf-8")


def feed(site: SiteDocument, types: Mapping[UUID, BlockTypes], around: Surroundings) -> SiteFile:
    """Published pages with an article or a review, the newest first, at most `MAX_ENTRIES`. `types`: of each page."""
    pages = [page for page in site.pages if _is_news(page, types, around)]
    pages.sort(key=lambda page: (around.dates[page.id].published, str(page.id)), reverse=True)
    pages = pages[:MAX_ENTRIES]
    author = f"<author><name>{escape(site.author or site.name)}</name></author>\n"
    parts = [
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang={quoteattr(site.language)}>\n',
        f"<title>{escape(site.name)}</title>\n<id>{escape(around.base_address)}</id>\n",
        f"<link href={quoteattr(around.base_address)}/>\n",
        f'<link rel="self" type="application/atom+xml" href={quoteattr(around.absolute("feed.xml"))}/>\n',
        f"<updated>{_moment(_updated(pages, around))}</updated>\n{author}",
        *(_entry(page, around) for page in pages),
        "</feed>\n",
    ]
    return SiteFile((_HEAD + "".join(parts)).encode(), "application/atom+xml; charset=utf-8")


def robots(around: Surroundings) -> SiteFile:
    """Every crawler is welcome. Pages that are not for search engines say so themselves."""
    where = f"Sitemap: {around.absolute('sitemap.xml')}\n" if around.base_address else ""
    return SiteFile(f"User-agent: *\nAllow: /\n{where}".encode(), "text/plain; charset=utf-8")


def _is_news(page: SitePage, types: Mapping[UUID, BlockTypes], around: Surroundings) -> bool:
    is_text = not TEXTS.isdisjoint(types.get(page.id, ()))
    return page.is_indexed and is_text and page.id in around.dates


def _entry(page: SitePage, around: Surroundings) -> str:
    dates = around.dates[page.id]
    summary = f"<summary>{escape(page.description)}</summary>\n" if page.description else ""
    return (
        f"<entry>\n<title>{escape(page.title)}</title>\n<id>urn:uuid:{page.id}</id>\n"
        f"<link href={quoteattr(_address(page, around))}/>\n"
        f"<published>{_moment(dates.published)}</published>\n<updated>{_moment(dates.updated)}</updated>\n"
        f"{summary}</entry>\n"
    )


def _updated(pages: Sequence[SitePage], around: Surroundings) -> datetime:
    """Returns the time of the newest entry; a feed without entries never changed."""
    return max((around.dates[page.id].updated for page in pages), default=datetime(1970, 1, 1, tzinfo=UTC))


def _address(page: SitePage, around: Surroundings) -> str:
    return around.absolute(f"{page.path}/" if page.path else "")


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
