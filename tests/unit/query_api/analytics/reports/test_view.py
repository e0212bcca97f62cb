"""The email of a view has the cards of the analytics page."""

from __future__ import annotations

import re

from query_api.analytics.reports.view import CARDS
from schemas.tracking import SUBS
from tests.support.engines import ROOT

PAGE = (ROOT / "web/src/features/analytics/lib/breakdown-groups.ts").read_text()


def test_the_cards_and_their_tabs_are_those_of_the_page_in_its_order() -> None:
    groups = re.split(r"\{\s*id: '(\w+)',\s*title:", PAGE.partition("GROUPS")[2].partition("\n];")[0])[1:]
    of_page = {}
    for card, text in zip(groups[::2], groups[1::2], strict=True):
        tabs = re.findall(r"(?:tab\(|by: )'(\w+)'", text) + (list(SUBS) if "SUBS" in text else [])
        of_page[card] = list(dict.fromkeys(tabs))  # places have a map and a list of countries
    assert {card: list(tabs) for card, (_, tabs) in CARDS.items()} == of_page
    assert len(of_page) == 8
