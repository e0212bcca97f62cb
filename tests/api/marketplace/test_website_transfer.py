"""A sold website moves to its buyer by consent of both: what both see before, who may agree, and whose it is after."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.domains.commands import RecordDomainCheck
from command_api.domains.dns_check import DnsResult, Verdict
from command_api.kernel.decision import system_context
from ingest.directory import refresh
from tests.support.marketplace import MODELS, OF_WEBSITES, Market, market
from tests.support.query import Person, QueryService, event, this_moment


@pytest.fixture(scope="module")
def there(query_service: QueryService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    with market(query_service, tmp_path_factory.mktemp("transfers"), provider=False) as found:
        found.models = (*MODELS, *OF_WEBSITES)
        yield found


@pytest.fixture(scope="module")
def admin(there: Market) -> Iterator[Person]:
    admin = there.person("Gunnar", "member", "admin")
    there.post(admin, "admin/marketplace/direct-deals", method="PUT", directDeals=True)
    yield admin
    there.post(admin, "admin/marketplace/direct-deals", method="PUT", directDeals=False)


@dataclass
class Deal:
    """A website with all that can belong to one, and the offer for it."""

    there: Market
    admin: Person
    seller: Person
    buyer: Person

    @cached_property
    def made(self) -> dict[str, Any]:
        return self.there.post(self.seller, "platform/websites", 201, domain=f"{uuid4().hex[:12]}.com")

    @property
    def website(self) -> str:
        return str(self.made["id"])

    @cached_property
    def partner(self) -> str:
        fields: dict[str, Any] = {
            "name": "Direct deal with Nordic Shoes",
            "baseUrl": "https://partner.example/",
            "commission": 10,
        }
        return str(self.there.post(self.seller, "platform/partners", 201, **fields)["id"])

    @cached_property
    def link(self) -> dict[str, Any]:
        named = {"websiteId": self.website, "partnerId": self.partner}
        return self.there.post(self.seller, "platform/links", 201, **named)

    @cached_property
    def listing(self) -> str:
        address = f"https://{self.made['domain']}"
        return self.there.online(self.seller, self.admin, websiteUrl=address, websiteId=self.website)

    @cached_property
    def offer(self) -> str:
        offer = self.there.offer(self.buyer, self.listing)
        self.there.post(self.seller, f"marketplace/offers/{offer}/accept", price=40_000, withoutEscrow=True)
        return offer

    def domain(self, name: str, *, is_verified: bool) -> str:
        fields = {"domain": f"{name}.{self.made['domain']}", "websiteId": self.website}
        made = self.there.post(self.seller, "platform/custom-domains", 201, **fields)
        if is_verified:
            proven = DnsResult(made["verificationToken"], Verdict.PROVEN, None, None)
            self.there.api.core.commands.dispatch(RecordDomainCheck(UUID(made["id"]), proven), system_context())
            self.there.sync()
        return str(made["domain"])

    def sold(self) -> Deal:
        for side in (self.seller, self.buyer):
            self.there.post(side, f"marketplace/offers/{self.offer}/direct/confirm")
        return self

    def step(self, who: Person, step: str, status: int = 200) -> dict[str, Any]:
        return self.there.post(who, f"marketplace/offers/{self.offer}/transfer/{step}", status)

    def refusal(self, who: Person, step: str) -> str:
        return str(self.step(who, step, 409)["code"])

    def shown(self, who: Person) -> dict[str, Any]:
        found: dict[str, Any] = self.there.get(who, f"marketplace/offers/{self.offer}/transfer")
        return found

    def accepted(self) -> Deal:
        self.step(self.seller, "propose")
        self.step(self.buyer, "accept")
        return self


@pytest.fixture
def deal(there: Market, admin: Person) -> Deal:
    there.later = timedelta()
    return Deal(there, admin, there.person("Embla"), there.person("Bjarni"))


def test_it_begins_with_the_seller_once_the_website_is_sold_and_strangers_see_nothing(deal: Deal) -> None:
    assert deal.offer
    assert (deal.shown(deal.seller)["canPropose"], deal.refusal(deal.seller, "propose")) == (False, "not_sold")
    deal.sold()
    for stranger in (deal.there.person("Rival"), deal.admin):
        deal.there.get(stranger, f"marketplace/offers/{deal.offer}/transfer", 404)
        for step in ("propose", "withdraw", "decline", "accept"):
            deal.step(stranger, step, 404)
    assert deal.shown(deal.seller)["canPropose"] is True
    assert {deal.refusal(deal.buyer, step) for step in ("propose", "withdraw")} == {"not_yours"}
    assert {deal.refusal(deal.buyer, step) for step in ("accept", "decline")} == {"not_proposed"}
    assert {deal.refusal(deal.seller, step) for step in ("accept", "decline")} == {"not_yours"}
    shown = deal.shown(deal.buyer)
    assert (shown["status"], shown["websiteId"], shown["domain"], shown["content"]) == (None, None, None, None)


def test_both_see_exactly_what_moves_and_what_ends(deal: Deal) -> None:
    verified = deal.domain("go", is_verified=True)
    deal.domain("new", is_verified=False)
    assert deal.link
    deal.sold()
    expected = {
        **{
            "sites": 0,
            "links": 1,
            "siteKeys": 1,
            "secretKeys": 2,
            "domains": [verified],
            "unverifiedDomains": 1,
            "channels": 0,
        },
        **{"partners": ["Direct deal with Nordic Shoes"], "conversions": 0, "payouts": 0, "files": 0},
        **{"views": 0, "reports": 0},
    }
    assert deal.shown(deal.seller)["content"] == expected
    deal.step(deal.seller, "propose")
    for side in (deal.seller, deal.buyer):
        shown = deal.shown(side)
        assert (shown["status"], shown["domain"], shown["content"]) == ("proposed", deal.made["domain"], expected)
    assert "The seller offers to move the website to your account: see what moves" in deal.there.told(deal.buyer)
    deal.step(deal.buyer, "decline")
    assert deal.shown(deal.buyer)["content"] is None
    deal.step(deal.seller, "propose")
    deal.step(deal.seller, "withdraw")
    assert (deal.shown(deal.buyer)["content"], deal.refusal(deal.buyer, "accept")) == (None, "not_proposed")
    deal.there.get(deal.buyer, f"platform/websites/{deal.website}/keys", 404)


def test_after_it_the_buyer_has_everything_and_the_seller_nothing(deal: Deal) -> None:
    there, me = deal.there, deal.website
    verified = deal.domain("go", is_verified=True)
    unverified = deal.domain("new", is_verified=False)
    slug = deal.link["slug"]
    channel = there.post(deal.seller, "platform/social-channels", 201, websiteId=me, network="tiktok", handle="shoes")
    there.api.query.events([event(UUID(me), this_moment())])
    deal.sold().accepted()

    shown = deal.shown(deal.buyer)
    assert (shown["status"], shown["isMoved"], shown["websiteId"], shown["content"]) == ("accepted", True, me, None)
    assert deal.shown(deal.seller)["websiteId"] is None
    overview = f"platform/analytics/overview?websiteId={me}&timeRange=24h"
    assert there.get(deal.buyer, overview)["clicks"]["total"] == 1
    seen = (
        *(overview, f"platform/websites/{me}/keys", f"platform/websites/{me}/traffic-rules"),
        *(f"platform/links/{deal.link['id']}", f"platform/links?websiteId={me}", f"platform/payouts?websiteId={me}"),
    )
    for path in seen:
        there.get(deal.buyer, path)
        there.get(deal.seller, path, 404)
    assert [one["id"] for one in there.get(deal.buyer, "platform/websites")] == [me]
    for path in ("platform/websites", "platform/custom-domains"):
        assert there.get(deal.seller, path) == []
    assert [one["domain"] for one in there.get(deal.buyer, "platform/custom-domains")] == [verified]
    assert deal.partner in {one["id"] for one in there.get(deal.buyer, "platform/partners")}
    assert deal.partner not in {one["id"] for one in there.get(deal.seller, "platform/partners")}
    for who, status in ((deal.seller, 404), (deal.buyer, 200)):
        there.post(who, f"platform/websites/{me}", status, "PATCH", timezone="Atlantic/Reykjavik")
        there.post(who, f"platform/links/{deal.link['id']}", status, "PATCH", isActive=True)
        there.post(who, f"platform/social-channels/{channel['id']}", status, "PATCH", name="Shoes")
        there.post(who, f"platform/partners/{deal.partner}", status, "PATCH", name="Nordic Shoes")
    there.post(deal.seller, f"platform/websites/{me}", 404, "DELETE")
    for step in ("propose", "withdraw"):
        assert deal.refusal(deal.seller, step) == "transferred"
    assert deal.refusal(deal.buyer, "accept") == "transferred"

    # What ingest reads: the site key and the links go on, secrets end, the domain answers for the same website.
    rows = there.postgres.execute
    keys = {row[1]: row[2] for row in rows(refresh.KEYS.encode()).fetchall() if str(row[0]) == me}
    assert keys == {sha256(deal.made["siteKey"].encode()).hexdigest(): "site"}
    assert slug in {row[1] for row in rows(refresh.LINKS.encode()).fetchall() if row[7]}
    answering = [(str(row[2]), row[3]) for row in rows(refresh.DOMAINS.encode()).fetchall() if row[1] == verified]
    assert (me, True) in answering and unverified not in {row[1] for row in rows(refresh.DOMAINS.encode()).fetchall()}
    assert rows("SELECT 1 FROM auth.postback_token WHERE website_id = %s", (me,)).fetchone() is None


def test_payouts_move_without_the_sellers_files_and_the_buyer_may_attach_the_same_again(deal: Deal) -> None:
    there, paid = deal.there, {"amount": 100, "currency": "USD"}
    named = {"websiteId": deal.website, "partnerId": deal.partner}
    assert deal.link
    payout = there.post(deal.seller, "platform/payouts", 201, **named, amount=paid, paidOn="2026-11-20")
    path = f"platform/payouts/{payout['id']}"

    def attach(who: Person) -> int:
        headers = {"Content-Type": "application/pdf"}
        status = there.api.call("POST", f"/api/{path}/file", who, content=b"%PDF-1.7", headers=headers).status_code
        there.sync()
        return status

    assert attach(deal.seller) == 201
    assert deal.sold().shown(deal.seller)["content"]["files"] == 1
    deal.accepted()
    assert (there.get(deal.buyer, path)["hasFile"], attach(deal.seller)) == (False, 404)
    there.get(deal.buyer, f"{path}/file", 404)
    assert attach(deal.buyer) == 201
    assert there.get(deal.buyer, path)["hasFile"]
    assert there.api.call("GET", f"/api/{path}/file", deal.buyer).content == b"%PDF-1.7"


def test_a_site_of_the_builder_goes_on_and_is_the_buyers(deal: Deal) -> None:
    there, name = deal.there, f"s-{uuid4().hex[:12]}"
    domain = deal.domain("www2", is_verified=True)
    site = there.post(deal.seller, "platform/sites", 201, websiteId=deal.website, name="Shoes", slug=name)
    path, page = f"platform/sites/{site['id']}", str(uuid4())
    document = {"name": "Shoes", "pages": [{"id": page, "path": "", "title": "Home"}]}
    blocks = [{"id": str(uuid4()), "type": "article", "markdown": "Reviewed by us."}]
    there.post(deal.seller, f"{path}/document", 200, "PUT", document=document, basedOn=1)
    there.post(deal.seller, f"{path}/pages/{page}", 200, "PUT", document={"blocks": blocks}, basedOn=0)
    [of_seller] = there.get(deal.seller, "platform/custom-domains")
    there.post(deal.seller, f"{path}/address", 200, "PUT", slug=name, domainId=of_seller["id"])
    there.post(deal.seller, f"{path}/publish")

    def served() -> list[Any]:
        files = "SELECT is_own_host, path, etag FROM publishing.site_file WHERE site_id = %s ORDER BY 1, 2"
        return there.postgres.execute(files, (site["id"],)).fetchall()

    before = served()
    assert deal.sold().shown(deal.seller)["content"]["sites"] == 1
    deal.accepted()
    [of_buyer] = there.get(deal.buyer, "platform/custom-domains")
    row = there.postgres.execute("SELECT domain_id FROM publishing.served_site WHERE site_id = %s", (site["id"],))
    assert (of_buyer["domain"], row.fetchone(), served()) == (domain, (UUID(of_buyer["id"]),), before)
    assert [one["id"] for one in there.get(deal.buyer, "platform/sites")] == [site["id"]]
    assert there.get(deal.seller, "platform/sites") == []
    for step in ("publish", "releases/1/publish", "unpublish"):
        there.post(deal.seller, f"{path}/{step}", 404)
    assert there.post(deal.buyer, f"{path}/publish")["published"] == 1  # exactly this is what visitors see
    there.post(deal.buyer, f"{path}/unpublish")
    assert served() == []
    assert there.post(deal.buyer, f"{path}/releases/1/publish")["published"] == 2


def test_a_website_that_is_removed_or_renamed_meanwhile_does_not_move(deal: Deal) -> None:
    deal.sold().step(deal.seller, "propose")
    there, path = deal.there, f"platform/websites/{deal.website}"
    there.post(deal.seller, path, 200, "PATCH", domain=f"{uuid4().hex[:12]}.com")
    assert deal.refusal(deal.buyer, "accept") == "website_changed"
    there.post(deal.seller, path, 200, "PATCH", domain=deal.made["domain"])
    there.post(deal.seller, path, 204, "DELETE")
    assert deal.refusal(deal.buyer, "accept") == "website_gone"
    assert (deal.shown(deal.buyer)["status"], deal.shown(deal.seller)["canPropose"]) == ("withdrawn", False)


def test_a_partner_that_another_website_needs_holds_the_move_up_and_nothing_is_half_moved(deal: Deal) -> None:
    there = deal.there
    assert deal.link
    other = there.post(deal.seller, "platform/websites", 201, domain=f"{uuid4().hex[:12]}.com")
    named = {"websiteId": other["id"], "partnerId": deal.partner}
    second = there.post(deal.seller, "platform/links", 201, **named)
    deal.sold().step(deal.seller, "propose")
    before = there.last_event()
    assert deal.refusal(deal.buyer, "accept") == "partner_shared"
    assert there.last_event() == before
    there.get(deal.seller, f"platform/websites/{deal.website}/keys")
    there.post(deal.seller, f"platform/links/{second['id']}", 204, "DELETE")
    deal.step(deal.buyer, "accept")
    assert [one["id"] for one in there.get(deal.seller, "platform/websites")] == [other["id"]]


def test_a_website_that_is_for_sale_under_another_name_does_not_move(deal: Deal) -> None:
    there, path, name = deal.there, f"platform/websites/{deal.sold().website}", f"{uuid4().hex[:12]}.com"
    there.post(deal.seller, path, 200, "PATCH", domain=name)
    again = there.online(deal.seller, deal.admin, websiteUrl=f"https://{name}", websiteId=deal.website)
    there.post(deal.seller, path, 200, "PATCH", domain=deal.made["domain"])
    assert deal.refusal(deal.seller, "propose") == "listed_again"
    there.post(deal.seller, f"marketplace/listings/{again}/withdraw")
    deal.accepted()


def test_a_listing_without_a_connected_website_has_nothing_to_move(deal: Deal) -> None:
    deal.listing = deal.there.online(deal.seller, deal.admin)
    assert deal.sold().refusal(deal.seller, "propose") == "no_website"
    assert deal.shown(deal.seller)["canPropose"] is False
