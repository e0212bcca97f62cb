"""Whatever kills the marketplace's watch between the escrow provider's answer and the event, money moves once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.crashing_process import CrashingProcess
from tests.support.marketplace import Market, market
from tests.support.query import QueryService
from tests.support.rounds import first_of


@pytest.fixture(scope="module")
def there(query_service: QueryService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    with market(query_service, tmp_path_factory.mktemp("market")) as found:
        yield found


def dies(there: Market, crashing_process: CrashingProcess, moment: str) -> None:
    """A watch of a process of its own makes the call and is killed at `moment`."""
    escrow = {
        "ALTHING_ESCROW_URL": there.settings.escrow_url or "",
        "ALTHING_ESCROW_KEY": there.settings.escrow_key or "",
        "ALTHING_ESCROW_WEBHOOK_SECRET": " ".join(there.settings.escrow_webhook_secrets),
    }
    assert crashing_process.at(there.settings, "marketplace", moment, **escrow) == -9


@pytest.mark.crash
@pytest.mark.parametrize("moment", first_of("after_store", "before_store", "inside_store"))
def test_killed_between_the_providers_answer_and_the_event_nothing_happens_twice(
    there: Market, crashing_process: CrashingProcess, moment: str
) -> None:
    seller, buyer, admin = there.person("Embla"), there.person("Bjarni"), there.person("Gunnar", "member", "admin")
    listing = there.online(seller, admin)
    offer = there.offer(buyer, listing)
    there.post(seller, f"marketplace/offers/{offer}/accept", price=40_000)
    dies(there, crashing_process, moment)
    there.run_due()
    escrow = there.escrow(offer)
    assert there.events(escrow.id) == ["escrow.agreed", "escrow.opened"]
    there.pay(buyer, offer)
    there.post(seller, f"marketplace/offers/{offer}/escrow/deliver")
    there.post(buyer, f"marketplace/offers/{offer}/escrow/accept")
    dies(
        there, crashing_process, moment if moment != "inside_store" else "before_store"
    )  # the request of a payout is no event
    there.run_due()
    there.until(offer, "released")
    assert there.events(escrow.id).count("escrow.released") == there.events(listing).count("listing.sold") == 1
    deal = there.sandbox.book.find(str(escrow.reference), "id")
    assert (deal["status"], deal["toSeller"], deal["toBuyer"]) == ("settled", 40_000_00, 0)
    told = there.postgres.execute(
        "SELECT count(*) FROM marketplace.escrow_call WHERE escrow_id = %s", (escrow.id,)
    ).fetchone()
    assert told == (0,)
