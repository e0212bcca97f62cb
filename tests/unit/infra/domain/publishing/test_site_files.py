"""The files of a site: pages, sitemap, feed, robots.txt, 404, and the zip for a static host."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from datetime import timedelta
from urllib.parse import urljoin, urlsplit
from uuid import UUID
from zipfile import ZipFile

from infra.domain.publishing.render import PageDates, SiteFile, archive, render_site
from infra.domain.publishing.render.wording import wording_of
from tests.support.published_pages import ABOUT, DATES, HOME, PHOTO, TENTS, blocks, page, site, surroundings
from tests.support.strict_html import read

ATOM = "{http://www.w3.org/2005/Atom}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
DOCUMENTS = {TENTS: page(*blocks())}


def rendered(**changes: object) -> Mapping[str, SiteFile]:
    return render_site(site(), DOCUMENTS, surroundings(**changes))


def tree(file: SiteFile) -> ElementTree.Element:
    return ElementTree.fromstring(file.body)  # noqa: S314 - our own


def test_a_site_is_its_pages_and_what_machines_read() -> None:
    files = rendered()
    assert set(files) == {
        "index.html",
        "reviews/tents/index.html",
        "about/index.html",
        "404.html",
        "robots.txt",
        "sitemap.xml",
        "feed.xml",
        "subscribe/sent/index.html",
        "subscribe/again/index.html",
    }
    for path in files:
        if path.endswith(".html"):
            read(files[path].body)


def test_a_form_is_answered_in_the_look_and_language_of_the_site() -> None:
    around = surroundings(base_address="https://host.example/sites/tents/")
    files = render_site(site(language="de"), DOCUMENTS, around)
    sent, refused = (read(files[f"subscribe/{name}/index.html"].body) for name in ("sent", "again"))
    assert list(sent.headings()) == [(1, "Prüfen Sie Ihr Postfach")]
    assert list(refused.headings()) == [(1, wording_of("de").refused)]
    assert sent.meta("robots") == refused.meta("robots") == "noindex"
    assert "/sites/tents/" in [link.attributes["href"] for link in sent.all("a")]
    assert "form-action 'none'" in files["subscribe/sent/index.html"].security_policy
    without = render_site(site(), {TENTS: page({"type": "article", "markdown": "x"})}, around)
    assert "subscribe/sent/index.html" not in without


def test_the_sitemap_has_indexed_pages_with_the_day_of_their_release() -> None:
    entries = [{part.tag: part.text for part in url} for url in tree(rendered()["sitemap.xml"])]
    assert entries == [
        {f"{SITEMAP}loc": "https://tents.example/"},
        {f"{SITEMAP}loc": "https://tents.example/reviews/tents/", f"{SITEMAP}lastmod": "2026-04-02T12:00:00Z"},
    ]


def test_the_feed_has_published_articles_the_newest_first() -> None:
    article = page({"type": "article", "markdown": "x"})
    later = PageDates(DATES.published + timedelta(days=1), DATES.updated)
    around = surroundings(dates={TENTS: DATES, HOME: later, ABOUT: later})
    files = render_site(site(), {HOME: article, TENTS: DOCUMENTS[TENTS], ABOUT: article}, around)
    feed = tree(files["feed.xml"])
    assert feed.findtext(f"{ATOM}title") == "Rain & Tents" and feed.findtext(f"{ATOM}updated") == "2026-04-02T12:00:00Z"
    entries = feed.findall(f"{ATOM}entry")
    assert [(entry.findtext(f"{ATOM}title"), entry.findtext(f"{ATOM}published")) for entry in entries] == [
        ("Start", "2026-03-02T12:00:00Z"), ("Tents", "2026-03-01T12:00:00Z"),
    ]  # fmt: skip
    assert entries[1].findtext(f"{ATOM}id") == f"urn:uuid:{TENTS}"
    assert [entry.find(f"{ATOM}link").get("href") for entry in entries] == [  # type: ignore[union-attr]
        "https://tents.example/", "https://tents.example/reviews/tents/",
    ]  # fmt: skip
    assert not tree(render_site(site(), {}, around)["feed.xml"]).findall(f"{ATOM}entry")


def test_crawlers_are_led_to_the_sitemap() -> None:
    assert rendered()["robots.txt"].body == b"User-agent: *\nAllow: /\nSitemap: https://tents.example/sitemap.xml\n"


def test_the_404_page_works_at_any_depth() -> None:
    document = read(rendered(base_address="https://host.example/sites/tents/")["404.html"].body)
    assert list(document.headings()) == [(1, "Page not found")] and document.meta("robots") == "noindex"
    addresses = [link.attributes["href"] for link in document.all("a")]
    assert addresses == [
        "#main", "/sites/tents/", "/sites/tents/reviews/tents/", "/sites/tents/about/", "/sites/tents/",
    ]  # fmt: skip


def test_every_link_inside_an_export_leads_to_a_file_of_it() -> None:
    files = {**rendered(base_address=""), f"images/{PHOTO}.webp": SiteFile(b"RIFF", "image/webp")}
    assert "sitemap.xml" not in files and files["robots.txt"].body == b"User-agent: *\nAllow: /\n"
    for path in files:
        if not path.endswith("index.html"):
            continue
        document = read(files[path].body)
        addresses = [link.attributes["href"] for link in document.all("a")]
        addresses += [image.attributes["src"] for image in document.all("img")]
        for address in addresses:
            parts = urlsplit(urljoin(f"http://host/folder/{path}", address))
            if parts.netloc == "host" and not address.startswith("#"):
                target = parts.path.removeprefix("/folder/")
                assert (f"{target}index.html" if target == "" or target.endswith("/") else target) in files


def test_an_archive_is_the_same_for_the_same_site() -> None:
    files = {**rendered(), f"images/{PHOTO}.webp": SiteFile(b"RIFF", "image/webp")}
    content = archive(files)
    assert content == archive(dict(reversed(files.items())))
    with ZipFile(io.BytesIO(content)) as found:
        assert found.namelist() == sorted(files) and found.testzip() is None
        assert {entry.date_time for entry in found.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert all(found.read(path) == files[path].body for path in files)


def test_64_pages_of_the_same_theme_share_one_style_sheet() -> None:
    pages = [
        {"id": str(UUID(int=number + 1)), "path": f"p{number}" if number else "", "title": "x"} for number in range(64)
    ]
    files = render_site(site(pages=pages, navigation=[]), {}, surroundings())
    assert len(files) == 68 and len({file.security_policy for file in files.values() if file.security_policy}) == 1
