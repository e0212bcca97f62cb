"""What visitors of published sites get: under the tracking address, and under a custom domain."""

from __future__ import annotations

import subprocess
from pathlib import Path
from uuid import UUID, uuid4

import httpx
import pytest

from infra.ops.bootstrap import browser
from tests.api.ingest.test_domains import PROBE, new_host
from tests.support.engines import wait_until
from tests.support.ingest_service import IngestService, Site, Tail
from tests.support.user_agents import BROWSER

POLICY = "default-src 'none'; script-src 'self'"
FILES = {
    "index.html": ("text/html; charset=utf-8", POLICY, "<h1>Home</h1>"),
    "a/b/index.html": ("text/html; charset=utf-8", POLICY, "<h1>Deep</h1>"),
    "404.html": ("text/html; charset=utf-8", POLICY, "<h1>Nothing</h1>"),
    "feed.xml": ("application/atom+xml", "", "<feed/>"),
    "robots.txt": ("text/plain; charset=utf-8", "", "User-agent: *"),
}


class Published:
    """A site as publishing would have stored it."""

    def __init__(self, ingest: IngestService, site: Site, domain: UUID | None = None) -> None:
        self.ingest, self.id, self.slug = ingest, uuid4(), f"s-{uuid4().hex[:10]}"
        self.site, self.domain = site, domain
        self.publish("v1")

    def publish(self, version: str) -> None:
        self.unpublish()
        self.ingest.execute(
            "INSERT INTO publishing.served_site VALUES (%s, %s, %s, %s)", self.id, self.site.id, self.slug, self.domain
        )
        for is_own_host in (False, True) if self.domain else (False,):
            for path, (kind, policy, body) in FILES.items():
                self.add(path, kind, policy, f"{body}<!-- {version} -->", is_own_host)

    def add(self, path: str, kind: str, policy: str, body: str, is_own_host: bool) -> None:
        row = (self.id, is_own_host, path, kind, policy, str(hash(body)), body.encode())
        self.ingest.execute("INSERT INTO publishing.site_file VALUES (%s, %s, %s, %s, %s, %s, %s)", *row)

    def unpublish(self) -> None:
        self.ingest.execute("DELETE FROM publishing.served_site WHERE site_id = %s", self.id)

    def get(self, path: str, host: str = "127.0.0.1", **headers: str) -> httpx.Response:
        sent = {"host": host, "user-agent": BROWSER, **headers}
        return httpx.get(self.ingest.url + path, headers=sent, timeout=60)


@pytest.fixture
def published(ingest_service: IngestService, site: Site) -> Published:
    return Published(ingest_service, site)


@pytest.fixture
def host(ingest_service: IngestService, site: Site) -> tuple[str, UUID]:
    name = new_host()
    domain = ingest_service.add_domain(site, name)
    headers = {"host": name}
    url = ingest_service.url + PROBE
    wait_until(lambda: httpx.get(url, headers=headers).text == str(domain), 60, "ingest to learn of the domain")
    return name, domain


def test_an_image_and_its_copy_for_narrow_screens_never_change(published: Published) -> None:
    sql = "INSERT INTO publishing.site_image (site_id, hash, width, height, body, narrow) VALUES (%s, %s, 9, 9, %s, %s)"
    wide, small = "ab" * 32, "cd" * 32
    published.ingest.execute(sql, published.id, wide, b"wide", b"narrow")
    published.ingest.execute(sql, published.id, small, b"small", None)
    images = f"/sites/{published.slug}/images"
    tags = set()
    for name, body in ((wide, "wide"), (f"{wide}-800", "narrow"), (small, "small")):
        answer = published.get(f"{images}/{name}.webp")
        assert (answer.status_code, answer.text) == (200, body) and "immutable" in answer.headers["cache-control"]
        tags.add(answer.headers["etag"])
        again = published.get(f"{images}/{name}.webp", **{"if-none-match": answer.headers["etag"]})
        assert again.status_code == 304
    assert len(tags) == 3
    for name in (f"{small}-800", f"{wide}-400", "0" * 64):
        assert published.get(f"{images}/{name}.webp").status_code == 404


def test_pages_are_served_with_their_policy_in_a_sandbox(published: Published) -> None:
    answer = published.get(f"/sites/{published.slug}/")
    assert answer.status_code == 200 and "Home" in answer.text
    policy = answer.headers["content-security-policy"]
    assert policy.startswith(POLICY) and "frame-ancestors 'none'" in policy
    assert "sandbox allow-scripts" in policy and "allow-same-origin" not in policy
    assert answer.headers["cache-control"] == "public, no-cache"
    assert answer.headers["x-content-type-options"] == "nosniff"
    feed = published.get(f"/sites/{published.slug}/feed.xml")
    assert "default-src 'none'" in feed.headers["content-security-policy"]


HOSTILE = """<!doctype html><title>quiet</title>
<script>document.title = "inline"</script>
<img src="images/none.webp" onerror="document.title = 'handler'">
<script src="data:text/javascript,document.title='data'"></script>
<iframe src="/livez" onload="document.title = 'frame'"></iframe>
<script src="/t.js"></script>"""
"""What a page would be if everything before serving had failed."""


def test_a_hostile_page_runs_nothing_in_a_browser(published: Published, tmp_path: Path) -> None:
    published.add("x/index.html", "text/html; charset=utf-8", POLICY, HOSTILE, False)
    shown = subprocess.run(
        [
            *(browser(), "--headless", "--no-sandbox", f"--user-data-dir={tmp_path}", "--dump-dom"),
            f"{published.ingest.url}/sites/{published.slug}/x/",
        ],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    ).stdout
    assert "<title>quiet</title>" in shown and "onerror" in shown


def test_what_a_browser_has_is_not_sent_again(published: Published) -> None:
    first = published.get(f"/sites/{published.slug}/")
    again = published.get(f"/sites/{published.slug}/", **{"if-none-match": f'"x", W/{first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")


def test_paths_end_with_a_slash_and_unknown_ones_have_the_sites_own_page(published: Published) -> None:
    base = f"/sites/{published.slug}"
    for path, target in ((base, f"{base}/"), (f"{base}/a/b?x=1", f"{base}/a/b/?x=1")):
        answer = published.get(path)
        assert (answer.status_code, answer.headers["location"]) == (302, target)
    assert "Deep" in published.get(f"{base}/a/b/").text
    for path in ("/c", "/c/", "/index.html", "/404.html", "/a", "/..%2f..%2fetc", "/%00", f"/{'a' * 300}"):
        answer = published.get(base + path)
        assert answer.status_code == 404 and "Nothing" in answer.text, path
    assert published.get("/sites/unknown/").status_code == 404


def test_a_release_and_the_end_of_a_site_are_seen_at_once(published: Published) -> None:
    path = f"/sites/{published.slug}/"
    first = published.get(path)
    published.publish("v2")
    second = published.get(path, **{"if-none-match": first.headers["etag"]})
    assert second.status_code == 200 and "v2" in second.text
    published.publish("v1")
    assert published.get(path).text == first.text
    published.unpublish()
    assert published.get(path).status_code == 404


def test_a_custom_domain_has_the_site_at_its_root(
    ingest_service: IngestService, site: Site, host: tuple[str, UUID]
) -> None:
    name, domain = host
    published = Published(ingest_service, site, domain)
    answer = published.get("/", name)
    assert answer.status_code == 200 and "Home" in answer.text
    assert "sandbox" not in answer.headers["content-security-policy"]
    assert "Nothing" in published.get("/unknown/", name).text
    moved = published.get(f"/sites/{published.slug}/a/b/")
    assert (moved.status_code, moved.headers["location"]) == (302, f"https://{name}/a/b/")
    published.unpublish()
    assert published.get("/", name).status_code == 404


def test_a_site_of_another_website_is_not_served_there(ingest_service: IngestService, host: tuple[str, UUID]) -> None:
    name, domain = host
    other = Published(ingest_service, ingest_service.add_site("other.example"), domain)
    assert other.get("/", name).status_code == 404


def test_a_domain_that_is_taken_away_serves_its_site_no_more(
    ingest_service: IngestService, site: Site, host: tuple[str, UUID]
) -> None:
    name, domain = host
    published = Published(ingest_service, site, domain)
    assert published.get("/", name).status_code == 200
    ingest_service.execute("UPDATE read.custom_domains SET is_verified = false WHERE id = %s", domain)
    wait_until(lambda: published.get("/", name).status_code == 404, 60, "ingest to learn of the end")
    assert "Home" in published.get(f"/sites/{published.slug}/").text


def test_a_tracked_link_goes_before_a_page_of_its_name(
    ingest_service: IngestService, site: Site, host: tuple[str, UUID]
) -> None:
    name, domain = host
    slug = ingest_service.add_link(site, ingest_service.add_partner(uuid4().hex), "https://partner.example/")
    published = Published(ingest_service, site, domain)
    for path in (slug, "about"):
        published.add(f"{path}/index.html", FILES["index.html"][0], POLICY, f"<h1>{path}</h1>", True)
    followed = published.get(f"/{slug}", name)
    assert (followed.status_code, followed.headers["location"]) == (302, "https://partner.example/")
    assert published.get(f"/{slug}/", name).text == f"<h1>{slug}</h1>"
    assert published.get("/about", name).headers["location"] == "/about/"
    other = ingest_service.add_link(site, ingest_service.add_partner(uuid4().hex), "https://partner.example/")
    for near in (f"/{other}/", f"/{other}.", f"/{other.upper()}", f"/{slug}.", f"/{slug.upper()}"):
        assert published.get(near, name).headers.get("location") == "https://partner.example/", near
    for unknown in (f"/{other}/more", f"/{other}x/", "/..."):
        assert published.get(unknown, name).status_code == 404, unknown


def test_a_click_counts_for_the_page_and_block_that_its_link_names(
    ingest_service: IngestService, site: Site, clicks: Tail
) -> None:
    slug = ingest_service.add_link(site, ingest_service.add_partner(uuid4().hex), "https://partner.example/")
    query = {"page": "/reviews/tents/", "placement": "best-offer"}
    answer = httpx.get(f"{ingest_service.url}/go/{slug}", params=query, headers={"user-agent": BROWSER})
    assert answer.headers["location"] == "https://partner.example/"
    click = clicks.find(origin="redirect", website_id=str(site.id))
    assert (click["path"], click["placement"]) == ("/reviews/tents/", "best-offer")
    assert (click["hostname"], click["flags"]) == (site.domain, "page")
