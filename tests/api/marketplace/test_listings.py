"""Listings over HTTP: drafts, the review, images, questions, and who sees what (spec §2, §4, §5)."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import uuid4

import httpx
import pytest

from command_api.marketplace.listings import consequences
from infra.ops.demo import market as market_of_demo
from tests.api.kernel.test_command_races import at_once
from tests.support.marketplace import FIELDS, LIST, Market, listed, picture
from tests.support.query import Person


def test_a_niche_that_there_is_not_is_named_as_the_field_it_was_sent_in(there: Market) -> None:
    [error] = there.get(None, f"{LIST}?niche=VPN", 400)["errors"]
    assert error["field"] == "niche" and error["message"].startswith("niche must be 'vpn', 'hosting', ")
    assert error["message"].endswith(" or 'all'.")
    assert there.get(None, f"{LIST}?niche=all") == there.get(None, LIST)


def test_a_change_leaves_what_it_does_not_name(there: Market, seller: Person) -> None:
    page = f"{LIST}/{there.draft(seller)}"
    before = there.get(seller, page)
    there.post(seller, page, method="PATCH", edition=1, title="Reviews of all VPN services")
    there.post(seller, page, method="PATCH", edition=2, monthlyProfit=-5, yearsEstablished=None)
    after = there.get(seller, page)
    assert {name for name in FIELDS if after[name] != before[name]} == {"title", "monthlyProfit", "yearsEstablished"}
    assert (after["title"], after["monthlyProfit"], after["yearsEstablished"]) == (
        "Reviews of all VPN services",
        -5,
        None,
    )
    there.post(seller, page, method="PATCH", edition=3, description="", niche=None)
    assert (there.get(seller, page)["description"], there.get(seller, page)["niche"]) == ("", None)


def test_who_sees_what(there: Market, seller: Person, buyer: Person, other: Person, admin: Person) -> None:
    """Spec §4. Rows: what; columns: visitor, seller, buyer, another member, admin."""
    draft, deal, quarrel = there.draft(seller), there.online(seller, admin), there.online(seller, admin)
    waiting, of_admin = there.draft(seller), there.draft(admin)
    there.post(seller, f"{LIST}/{waiting}/submit")
    assert there.get(admin, "admin/marketplace/listings?status=draft") == []
    pending = there.offer(buyer, deal)
    disputed = there.funded(seller, buyer, quarrel)
    there.post(buyer, f"marketplace/offers/{disputed}/escrow/dispute", text="Nothing comes.")
    moderator = there.person("Mo", "member", "moderator")  # of the forum: here a member as any other
    people = (None, seller, buyer, other, admin)
    rows: list[tuple[str, tuple[int, ...]]] = [
        (f"{LIST}/{draft}", (404, 200, 404, 404, 404)),
        (f"{LIST}/{waiting}", (404, 200, 404, 404, 200)),
        (f"{LIST}/{of_admin}", (404, 404, 404, 404, 200)),
        (f"{LIST}/{of_admin}/history", (404, 404, 404, 404, 200)),
        (f"{LIST}/{deal}", (200, 200, 200, 200, 200)),
        (f"{LIST}/{quarrel}", (404, 200, 200, 404, 200)),
        (f"{LIST}/{draft}/questions", (404, 200, 404, 404, 404)),
        (f"marketplace/offers/{pending}", (401, 200, 200, 404, 404)),
        (f"marketplace/offers/{pending}/messages", (401, 200, 200, 404, 404)),
        (f"marketplace/offers/{pending}/history", (401, 200, 200, 404, 404)),
        (f"marketplace/offers/{disputed}", (401, 200, 200, 404, 200)),
        (f"marketplace/offers/{disputed}/messages", (401, 200, 200, 404, 200)),
        (f"marketplace/offers/{disputed}/history", (401, 200, 200, 404, 200)),
        ("admin/marketplace/disputes", (401, 403, 403, 403, 200)),
        ("admin/marketplace/escrow-calls", (401, 403, 403, 403, 200)),
    ]
    for path, expected in rows:
        found = tuple(there.api.call("GET", f"/api/{path}", who).status_code for who in people)
        assert found == expected, path
        assert there.api.call("GET", f"/api/{path}", moderator).status_code == expected[people.index(other)], path
    assert there.get(moderator, f"{LIST}/{deal}") == there.get(other, f"{LIST}/{deal}")
    assert there.get(moderator, f"{LIST}/{deal}/history") == []
    lengths = [len(there.get(who, f"{LIST}/{deal}/history")) for who in people]
    assert [length > 0 for length in lengths] == [False, True, False, False, True]
    assert disputed in {one["offerId"] for one in there.get(admin, "admin/marketplace/disputes")}
    assert there.get(other, "marketplace/my/offers?side=buyer") == []
    assert not {draft, quarrel} & set(listed(there)) and not {draft, quarrel} & {
        one["id"] for one in there.get(admin, f"{LIST}?limit=200")
    }
    for path in ("counter", "accept", "decline", "withdraw", "messages", "escrow/dispute", "escrow/cancel"):
        body = {"price": 1} if path in ("counter", "accept") else {"text": "x"}
        for who in (other, admin):
            assert (
                there.api.call("POST", f"/api/marketplace/offers/{pending}/{path}", who, json=body).status_code == 404
            )
    assert "Bjarni" not in str(there.get(other, f"{LIST}/{deal}"))


def test_images_are_reencoded_and_deleted_with_the_last_listing(there: Market, seller: Person, admin: Person) -> None:
    listing = there.draft(seller)
    headers = {"Content-Type": "image/jpeg", "X-Requested-With": "test"}

    def send(content: bytes, who: Person = seller) -> httpx.Response:
        return there.api.call("POST", f"/api/{LIST}/{listing}/images", who, headers=headers, content=content)

    added = send(picture() + b"\0" * 2**21)
    assert added.status_code == 201, added.text
    [name] = added.json()["images"]
    shown = there.api.call("GET", f"/api/marketplace/images/{name}")
    assert (shown.headers["content-type"], shown.content[8:12]) == ("image/webp", b"WEBP")
    assert "immutable" in shown.headers["cache-control"] and shown.headers["x-content-type-options"] == "nosniff"
    assert send(picture()).json()["code"] == "same_image"
    assert send(b"<script>").json()["code"] == "no_image"
    assert send(b"\0" * (5 * 2**20 + 1)).status_code == 413
    assert send(picture(), admin).status_code == 404
    there.post(seller, f"{LIST}/{listing}/images", method="PUT", images=[])
    assert there.api.call("GET", f"/api/marketplace/images/{name}").status_code == 404


def test_the_list_is_sorted_filtered_and_paged(there: Market, admin: Person) -> None:
    seller, mark = there.person("Many"), uuid4().hex[:8]
    made = [
        there.online(
            seller,
            admin,
            title=f"Shop {mark} {'100%' if number == 1 else ''}{number}",
            niche="finance" if number % 2 else "vpn",
            askingPrice=1_000 * (number + 1),
            monthlyRevenue=500 - number,
        )
        for number in range(5)
    ]

    def ids(query: str) -> list[int]:
        return [made.index(one["id"]) for one in there.get(None, f"{LIST}?search={mark}&{query}")]

    assert ids("sort=recent") == [4, 3, 2, 1, 0]
    assert ids("sort=price-low") == ids("sort=revenue") == [0, 1, 2, 3, 4]
    assert ids("sort=price-high&niche=finance") == [3, 1]
    assert ids("niche=all&minPrice=2000&maxPrice=3000&sort=price-low") == [1, 2]
    assert ids("verified=true") == []
    assert [made.index(one["id"]) for one in there.get(None, f"{LIST}?search={mark.upper()}%20100%25")] == [1]
    for sort, expected in (("price-low", [0, 1, 2, 3, 4]), ("revenue", [0, 1, 2, 3, 4]), ("recent", [4, 3, 2, 1, 0])):
        walked, path = [], f"/api/{LIST}?search={mark}&sort={sort}&limit=2"
        while path:
            answer = there.api.call("GET", path)
            walked += [made.index(one["id"]) for one in answer.json()]
            found = re.search(r"<(.+?)>", answer.headers.get("link", ""))
            path = found[1] if found else ""
        assert walked == expected, sort
    assert there.api.call("GET", f"/api/{LIST}?sort=dear").status_code == 400
    assert there.api.call("GET", f"/api/{LIST}?cursor=x&sort=price-low").status_code == 400


def test_admins_are_notified_whom_the_write_side_knows(there: Market, seller: Person) -> None:
    """Not those of a read model, as a forged record of the log, or one that is not followed yet, would leave it."""
    unknown, forged, dismissed = there.person("A", "admin"), there.person("B"), there.person("C", "admin")
    there.postgres.execute("DELETE FROM read.accounts__g1 WHERE id = %s", (unknown.account_id,))
    there.postgres.execute("UPDATE read.accounts__g1 SET roles = '{admin}' WHERE id = %s", (forged.account_id,))
    there.postgres.execute("DELETE FROM lookup.role_holder WHERE account_id = %s", (dismissed.account_id,))
    there.post(seller, f"marketplace/listings/{there.draft(seller)}/submit")
    there.told(seller)
    rows = there.postgres.execute(
        "SELECT account_id FROM notifications.notification WHERE about = 'waiting'"
    ).fetchall()
    notified = {row[0] for row in rows}
    assert unknown.account_id in notified
    assert not notified & {forged.account_id, dismissed.account_id, seller.account_id}


def test_questions_are_public_and_hidden_once_three_members_flag_them(
    there: Market, seller: Person, buyer: Person, other: Person, admin: Person
) -> None:
    listing = there.online(seller, admin)
    asked = there.post(buyer, f"{LIST}/{listing}/questions", 201, text="Is the mailing list part of it?")["id"]
    assert f"/marketplace/listing/{listing}" in there.mails("listing_question", seller)[-1]
    there.post(other, f"marketplace/questions/{asked}/answer", 404, text="No.")
    for text in ("It is not.", "It is."):
        there.post(seller, f"marketplace/questions/{asked}/answer", text=text)
    there.told(admin)
    for who, title in (
        (seller, "“Reviews of VPN services” is online"),
        (seller, "Bjarni asked a question about “Reviews of VPN services”"),
        (buyer, r"\w+ answered your question about “Reviews of VPN services”"),
        (admin, r"“Reviews of VPN services” of \w+ needs review|\d+ listings need review"),
    ):
        titles = [one["title"] for one in there.get(who, "platform/notifications?limit=100")]
        assert any(re.fullmatch(title, one) for one in titles), titles
    [told] = there.mails("listing_answer", buyer)
    assert f"/marketplace/listing/{listing}" in told
    [shown] = there.get(None, f"{LIST}/{listing}/questions")
    assert (shown["authorName"], shown["answer"], shown["flags"]) == ("Bjarni", "It is.", None)
    for who in (other, there.person("A"), there.person("B")):
        there.post(who, f"marketplace/questions/{asked}/flag", reason="spam")
    assert there.get(None, f"{LIST}/{listing}/questions") == []
    assert asked in {one["id"] for one in there.get(admin, "admin/marketplace/questions")}
    there.post(admin, f"admin/marketplace/questions/{asked}/restore")
    assert len(there.get(None, f"{LIST}/{listing}/questions")) == 1
    there.post(other, f"marketplace/questions/{asked}/flag", reason="spam")
    there.post(admin, f"admin/marketplace/questions/{asked}/hide", reason="Off topic.")
    queue, whole = (there.get(admin, f"admin/marketplace/questions?all={all_}") for all_ in ("false", "true"))
    assert asked not in {one["id"] for one in queue} and asked in {one["id"] for one in whole}
    own = there.post(admin, f"{LIST}/{listing}/questions", 201, text="Who wrote the reviews?")["id"]
    assert there.post(admin, f"admin/marketplace/questions/{own}/restore", 403)["code"] == "own_question"


def test_a_website_is_for_sale_once_and_not_by_who_sold_it(there: Market, admin: Person) -> None:
    seller, buyer = there.person("Twice"), there.person("Keeper")
    address = f"https://www.{uuid4().hex[:12]}.com/"
    first, second, third = (there.draft(seller, websiteUrl=address + path) for path in ("", "about", "?x"))

    def submit(number: int) -> int:
        path = f"/api/{LIST}/{(first, second)[number % 2]}/submit"
        return there.api.call("POST", path, seller).status_code

    statuses = Counter(at_once(submit, 8))
    assert statuses[200] >= 1 and set(statuses) <= {200, 409, 503}, statuses
    there.sync()
    states = {one: there.get(seller, f"{LIST}/{one}")["status"] for one in (first, second)}
    assert sorted(states.values()) == ["draft", "in_review"]
    [live] = [one for one, status in states.items() if status == "in_review"]
    refused = there.post(seller, f"{LIST}/{third}/submit", 409)
    assert (refused["code"], refused["errors"][0]["field"]) == ("listed_already", "websiteUrl")
    elsewhere = there.draft(seller)
    there.post(seller, f"{LIST}/{elsewhere}/submit")
    moved = there.post(seller, f"{LIST}/{elsewhere}", 409, "PATCH", edition=1, **{**FIELDS, "websiteUrl": address})
    assert moved["code"] == "listed_already"

    there.post(admin, f"admin/marketplace/listings/{live}/approve", edition=1)
    offer = there.funded(seller, buyer, live)
    there.post(seller, f"marketplace/offers/{offer}/escrow/deliver")
    there.post(buyer, f"marketplace/offers/{offer}/escrow/accept")
    there.run_due()
    there.until(offer, "released")
    assert there.post(seller, f"{LIST}/{third}/submit", 409)["code"] == "sold_already"
    there.post(buyer, f"{LIST}/{there.draft(buyer, websiteUrl=address)}/submit")


def test_an_admin_sells_like_everybody_and_what_is_over_does_not_count(
    there: Market, admin: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    listing = there.draft(admin)
    there.post(admin, f"{LIST}/{listing}/submit")
    own = there.post(admin, f"admin/marketplace/listings/{listing}/approve", 403, edition=1)
    assert own["code"] == "own_listing"
    there.post(there.person("Second", "member", "admin"), f"admin/marketplace/listings/{listing}/approve", edition=1)
    assert listing in listed(there)

    monkeypatch.setattr(consequences, "MAX_LISTINGS", 2)
    seller = there.person("Busy")
    made = [there.draft(seller) for _ in range(2)]
    assert there.post(seller, LIST, 409, **FIELDS)["code"] == "too_many_listings"
    there.post(seller, f"{LIST}/{made[0]}/withdraw")
    there.draft(seller)
    assert there.post(seller, f"{LIST}/{made[0]}/submit", 409)["code"] == "too_many_listings"


def test_the_demonstration_lists_its_websites_once_whatever_cut_it_short(there: Market, admin: Person) -> None:
    seller, domain = there.person("Sigga"), market_of_demo.FOR_SALE.domain
    website = there.post(seller, "platform/websites", 201, domain=domain)["id"]
    listings = [replace(market_of_demo.MEASURED, asking_price=500), *market_of_demo.LISTINGS]
    refusing = [0, 3, None]  # the first run ends before anything, the second in the middle

    async def run(answers: int | None) -> int:
        left = answers

        async def done(request: Awaitable[httpx.Response]) -> httpx.Response:
            nonlocal left
            if left == 0:
                getattr(request, "close", lambda: None)()
                raise ConnectionError("killed")
            left = left - 1 if left is not None else None
            answer = await request
            assert answer.status_code < 400, answer.text
            return answer

        clients = [
            httpx.AsyncClient(base_url=there.api.address, headers=one.headers, timeout=15) for one in (admin, seller)
        ]
        async with clients[0] as app, clients[1] as client:
            return await market_of_demo.put_up_for_sale(app, client, listings, website, done)

    for answers in refusing:
        try:
            count = asyncio.run(run(answers))
        except ConnectionError:
            count = None
        there.sync()
        assert count == (None if answers is not None else 6)
    before = there.last_event()
    assert asyncio.run(run(None)) == 6 and there.last_event() == before
    mine = there.get(seller, "marketplace/my/listings")
    assert Counter(one["status"] for one in mine) == {"active": 6}
    measured = next(one["id"] for one in mine if one["title"] == listings[0].title)
    assert there.get(seller, f"{LIST}/{measured}")["websiteId"] == website


def test_thirty_images_that_are_sent_at_once_are_all_taken(there: Market, seller: Person) -> None:
    listings = [there.draft(seller) for _ in range(5)]
    photographs = [picture((4_000, 3_000), f"#{number:02x}8040") for number in range(30)]

    def send(number: int) -> int:
        address = f"/api/{LIST}/{listings[number % 5]}/images"
        answer = there.api.call(
            "POST", address, seller, content=photographs[number], headers={"Content-Type": "image/jpeg"}
        )
        return answer.status_code

    with ThreadPoolExecutor(30) as pool:
        assert set(pool.map(send, range(30))) == {201}
