"""`X-Backfill: true`: a website's server brings in its past, however old, and says so."""

from __future__ import annotations

from datetime import date

import httpx

from schemas import topics
from tests.support.ingest_service import IngestService

OLD = {"type": "pageview", "url": "https://own.example/a", "occurred_at": "2019-05-01T10:00:00Z"}


def test_any_age_is_taken_with_a_secret_key_and_flagged(ingest_service: IngestService) -> None:
    site = ingest_service.add_site("own.example")

    def send(path: str, body: object, key: str, **headers: str) -> httpx.Response:
        with ingest_service.client() as client:
            return client.post(path, json=body, headers={"authorization": f"Bearer {key}", **headers})

    assert send("/track", OLD, site.secret_key).json()["code"] == "too_old"
    with ingest_service.tail(topics.CLICKS) as clicks:
        assert send("/track", OLD, site.secret_key, **{"x-backfill": "true"}).status_code == 202
        kept = clicks.take(1)[0]
    assert (kept["occurred_at"], kept["flags"]) == ("2019-05-01 10:00:00.000", "backfill")
    refused = send("/track", OLD, site.site_key, **{"x-backfill": "true"})
    assert (refused.status_code, refused.json()["code"]) == (403, "backfill_needs_secret_key")


def test_a_sale_of_long_ago_is_taken_the_same_way(ingest_service: IngestService) -> None:
    site = ingest_service.add_site("own.example")
    sale = {"visitor_id": "v", "txid": "OLD-1", "amount": 100, "currency": "USD", "occurred_at": "2019-05-01T10:00:00Z"}
    with ingest_service.client() as client:
        headers = {"authorization": f"Bearer {site.secret_key}"}
        assert client.post("/track/sale", json=sale, headers=headers).json()["code"] == "too_old"
        assert client.post("/track/sale", json=sale, headers={**headers, "x-backfill": "true"}).status_code == 202


def test_events_of_days_that_have_expired_are_rejected_but_no_sales(ingest_service: IngestService) -> None:
    site = ingest_service.add_site("kept.example", kept_from=date(2019, 5, 2))
    headers = {"authorization": f"Bearer {site.secret_key}", "x-backfill": "true"}
    event = {"type": "pageview", "url": "https://kept.example/a"}
    sale = {"visitor_id": "v", "txid": "OLD-2", "amount": 100, "currency": "USD", "occurred_at": OLD["occurred_at"]}
    with ingest_service.client() as client:
        refused = client.post("/track", json={**event, "occurred_at": "2019-05-01T23:59:59.999Z"}, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (400, "expired")
        taken = client.post("/track", json={**event, "occurred_at": "2019-05-02T00:00:00Z"}, headers=headers)
        assert taken.status_code == 202
        assert client.post("/track/sale", json=sale, headers=headers).status_code == 202
