"""What ingest does while its neighbours are away, and at its end."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import httpx
import pytest

from ingest.visitors.visitor_keys import BLOCK
from schemas import topics
from schemas.tracking import AD_IDS_NOT_KEPT
from tests.support.engines import Engine, engine_folder, start_kafka, wait_until
from tests.support.ingest_service import IngestService, running_ingest


@pytest.fixture
def kafka_edge() -> Iterator[tuple[IngestService, Engine]]:
    """Ingest on Kafka, so that log and Postgres can fail apart."""
    with engine_folder("edge-kafka") as folder:
        kafka = start_kafka(folder)
        try:
            with running_ingest(ALTHING_LOG="kafka", KAFKA_BOOTSTRAP_SERVERS=kafka.address) as ingest_service:
                yield ingest_service, kafka
        finally:
            kafka.stop()


@pytest.mark.timeout(420)  # Kafka starts twice, ingest three times
def test_ingest_goes_on_without_postgres_and_says_503_without_the_log(
    kafka_edge: tuple[IngestService, Engine],
) -> None:
    ingest_service, kafka = kafka_edge
    site = ingest_service.add_site("own.example", keep_ad_click_ids=True)
    partner = ingest_service.add_partner("acme")
    slug = ingest_service.add_link(site, partner, "https://shop.example/?c={click_id}")
    keys = "SELECT 1 FROM ingest.visitor_key WHERE website_id = %s AND made_on = (now() AT TIME ZONE 'UTC')::date"
    wait_until(lambda: len(ingest_service.execute(keys, site.id)) >= BLOCK, 60, "the website's keys")
    headers = {"authorization": f"Bearer {site.secret_key}"}
    event, sale = {"type": "pageview"}, {"txid": "t1", "amount": 5, "currency": "USD"}
    copy = ingest_service.folder / "data" / "ingest-directory.json"
    wait_until(lambda: copy.exists() and slug in copy.read_text(), 60, "the copy of the directory")
    assert site.secret_key not in copy.read_text()

    ingest_service.postgres.kill()
    with ingest_service.client() as client, ingest_service.tail(topics.CLICKS) as clicks:
        assert client.post("/track", json=event, headers=headers).status_code == 202
        assert client.get(f"/go/{slug}").status_code == 302
        assert len(clicks.take(2)) == 2
        assert client.post("/track/sale", json=sale, headers=headers).status_code == 202
        # Nobody waits for a key: those at hand are used up, then the events come without their ids.
        landed = [{**event, "url": "/?gclid=a", "visitor_id": str(n)} for n in range(BLOCK + 5)]
        assert client.post("/track", json=landed, headers=headers).json()["accepted"] == BLOCK + 5
        rows = clicks.take(BLOCK + 5)
        assert [("ad_ids" in row, row.get("flags", "")) for row in rows].count((False, AD_IDS_NOT_KEPT)) == 5
        assert sum("ad_ids" in row for row in rows) == BLOCK
        assert ingest_service.metric("althing_ingest_ad_ids_not_kept_total") == 5
        unknown = client.post("/track", json=event, headers={"authorization": "Bearer sk_new"})
        assert unknown.status_code == 503 and int(unknown.headers["retry-after"]) >= 1
        assert client.get("/readyz").status_code == 200

        assert ingest_service.stop() == 0
        ingest_service.start()
        assert client.post("/track", json=event, headers=headers).status_code == 202
        assert len(clicks.take(1)) == 1

        kafka.kill()
        refused = client.post("/track", json=event, headers=headers)  # before the client stops
        assert refused.status_code == 503 and int(refused.headers["retry-after"]) >= 1
        assert refused.headers["access-control-allow-origin"] == "*"
        assert client.get(f"/go/{slug}").status_code == 302
        assert client.get("/readyz").status_code == 503 and client.get("/livez").status_code == 200
        wait_until(lambda: ingest_service.metric("althing_ingest_clicks_waiting") >= 1, 60, "the click to be kept")

        kafka.start()
        wait_until(
            lambda: ingest_service.metric("althing_ingest_clicks_waiting") == 0, 60, "the kept click to be published"
        )
        wait_until(
            lambda: client.post("/track", json=event, headers=headers).status_code == 202,
            60,
            "events to be taken again",
        )
        assert clicks.find(type="click")["origin"] == "redirect"
        assert all(dict(record.headers).get("h") for record in clicks.records)


def test_a_stop_answers_what_is_in_flight(ingest_service: IngestService) -> None:
    """On an ingest of its own, so that the others' goes on."""
    other = IngestService(ingest_service.postgres, ingest_service.folder / "second", ingest_service.settings)
    other.folder.mkdir(exist_ok=True)
    site = ingest_service.add_site("own.example")
    other.start()
    try:
        with other.client() as client, ingest_service.tail(topics.REJECTED) as rejected:
            assert client.post("/track", json={"type": "NO"}, headers=_key(site.site_key)).status_code == 400
            assert other.stop(signal.SIGTERM) == 0
            assert rejected.find(website_id=str(site.id))["code"] == "bad_type"
            with pytest.raises(httpx.ConnectError):
                client.get("/livez")
    finally:
        if other.process is not None and other.process.poll() is None:
            other.stop(signal.SIGKILL)


def _key(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def test_the_days_salt_is_made_and_shared(ingest_service: IngestService) -> None:
    salts = ingest_service.execute("SELECT day, length(salt) FROM ingest.salt")
    assert salts and all(length == 32 for _, length in salts)
