"""A sold website moves to its buyer by consent of both: what both see before, who may agree, and whose it is after."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.accounts.erasure import erase_account
from command_api.kernel import event_store
from command_api.kernel.decision import system_context
from command_api.notifications.alerts import mail as alert_mail
from command_api.publishing.subscriptions.commands import HandleForm
from command_api.websites import lookups as website_lookups
from command_api.websites import model as websites
from infra.domain.contacts import encrypt_field
from infra.kernel.security.client_info import Client
from infra.kernel.security.website_sessions import open_website_session
from ingest.directory import refresh
from projectors.read_models.analytics.default_views import DEFAULT_VIEWS
from projectors.read_models.analytics.reports import REPORTS
from projectors.read_models.analytics.saved_views import SAVED_VIEWS
from projectors.read_models.notifications.alerts import ALERT_RULES, ALERTS
from projectors.read_models.publishing.site_releases import SITE_RELEASES
from projectors.read_models.publishing.site_subscriptions import SITE_SUBSCRIPTIONS
from projectors.read_models.publishing.site_versions import SITE_VERSIONS
from projectors.read_models.social.social_channels import SOCIAL_CHANNELS
from projectors.read_models.social.social_posts import SOCIAL_POSTS
from tests.support.marketplace import MODELS, OF_WEBSITES, Market, market
from tests.support.query import Person, QueryService, event, this_moment
from tests.support.website_deal import Deal

MORE = (
    SITE_VERSIONS,
    SITE_RELEASES,
    SOCIAL_CHANNELS,
    SOCIAL_POSTS,
    SITE_SUBSCRIPTIONS,
    SAVED_VIEWS,
    DEFAULT_VIEWS,
    REPORTS,
    ALERT_RULES,
    ALERTS,
)


@pytest.fixture(scope="module")
def there(query_service: QueryService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    with market(query_service, tmp_path_factory.mktemp("transfers"), provider=False) as found:
        found.models = (*MODELS, *OF_WEBSITES, *MORE)
        yield found


@pytest.fixture(scope="module")
def admin(there: Market) -> Iterator[Person]:
    admin = there.person("Gunnar", "member", "admin")
    there.post(admin, "admin/marketplace/direct-deals", method="PUT", directDeals=True)
    yield admin
    there.post(admin, "admin/marketplace/direct-deals", method="PUT", directDeals=False)


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
            "subscribers": 0,
            "links": 1,
            "siteKeys": 1,
            "secretKeys": 2,
            "domains": [verified],
            "unverifiedDomains": 1,
            "channels": 0,
            "connections": 0,
        },
        **{"partners": ["Direct deal with Nordic Shoes"], "conversions": 0, "payouts": 0, "files": 0},
        **{"views": 0, "reports": 0},
    }
    assert deal.shown(deal.seller)["content"] == expected
    deal.step(deal.seller, "propose")
    for side in (deal.seller, deal.buyer):
        shown = deal.shown(side)
        assert (shown["status"], shown["domain"], shown["content"]) == ("proposed", deal.made["domain"], expected)
    assert "Embla offers to move “Reviews of VPN services” to your account: see what moves" in deal.there.told(
        deal.buyer
    )
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
    assert rows("SELECT 1 FROM websites.postback_token WHERE website_id = %s", (me,)).fetchone() is None


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
    there = deal.there
    domain = deal.domain("www2", is_verified=True)
    site, _ = deal.site()
    path = f"platform/sites/{site}"
    [of_seller] = there.get(deal.seller, "platform/custom-domains")
    [slug] = [one["slug"] for one in there.get(deal.seller, "platform/sites")]
    there.post(deal.seller, f"{path}/address", 200, "PUT", slug=slug, domainId=of_seller["id"])

    def served() -> list[Any]:
        files = "SELECT is_own_host, path, etag FROM publishing.site_file WHERE site_id = %s ORDER BY 1, 2"
        return there.postgres.execute(files, (site,)).fetchall()

    before = served()
    assert deal.sold().shown(deal.seller)["content"]["sites"] == 1
    deal.accepted()
    [of_buyer] = there.get(deal.buyer, "platform/custom-domains")
    row = there.postgres.execute("SELECT domain_id FROM publishing.served_site WHERE site_id = %s", (site,))
    assert (of_buyer["domain"], row.fetchone(), served()) == (domain, (UUID(of_buyer["id"]),), before)
    assert [one["id"] for one in there.get(deal.buyer, "platform/sites")] == [site]
    assert there.get(deal.seller, "platform/sites") == []
    for step in ("publish", "releases/1/publish", "unpublish"):
        there.post(deal.seller, f"{path}/{step}", 404)
    assert there.post(deal.buyer, f"{path}/publish")["published"] == 1  # exactly this is what visitors see
    there.post(deal.buyer, f"{path}/unpublish")
    assert served() == []
    assert there.post(deal.buyer, f"{path}/releases/1/publish")["published"] == 2


def test_subscribers_of_its_sites_are_on_the_buyers_list_and_not_on_the_sellers(deal: Deal) -> None:
    there, form = deal.there, uuid4()
    site, _ = deal.site()
    sealed = encrypt_field(there.settings, form, "email", "reader@example.com")
    there.postgres.execute(
        "INSERT INTO publishing.sent_form (id, site_id, sender, email_sealed, page, block)"
        " VALUES (%s, %s, 'x', %s, '/', 'Newsletter')",
        (form, site, sealed),
    )
    there.api.core.commands.dispatch(HandleForm(form, may_mail=True), system_context())
    there.sync()
    path = f"platform/sites/{site}/subscribers"
    assert [one["email"] for one in there.get(deal.seller, path)] == ["reader@example.com"]
    assert deal.sold().shown(deal.seller)["content"]["subscribers"] == 1
    deal.accepted()
    [shown] = there.get(deal.buyer, path)
    assert (shown["email"], shown["state"]) == ("reader@example.com", "pending")
    there.get(deal.seller, path, 404)
    assert there.get(deal.seller, "platform/export")["siteSubscribers"] == []
    there.post(deal.buyer, f"{path}/{shown['id']}", 204, "DELETE")
    deal.assert_as_replayed()


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


def test_more_than_the_buyer_may_have_or_the_store_takes_at_once_does_not_move(
    deal: Deal, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal.sold().step(deal.seller, "propose")
    before = deal.there.last_event()
    for module, limit, most, code in (
        (event_store, "MAX_EVENTS_PER_APPEND", 2, "too_much_to_move"),
        (website_lookups, "MAX_PER_ACCOUNT", 0, "too_many_websites"),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(module, limit, most)
            assert deal.refusal(deal.buyer, "accept") == code
    assert deal.there.last_event() == before
    deal.step(deal.buyer, "accept")


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


def test_what_the_seller_set_up_about_the_website_ends(deal: Deal) -> None:
    there, me = deal.there, deal.website
    state = {"filters": ["country:is:DE"], "timeRange": "7d"}
    view = there.post(deal.seller, "platform/views", 201, name="Germany", websiteId=me, state=state)
    there.post(deal.seller, f"platform/views/{view['id']}/default?websiteId={me}", 204, "PUT")
    report = there.post(deal.seller, "platform/reports", 201, websiteId=me, viewId=view["id"])
    rule = there.post(deal.seller, "platform/alerts", 201, websiteId=me, kind="epc_fell", threshold=80)
    content = deal.sold().shown(deal.seller)["content"]
    assert (content["views"], content["reports"]) == (1, 1)
    deal.accepted()
    assert there.get(deal.buyer, f"platform/views?websiteId={me}") == []
    assert there.get(deal.seller, "platform/reports") == there.get(deal.buyer, "platform/reports") == []
    [shown] = [one for one in there.get(deal.buyer, f"platform/alerts?websiteId={me}") if one["kind"] == rule["kind"]]
    assert shown["threshold"] != 80
    for path in ("views", "alerts", "alerts/raised"):
        there.get(deal.seller, f"platform/{path}?websiteId={me}", 404)
    for path in (f"reports/{report['id']}/preview", f"reports/{report['id']}/restore", f"views/{view['id']}/restore"):
        there.post(deal.seller, f"platform/{path}", 404)
    there.post(deal.seller, "platform/reports", 404, websiteId=me, viewId=view["id"])
    there.post(deal.seller, "platform/alerts", 404, websiteId=me, kind=rule["kind"])
    website = there.api.core.store.load(UUID(me), websites.evolve)
    assert website is not None
    assert alert_mail.recipients(website) == (deal.buyer.account_id,)  # of emails and webhooks


def test_the_connection_of_a_channel_ends_with_the_sellers_permission(deal: Deal) -> None:
    there, me = deal.there, deal.website
    named = {"websiteId": me, "network": "youtube", "handle": "shoes"}
    channel = there.post(deal.seller, "platform/social-channels", 201, **named)["id"]
    there.postgres.execute(
        "INSERT INTO social.connection (channel_id, account_id, network, name_sealed, tokens_sealed, connected_at)"
        " VALUES (%s, %s, 'youtube', 'sealed', 'sealed', now())",
        (channel, deal.seller.account_id),
    )
    there.postgres.execute(
        "INSERT INTO social.connection_flow (state_hash, session_id, account_id, channel_id, network, verifier_sealed,"
        " expires_at) VALUES ('state', %s, %s, %s, 'youtube', 'sealed', now() + interval '1 hour')",
        (deal.seller.session_id, deal.seller.account_id, channel),
    )
    content = deal.sold().shown(deal.seller)["content"]
    assert (content["channels"], content["connections"]) == (1, 1)
    deal.step(deal.seller, "propose")
    assert deal.shown(deal.buyer)["content"]["connections"] == 1
    deal.step(deal.buyer, "accept")
    for table in ("connection", "connection_flow"):
        left = f"SELECT 1 FROM social.{table} WHERE channel_id = %s"
        assert there.postgres.execute(left.encode(), (channel,)).fetchall() == []
    assert there.events(channel)[-2:] == ["social_channel.renamed", "social_channel.disconnected"]


def test_a_session_of_the_website_ends_and_the_sellers_export_shows_nothing_of_it(deal: Deal) -> None:
    there, me = deal.there, deal.website
    assert deal.link and deal.domain("go", is_verified=True) and deal.site()
    key = next(one["id"] for one in there.get(deal.seller, f"platform/websites/{me}/keys") if one["kind"] == "secret")
    session = open_website_session(
        there.postgres,
        session_id=uuid4(),
        account_id=deal.seller.account_id,
        website_id=UUID(me),
        key_id=UUID(key),
    )
    headers = {"Authorization": f"Bearer {session.token}"}
    assert there.api.call("GET", "/api/website", headers=headers).status_code == 200
    of_website = ("websites", "websiteKeys", "links", "partners", "sites")
    before = there.get(deal.seller, "platform/export")
    assert all(before[name] for name in of_website)
    deal.sold().accepted()
    assert there.api.call("GET", "/api/website", headers=headers).status_code == 401
    of_seller, of_buyer = (there.get(who, "platform/export") for who in (deal.seller, deal.buyer))
    for name in of_website:
        assert of_seller[name] == [], name
        assert {one["id"] for one in of_buyer[name]} == {one["id"] for one in before[name]}, name


@pytest.mark.parametrize("is_sold", [False, True])
def test_in_a_dispute_nothing_moves_and_after_it_only_what_was_sold(deal: Deal, is_sold: bool) -> None:
    there, direct = deal.there, f"marketplace/offers/{deal.offer}/direct"
    there.post(deal.seller, f"{direct}/confirm")
    assert deal.refusal(deal.seller, "propose") == "not_sold"
    there.post(deal.buyer, f"{direct}/dispute", text="The archive is missing.")
    assert deal.refusal(deal.seller, "propose") == "not_sold"
    assert deal.refusal(deal.buyer, "accept") == "not_proposed"
    close = f"admin/marketplace/offers/{deal.offer}/close"
    there.post(deal.admin, close, isSold=is_sold, reason="As both told.")
    if is_sold:
        deal.accepted()
    else:
        assert deal.refusal(deal.seller, "propose") == "not_sold"
        assert (deal.shown(deal.seller)["canPropose"], deal.shown(deal.buyer)["content"]) == (False, None)
    owner = deal.buyer if is_sold else deal.seller
    assert [one["id"] for one in there.get(owner, "platform/websites")] == [deal.website]


def test_a_deal_that_was_cancelled_moves_nothing(deal: Deal) -> None:
    deal.there.post(deal.seller, f"marketplace/offers/{deal.offer}/direct/cancel")
    assert deal.refusal(deal.seller, "propose") == "not_sold"
    assert deal.refusal(deal.buyer, "accept") == "not_proposed"


def test_consent_that_is_given_twice_at_once_moves_the_website_once(deal: Deal) -> None:
    deal.sold().step(deal.seller, "propose")
    path = f"/api/marketplace/offers/{deal.offer}/transfer/accept"
    with ThreadPoolExecutor(2) as threads:
        answers = list(threads.map(lambda _: deal.there.api.call("POST", path, deal.buyer, json={}), range(2)))
    deal.there.sync()
    assert sorted(one.status_code for one in answers) == [200, 409]
    assert deal.there.events(deal.website).count("website.transferred") == 1
    deal.assert_as_replayed()


def test_who_sells_it_on_has_nothing_of_it_and_the_first_deal_stays_final(deal: Deal) -> None:
    deal.sold().accepted()
    again = Deal(deal.there, deal.admin, deal.buyer, deal.there.person("Third"))
    again.made = deal.made
    again.sold().accepted()
    assert deal.shown(deal.seller)["isMoved"] and again.shown(again.buyer)["isMoved"]
    shown = deal.shown(deal.buyer)
    assert (shown["isMoved"], shown["websiteId"]) == (True, None)
    assert deal.refusal(deal.seller, "propose") == "transferred"
    for who, has in ((deal.seller, []), (deal.buyer, []), (again.buyer, [deal.website])):
        assert [one["id"] for one in deal.there.get(who, "platform/websites")] == has


def test_a_side_that_is_erased_before_the_move_leaves_nothing_to_move(deal: Deal) -> None:
    there, rest = deal.there, Deal(deal.there, deal.admin, deal.there.person("Erla"), deal.there.person("Bogi"))
    erase_account(there.api.core, deal.sold().buyer.account_id, Client())
    assert deal.refusal(deal.seller, "propose") == "buyer_gone"
    rest.sold().step(rest.seller, "propose")
    erase_account(there.api.core, rest.seller.account_id, Client())
    there.sync()
    assert rest.refusal(rest.buyer, "accept") == "website_gone"
    assert rest.shown(rest.buyer)["status"] == "withdrawn"


def test_the_erased_seller_takes_nothing_along_and_a_replay_shows_the_same(deal: Deal) -> None:
    there, me = deal.there, deal.website
    domain = deal.domain("go", is_verified=True)
    site, page = deal.site()
    named = {"websiteId": me, "network": "instagram", "handle": "shoes"}
    channel = there.post(deal.seller, "platform/social-channels", 201, **named)
    address = "https://www.instagram.com/p/DAbCdEf/"
    fields = {"address": address, "title": "New shoes", "publishedAt": "2026-11-20T12:00:00Z"}
    post = there.post(deal.seller, f"platform/social-channels/{channel['id']}/posts", 201, **fields)
    assert deal.link
    deal.sold().accepted()
    deal.assert_as_replayed()
    erase_account(there.api.core, deal.seller.account_id, Client())
    there.sync()
    [website] = there.get(deal.buyer, "platform/websites")
    assert (website["id"], website["domain"]) == (me, deal.made["domain"])
    assert [one["domain"] for one in there.get(deal.buyer, "platform/custom-domains")] == [domain]
    [shown] = there.get(deal.buyer, f"platform/social-channels?websiteId={me}")
    assert (shown["id"], shown["handle"]) == (channel["id"], "shoes")
    pinned = there.post(
        deal.buyer, f"platform/social-posts/{post['id']}", 200, "PATCH", publishedAt="2026-11-21T12:00:00Z"
    )
    assert (pinned["address"], pinned["title"]) == (address, "New shoes")
    there.post(deal.seller, f"platform/social-posts/{post['id']}", 401, "DELETE")
    assert there.get(deal.buyer, f"platform/links/{deal.link['id']}")["slug"] == deal.link["slug"]
    document = there.get(deal.buyer, f"platform/sites/{site}/pages/{page}")
    assert "Reviewed by us." in str(document)
    there.post(deal.buyer, f"platform/sites/{site}/unpublish")
    assert there.post(deal.buyer, f"platform/sites/{site}/releases/1/publish")["published"] == 2
    deal.assert_as_replayed()


def test_the_website_ends_with_the_account_of_its_buyer(deal: Deal) -> None:
    deal.sold().accepted()
    erase_account(deal.there.api.core, deal.buyer.account_id, Client())
    deal.there.sync()
    assert deal.there.get(deal.seller, "platform/websites") == []
    assert deal.shown(deal.seller)["isMoved"] is True
    deal.assert_as_replayed()
