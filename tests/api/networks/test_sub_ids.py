"""Rows whose click reference is the website's own sub id: they count for the click that had it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from tests.api.networks.test_imports import DAY, Importer, led, sale
from tests.support.policies import Policies, Shop

__all__ = ["led"]


def clicked(led: Policies, shop: Shop, before: timedelta = timedelta(days=2), **row: Any) -> str:
    """A click this long before the sales of `DAY`, which the projector has stored."""
    click = led.click(shop, datetime.now(UTC) - DAY + before)
    led.project_click(shop, click=click, **row)
    return click


def imported(importer: Importer, *sub_ids: str) -> dict[str, str | None]:
    """The click that the sale with each sub id is attributed to, once their report is applied."""
    sales = {importer.txid(): sub_id for sub_id in sub_ids}
    importer.upload([sale(txid, 5, click=sub_id) for txid, sub_id in sales.items()], apply=True)
    found = {}
    for txid, sub_id in sales.items():
        attribution = importer.conversion(txid).facts.attribution
        found[sub_id] = attribution.click_id if attribution is not None else None
    return found


def test_a_sub_id_names_the_one_click_that_had_it(led: Policies) -> None:
    importer = Importer(led)
    own, other = f"spring-{uuid4().hex[:8]}", f"für Zoë's {uuid4().hex[:8]} 💶"
    first = clicked(led, importer.shop, sub1=own)
    second = clicked(led, importer.shop, sub1="banner", sub7=other)
    assert imported(importer, own, other, "unknown") == {own: first, other: second, "unknown": ""}


def test_a_sub_id_of_several_clicks_names_none(led: Policies) -> None:
    importer = Importer(led)
    for _ in range(2):
        clicked(led, importer.shop, sub1="sidebar")
    assert imported(importer, "sidebar") == {"sidebar": ""}


def test_only_a_click_that_may_have_earned_the_sale_is_meant(led: Policies) -> None:
    importer, stranger = Importer(led), Importer(led)
    elsewhere = Shop(importer.shop.site, (partner := led.world.partner()), led.world.link(importer.shop.site, partner))
    meant = clicked(led, importer.shop, sub1="again")
    clicked(led, importer.shop, -timedelta(hours=2), sub1="again")
    clicked(led, importer.shop, timedelta(days=31), sub1="again")
    clicked(led, importer.shop, sub1="again", is_bot=1, bot_reason="headless")
    clicked(led, elsewhere, sub1="again")
    clicked(led, stranger.shop, sub1="again")
    clicked(led, importer.shop, -timedelta(hours=2), sub1="late")
    assert imported(importer, "again", "late") == {"again": meant, "late": ""}


def test_the_preview_counts_a_row_with_a_known_sub_id_as_matched(led: Policies) -> None:
    importer, sub_id = Importer(led), uuid4().hex[:12]
    clicked(led, importer.shop, sub1=sub_id)
    found = importer.upload([sale(importer.txid(), 5, click=sub_id), sale(importer.txid(), 5, click="unknown")])
    importer.until(found["importId"], "ready")
    shown = importer.state_of(found["importId"])
    assert (shown["new"], shown["unmatched"]) == (2, 1)
