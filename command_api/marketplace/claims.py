"""What a seller says of a website: when it is complete, what of it a review looks at, and which host it is. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from command_api.decision import Refused, invalid
from command_api.hosts import web_address
from schemas.events.marketplace import ListingFigures

SHORTEST_TITLE: Final = 5
SHORTEST_DESCRIPTION: Final = 30


@dataclass(frozen=True, slots=True)
class Facts:
    """What the seller writes."""

    title: str
    website_url: str
    description: str
    figures: ListingFigures


def complete(facts: Facts) -> None:
    """Raises `Refused` (invalid) naming what others need to know and is not there."""
    if len(facts.title.strip()) < SHORTEST_TITLE:
        raise invalid("incomplete", f"The title needs at least {SHORTEST_TITLE} characters.", "title")
    web_address(facts.website_url, "websiteUrl")
    if len(facts.description.strip()) < SHORTEST_DESCRIPTION:
        message = f"The description needs at least {SHORTEST_DESCRIPTION} characters."
        raise invalid("incomplete", message, "description")
    figures = facts.figures
    for field, value, words in (
        ("niche", figures.niche, "Please choose a niche."),
        ("askingPrice", figures.asking_price, "Please name a price."),
        ("monthlyRevenue", figures.monthly_revenue, "Please tell the monthly revenue."),
        ("monthlyProfit", figures.monthly_profit, "Please tell the monthly profit."),
        ("monthlyTraffic", figures.monthly_traffic, "Please tell the monthly traffic."),
        ("yearsEstablished", figures.years_established, "Please tell how old the website is."),
    ):
        if value is None:
            raise invalid("incomplete", words, field)
    if figures.asking_price is not None and figures.asking_price.amount < 1:
        raise invalid("incomplete", "Please name a price.", "askingPrice")


def claims(facts: Facts) -> Facts:
    """What a review looks at: everything but the price, and which website here it is."""
    return replace(facts, figures=facts.figures.model_copy(update={"asking_price": None, "website_id": None}))


def host_of(url: str) -> str | None:
    """The host that a web address leads to, as domains are written here, without www; none if it leads nowhere."""
    try:
        parts = web_address(url, "websiteUrl")
    except Refused:
        return None
    return (parts.hostname or "").removeprefix("www.") or None


def same_website(url: str, domain: str) -> bool:
    """Whether an address is of a website here; with or without www."""
    return host_of(url) == domain.removeprefix("www.")
