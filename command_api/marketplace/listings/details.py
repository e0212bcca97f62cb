"""A seller's details of a website: completeness, the reviewed part, and the host. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from command_api.kernel.decision import CommandRejected, invalid
from command_api.kernel.hostnames import web_address
from schemas.events.marketplace import ListingFigures

MIN_TITLE_LENGTH: Final = 5
MIN_DESCRIPTION_LENGTH: Final = 30


@dataclass(frozen=True, slots=True)
class ListingDetails:
    """The texts and figures that the seller enters."""

    title: str
    website_url: str
    description: str
    figures: ListingFigures


def require_complete(details: ListingDetails) -> None:
    """Raises `CommandRejected` (invalid) for the first missing detail."""
    if len(details.title.strip()) < MIN_TITLE_LENGTH:
        raise invalid("incomplete", f"The title needs at least {MIN_TITLE_LENGTH} characters.", "title")
    web_address(details.website_url, "websiteUrl")
    if len(details.description.strip()) < MIN_DESCRIPTION_LENGTH:
        message = f"The description needs at least {MIN_DESCRIPTION_LENGTH} characters."
        raise invalid("incomplete", message, "description")
    figures = details.figures
    for field, value, words in (
        ("niche", figures.niche, "Please choose a niche."),
        ("askingPrice", figures.asking_price, "Please enter a price."),
        ("monthlyRevenue", figures.monthly_revenue, "Please enter the monthly revenue."),
        ("monthlyProfit", figures.monthly_profit, "Please enter the monthly profit."),
        ("monthlyTraffic", figures.monthly_traffic, "Please enter the monthly traffic."),
        ("yearsEstablished", figures.years_established, "Please enter the age of the website."),
    ):
        if value is None:
            raise invalid("incomplete", words, field)
    if figures.asking_price is not None and figures.asking_price.amount < 1:
        raise invalid("incomplete", "Please enter a price.", "askingPrice")


def reviewed_details(details: ListingDetails) -> ListingDetails:
    """The reviewed details: everything but the price and the connected website."""
    return replace(details, figures=details.figures.model_copy(update={"asking_price": None, "website_id": None}))


def host_of(url: str) -> str | None:
    """The host that a web address leads to, as domains are written here, without www; none if it leads nowhere."""
    try:
        parts = web_address(url, "websiteUrl")
    except CommandRejected:
        return None
    return (parts.hostname or "").removeprefix("www.") or None


def same_website(url: str, domain: str) -> bool:
    """Returns whether an address has the domain of a connected website, with or without www."""
    return host_of(url) == domain.removeprefix("www.")
