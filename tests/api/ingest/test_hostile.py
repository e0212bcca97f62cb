"""Nobody stalls ingest: beside every hostile request honest ones are answered."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import httpx
import psycopg
import pytest

from tests.support.engines import wait_until
from tests.support.hostile_requests import ATTACKS, TINY, Honest, array_of, hammering, requests_of
from tests.support.ingest_service import IngestService, Site, bearer, running_ingest

TOGETHER = 9


@pytest.fixture(scope="module")
def own_edge() -> Iterator[IngestService]:
    """What an address costs is remembered: other tests shall not pay for this one."""
    with running_ingest(ALTHING_ADDRESS_REFUSALS="50") as ingest_service:
        yield ingest_service


@pytest.mark.timeout(300)
def test_honest_requests_are_answered_beside_hostile_ones(own_edge: IngestService) -> None:
    """How long they wait is measured by `python -m tests.bench hostile`, and how long one step occupies the loop in
    `tests/contract/ingest/test_loop_time.py`."""
    site, attacked = own_edge.add_site("own.example"), own_edge.add_site("attacked.example")
    slug = own_edge.add_link(site, own_edge.add_partner("acme"), "https://shop.example/")
    address = ("127.0.0.1", own_edge.port)
    honest = Honest(address, site.site_key, slug)
    names = list(ATTACKS)
    for number, start in enumerate(range(0, len(names), TOGETHER), 1):
        together = names[start : start + TOGETHER]
        requests = requests_of(together, attacked.site_key)
        with hammering(address, requests, 3, source=f"127.0.2.{number}") as answers:
            took = honest.measure(3)
        assert all(took.values()), "each endpoint answers, and each answer is the right one"
        assert answers and not {status for status in answers if status.startswith("5")}, (together, answers)


def test_a_batch_without_a_usable_key_is_refused_before_it_is_decoded(client: httpx.Client, site: Site) -> None:
    def code(body: bytes, kind: str = "application/json", **headers: str) -> tuple[int, str]:
        answer = client.post("/track", content=body, headers={"content-type": kind, **headers})
        assert answer.json().get("accepted") == 0
        return answer.status_code, answer.json()["code"]

    assert code(b"[{},{") == (401, "missing_key")
    assert code(b"{}\n" * 100, "application/x-ndjson") == (401, "missing_key")
    assert code(gzip.compress(array_of(b"{}")), **{"content-encoding": "gzip"}) == (401, "missing_key")
    assert code(b'[{"type":"a","site":"pk_nobody"},{') == (401, "unknown_key")
    assert code(b'[{"type":"a","site":"%s"},{' % site.site_key.encode()) == (400, "bad_json")


def test_good_events_with_a_key_of_their_own_are_kept_among_bad_ones(client: httpx.Client, site: Site) -> None:
    events = [{"type": "a", "site": "pk_nobody"}, {"type": 5}, {"type": "a", "site": site.site_key}, {"type": "a"}]
    answer = client.post("/track", json=events).json()
    assert answer["accepted"] == 1
    assert [bad["code"] for bad in answer["rejected"]] == ["unknown_key", "bad_type", "missing_key"]


@pytest.mark.timeout(120)
def test_names_that_nobody_has_hold_two_connections_and_delay_nobody(own_edge: IngestService) -> None:
    """Batches that name partners that there are not, while Postgres answers none of their look-ups."""
    site, other = own_edge.add_site("many-names.example"), own_edge.add_site("beside.example")
    slug = own_edge.add_link(other, own_edge.add_partner("beside"), "https://shop.example/")
    with own_edge.client() as client:
        for key in (site.site_key, other.site_key):
            assert client.post(f"/track?site={key}", json={"type": "a"}).status_code == 202
        assert client.get(f"/go/{slug}").status_code == 302

    def batch(number: int, by: Site = site, count: int = 700) -> httpx.Response:
        events = [{"type": "a", "partner": f"nobody-{number}-{name}"} for name in range(count)]
        with own_edge.client(transport=httpx.HTTPTransport(local_address=f"127.0.4.{number}")) as sender:
            return sender.post(f"/track?site={by.site_key}", json=events)

    def waiting() -> int:
        sql = "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'read.partners'::regclass"
        return int(own_edge.execute(sql)[0][0])

    with ThreadPoolExecutor(12) as pool, own_edge.client() as client:
        with psycopg.connect(own_edge.postgres.address) as holder:
            holder.execute("LOCK TABLE read.partners IN ACCESS EXCLUSIVE MODE")
            batches = [pool.submit(batch, number) for number in range(1, 13)]
            wait_until(lambda: waiting() > 0, 30, "a look-up to wait")
            assert client.get("/go/nobodys").status_code == 404
            assert client.get("/sites/nobodys/").status_code == 404
            assert client.get(f"/go/{slug}").status_code == 302
            assert client.post("/track", json={"type": "a"}, headers=bearer("sk_nobodys")).status_code == 401
            assert client.post(f"/track?site={other.site_key}", json={"type": "a"}).status_code == 202
            assert waiting() <= 2 + 1, "their own two connections, and the one that reads the whole directory"
        statuses = [one.result(60).status_code for one in batches]
        assert set(statuses) <= {400, 503}, statuses
        codes = [one["code"] for one in batch(13, other, 9_000).json()["rejected"]]
        assert codes == ["unknown_partner"] * 20 + ["not_looked_up"] * 8_980


@pytest.fixture
def strict_edge() -> Iterator[IngestService]:
    """Its limit is reached also by a client on a busy machine."""
    with running_ingest(ALTHING_ADDRESS_REFUSALS="2") as ingest_service:
        yield ingest_service


def test_an_address_above_its_limit_is_refused_what_costs_much_and_kept_what_costs_little(
    strict_edge: IngestService,
) -> None:
    own_edge = strict_edge
    site = own_edge.add_site("limited.example")
    slug = own_edge.add_link(site, own_edge.add_partner("other"), "https://shop.example/")
    copy = own_edge.folder / "data" / "ingest-directory.json"
    wait_until(lambda: copy.exists() and slug in copy.read_text(), 30, "website and link to be known")
    with own_edge.client(transport=httpx.HTTPTransport(local_address="127.0.3.1")) as client:
        limited = httpx.Response(0)
        for number in range(5_000):
            client.post("/track", content=b"[{}]")
            if number % 20 == 19:
                limited = client.post("/track", json={}, headers=bearer(f"sk_wrong_{number}"))
                if limited.status_code == 429:
                    break
        assert limited.json()["code"] == "address_throttled" and int(limited.headers["retry-after"]) >= 1
        assert client.get("/go/unknown-link").status_code == 429
        assert client.post(f"/track?site={site.site_key}", content=TINY).json()["code"] == "address_throttled"
        assert client.post(f"/track?site={site.site_key}", json={"type": "a"}).status_code == 202
        assert client.post("/track", json=[{"type": "a", "site": site.site_key}]).status_code == 202
        assert client.get(f"/go/{slug}").status_code == 302
        assert client.post("/track", content=TINY, headers=bearer(site.secret_key)).status_code == 202
    with own_edge.client(transport=httpx.HTTPTransport(local_address="127.0.3.2")) as other:
        assert other.get("/go/unknown-link").status_code == 404
