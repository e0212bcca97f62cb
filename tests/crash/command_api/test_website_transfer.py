"""Whatever kills the command service in a direct sale, both sides have confirmed or not, the website has one owner, and
everything that belongs to it is theirs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from uuid import UUID, uuid4

import httpx
import pytest

from command_api.publishing import sites
from command_api.websites import model as websites
from tests.support.crashing_service import CrashingService, crashing_service
from tests.support.marketplace import MODELS, OF_WEBSITES, Market, market
from tests.support.query import Person, QueryService
from tests.support.rounds import first_of
from tests.support.website_deal import Deal


@pytest.fixture(scope="module")
def there(query_service: QueryService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    with market(query_service, tmp_path_factory.mktemp("transfers"), provider=False) as found:
        found.models = (*MODELS, *OF_WEBSITES)
        yield found


@pytest.fixture(scope="module")
def service(there: Market) -> Iterator[CrashingService]:
    with crashing_service(there.settings) as made:
        yield made


@pytest.fixture
def deal(there: Market) -> Iterator[Deal]:
    admin = there.person("Gunnar", "member", "admin")
    there.post(admin, "admin/marketplace/direct-deals", method="PUT", directDeals=True)
    made = Deal(there, admin, there.person("Embla"), there.person("Bjarni"))
    assert made.link and made.domain("go", is_verified=True) and made.site() and made.offer
    yield made
    there.post(admin, "admin/marketplace/direct-deals", method="PUT", directDeals=False)


@pytest.mark.crash
@pytest.mark.parametrize("moment", first_of("after", "inside"))
def test_killed_between_the_confirmations_and_in_the_move_the_website_has_one_owner(
    deal: Deal, service: CrashingService, moment: str
) -> None:
    for who, step, event in (
        (deal.seller, "direct/confirm", "direct_deal.confirmed"),
        (deal.buyer, "direct/confirm", "direct_deal.completed"),
        (deal.seller, "transfer/propose", "offer.transfer_proposed"),
        (deal.buyer, "transfer/accept", "website.transferred"),
    ):
        path, key, before = f"/api/marketplace/offers/{deal.offer}/{step}", uuid4().hex, deal.there.last_event()
        headers = {**who.headers, "Idempotency-Key": key}
        with service.until(moment, event) as client, suppress(httpx.TransportError):
            answer = client.post(path, headers=headers, json={})
            raise AssertionError(f"it lived to answer {answer.status_code}: {answer.text}")
        deal.there.sync()
        assert (deal.there.last_event() == before) is (moment == "inside"), "half of it is there"
        has_moved = step == "transfer/accept" and moment == "after"
        assert_all_is_of(deal, deal.buyer if has_moved else deal.seller)

        again = deal.there.api.call("POST", path, who, headers={"Idempotency-Key": key}, json={})
        assert again.status_code == 200, again.text
        assert again.headers.get("Idempotency-Replayed") == (None if moment == "inside" else "true")
        deal.there.sync()
    assert_all_is_of(deal, deal.buyer)
    assert deal.there.events(deal.website).count("website.transferred") == 1
    assert deal.refusal(deal.buyer, "accept") == "transferred"


def assert_all_is_of(deal: Deal, owner: Person) -> None:
    """By the events, by the tables that decide, by those that people and ingest read; and a replay gives the same."""
    website, store = UUID(deal.website), deal.there.api.core.store
    owners = [account for (account,) in deal.there.postgres.execute(_OWNERS, _ids(deal))]
    assert owners == 8 * [owner.account_id], "one row each"
    found = store.load(website, websites.evolve)
    assert found is not None and found.account_id == owner.account_id
    [(site_id,)] = deal.there.postgres.execute("SELECT id FROM read.sites WHERE website_id = %s", (website,))
    site = store.load(site_id, sites.evolve)
    assert site is not None and site.account_id == owner.account_id
    for side in (deal.seller, deal.buyer):
        expected = [deal.website] if side is owner else []
        assert [one["id"] for one in deal.there.get(side, "platform/websites")] == expected
        deal.there.get(side, f"platform/links/{deal.link['id']}", 200 if side is owner else 404)
    deal.assert_as_replayed()


def _ids(deal: Deal) -> dict[str, UUID]:
    return {"website": UUID(deal.website), "partner": UUID(deal.partner)}


_OWNERS = """
SELECT account_id FROM lookup.website WHERE website_id = %(website)s
UNION ALL SELECT account_id FROM lookup.site WHERE website_id = %(website)s
UNION ALL SELECT account_id FROM lookup.custom_domain WHERE website_id = %(website)s
UNION ALL SELECT account_id FROM lookup.private_partner WHERE partner_id = %(partner)s
UNION ALL SELECT account_id FROM read.websites WHERE id = %(website)s
UNION ALL SELECT account_id FROM read.sites WHERE website_id = %(website)s
UNION ALL SELECT account_id FROM read.custom_domains WHERE website_id = %(website)s AND removed_at IS NULL
UNION ALL SELECT account_id FROM read.partners WHERE id = %(partner)s"""
