"""Sellers who leave; and what the tests of this marketplace have left, held against the events."""

from __future__ import annotations

import pytest

from command_api.accounts.erasure import erase_account
from command_api.kernel import inline_rebuild
from command_api.kernel.decision import CommandRejected
from command_api.marketplace import lookups
from infra.kernel.security.client_info import Client
from tests.support.marketplace import LIST, Market
from tests.support.query import Person
from tests.support.rows_beside_events import wrong_rows


def test_nobody_is_forgotten_while_money_is_on_its_way_and_nothing_is_left_after(
    there: Market, buyer: Person, admin: Person
) -> None:
    seller = there.person("Leaving")
    listing, free = there.online(seller, admin), there.online(seller, admin, title="Secret of Leaving")
    waiting = there.offer(buyer, free)
    there.post(seller, f"{LIST}/{there.online(buyer, admin)}/watch", 204, method="PUT")
    offer = there.agreed(seller, buyer, listing)
    there.post(seller, f"marketplace/offers/{offer}/messages", 201, text="Call me at midnight")
    with pytest.raises(CommandRejected, match="open deal"):
        erase_account(there.api.core, seller.account_id, Client())
    there.post(seller, f"marketplace/offers/{offer}/escrow/cancel")
    there.run_due()
    erase_account(there.api.core, seller.account_id, Client())
    there.sync()
    assert there.events(free)[-1] == "listing.withdrawn"
    assert there.get(buyer, f"marketplace/offers/{waiting}")["status"] == "expired"
    watched = "SELECT count(*) FROM lookup.listing_watch WHERE account_id = %s"
    assert there.postgres.execute(watched, (seller.account_id,)).fetchone() == (0,)
    with inline_rebuild.open_connection(there.settings) as connection:
        assert inline_rebuild.verify(there.settings, connection, lookups.WATCHLISTS).differences == []
    rows = there.postgres.execute(
        "SELECT title, description FROM read.listings WHERE seller_id = %s", (seller.account_id,)
    )
    assert set(rows) == {("[erased]", "[erased]")}
    gone = there.get(admin, f"{LIST}/{free}")
    assert (gone["title"], gone["websiteUrl"], gone["description"]) == ("Deleted listing", "", "")
    assert "midnight" not in str(there.get(buyer, f"marketplace/offers/{offer}/messages"))
    kept = there.postgres.execute(
        "SELECT count(*) FROM events.stored_events WHERE convert_from(state, 'UTF8') ~ 'Secret of Leaving|at midnight'"
    ).fetchone()
    assert kept == (0,)


def test_the_audit_finds_the_rows_of_listings_that_this_module_has_left_right(
    there: Market, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared, wrong = wrong_rows(
        there.settings,
        ("marketplace.listing_host", "marketplace.listing_image", "marketplace.escrow_call"),
        monkeypatch,
    )
    assert compared > 0 and wrong == []
