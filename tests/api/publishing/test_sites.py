"""A site from its creation to its end: over the API, as its editor calls it, and what ingest is given to serve."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any, cast
from uuid import UUID, uuid4
from zipfile import ZipFile

import httpx
import psycopg
import pytest

from command_api.websites import model as websites
from infra.kernel.postgres.rows import PostgresRows
from projectors.read_models.publishing.site_versions import SITE_VERSIONS
from projectors.read_models.publishing.sites import SITES as SITES_READ
from schemas.base import DomainEvent
from tests.support.full_api import Api, SampleData
from tests.support.rows_beside_events import wrong_rows

SITES = "/api/platform/sites"


@pytest.fixture(scope="module")
def sample(full_api: Api) -> SampleData:
    return SampleData(full_api)


class Editor:
    """Calls as the owner of the sample."""

    def __init__(self, api: Api, sample: SampleData) -> None:
        self.api, self.sample = api, sample
        self._begin(str(sample.website))

    def _begin(self, website: str) -> None:
        body = {"websiteId": website, "name": "Tents", "slug": f"s-{uuid4().hex[:12]}"}
        self.site = self.call("POST", SITES, json=body).json()
        self.page = uuid4()
        document = {"name": "Tents", "pages": [{"id": str(self.page), "path": "", "title": "Home"}]}
        self.site = self.call("PUT", f"{self.path}/document", json={"document": document, "basedOn": 1}).json()

    @property
    def path(self) -> str:
        return f"{SITES}/{self.site['id']}"

    def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        return self.api.call(method, path, self.sample.owner, **options)

    def save(self, text: str, based_on: int) -> httpx.Response:
        block = {"id": str(uuid4()), "type": "article", "markdown": text}
        body = {"document": {"blocks": [block]}, "basedOn": based_on}
        return self.call("PUT", f"{self.path}/pages/{self.page}", json=body)

    def project(self) -> None:
        """What the projectors do with the site and its page, from the beginning."""
        for model in (SITES_READ, SITE_VERSIONS):
            rows = PostgresRows(self.api.query.postgres, model.table(1), model.key)
            for aggregate in (UUID(self.site["id"]), self.page):
                for event in self.api.core.store.events.get(aggregate):
                    if (handler := model.handlers.get(cast(type[DomainEvent], type(event)))) is not None:
                        handler(rows, event)
            rows.flush()

    def served(self) -> dict[str, str]:
        """The files that ingest serves of the site, by path."""
        sql = "SELECT path, convert_from(body, 'UTF8') FROM publishing.site_file WHERE site_id = %s"
        return dict(self.api.query.postgres.execute(sql, (UUID(self.site["id"]),)).fetchall())

    def tags(self) -> dict[str, str]:
        sql = "SELECT path, etag FROM publishing.site_file WHERE site_id = %s"
        return dict(self.api.query.postgres.execute(sql, (UUID(self.site["id"]),)).fetchall())

    def key(self) -> str:
        """The key in the script of the home page, which is that of the 404 page."""
        [home], [missing] = (
            re.findall(r'<script defer src="/t\.js" data-site="(\w+)"></script>', self.served()[path])
            for path in ("index.html", "404.html")
        )
        assert home == missing
        return str(home)

    def connect(self) -> UUID:
        """Begins again with a site of a website of its own."""
        website = self.call("POST", "/api/platform/websites", json={"domain": f"{uuid4().hex}.example"}).json()["id"]
        self._begin(website)
        return UUID(website)

    def revoke(self, website: UUID, text: str) -> int:
        found = self.api.core.load(website, websites.evolve)
        assert found is not None
        [key] = [id_ for id_, key in found.keys.items() if key.public_key == text]
        return self.call("DELETE", f"/api/platform/websites/{website}/keys/{key}").status_code


@pytest.fixture
def editor(full_api: Api, sample: SampleData) -> Editor:
    return Editor(full_api, sample)


def test_releases_are_served_rolled_back_and_ended(editor: Editor) -> None:
    assert editor.save(f"First. [Buy](link:{editor.sample.link})", 0).json()["version"] == 1
    assert editor.served() == {}
    published = editor.call("POST", f"{editor.path}/publish")
    assert published.status_code == 200 and published.json()["published"] == 1, published.text
    first = editor.served()
    assert set(first) == {"index.html", "404.html", "robots.txt", "sitemap.xml", "feed.xml"}
    home = first["index.html"]
    assert 'src="/t.js" data-site="pk_' in home and 'rel="sponsored nofollow noopener"' in home
    path = f"/sites/{editor.site['slug']}/"
    assert f"page={path.replace('/', '%2F')}&amp;placement=" in home
    assert 'rel="canonical"' in home and f'{path}"' in home

    assert editor.save("Second.", 1).json()["version"] == 2
    assert editor.served() == first
    assert editor.call("POST", f"{editor.path}/publish").json()["published"] == 2
    assert "Second." in editor.served()["index.html"]

    assert editor.call("POST", f"{editor.path}/releases/1/publish").json()["published"] == 3
    assert "First." in editor.served()["index.html"]
    assert editor.call("POST", f"{editor.path}/releases/9/publish").status_code == 404

    slug = f"s-{uuid4().hex[:12]}"
    moved = editor.call("PUT", f"{editor.path}/address", json={"slug": slug, "domainId": None})
    assert moved.json()["slug"] == slug and f"/sites/{slug}/" in editor.served()["index.html"]

    assert editor.call("POST", f"{editor.path}/unpublish").json()["published"] is None
    assert editor.served() == {}
    assert editor.call("DELETE", editor.path).status_code == 204
    assert editor.call("POST", f"{editor.path}/publish").status_code == 404


def test_placeholders_are_published_only_by_who_means_them(editor: Editor) -> None:
    editor.save("By [Your name], for [Name of product A].", 0)
    refused = editor.call("POST", f"{editor.path}/publish")
    assert (refused.status_code, refused.json()["code"]) == (409, "placeholders_left")
    assert refused.json()["placeholders"] == 2
    assert "Page “Home”: 2" in refused.json()["message"] and editor.served() == {}
    editor.project()
    listed = editor.call("GET", f"{editor.path}/placeholders").json()
    assert listed["count"] == 2
    assert [(one["pageId"], one["field"], one["text"]) for one in listed["places"]] == [
        (str(editor.page), "markdown", "[Your name]"),
        (str(editor.page), "markdown", "[Name of product A]"),
    ]
    meant = editor.call("POST", f"{editor.path}/publish", json={"allowsPlaceholders": True})
    assert meant.status_code == 200 and "[Your name]" in editor.served()["index.html"]
    # Nothing changed: visitors already see it.
    assert editor.call("POST", f"{editor.path}/publish").json()["published"] == 1
    assert editor.save("By Ada.", 1).json()["version"] == 2
    editor.project()
    assert editor.call("GET", f"{editor.path}/placeholders").json() == {"count": 0, "places": []}
    assert editor.call("POST", f"{editor.path}/publish").json()["published"] == 2
    # The earlier release comes back as it was.
    assert editor.call("POST", f"{editor.path}/releases/1/publish").json()["published"] == 3


def test_pages_get_the_next_key_when_theirs_is_revoked(editor: Editor) -> None:
    website = editor.connect()
    sampled = 'data-site="pk_sample"'
    editor.save(f'`<script defer src="/t.js" {sampled}>` is how', 0)
    editor.call("POST", f"{editor.path}/publish")
    keys = f"/api/platform/websites/{website}/keys"
    first = editor.key()
    bound = {"kind": "site", "allowedOrigins": ["https://shop.example"]}
    assert editor.call("POST", keys, json=bound).status_code == 201
    second = editor.call("POST", keys, json={"kind": "site"}).json()
    assert editor.key() == first != second["key"]

    tags = editor.tags()
    assert editor.revoke(website, first) == 204
    assert editor.key() == second["key"] and sampled in editor.served()["index.html"]
    changed = {path for path, tag in editor.tags().items() if tag != tags[path]}
    assert changed == {"index.html", "404.html"}

    tags = editor.tags()
    assert editor.revoke(website, second["key"]) == 204, "a key is revoked even if no other is there"
    assert editor.tags() == tags
    assert editor.call("POST", keys, json={"kind": "secret"}).status_code == 201
    third = editor.call("POST", keys, json={"kind": "site"}).json()
    assert editor.key() == third["key"]
    renewed = editor.served(), editor.tags()
    editor.call("PUT", f"{editor.path}/address", json={"slug": f"s-{uuid4().hex[:12]}", "domainId": None})
    editor.call("PUT", f"{editor.path}/address", json={"slug": editor.site["slug"], "domainId": None})
    assert (editor.served(), editor.tags()) == renewed, "as rendered with this key"


def test_the_second_of_two_editors_gets_the_version_of_the_first(editor: Editor) -> None:
    editor.save("Mine.", 0)
    refused = editor.save("Theirs.", 0)
    assert (refused.status_code, refused.json()["code"], refused.json()["version"]) == (409, "page_changed", 1)
    assert editor.save("Theirs.", 1).json()["version"] == 2


def test_what_is_refused_changes_nothing(editor: Editor) -> None:
    editor.save("Good.", 0)
    path = f"{editor.path}/pages/{editor.page}"
    block = {"id": str(uuid4())}
    unsafe = {"kind": "web", "url": "JavaScript:alert(1)"}
    for blocks, code in (
        ([{**block, "type": "carousel"}], "unknown_type"),
        ([{"id": str(uuid4()), "type": "disclosure", "text": "Ads."} for _ in range(500)], "invalid_document"),
        ([{**block, "type": "article", "markdown": "a" * 300_000}], "document_too_large"),
        ([{**block, "type": "offers", "offers": [{"name": "A", "target": unsafe}]}], "invalid_document"),
    ):
        answer = editor.call("PUT", path, json={"document": {"blocks": blocks}, "basedOn": 1})
        assert (answer.status_code, answer.json()["code"]) == (400, code), answer.text
        assert answer.json()["errors"][0]["field"].startswith("document"), answer.text
    too_long = {"document": {"blocks": [{**block, "type": "article", "markdown": "a" * 2_000_000}]}, "basedOn": 1}
    assert editor.call("PUT", path, json=too_long).status_code == 413
    taken = {"websiteId": str(editor.sample.website), "name": "Tents", "slug": editor.site["slug"]}
    assert editor.call("POST", SITES, json=taken).json()["code"] == "slug_taken"
    assert editor.save("Better.", 1).json()["version"] == 2


def test_a_draft_is_previewed_without_a_script_and_exported(full_api: Api, sample: SampleData) -> None:
    path = f"{SITES}/{sample.site}"
    blocks = [
        {"id": str(uuid4()), "type": "article", "markdown": f"<script>alert(1)</script> [Buy](link:{uuid4()})"},
        {"id": str(uuid4()), "type": "disclosure", "text": "[Your name] earns from links."},
    ]
    order = {"pageId": str(sample.site_page), "page": {"blocks": blocks}}
    answer = full_api.call("POST", f"{path}/preview", sample.owner, json=order)
    assert answer.status_code == 200, answer.text
    shown = answer.json()
    assert "earns from links" in shown["html"] and "<script" not in shown["html"]
    assert [problem["code"] for problem in shown["problems"]] == ["link_missing"]
    assert [place["text"] for place in shown["placesToFill"]] == ["[Your name]"]
    order["page"] = {"blocks": [{"id": "x", "type": "carousel"}]}
    assert full_api.call("POST", f"{path}/preview", sample.owner, json=order).status_code == 400
    zipped = full_api.call("GET", f"{path}/export", sample.owner)
    assert zipped.headers["content-type"] == "application/zip"
    with ZipFile(BytesIO(zipped.content)) as opened:
        assert sorted(opened.namelist()) == ["404.html", "index.html", "robots.txt"]


def test_previews_are_limited_by_account_and_by_size(full_api: Api, sample: SampleData) -> None:
    path, order = f"{SITES}/{sample.site}/preview", {"pageId": str(sample.site_page)}
    limits = full_api.query.postgres
    own = f"site-preview:{sample.owner.account_id}"
    for account, status in ((sample.owner.account_id, 429), (uuid4(), 200)):
        limits.execute("DELETE FROM kernel.rate_limit WHERE bucket = %s", (own,))
        used_up = "INSERT INTO kernel.rate_limit VALUES (%s, now() + interval '5 minutes')"
        limits.execute(used_up, (f"site-preview:{account}",))
        answer = full_api.call("POST", path, sample.owner, json=order)
        assert answer.status_code == status, answer.text
        assert ("retry-after" in answer.headers) == (status == 429)
    assert limits.execute("SELECT count(*) FROM kernel.rate_limit WHERE bucket = %s", (own,)).fetchone() == (1,)
    stranger = full_api.query.person()
    assert full_api.call("POST", path, stranger, json=order).status_code == 404
    for size, refused in ((300_000, 400), (1_100_000, 413)):
        block = {"id": str(uuid4()), "type": "article", "markdown": "a" * size}
        answer = full_api.call("POST", path, sample.owner, json={**order, "page": {"blocks": [block]}})
        assert answer.status_code == refused, answer.text


def test_the_query_service_sees_no_other_limits(full_api: Api) -> None:
    connection = full_api.query.postgres
    try:
        connection.execute("INSERT INTO kernel.rate_limit VALUES ('code:x', now()), ('site-preview:x', now())")
        connection.execute("SET ROLE query_reader")
        seen = connection.execute("SELECT bucket FROM kernel.rate_limit WHERE bucket LIKE '%:x'").fetchall()
        assert seen == [("site-preview:x",)]
        assert connection.execute("UPDATE kernel.rate_limit SET tat = now() WHERE bucket = 'code:x'").rowcount == 0
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("INSERT INTO kernel.rate_limit VALUES ('code:y', now())")
    finally:
        connection.execute("RESET ROLE")
        connection.execute("DELETE FROM kernel.rate_limit WHERE bucket LIKE '%:x'")


def test_the_owner_sees_documents_versions_and_releases(full_api: Api, sample: SampleData) -> None:
    path = f"{SITES}/{sample.site}"
    [site] = [one for one in full_api.call("GET", SITES, sample.owner).json() if one["id"] == str(sample.site)]
    assert (site["name"], site["published"], site["pages"], site["hasChanges"]) == ("Tents", 1, 1, False)
    assert site["address"].endswith("/sites/tents/")
    details = full_api.call("GET", path, sample.owner).json()
    assert details["document"] == sample.site_document and details["pageStates"][0]["version"] == 1
    page = full_api.call("GET", f"{path}/pages/{sample.site_page}", sample.owner).json()
    assert (page["document"], page["siteId"]) == ({"blocks": []}, str(sample.site))
    assert [one["version"] for one in full_api.call("GET", f"{path}/versions", sample.owner).json()] == [1]
    [release] = full_api.call("GET", f"{path}/releases", sample.owner).json()
    assert (release["number"], release["isShown"]) == (1, True)
    assert len(full_api.call("GET", f"{SITES}/starters", sample.owner).json()) == 7
    assert full_api.call("GET", f"{path}/pages/{uuid4()}", sample.owner).status_code == 404


def test_a_page_of_links_is_a_site_that_can_be_published_at_once(editor: Editor) -> None:
    website, link = str(editor.sample.website), str(editor.sample.link)
    body = {"websiteId": website, "name": "@fjord", "slug": f"s-{uuid4().hex[:12]}", "links": [link]}
    for wrong, status in (({"links": [str(uuid4())]}, 404), ({"links": []}, 400), ({"niche": "vpn"}, 400)):
        assert editor.call("POST", SITES, json={**body, **wrong}).status_code == status, wrong
    editor.site = editor.call("POST", SITES, json=body).json()
    assert editor.call("POST", f"{editor.path}/publish").status_code == 200
    page = editor.served()["index.html"]
    assert "<h1>@fjord</h1>" in page and page.count('rel="sponsored nofollow') == 1
    assert "we receive a commission" in page


def test_the_audit_finds_the_rows_of_sites_that_this_module_has_left_right(
    full_api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared, wrong = wrong_rows(full_api.core.settings, ("publishing.",), monkeypatch)
    assert compared > 0 and wrong == []
