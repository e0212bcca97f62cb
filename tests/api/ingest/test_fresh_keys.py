"""A new key or link is never unknown: while the read models are behind what was written, the answer is "try again"."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID, uuid4

import httpx
import pytest

from ingest.directory.changes import READ_MODELS
from ingest.importing.imported_events import ImportFailed, find_website
from tests.support.engines import wait_until
from tests.support.ingest_service import IngestService, bearer, running_ingest

CAUGHT_UP = (
    "UPDATE engine.position SET domain_position = (SELECT coalesce(max(notification_id), 0) FROM events.stored_events)"
)
STORED_EVENTS = "CREATE TABLE events.stored_events (notification_id bigserial UNIQUE, originator_id uuid, topic text)"


@pytest.fixture(scope="module")
def behind() -> Iterator[IngestService]:
    """Ingest, where one event is written that no read model has seen."""
    with running_ingest() as ingest_service:
        ingest_service.execute("CREATE SCHEMA IF NOT EXISTS events")
        ingest_service.execute(
            "CREATE TABLE events.stored_events (notification_id bigserial UNIQUE, originator_id uuid, topic text)"
        )
        for name in READ_MODELS:
            ingest_service.execute(
                "INSERT INTO engine.projection (name, kind, version, live_generation) VALUES (%s, 'postgres', 1, 1)",
                name,
            )
            ingest_service.execute(
                "INSERT INTO engine.position (projection, generation, topic, partition) VALUES (%s, 1, 'domain', 0)",
                name,
            )
        yield ingest_service


def write(ingest_service: IngestService, originator: UUID | None = None, topic: str = "conversion.decided.v1") -> None:
    ingest_service.execute("INSERT INTO events.stored_events (originator_id, topic) VALUES (%s, %s)", originator, topic)


def catch_up(ingest_service: IngestService) -> None:
    ingest_service.execute(CAUGHT_UP)
    ingest_service.execute("SELECT pg_notify('projection', 'links:domain:0:1:1')")


def test_a_fresh_key_is_503_until_the_read_models_have_it_and_then_good(behind: IngestService) -> None:
    catch_up(behind)
    with behind.client() as client:
        write(behind)
        key = f"sk_{uuid4().hex}"
        early = client.post("/track", json={"type": "a"}, headers=bearer(key))
        assert (early.status_code, early.json()["code"]) == (503, "directory_behind")
        assert int(early.headers["retry-after"]) >= 1 and early.headers["access-control-allow-origin"] == "*"
        for path, sent in (("/track/sale", {"txid": "t", "amount": 1, "currency": "USD"}), ("/track", [{"type": "a"}])):
            assert client.post(path, json=sent, headers=bearer(key)).status_code == 503
        assert client.get("/postback", params={"token": key, "txid": "t"}).status_code == 503
        assert client.get("/t.gif", params={"site": key}).status_code == 503

        site = behind.add_site("fresh.example")
        behind.execute(
            "UPDATE read.website_keys SET key_hash = sha256(%s) WHERE website_id = %s AND kind = 'secret'",
            key.encode(),
            site.id,
        )
        catch_up(behind)

        def status() -> int:
            return client.post("/track", json={"type": "a"}, headers=bearer(key)).status_code

        wait_until(lambda: status() == 202, 30, "the fresh key to be known")


def test_a_key_is_unknown_only_when_everything_written_before_is_read(behind: IngestService) -> None:
    with behind.client() as client:

        def status() -> int:
            return client.post("/track", json={"type": "a"}, headers=bearer("sk_nobody_made_this")).status_code

        write(behind)
        assert status() == 503
        catch_up(behind)
        write(behind)  # what is written later cannot be what made this key
        wait_until(lambda: status() == 401, 30, "the key to be known as unknown")
        catch_up(behind)


def test_a_fresh_link_is_503_and_not_404(behind: IngestService) -> None:
    with behind.client() as client:
        write(behind)
        early = client.get("/go/fresh-link")
        assert early.status_code == 503 and int(early.headers["retry-after"]) >= 1
        site = behind.add_site("links.example")
        event = client.post("/track", json={"type": "a", "link": "fresh-too"}, headers=bearer(site.secret_key))
        assert event.status_code == 503
        catch_up(behind)
        wait_until(lambda: client.get("/go/fresh-link").status_code == 404, 30, "the link to be known as unknown")


def test_a_fresh_partner_is_503_and_not_400(behind: IngestService) -> None:
    """In a postback, an event, a batch and the pixel; one that is known or not named costs no look-up."""
    site, slug = behind.add_site("partners.example"), f"fresh-{uuid4().hex[:8]}"
    headers = bearer(site.secret_key)
    with behind.client() as client:

        def postback(partner: str, txid: str = "") -> httpx.Response:
            sent = {"token": site.token, "txid": txid or uuid4().hex, "amount": "5.00", "currency": "USD"}
            return client.get("/postback", params={**sent, "partner": partner})

        catch_up(behind)
        wait_until(lambda: postback("nobody").status_code == 400, 30, "a partner to be known as unknown")
        assert postback("nobody").json()["code"] == "unknown_partner"
        write(behind)
        early = postback(slug, "first")
        assert (early.status_code, early.json()["code"]) == (503, "directory_behind")
        assert int(early.headers["retry-after"]) >= 1
        for body in ({"type": "a", "partner": slug}, [{"type": "a", "partner": slug}, {"type": "b"}]):
            assert client.post("/track", json=body, headers=headers).status_code == 503
        pixel = {"site": site.site_key, "partner": slug}
        assert client.get("/t.gif", params=pixel).status_code == 503
        assert client.post("/track", json={"type": "a"}, headers=headers).status_code == 202
        partner = behind.add_partner(slug)
        catch_up(behind)
        wait_until(lambda: postback(slug.upper(), "first").status_code == 202, 30, "the fresh partner to be known")
        for named in (slug, slug.upper(), str(partner), str(partner).upper()):
            event = client.post("/track", json={"type": "a", "partner": named}, headers=headers)
            assert event.status_code == 202, named
        assert client.get("/t.gif", params=pixel).status_code == 200
        write(behind)
        assert postback("nobody-else").status_code == 503
        assert postback("x" * 129).status_code == 400  # no partner's slug is so long
        catch_up(behind)
        wait_until(lambda: postback("nobody-else").status_code == 400, 30, "a partner to be known as unknown")


def test_an_import_waits_for_the_website_that_was_just_made(
    behind: IngestService, capsys: pytest.CaptureFixture[str]
) -> None:
    catch_up(behind)
    with pytest.raises(ImportFailed, match="No website"):
        find_website(behind.postgres.address, "nowhere.example")
    write(behind)
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(find_website, behind.postgres.address, "Made-Now.example")
        wait_until(lambda: "waiting for the projection" in capsys.readouterr().err, 30, "the import to wait")
        site = behind.add_site("made-now.example")
        assert found.result(30).id == site.id
    catch_up(behind)


def test_a_changed_link_is_read_alone(behind: IngestService) -> None:
    """Changes are read and stored beside the copy of the directory, which is not rewritten."""
    site, partner = behind.add_site("changes.example"), behind.add_partner("changes")
    write(behind, site.id, "website.disconnected.v1")  # a whole reading
    catch_up(behind)
    copy = behind.folder / "data" / "ingest-directory.json"
    wait_until(lambda: copy.exists() and str(site.id) in copy.read_text(), 30, "the whole directory")
    slug = behind.add_link(site, partner, "https://first.example/")
    (link,) = behind.execute("SELECT id FROM read.links WHERE slug = %s", slug)[0]
    write(behind, link, "link.created.v1")
    catch_up(behind)
    changes = copy.with_suffix(".changes")
    wait_until(lambda: changes.exists() and slug in changes.read_text(), 30, "the link to be read")
    assert slug not in copy.read_text()
    with behind.client() as client:
        assert client.get(f"/go/{slug}").headers["location"] == "https://first.example/"
        behind.execute("UPDATE read.links SET destination = 'https://second.example/' WHERE id = %s", link)
        write(behind, link, "link.updated.v1")
        catch_up(behind)
        wait_until(lambda: client.get(f"/go/{slug}").headers["location"] == "https://second.example/", 30, "the change")
