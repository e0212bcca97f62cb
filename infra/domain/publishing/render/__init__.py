"""Renders sites: documents and their surroundings in, static files out. Pure; equal input gives equal bytes.

- `render_page`: one page, also for a preview (without `site_key` it has no script).
- `render_site`: every file of a release.
- `archive`: the files as a zip for any static host.

A page is served at its path with a slash at the end (`/reviews/tents/`); links inside the site are relative, so the
same bytes work under any base, in a folder as well. Serving redirects `/reviews/tents` to `/reviews/tents/`, and sends
`404.html` where there is no file, and each page's `SiteFile.security_policy`.

**Analytics.** Every block is an element with `data-placement`: the block's `name`, else its id.

- Views: the tracking script reports the page's own address, so views are by page.
- Web addresses of known networks, and of partners: the script reports a `click` with the page and this placement, and
  so do link impressions. Reports by page and by placement show them, and their sales with click IDs switched on.
- Tracked links (`/go/...`): the redirect counts them, and the script does not. The redirect knows the link, but neither
  page nor placement: its `page` is the link's own address and its `placement` is empty, whatever the page says. To
  have both, `Surroundings.page_parameter` and `placement_parameter` put them into the query of the link. With `sub9`
  and `sub10` clicks are counted by these sub-IDs today; they then replace the link's own, and macros pass them on.
- Links between pages are views of the page they lead to.
"""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from infra.domain.publishing.document import PageDocument, SiteDocument
from infra.domain.publishing.paths import file_of
from infra.domain.publishing.render.archive import archive as archive
from infra.domain.publishing.render.archive import archive_stream as archive_stream
from infra.domain.publishing.render.feeds import feed, robots, sitemap
from infra.domain.publishing.render.page import NEWSLETTER, BlockTypes, form_files, not_found_file, page_file, page_of
from infra.domain.publishing.render.page import SiteFile as SiteFile
from infra.domain.publishing.render.references import MissingReference as MissingReference
from infra.domain.publishing.render.surroundings import PageDates as PageDates
from infra.domain.publishing.render.surroundings import SiteImage as SiteImage
from infra.domain.publishing.render.surroundings import Surroundings as Surroundings


def render_page(site: SiteDocument, page_id: UUID, document: PageDocument, surroundings: Surroundings) -> SiteFile:
    """The page with the content `document`. Raises `LookupError` if the site has no such page.

    What is missing (a deleted link, an image, a page) is left out of the page and listed in `problems`.
    """
    return page_file(site, page_of(site, page_id), document, surroundings)


def render_site(
    site: SiteDocument, documents: Mapping[UUID, PageDocument], surroundings: Surroundings
) -> Mapping[str, SiteFile]:
    """Every file of the site by its path: pages, `404.html`, `robots.txt`, and with a base address `sitemap.xml`,
    `feed.xml` and the answers to newsletter forms; images are not among them. A page without a document is empty."""
    complete = {page.id: documents.get(page.id, PageDocument()) for page in site.pages}
    files = {file_of(page.path): page_file(site, page, complete[page.id], surroundings) for page in site.pages}
    types = {page_id: {block.type for block in document.blocks} for page_id, document in complete.items()}
    return files | render_other_files(site, types, surroundings)


def render_other_files(
    site: SiteDocument, types: Mapping[UUID, BlockTypes], surroundings: Surroundings
) -> dict[str, SiteFile]:
    """The site's files that are no page of it. `types`: of the blocks of each page."""
    files = {"404.html": not_found_file(site, surroundings), "robots.txt": robots(surroundings)}
    if surroundings.base_address:
        if surroundings.newsletter_address and any(NEWSLETTER in of_page for of_page in types.values()):
            files |= form_files(site, surroundings)
        files["sitemap.xml"] = sitemap(site, surroundings)
        files["feed.xml"] = feed(site, types, surroundings)
    return files
