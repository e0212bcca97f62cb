"""Nobody stalls ingest: beside every hostile request honest ones are answered as fast as before."""

from __future__ import annotations

import gzip
from collections.abc import Iterator

import httpx
import pytest

from tests.support.engines import wait_until
from tests.support.hostile_requests import ATTACKS, TINY, Attack, Honest, array_of, hammering, percentile, requests_of
from tests.support.ingest_service import IngestService, Site, bearer, running_ingest

FLOOR_S = 0.15
"""Below this a slow answer is the machine's, which the attackers, the honest client, the log and other tests share. How
long one step occupies the loop is measured in `tests/unit/ingest/test_hostile.py`."""
TIMES = 5
TOGETHER = 9
ATTEMPTS = 5
"""A group is slow if it is slow each time, against requests beside harmless ones just before: other programs come and
go."""
HARMLESS = Attack("/t.js", method="GET").request("")


@pytest.fixture(scope="module")
def own_edge() -> Iterator[IngestService]:
    """What an address costs is remembered: other tests shall not pay for this one."""
    with running_ingest(ALTHING_ADDRESS_REFUSALS="50") as ingest_service:
        yield ingest_service


@pytest.mark.timeout(300)
def test_honest_requests_are_fast_beside_hostile_ones(own_edge: IngestService) -> None:
    site, attacked = own_edge.add_site("own.example"), own_edge.add_site("attacked.example")
    slug = own_edge.add_link(site, own_edge.add_partner("acme"), "https://shop.example/")
    address = ("127.0.0.1", own_edge.port)
    honest = Honest(address, site.site_key, slug)
    honest.measure(1)
    names = list(ATTACKS)
    for number, start in enumerate(range(0, len(names), TOGETHER), 1):
        together = names[start : start + TOGETHER]
        requests = requests_of(together, attacked.site_key)
        for attempt in range(ATTEMPTS):
            if number == 1 or attempt:
                with hammering(address, [HARMLESS], 3, source="127.0.2.1"):
                    usual = slowest_hundredth(honest, 2)
            with hammering(address, requests, 4, source=f"127.0.2.{10 * number + attempt}") as answers:
                beside = slowest_hundredth(honest, 4)
            assert not {status for status in answers if status.startswith("5")}, (together, answers)
            slow = {name: took for name, took in beside.items() if took > max(TIMES * usual[name], FLOOR_S)}
            if not slow:
                break
        assert not slow, f"p99 of {slow}, usually {usual}, beside {together}, who were answered {answers}"


def slowest_hundredth(honest: Honest, seconds: float) -> dict[str, float]:
    return {name: percentile(took, 0.99) for name, took in honest.measure(seconds).items()}


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
