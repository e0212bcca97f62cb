"""The demonstration's deals: offers in several states, a question with its answer, a watched listing, a saved search.

A second run adds nothing: a buyer who has an offer on a listing makes no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import httpx

from infra.ops.demo import market
from infra.ops.demo.members import Done

OPEN, COUNTERED, DECLINED, ACCEPTED = (listing.title for listing in market.LISTINGS[:4])
ASKED: Final = market.LISTINGS[4].title
_SHARE: Final = {OPEN: 0.9, COUNTERED: 0.85, DECLINED: 0.5, ACCEPTED: 0.96}
"""The buyers' offers, as parts of the asking price."""


async def make(seller: httpx.AsyncClient, buyers: Sequence[httpx.AsyncClient], done: Done) -> int:
    """Makes the offers that are not there yet; returns how many there are."""
    rows = (await done(seller.get("/api/marketplace/my/listings?limit=200"))).json()
    listings = {row["title"]: row for row in rows}
    first, second = buyers[:2]
    offers = (await done(seller.get("/api/marketplace/my/offers?side=seller&limit=200"))).json()
    listing_ids = {offer["listingId"] for offer in offers}
    offered = 0
    for title, buyer in ((OPEN, first), (COUNTERED, first), (DECLINED, second), (ACCEPTED, second)):
        listing = listings.get(title)
        if listing is None or listing["id"] in listing_ids:
            continue
        offered += 1
        price = round(listing["askingPrice"] * _SHARE[title])
        text = "I would keep the newsletter and the writer. When could the handover be? (demo)"
        made = await done(
            buyer.post(f"/api/marketplace/listings/{listing['id']}/offers", json={"price": price, "text": text})
        )
        await _answer(seller, title, made.json()["id"], price, done)
    if offered:
        await _ask(seller, first, listings[ASKED]["id"], done)
        await done(second.put(f"/api/marketplace/listings/{listings[ASKED]['id']}/watch"))
        await done(second.post("/api/marketplace/saved-searches", json={"niche": "software", "maxPrice": 40_000}))
    return len(_SHARE)


async def _answer(seller: httpx.AsyncClient, title: str, offer: str, price: int, done: Done) -> None:
    path = f"/api/marketplace/offers/{offer}"
    if title == COUNTERED:
        counter = {"price": round(price * 1.1), "text": "With the script that runs the tests. (demo)"}
        await done(seller.post(f"{path}/counter", json=counter))
    elif title == DECLINED:
        await done(seller.post(f"{path}/decline"))
    elif title == ACCEPTED:
        # Without an escrow provider no offer can be accepted; this one then stays open.
        await seller.post(f"{path}/accept", json={"price": price})


async def _ask(seller: httpx.AsyncClient, buyer: httpx.AsyncClient, listing: str, done: Done) -> None:
    question = {"text": "Which part of the revenue comes from the largest partner? (demo)"}
    asked = await done(buyer.post(f"/api/marketplace/listings/{listing}/questions", json=question))
    answer = {"text": "40 percent, from one shop; the others have less than 20 percent each. (demo)"}
    await done(seller.post(f"/api/marketplace/questions/{asked.json()['id']}/answer", json=answer))
