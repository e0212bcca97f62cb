"""Sites of the website builder: `/sites/{slug}/...` of the tracking address, and the root of a custom domain.

What is served stands in Postgres, written by the command that publishes: every request looks up the file's tag there,
so a release, a rollback and the end of a site are visible at once. Bodies are kept in memory by tag. While Postgres is
unavailable, files that were served before still are.

**Who may do what here.** Pages have no script but the tracker, no style but their own, and no frame around them. Under
the tracking address, where sites of several members share an origin, their documents are sandboxed besides: each has an
origin of its own, which has no storage and no cookies.

**A tracked link goes first.** Under a custom domain `/{slug}` leads where the link of that slug leads, even if a page
has the same name; the page is at `/{slug}/`, which links inside of the site use. Without such a page, that is the link
as well, and so is `/{slug}.`: people and programs write addresses down.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final
from urllib.parse import quote
from uuid import UUID

from infra.domain.publishing.fonts import WOFF2, FontFile, font_files
from infra.domain.publishing.serving import NARROW_WIDTH, SITES, site_path
from infra.kernel.http.request_limits import Receive, Scope, Send
from ingest.context import IngestContext
from ingest.directory.directory import CustomDomainEntry
from ingest.directory.request_lookups import RequestLookups
from ingest.endpoints.custom_domains import is_bare_slug, plain_slug
from ingest.endpoints.redirect import go, send_page
from ingest.endpoints.subscribe import subscribe
from ingest.errors import EventRejected, Unavailable
from ingest.responses import send_bytes, send_problem
from ingest.site_files import ServedFile
from ingest.visitors.request_context import CUSTOM_DOMAIN
from schemas.tracking import Outcome

MAX_PATH: Final = 200
CHECKED_EVERY_TIME: Final = (b"cache-control", b"public, no-cache")
"""Browsers keep a file and ask each time whether it is still the one."""
IMMUTABLE: Final = (b"cache-control", b"public, max-age=31536000, immutable")
_IMAGE: Final = re.compile(rf"images/([0-9a-f]{{64}})(-{NARROW_WIDTH})?\.webp")
_SANDBOX: Final = (
    "; sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox"
    " allow-top-navigation-by-user-activation"
)
_NO_FRAMES: Final = "; frame-ancestors 'none'"
_SITE: Final = "SELECT site_id, domain_id FROM publishing.served_site WHERE slug = %s"
_OWN_SITE: Final = "SELECT site_id FROM publishing.served_site WHERE domain_id = %s AND website_id = %s"
_FILES: Final = (
    "SELECT path, content_type, security_policy, etag FROM publishing.site_file"
    " WHERE site_id = %s AND is_own_host = %s AND path = ANY(%s)"
)
_BODY: Final = (
    "SELECT body FROM publishing.site_file WHERE site_id = %s AND is_own_host = %s AND path = %s AND etag = %s"
)
_PICTURE: Final = (
    "SELECT CASE WHEN %s THEN narrow ELSE body END AS body FROM publishing.site_image WHERE site_id = %s AND hash = %s"
)


@dataclass(frozen=True, slots=True)
class Served:
    """A published site under one of its addresses. `root`: the path of its home page."""

    site_id: UUID
    is_own_host: bool
    root: str


async def site(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    """Serves `/sites/{slug}/...`; a site with a verified custom domain is there alone, but forms are taken here as
    well."""
    slug, slash, path = scope["path"].removeprefix(SITES).partition("/")
    try:
        rows = await _rows(context, f"/{slug}", _SITE, slug) if 0 < len(slug) <= MAX_PATH else []
        if not rows:
            await _not_here(send)
            return
        site_id, domain_id = rows[0]
        host = next((one.host for one in context.directory.domains.values() if one.id == domain_id), "")
        domain = context.directory.domains.get(host)
        has_domain = domain is not None and domain.is_verified and await _own_site(context, domain) is not None
        if scope["method"] == "POST":
            root = f"https://{host}/" if has_domain else site_path(slug)
            await subscribe(context, site_id, has_domain, root, scope, receive, send)
        elif domain is not None and has_domain:
            await _redirect(send, f"https://{domain.host}/{quote(path)}", scope)
        elif not slash:
            await _redirect(send, site_path(slug), scope)
        else:
            await _answer(context, Served(site_id, False, site_path(slug)), path, scope, send)
    except Unavailable as error:
        await _unavailable(send, error)


async def own_host(context: IngestContext, scope: Scope, receive: Receive, send: Send) -> None:
    """Answers any path of a custom domain that is no address of the tracking API: a tracked link, else a page of its
    site."""
    domain: CustomDomainEntry = scope[CUSTOM_DOMAIN]
    if scope["method"] == "POST":
        await _own_form(context, domain, scope, receive, send)
        return
    path: str = scope["path"][1:]
    slug = plain_slug(path)
    is_slug = is_bare_slug(scope["path"]) and slug != ""
    link = context.directory.links.get(slug) if is_slug else None

    async def follow() -> bool:
        """Follows `/{slug}/` and `/{slug}.` as the link, where there is no page."""
        is_near = slug != path and slug != "" and is_bare_slug(f"/{slug}")
        if not is_near or not await _is_link(context, domain, slug, context.lookups(scope, receive)):
            return False
        await go(context, scope, receive, send)
        return True

    try:
        served = await _own_site(context, domain) if link is None else None
    except Unavailable as error:
        if not is_slug:
            await _unavailable(send, error)
            return
        served = None
    if link is not None or (
        is_slug and (served is None or await _is_link(context, domain, slug, context.lookups(scope, receive)))
    ):
        await go(context, scope, receive, send)
    elif served is None:
        if not await follow():
            await send_problem(send, EventRejected(Outcome.INVALID, "not_found", "There is nothing here.", status=404))
    else:
        try:
            await _answer(context, served, path, scope, send, follow)
        except Unavailable as error:
            await _unavailable(send, error)


async def _own_form(
    context: IngestContext, domain: CustomDomainEntry, scope: Scope, receive: Receive, send: Send
) -> None:
    try:
        served = await _own_site(context, domain)
        if served is None:
            await _not_here(send)
        else:
            await subscribe(context, served.site_id, True, served.root, scope, receive, send)
    except Unavailable as error:
        await _unavailable(send, error)


async def _is_link(context: IngestContext, domain: CustomDomainEntry, slug: str, lookups: RequestLookups) -> bool:
    """Returns whether a tracked link of the domain's website has this slug."""
    if len(slug) > MAX_PATH:
        return False
    try:
        link = await context.directory.link(slug, lookups)
    except (EventRejected, Unavailable):
        return False  # too many unknown ones came from this address, or nobody can tell now: the page is there
    return link is not None and link.website.id == domain.website_id


async def _own_site(context: IngestContext, domain: CustomDomainEntry) -> Served | None:
    rows = await _rows(context, domain.host, _OWN_SITE, domain.id, domain.website_id)
    return Served(rows[0][0], True, "/") if rows else None


async def _rows(context: IngestContext, name: str, sql: str, *values: object) -> list[tuple[UUID, ...]]:
    if "builder" in context.settings.without:
        return []
    files = context.site_files
    try:
        rows = await context.site_postgres.rows(sql, values)
    except Unavailable:
        cached = files.sites.get(name)
        if cached is None:
            raise
        return cached
    files.sites.put(name, rows)
    return rows


async def _answer(
    context: IngestContext,
    served: Served,
    path: str,
    scope: Scope,
    send: Send,
    otherwise: Callable[[], Awaitable[bool]] | None = None,
) -> None:
    """Sends the file of this path, unless there is none and `otherwise` answers."""
    font = _fonts().get(path)
    if font is not None:
        await _send_font(font, scope, send)
        return
    image = _IMAGE.fullmatch(path)
    if image is not None:
        await _send_image(context, served, image[1], image[2] is not None, scope, send)
        return
    is_page = path == "" or path.endswith("/")
    file_path = f"{path}index.html" if is_page else path
    files = await _files(context, served, file_path if len(path) <= MAX_PATH and "\0" not in path else "")
    file = (
        files.get(file_path)
        if not file_path.startswith("404") and (is_page or not path.endswith("index.html"))
        else None
    )
    if file is not None:
        await _send_file(context, served, file, 200, scope, send)
    elif not is_page and f"{path}/index.html" in files:
        await _redirect(send, f"{served.root}{path}/", scope)
    elif otherwise is not None and await otherwise():
        return
    elif "404.html" in files:
        await _send_file(context, served, files["404.html"], 404, scope, send)
    else:
        await _not_here(send)


async def _files(context: IngestContext, served: Served, path: str) -> dict[str, ServedFile]:
    """Returns the existing files among those that may answer a request for this path."""
    name = served.site_id, served.is_own_host, path
    files = context.site_files
    try:
        paths = [path, f"{path}/index.html", "404.html"]
        rows = await context.site_postgres.rows(_FILES, (served.site_id, served.is_own_host, paths))
    except Unavailable:
        cached = files.files.get(name)
        if cached is None:
            raise
        return cached
    served_files = {row[0]: ServedFile(*row) for row in rows}
    if path in served_files:  # anybody can invent paths that there are not
        files.files.put(name, served_files)
    return served_files


async def _send_file(
    context: IngestContext, served: Served, file: ServedFile, status: int, scope: Scope, send: Send
) -> None:
    policy = file.security_policy
    if policy:
        policy += _NO_FRAMES + ("" if served.is_own_host else _SANDBOX)
    else:
        policy = "default-src 'none'; frame-ancestors 'none'; sandbox"
    headers = (
        (b"content-type", file.content_type.encode()),
        (b"etag", f'"{file.etag}"'.encode()),
        CHECKED_EVERY_TIME,
        (b"content-security-policy", policy.encode()),
        (b"referrer-policy", b"strict-origin-when-cross-origin"),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
    )
    if status == 200 and _has(scope, file.etag):
        await send_bytes(send, 304, b"", headers[1:])
        return
    name = served.site_id, served.is_own_host, file.path, file.etag
    body = context.site_files.bodies.get(name)
    if body is None:
        rows = await context.site_postgres.rows(_BODY, name)
        if not rows:  # published again in between: the next request has the new one
            raise Unavailable("site_changed", "The site is just being published.")
        body = bytes(rows[0][0])
        context.site_files.bodies.put(name, body)
    await _send_body(send, status, body, headers, scope)


async def _send_image(
    context: IngestContext, served: Served, content_hash: str, is_narrow: bool, scope: Scope, send: Send
) -> None:
    tag = f"{content_hash}-{NARROW_WIDTH}" if is_narrow else content_hash
    headers = (
        (b"content-type", b"image/webp"),
        (b"etag", f'"{tag}"'.encode()),
        IMMUTABLE,
        (b"content-security-policy", b"default-src 'none'; sandbox"),
        (b"cross-origin-resource-policy", b"cross-origin"),
        (b"x-content-type-options", b"nosniff"),
    )
    rows = await context.site_postgres.rows(_PICTURE, (is_narrow, served.site_id, content_hash))
    if not rows or rows[0][0] is None:
        await _not_here(send)
    elif _has(scope, tag):
        await send_bytes(send, 304, b"", headers[1:])
    else:
        await _send_body(send, 200, bytes(rows[0][0]), headers, scope)


@cache
def _fonts() -> Mapping[str, FontFile]:
    return {font.path: font for font in font_files()}


async def _send_font(font: FontFile, scope: Scope, send: Send) -> None:
    """Pages under the tracking address have an origin of their own: to them every font is one of another origin."""
    headers = (
        (b"content-type", WOFF2.encode()),
        (b"etag", f'"{font.path}"'.encode()),
        IMMUTABLE,
        (b"access-control-allow-origin", b"*"),
        (b"cross-origin-resource-policy", b"cross-origin"),
        (b"content-security-policy", b"default-src 'none'; sandbox"),
        (b"x-content-type-options", b"nosniff"),
    )
    if _has(scope, font.path):
        await send_bytes(send, 304, b"", headers[1:])
    else:
        await _send_body(send, 200, font.body, headers, scope)


async def _send_body(
    send: Send, status: int, body: bytes, headers: tuple[tuple[bytes, bytes], ...], scope: Scope
) -> None:
    if scope["method"] == "HEAD":
        length = (b"content-length", str(len(body)).encode())
        await send({"type": "http.response.start", "status": status, "headers": [*headers, length]})
        await send({"type": "http.response.body", "body": b""})
    else:
        await send_bytes(send, status, body, headers)


async def _redirect(send: Send, address: str, scope: Scope) -> None:
    """Redirects without caching by browsers: a site may move, and a link may get the name of a page. The query
    stays."""
    query: bytes = scope["query_string"]
    target = address.encode() + (b"?" + query if query else b"")
    await send_bytes(send, 302, b"", ((b"location", target), (b"cache-control", b"no-cache")))


async def _unavailable(send: Send, error: Unavailable) -> None:
    await send_page(send, 503, "Please try again", "This page cannot be shown right now.", error.retry_after)


async def _not_here(send: Send) -> None:
    await send_page(send, 404, "Page not found", "There is no page at this address.")


def _has(scope: Scope, etag: str) -> bool:
    """Returns whether the client has this version of the file."""
    sent = next((value for name, value in scope["headers"] if name == b"if-none-match"), b"")
    return any(one.strip().removeprefix("W/") in (f'"{etag}"', "*") for one in sent.decode("latin-1").split(","))
