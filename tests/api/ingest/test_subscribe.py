"""Newsletter forms of published sites, as visitors and attackers send them."""

from __future__ import annotations

from urllib.parse import urlencode

import httpx
import pytest

from infra.domain.publishing.serving import NEWSLETTER_FORMS
from ingest.endpoints.subscribe import PER_SENDER
from tests.api.ingest.test_domains import new_host
from tests.api.ingest.test_sites import FILES, POLICY, Published
from tests.support.engines import wait_until
from tests.support.ingest_service import IngestService, Site
from tests.support.user_agents import BROWSER

FORM = "application/x-www-form-urlencoded"


class WithForm(Published):
    """A published site with the page that answers its form."""

    def publish(self, version: str) -> None:
        super().publish(version)
        for is_own_host in (False, True) if self.domain else (False,):
            for name in ("sent", "again"):
                self.add(
                    f"subscribe/{name}/index.html", FILES["index.html"][0], POLICY, f"<h1>{name}</h1>", is_own_host
                )

    def post(
        self, fields: dict[str, str] | bytes, path: str = "", host: str = "127.0.0.1", kind: str = FORM
    ) -> httpx.Response:
        body = fields if isinstance(fields, bytes) else urlencode(fields).encode()
        headers = {"host": host, "user-agent": BROWSER, "content-type": kind, "origin": "null"}
        url = self.ingest.url + (path or f"/sites/{self.slug}/subscribe")
        return httpx.post(url, content=body, headers=headers, timeout=60)

    def stored(self) -> list[tuple[str, str, str]]:
        sql = "SELECT email_sealed, page, block FROM publishing.sent_form WHERE site_id = %s ORDER BY sent_at"
        return self.ingest.execute(sql, self.id)


@pytest.fixture(autouse=True)
def from_the_start(ingest_service: IngestService) -> None:
    ingest_service.execute("DELETE FROM publishing.sent_form")


@pytest.fixture
def published(ingest_service: IngestService, site: Site) -> WithForm:
    return WithForm(ingest_service, site)


def test_a_form_is_stored_before_it_is_answered(published: WithForm) -> None:
    answer = published.post({"email": " ada@example.com ", "page": "/reviews/", "block": "news", "website": ""})
    base = f"/sites/{published.slug}"
    assert (answer.status_code, answer.headers["location"]) == (303, f"{base}/subscribe/sent/")
    [(sealed, page, block)] = published.stored()
    assert (page, block) == ("/reviews/", "news") and "ada" not in sealed
    due = published.ingest.execute(
        "SELECT t.id = f.id FROM kernel.timeout AS t, publishing.sent_form AS f WHERE process = %s AND t.id = f.id",
        NEWSLETTER_FORMS,
    )
    assert due == [(True,)]
    assert "sent" in published.get(f"{base}/subscribe/sent/").text


@pytest.mark.parametrize(
    ("fields", "page"),
    [
        ({"email": "ada"}, "again"),
        ({"email": "a@b.example\r\nBcc: c@d.example"}, "again"),
        ({"email": "=?utf-8?q?c=40d.example?=@b.example"}, "again"),
        ({"email": f"{'a' * 300}@b.example"}, "again"),
        ({}, "again"),
        (b"email=\xff\xfe", "again"),
        (b"&".join(b"a=1" for _ in range(50)), "again"),
        ({"email": "ada@example.com", "website": "https://spam.example"}, "sent"),
    ],
)
def test_what_is_no_form_of_a_person_stores_nothing(
    published: WithForm, fields: dict[str, str] | bytes, page: str
) -> None:
    answer = published.post(fields)
    assert answer.status_code == 303 and answer.headers["location"].endswith(f"/subscribe/{page}/")
    assert published.stored() == []


def test_other_bodies_and_methods_are_refused(published: WithForm) -> None:
    assert published.post({"email": "ada@example.com"}, kind="application/json").headers["location"].endswith("again/")
    for size in (5_000, 2_000_000):
        assert published.post(b"email=" + b"a" * size).status_code == 413
    assert published.get(f"/sites/{published.slug}/subscribe").status_code == 404
    for path in (f"/sites/{published.slug}/", f"/sites/{published.slug}/a/subscribe"):
        assert published.post({"email": "ada@example.com"}, path).status_code == 405
    assert published.post({"email": "ada@example.com"}, "/sites/unknown/subscribe").status_code == 404
    assert published.stored() == []


def test_places_that_a_form_makes_up_are_not_kept(published: WithForm) -> None:
    published.post({"email": "ada@example.com", "page": "//evil.example?<b>", "block": "x" * 500})
    assert [row[1:] for row in published.stored()] == [("/", "")]


def test_a_site_without_a_form_takes_none(ingest_service: IngestService, site: Site) -> None:
    without = Published(ingest_service, site)
    url = f"{ingest_service.url}/sites/{without.slug}/subscribe"
    assert httpx.post(url, data={"email": "ada@example.com"}, timeout=60).status_code == 404


def test_one_network_sends_so_many_forms_an_hour_to_all_sites(
    published: WithForm, ingest_service: IngestService, site: Site
) -> None:
    for number in range(PER_SENDER):
        assert published.post({"email": f"a{number}@example.com"}).status_code == 303
    refused = WithForm(ingest_service, site).post({"email": "b@example.com"})
    assert refused.status_code == 429 and int(refused.headers["retry-after"]) > 0


def test_a_custom_domain_takes_the_forms_of_its_own_site(ingest_service: IngestService, site: Site) -> None:
    name = new_host()
    domain = ingest_service.add_domain(site, name)
    published = WithForm(ingest_service, site, domain)
    wait_until(lambda: published.get("/", name).status_code == 200, 60, "ingest to learn of the domain")
    answer = published.post({"email": "ada@example.com"}, "/subscribe", name)
    assert (answer.status_code, answer.headers["location"]) == (303, "/subscribe/sent/")
    exported = published.post({"email": "eve@example.com"})
    assert exported.headers["location"] == f"https://{name}/subscribe/sent/"
    assert len(published.stored()) == 2
    other = WithForm(ingest_service, ingest_service.add_site("other.example"))
    assert other.post({"email": "ada@example.com"}, f"/sites/{other.slug}/subscribe", name).status_code == 405
    assert other.stored() == []
