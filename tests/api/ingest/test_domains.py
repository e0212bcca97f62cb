"""What ingest serves under publishers' own names, and what the reverse proxy hears before it gets a certificate."""

from __future__ import annotations

import re
import socket
from uuid import uuid4

import httpx
import pytest

from ingest.directory.refresh import EVERY_S
from tests.support.engines import wait_until
from tests.support.ingest_service import IngestService, Site, Tail
from tests.support.user_agents import BROWSER

PROBE = "/.well-known/tracking-domain"
DESTINATION = "https://www.good-vpn.example/"


def new_host() -> str:
    return f"go.{uuid4().hex[:10]}.example"


def under(
    ingest_service: IngestService, host: str, path: str, method: str = "GET", **options: object
) -> httpx.Response:
    headers = {"host": host, "user-agent": BROWSER}
    return httpx.request(method, ingest_service.url + path, headers=headers, timeout=60, **options)  # type: ignore[arg-type]  # named arguments of several types


@pytest.fixture
def host(ingest_service: IngestService, site: Site) -> str:
    """A verified domain that ingest knows."""
    name = new_host()
    domain = ingest_service.add_domain(site, name)
    wait_until(lambda: under(ingest_service, name, PROBE).text == str(domain), 60, "ingest to learn of the domain")
    return name


def test_links_of_the_website_are_served_by_slug_and_by_go(
    ingest_service: IngestService, site: Site, host: str, clicks: Tail
) -> None:
    slug = ingest_service.add_link(site, ingest_service.add_partner(uuid4().hex), DESTINATION + "?c={click_id}")
    for path, name in ((f"/{slug}?sub1=a", host), (f"/go/{slug}", f"{host.upper()}.:443")):
        answer = under(ingest_service, name, path)
        assert answer.status_code == 302 and answer.headers["location"].startswith(DESTINATION)
        cookie = answer.headers["set-cookie"]
        assert cookie.startswith("aff_click_id=") and "domain" not in cookie.lower()
        click = clicks.find(origin="redirect", website_id=str(site.id))
        assert click["click_id"] in answer.headers["location"]


@pytest.mark.parametrize("after", ["/", ".", "/.", ",", ")", "?x", "%22", "…", "%20", "!"])
def test_a_link_is_followed_however_it_was_written_down(
    ingest_service: IngestService, site: Site, host: str, after: str
) -> None:
    slug = ingest_service.add_link(site, ingest_service.add_partner(uuid4().hex), DESTINATION)
    for name, path in ((host, "/"), (host, "/go/"), (host, "/GO/"), ("127.0.0.1", "/go/"), ("127.0.0.1", "/Go/")):
        for written in (slug, slug.upper(), slug.title()):
            answer = under(ingest_service, name, f"{path}{written}{after}")
            assert (answer.status_code, answer.headers.get("location")) == (302, DESTINATION), (path, written)
    for wrong in (f"/go/{slug}-", f"/go/{slug}/more", f"/go/-{slug}", f"/go//{slug}"):
        assert under(ingest_service, host, wrong).status_code == 404, wrong


def test_links_of_another_website_are_not_there(ingest_service: IngestService, host: str) -> None:
    other = ingest_service.add_site("other.example")
    slug = ingest_service.add_link(other, ingest_service.add_partner(uuid4().hex), DESTINATION)
    assert under(ingest_service, host, f"/{slug}").status_code == 404
    assert under(ingest_service, host, f"/go/{slug}").status_code == 404
    assert under(ingest_service, "127.0.0.1", f"/go/{slug}").status_code == 302
    assert under(ingest_service, "127.0.0.1", f"/{slug}").status_code == 404


NOT_THERE = (
    *("/", "/api/platform/user", "/login", "/index.html", "/assets/app.js", "/go/", "/.well-known/acme-challenge/x"),
    *("/metrics", "/livez", "/readyz", "/postback", "/track/conversions/1", "/internal/domain-check"),
)


@pytest.mark.parametrize("path", NOT_THERE)
def test_nothing_else_is_served_there(ingest_service: IngestService, host: str, path: str) -> None:
    assert under(ingest_service, host, path).status_code == 404


ODD_ADDRESSES = (
    *(
        "//evil.example",
        "///evil.example/",
        "/\\evil.example",
        "/\\/evil.example",
        "/%2f%2fevil.example",
        "/%5cevil.example",
    ),
    *(
        "/https://evil.example",
        "/https:evil.example",
        "/go/https://evil.example",
        "/go//evil.example",
        "/go/\\evil.example",
    ),
    *("/go/%2f%2fevil.example", "/go/..//evil.example", "/go/%2e%2e/evil.example", "/{slug}/../evil.example"),
    *("/{slug}//evil.example", "/{slug}%2f..%2fevil.example", "/{slug}@evil.example", "/{slug}.evil.example"),
    *("/{slug}%00.evil.example", "/{slug}%0d%0aLocation:%20https://evil.example", "/{slug};https://evil.example"),
    *("/{slug}?url=https://evil.example", "/{slug}?to=//evil.example&next=//evil.example&destination=//evil.example"),
    *("/{slug}?sub1=//evil.example&sub2=@evil.example", "/{slug}?sub1=%0d%0aLocation:%20https://evil.example"),
    *(
        "/go/{slug}?https://evil.example",
        "/go/{slug}#@evil.example",
        "http://evil.example/{slug}",
        "http://evil.example/",
    ),
)


def test_no_odd_address_leads_elsewhere(ingest_service: IngestService, site: Site, host: str) -> None:
    """Sent as they are, since clients for HTTP would tidy them. Whatever redirects, redirects to the partner."""
    slug = ingest_service.add_link(site, ingest_service.add_partner(uuid4().hex), DESTINATION + "{sub1}?b={sub2}")
    led = 0
    for name in (host, "127.0.0.1", "evil.example"):
        for address in ODD_ADDRESSES:
            answer = raw(
                ingest_service, f"GET {address.format(slug=slug)} HTTP/1.1\r\nHost: {name}\r\nConnection: close\r\n\r\n"
            )
            status, told = int(answer.split(b" ")[1]), re.findall(rb"(?im)^location: ?([^\r]*)", answer)
            if 300 <= status < 400:
                led += 1
                assert len(told) == 1 and told[0].startswith(DESTINATION.encode()), (address, told)
            else:
                assert status in (400, 404) and not told, (address, status, told)
    assert led >= 5, "the links themselves do"


def raw(ingest_service: IngestService, request: str) -> bytes:
    """The head of the answer to a request that no client would send."""
    with socket.create_connection(("127.0.0.1", ingest_service.port), timeout=60) as link:
        link.sendall(request.encode())
        return b"".join(iter(lambda: link.recv(65_536), b"")).partition(b"\r\n\r\n")[0]


def test_pages_send_their_events_to_their_own_domain(
    ingest_service: IngestService, site: Site, host: str, clicks: Tail
) -> None:
    assert under(ingest_service, host, "/t.js").status_code == 200
    sent = {"type": "pageview", "site": site.site_key, "url": "https://own.example/a"}
    assert under(ingest_service, host, "/track", "POST", json=sent).status_code == 202
    assert clicks.find(type="pageview", website_id=str(site.id))


def test_a_domain_that_is_lost_serves_nothing_within_seconds(
    ingest_service: IngestService, site: Site, host: str
) -> None:
    assert EVERY_S <= 5, "so often at least it is looked up"
    slug = ingest_service.add_link(site, ingest_service.add_partner(uuid4().hex), DESTINATION)
    assert under(ingest_service, host, f"/{slug}").status_code == 302
    ingest_service.execute("UPDATE read.custom_domains SET is_verified = false WHERE domain = %s", host)
    wait_until(
        lambda: under(ingest_service, host, f"/{slug}").status_code == 404, 60, "ingest to learn that it is lost"
    )
    for path in (f"/go/{slug}", "/t.js", PROBE):
        assert under(ingest_service, host, path).status_code == 404
    assert check(ingest_service, host).status_code == 404


def test_a_domain_of_a_website_that_is_gone_serves_nothing(
    ingest_service: IngestService, host: str, site: Site
) -> None:
    ingest_service.execute("UPDATE read.websites SET deleted_at = now() WHERE id = %s", site.id)
    ingest_service.execute("SELECT pg_notify('projection', 'websites:domain:0:1:1')")
    wait_until(
        lambda: under(ingest_service, host, PROBE).status_code == 404, 60, "ingest to learn that the website is gone"
    )


def test_the_next_owner_of_a_name_has_it(ingest_service: IngestService, site: Site) -> None:
    name, before = new_host(), ingest_service.add_site("before.example")
    ingest_service.add_domain(before, name, is_verified=False)
    domain = ingest_service.add_domain(site, name)
    wait_until(lambda: under(ingest_service, name, PROBE).text == str(domain), 60, "ingest to learn of the domain")
    slug = ingest_service.add_link(before, ingest_service.add_partner(uuid4().hex), DESTINATION)
    assert under(ingest_service, name, f"/{slug}").status_code == 404


def check(ingest_service: IngestService, domain: str, **headers: str) -> httpx.Response:
    return httpx.get(
        ingest_service.url + "/internal/domain-check", params={"domain": domain}, headers=headers, timeout=60
    )


def test_the_proxy_hears_which_names_get_a_certificate(ingest_service: IngestService, host: str) -> None:
    assert check(ingest_service, host).status_code == 200
    assert check(ingest_service, host.upper()).status_code == 200
    assert check(ingest_service, new_host()).status_code == 404
    assert check(ingest_service, "").status_code == 404
    assert check(ingest_service, host, **{"x-forwarded-for": "203.0.113.7"}).status_code == 404
    assert check(ingest_service, host, forwarded="for=203.0.113.7").status_code == 404


@pytest.mark.usefixtures("host")
def test_the_probe_says_nothing_under_the_tracking_apis_own_name(ingest_service: IngestService) -> None:
    assert under(ingest_service, "127.0.0.1", PROBE).status_code == 404
