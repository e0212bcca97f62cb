"""Given modules that are switched off, when their pages are requested, then there are none, and documents say so."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from infra.services.gateway.static import StaticSite

PAGES = ["/", "/forum", "/forum/thread/$id", "/marketplace", "/about"]
SITEMAP = (
    "<urlset>\n  <url><loc>https://origin.invalid/forum</loc></url>\n"
    "  <url><loc>https://origin.invalid/about</loc><lastmod>2026-01-01</lastmod></url>\n</urlset>"
)


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    (tmp_path / "pages.json").write_bytes(orjson.dumps(PAGES))
    for name in ("index", "home", "about", "forum", "404"):
        (tmp_path / f"{name}.html").write_text(f'<!doctype html><html lang="en"><title>{name}</title></html>')
    (tmp_path / "sitemap.xml").write_text(SITEMAP)
    return tmp_path


def test_pages_of_a_module_that_is_off_are_404(dist: Path) -> None:
    site = StaticSite(dist, origin="https://althing.example", without=("forum",))
    statuses = {
        path: site.answer(path, b"", b"")[0] for path in ("/forum", "/forum/thread/7", "/marketplace", "/about")
    }
    assert statuses == {"/forum": 404, "/forum/thread/7": 404, "/marketplace": 200, "/about": 200}


def test_documents_and_sitemap_say_what_is_off(dist: Path) -> None:
    site = StaticSite(dist, origin="https://althing.example", without=("builder", "forum"))
    assert b'<html data-without="builder forum" lang="en">' in site.answer("/about", b"", b"")[2]
    sitemap = site.answer("/sitemap.xml", b"", b"")[2]
    assert b"/forum" not in sitemap and b"https://althing.example/about" in sitemap


def test_with_everything_on_documents_are_as_they_were_built(dist: Path) -> None:
    site = StaticSite(dist)
    assert site.answer("/forum", b"", b"")[::2] == (200, (dist / "forum.html").read_bytes())
    assert site.answer("/sitemap.xml", b"", b"")[2] == SITEMAP.encode()
