"""Known ways to make a redirect lead elsewhere, tried at every place where a link names an address.

An address is either refused, or it leads to the partner, as a browser would read it: `where` reads as the URL standard
says that browsers do, not as our own parser does.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from urllib.parse import unquote
from uuid import uuid4

import pytest

from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.kernel.hostnames import registered_domain
from command_api.links.destinations import checked_destination, checked_routing
from command_api.partners import model as partners
from command_api.websites.model import Website
from ingest.links.macros import expand, location
from schemas.events.links import Routing, TargetRule, Variant

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOME, SHOP = "good-vpn.example", "shop.example"
GOOD = f"https://www.{HOME}/offer"
VALUES = {"click_id": "//evil.example", "sub1": "@evil.example/", "sub2": "\\evil.example", "country": ".evil.example"}
"""What a visitor may put where a macro stands."""

TRICKS = [
    # another host, plainly or nearly
    "https://evil.example/",
    "//evil.example",
    "///evil.example",
    "////evil.example//",
    "/\\evil.example",
    "\\\\evil.example",
    "https:evil.example",
    "https:/evil.example",
    "https:///evil.example",
    "http:\\\\evil.example",
    "https:\\/evil.example",
    "https://evil.example?good-vpn.example",
    "https://evil.example#good-vpn.example",
    "https://evil.example/https://good-vpn.example",
    "https://evil.example\\good-vpn.example",
    "https://evil.example\\@good-vpn.example",
    "https://evil.example;good-vpn.example",
    "https://evil.example&good-vpn.example",
    "https://evil.example%2f.good-vpn.example/",
    "https://evil.example%5c.good-vpn.example/",
    "https://evil.example%23.good-vpn.example/",
    "https://evil.example%3f.good-vpn.example/",
    "https://evil.example%00.good-vpn.example/",
    "https://evil.example%0d%0a.good-vpn.example/",
    # names that only look like the partner's
    "https://good-vpn.example.evil.example/",
    "https://evilgood-vpn.example/",
    "https://good-vpn.example%2eevil.example/",
    "https://good-vpn.example。evil.example/",
    "https://good-vpn.example．evil.example/",
    "https://gооd-vpn.example/",  # two Cyrillic letters
    "https://good‐vpn.example/",  # a typographic hyphen
    "https://good-vpn.example:443.evil.example/",
    "https://good-vpn.example:@evil.example/",
    "https://good-vpn.example:80@evil.example/",
    "https://good-vpn.example:pass@evil.example",
    "https://good-vpn.example@evil.example/",
    "https://good-vpn.example%40evil.example/",
    "https://good-vpn.example&@evil.example#@good-vpn.example/",
    "https://good-vpn.example/@@evil.example",
    "https://[good-vpn.example]@evil.example/",
    "https://[::ffff:203.0.113.7]/good-vpn.example",
    "https://203.0.113.7/good-vpn.example",
    "https://3405803783/good-vpn.example",
    "https://0xcb007107/good-vpn.example",
    # white space and control characters that parsers drop, each in its own way
    " https://evil.example/",
    "\thttps://evil.example/",
    "ht\ntps://evil.example/",
    "https://good-vpn.example\t.evil.example/",
    "https://good-vpn.example\r\n.evil.example/",
    "https://good-vpn.example\u00a0.evil.example/",
    "https://good-vpn.example\u200b.evil.example/",
    "https://good-vpn.example\u2028.evil.example/",
    "https://good-vpn.example\u3000.evil.example/",
    "https://good-vpn.example／.evil.example/",
    "https://good-vpn.example？.evil.example/",
    "https://good-vpn.example＃@evil.example/",
    "https://evil.example＠good-vpn.example/",
    "https://evil.example＼good-vpn.example/",
    "https://ⓔvil.example/",
    "https://good-vpn.example\x00.evil.example/",
    "https://evil.example\x01@good-vpn.example",
    # other schemes
    "javascript:alert(1)//good-vpn.example",
    "JaVaScRiPt://good-vpn.example/%0aalert(1)",
    "data:text/html,<script>//good-vpn.example",
    "vbscript://good-vpn.example/",
    "file://good-vpn.example/etc/passwd",
    "ftp://good-vpn.example/",
    "intent://good-vpn.example#Intent;scheme=https;end",
    "blob:https://good-vpn.example/1",
    "view-source:https://good-vpn.example",
    "//good-vpn.example/",
    # macros that would stand in host or scheme
    "https://{click_id}/good-vpn.example",
    "https://{sub1}.good-vpn.example/",
    "https://good-vpn.example{country}/",
    "https://good-vpn.example{sub1}/",
    "https://good-vpn.example:{sub1}/",
    "https://good-vpn.example:80{sub1}/",
    "https:{click_id}/good-vpn.example",
    "{click_id}https://good-vpn.example/",
    "https://good-vpn.example{click_id",
    "https://{/}good-vpn.example/",
    "https://evil.example{?}.good-vpn.example/",
    "https://evil.example{#}.good-vpn.example/",
    "https://evil.example/{sub1}@good-vpn.example/",
]
"""Each is refused wherever a link names an address, or leads to the partner."""
FINE = [
    "https://good-vpn.example/{click_id}",
    "https://good-vpn.example/{sub2}{sub1}?to={click_id}&x={country}",
    "https://good-vpn.example?next={click_id}",
    "https://good-vpn.example//evil.example/{click_id}",
    "https://good-vpn.example/\\u002fevil.example".replace("\\", "%5C"),
    "https://good-vpn.example:8443/?u=https://evil.example/",
    "HTTPS://WWW.GOOD-VPN.EXAMPLE./deep",
]
"""Addresses of the partner that hold something odd."""


def a_partner(base_url: str = GOOD) -> partners.Partner:
    [registered, _] = partners.register(
        uuid4(),
        None,
        name="Good VPN",
        slug="good-vpn",
        base_url=base_url,
        commission=10,
        description="",
        is_active=True,
        cookie_days=30,
        postback_preset=None,
        context=CommandContext(NOW, uuid4(), is_admin=True),
    )
    return partners.evolve(None, registered)


PARTNER, OTHER = a_partner(), a_partner("https://other.example/")
SITE = Website(uuid4(), 1, uuid4(), SHOP, "UTC", "USD", NOW)


def routed(routing: Routing) -> Routing:
    return checked_routing(routing, PARTNER, SITE, NOW, of_variants={OTHER.id: OTHER})


PLACES: dict[str, Callable[[str], str]] = {
    "destination": lambda text: checked_destination(text, PARTNER),
    "rule": lambda text: routed(Routing(rules=(TargetRule(countries=("IS",), destination=text),))).rules[0].destination,
    "variant": lambda text: (
        routed(Routing(variants=(Variant(destination=GOOD, weight=1), Variant(destination=text, weight=1))))
        .variants[1]
        .destination
    ),
    "variant of another partner": lambda text: (
        routed(
            Routing(
                variants=(
                    Variant(destination="https://other.example/", weight=1, partner_id=OTHER.id),
                    Variant(destination=text, weight=1),
                )
            )
        )
        .variants[1]
        .destination
    ),
    "fallback": lambda text: routed(Routing(fallback=text)).fallback or "",
}


def where(address: bytes) -> str:
    """The host to which a browser goes that receives this `Location` (URL standard: the basic parser)."""
    text = "".join(c for c in address.decode().strip("".join(map(chr, range(0x21)))) if c not in "\t\r\n")
    scheme, colon, rest = text.partition(":")
    assert colon and scheme.lower() in ("http", "https"), f"a browser would stay here or run {address!r}"
    rest = rest.replace("\\", "/").lstrip("/")
    authority = rest[: min((rest.index(c) for c in "/?#" if c in rest), default=len(rest))]
    host = authority.rpartition("@")[2]
    host = host if host.startswith("[") else host.partition(":")[0]
    return unicodedata.normalize("NFKC", unquote(host)).lower().rstrip(".")


@pytest.mark.parametrize("place", PLACES)
def test_no_trick_leads_elsewhere(place: str) -> None:
    refused = 0
    for trick in TRICKS:
        try:
            kept = PLACES[place](trick)
        except CommandRejected:
            refused += 1
            continue
        for values in ({}, VALUES):
            found = where(location(expand(kept, values)))
            assert registered_domain(found) == HOME, f"{trick!r} became {kept!r}, which leads to {found}"
    assert len(TRICKS) - refused <= 3, "nearly all of them are plainly refused"


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("address", FINE)
def test_what_visitors_bring_stays_in_its_place(place: str, address: str) -> None:
    told = location(expand(PLACES[place](address), VALUES))
    assert registered_domain(where(told)) == HOME
    assert told.count(b"\\") == told.count(b"\n") == told.count(b"\r") == 0


def test_the_readers_own_eyes_are_sharp() -> None:
    """Were `where` blind, the tests above would show nothing."""
    for address in (
        "https:\\\\evil.example",
        "https:evil.example",
        "https://a@evil.example",
        "ht\ntps:/evil.example/@b",
    ):
        assert where(address.encode()) == "evil.example"
    assert where("https://evil．example".encode()) == "evil.example"
    with pytest.raises(AssertionError):
        where(b"//evil.example")


def test_the_fallback_may_also_lead_to_the_website_and_nowhere_else() -> None:
    assert where(location(PLACES["fallback"](f"https://www.{SHOP}/gone"))) == f"www.{SHOP}"
    for other in (f"https://{SHOP}.evil.example/", f"https://{SHOP}@evil.example/", f"https://evil{SHOP}/"):
        with pytest.raises(CommandRejected):
            PLACES["fallback"](other)
