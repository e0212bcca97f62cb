"""Both services behind the gateway, as people and programs reach them, over the engines of the query service.

`full_api` (session fixture) gives an `Api`. No projector runs: `SampleData` puts into the read models what it decided.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from http.cookiejar import CookieJar, DefaultCookiePolicy
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
import uvicorn
from PIL import Image
from psycopg.types.json import Jsonb

from command_api.accounts import model as accounts
from command_api.accounts.passwords import Passwords
from command_api.accounts.sign_in import SignInService
from command_api.app import create_app
from command_api.conversions import decisions
from command_api.forum import members as forum_members
from command_api.forum import posts as forum_posts
from command_api.forum import threads as forum_threads
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext, system_context
from command_api.leads import early_access, inquiries, newsletter
from command_api.marketplace import offers, questions
from command_api.marketplace.escrow import model as escrows
from command_api.marketplace.listings import model as listings
from command_api.marketplace.listings.details import ListingDetails
from command_api.marketplace.listings.model import Listing
from command_api.matching.commands import ApplyToProgram
from command_api.matching.programs.commands import AddProgram
from command_api.matching.programs.files import starter_programs
from command_api.publishing import sites
from command_api.publishing.subscriptions import model as subscriptions
from command_api.registry import open_container
from command_api.schema import create_schema
from infra.domain.contacts import encrypt_field
from infra.domain.uploads import UPLOADS
from infra.kernel.config.settings import Settings
from infra.kernel.http.request_limits import BodyGuard, guarded_protocol
from infra.kernel.http.server import KEEP_ALIVE_S
from infra.kernel.log import open_log
from infra.kernel.mail.outbox import Mail, queue
from infra.kernel.security.website_sessions import open_website_session
from infra.services.gateway.service import Gateway
from schemas.base import Money
from schemas.events.accounts import Role
from schemas.events.conversions import ConversionFacts
from schemas.events.marketplace import ListingFigures, SearchCriteria
from schemas.identity import email_id, escrow_id
from tests.support.dns_server import dns_server
from tests.support.engines import free_port, wait_until
from tests.support.people import PASSWORD
from tests.support.query import PERCENT_10, Person, QueryService, conversion, event, this_moment

EARNED_AT = datetime(2026, 1, 1, tzinfo=UTC)
"""Before any month of a requested statement."""


@dataclass
class Api:
    """The gateway's address, and the services behind."""

    address: str
    query: QueryService
    core: Container
    http: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=60, cookies=_no_cookies()))

    @cached_property
    def accounts(self) -> SignInService:
        return SignInService(self.core, Passwords())

    @cached_property
    def hash(self) -> str:
        """The hash of `PASSWORD`, computed once."""
        return Passwords().hash(PASSWORD)

    @cached_property
    def document(self) -> dict[str, Any]:
        """The description of the app's own API, without the tracking API, which is served elsewhere."""
        whole = self.whole_document
        return {**whole, "paths": {path: item for path, item in whole["paths"].items() if "servers" not in item}}

    @cached_property
    def whole_document(self) -> dict[str, Any]:
        """The merged OpenAPI document: 503 while a service on a busy machine still makes its part of it."""
        found: dict[str, Any] = {}

        def is_there() -> bool:
            answer = self.http.get(f"{self.address}/api/openapi.json")
            found.update(answer.json() if answer.status_code == 200 else {})
            return bool(found)

        wait_until(is_there, 120, "the API's document")
        return found

    def call(self, method: str, path: str, person: Person | None = None, **options: Any) -> httpx.Response:
        headers = {**(person.headers if person else {}), **options.pop("headers", {})}
        return self.http.request(method, self.address + path, headers=headers, **options)

    def status(self, method: str, path: str, headers: Mapping[str, str], **options: Any) -> tuple[int, str]:
        """Status and body of an answer; of a stream that began well the status alone."""
        with self.http.stream(method, self.address + path, headers=headers, **options) as answer:
            streams = answer.headers.get("content-type", "").startswith("text/event-stream")
            return answer.status_code, "" if streams else answer.read().decode("utf-8", "replace")


def _no_cookies() -> CookieJar:
    """Without cookies, so that earlier sign-ins have no effect."""
    return CookieJar(policy=DefaultCookiePolicy(allowed_domains=[]))


class SampleData:
    """What one person has, decided and projected: an account, a website with keys, a link, a conversion, a click; and a
    partner."""

    def __init__(self, api: Api) -> None:
        query = api.query
        self.owner, self.admin = query.person(), query.person("member", "admin")
        register(api, self.owner)
        register(api, self.admin)
        self.invite = UUID(_made(api.call("POST", "/api/platform/invite-codes", self.owner, json={}))["id"])
        letter = Mail("ada@example.com", "Hello", "Hello\n", "password_reset", self.owner.account_id)
        self.mail = queue(query.postgres, query.settings, letter)
        self.domain = f"{uuid4().hex}.example"
        made = _made(api.call("POST", "/api/platform/websites", self.owner, json={"domain": self.domain}))
        self.website, self.secret_key = UUID(made["id"]), str(made["secretKey"])
        key = _made(api.call("POST", f"/api/platform/websites/{self.website}/keys", self.owner, json={"kind": "site"}))
        self.key = UUID(key["id"])
        rule = {"since": "2026-11-01T00:00:00Z", "until": "2026-11-02T00:00:00Z", "mark": "bot"}
        rules = f"/api/platform/websites/{self.website}/traffic-rules"
        self.rule = UUID(_made(api.call("POST", rules, self.owner, json=rule))["id"])
        note = {"websiteId": str(self.website), "at": "2026-11-01T00:00:00Z", "text": "New page"}
        self.annotation = UUID(_made(api.call("POST", "/api/platform/annotations", self.owner, json=note))["id"])
        spent = {"amount": 1_000, "currency": "USD"}
        cost = {"websiteId": str(self.website), "from": "2026-11-01", "to": "2026-11-03", "amount": spent}
        self.cost = UUID(_made(api.call("POST", "/api/platform/costs", self.owner, json=cost))["id"])
        reported = {"websiteId": str(self.website), "platform": "google_ads", "mapping": {"sale": "Affiliate sale"}}
        self.destination = UUID(_made(api.call("POST", "/api/platform/destinations", self.owner, json=reported))["id"])
        channel = {"websiteId": str(self.website), "network": "instagram", "handle": "fjord.tests"}
        made = _made(api.call("POST", "/api/platform/social-channels", self.owner, json=channel))
        self.social_channel = UUID(made["id"])
        published = {"address": "https://www.instagram.com/p/DAbCdEf/", "publishedAt": "2026-11-01T12:00:00Z"}
        made = _made(api.call("POST", f"/api/platform/social-channels/{made['id']}/posts", self.owner, json=published))
        self.social_post = UUID(made["id"])
        drawn = BytesIO()
        Image.new("RGB", (4, 4)).save(drawn, "PNG")
        images = f"/api/platform/social-posts/{self.social_post}/images"
        sent = {"content": drawn.getvalue(), "headers": {"content-type": "image/png"}}
        assert api.call("POST", images, self.owner, **sent).status_code == 200
        alert = {"websiteId": str(self.website), "kind": "no_events"}
        self.alert = UUID(_made(api.call("POST", "/api/platform/alerts", self.owner, json=alert))["id"])
        hook = {"url": "https://hooks.example.com/x"}
        self.webhook = UUID(_made(api.call("POST", "/api/platform/webhooks", self.owner, json=hook))["id"])
        view = {"name": "Mine", "state": {"filters": ["page:is:/mine"]}}
        self.view = UUID(_made(api.call("POST", "/api/platform/views", self.owner, json=view))["id"])
        kept = {"title": "Mine", "sql": "SELECT 1 AS one"}
        self.sql_query = UUID(_made(api.call("POST", "/api/platform/sql/queries", self.admin, json=kept))["id"])
        pinned = {"queryId": str(self.sql_query), "kind": "table"}
        self.pin = UUID(_made(api.call("POST", "/api/platform/sql/pins", self.admin, json=pinned))["id"])
        site = {"websiteId": str(self.website), "name": "Tents", "slug": f"tents-{uuid4().hex[:8]}"}
        self.site = UUID(_made(api.call("POST", "/api/platform/sites", self.owner, json=site))["id"])
        self.site_page = uuid4()
        page = {"id": str(self.site_page), "path": "", "title": "Home"}
        self.site_document: dict[str, Any] = {"name": "Tents", "pages": [page]}
        saved = {"document": self.site_document, "basedOn": 1}
        api.call("PUT", f"/api/platform/sites/{self.site}/document", self.owner, json=saved)
        empty = {"document": {"blocks": []}, "basedOn": 0}
        api.call("PUT", f"/api/platform/sites/{self.site}/pages/{self.site_page}", self.owner, json=empty)
        api.call("POST", f"/api/platform/sites/{self.site}/publish", self.owner)
        self.site_subscriber = self._subscribed(api)
        report = {"viewId": str(self.view), "websiteId": str(self.website)}
        self.report = UUID(_made(api.call("POST", "/api/platform/reports", self.owner, json=report))["id"])
        terms = {"name": f"P {uuid4().hex}", "baseUrl": "https://partner.example/", "commission": 10}
        self.partner = UUID(_made(api.call("POST", "/api/admin/partners", self.admin, json=terms))["id"])
        mine = {**terms, "name": "Mine alone"}
        self.private_partner = UUID(_made(api.call("POST", "/api/platform/partners", self.owner, json=mine))["id"])
        wanted = {"name": "Wanted", "website": f"{uuid4().hex}.example"}
        requested = api.call("POST", "/api/platform/partner-requests", self.owner, json=wanted)
        self.partner_request = UUID(requested.json()["id"])
        named = {"websiteId": str(self.website), "partnerId": str(self.partner)}
        link = _made(api.call("POST", "/api/platform/links", self.owner, json=named))
        self.link, self.slug = UUID(link["id"]), str(link["slug"])
        self.conversion = self._converted(api)
        ids = {"ids": [str(self.conversion)], "unattributed": True}
        decided = {"websiteId": str(self.website), "decision": "approve", **ids}
        made = _made(api.call("POST", "/api/platform/conversions/decisions", self.owner, json=decided))
        self.decision = UUID(made["id"])
        paid = {**named, "amount": {"amount": 100, "currency": "USD"}, "paidOn": "2026-11-20"}
        self.payout = UUID(_made(api.call("POST", "/api/platform/payouts", self.owner, json=paid))["id"])
        advice = {"content": b"%PDF-1.7", "headers": {"Content-Type": "application/pdf"}}
        _made(api.call("POST", f"/api/platform/payouts/{self.payout}/file", self.owner, **advice))
        name = {"domain": f"go.{self.domain}", "websiteId": str(self.website)}
        added = _made(api.call("POST", "/api/platform/custom-domains", self.owner, json=name))
        self.custom_domain, self.token = UUID(added["id"]), str(added["verificationToken"])
        self.inquiry, self.signup, self.subscription = self._wrote(api)
        self.thread, self.post, self.notification = self._posted(api)
        self.program, self.application = self._applied(api)
        self.listing, self.offer, self.escrow, self.question, self.saved_search = self._trades(api)
        self._project(api)
        change = {"websiteId": str(self.website), "ids": [str(self.link)], "arrange": {"addTags": ["x"]}}
        made = _made(api.call("POST", "/api/platform/links/changes", self.owner, json=change))
        self.link_bulk = UUID(made["id"])
        api.query.insert("link_bulks", {
            "id": self.link_bulk, "website_id": self.website, "change": Jsonb({"kind": "organize"}), "links": 1,
            "state": "running", "started_at": this_moment(),
        })  # fmt: skip

    def website_headers(self, api: Api, *, browser: bool = False) -> dict[str, str]:
        """Of a session of the website-level login."""
        opened = open_website_session(
            api.query.postgres,
            session_id=uuid4(),
            account_id=self.owner.account_id,
            website_id=self.website,
            key_id=self.key,
            browser=browser,
        )
        return {"Authorization": f"Bearer {opened.token}"}

    @property
    def ids(self) -> frozenset[str]:
        return frozenset(str(one) for one in (self.website, self.key, self.link, self.conversion, self.custom_domain))

    def _converted(self, api: Api) -> UUID:
        made, now = uuid4(), datetime.now(UTC)
        facts = ConversionFacts(
            website_id=self.website,
            kind="sale",
            event="sale",
            txid=made.hex,
            amount=Money(amount=1000, currency="USD"),
            occurred_at=now,
        )
        recorded = decisions.record(
            made,
            facts,
            decisions.Basis(),
            received_at=now,
            reported_by="sale",
            payout=None,
            customer="",
            currency="USD",
            context=system_context(now),
        )
        api.core.store.append([recorded])
        return made

    def _posted(self, api: Api) -> tuple[UUID, UUID, UUID]:
        """A thread that waits for approval, so that nobody but its author and moderators can see it; something told."""
        query, now, author, category = api.query, this_moment(), self.owner.account_id, uuid4()
        thread, post, told, asked = uuid4(), uuid4(), uuid4(), system_context(datetime.now(UTC))
        handle = f"ada-{author.hex[:8]}"
        started = forum_threads.start(
            thread, author_id=author, category=forum_threads.ForumCategory(category), first_post_id=post, title="Mine",
            held=True, context=asked,
        )  # fmt: skip
        written = forum_posts.write(
            post, author_id=author, thread_id=thread, text="Mine alone", is_first=True, answered=None, mentions=[],
            held=True, context=asked,
        )  # fmt: skip
        api.core.store.append([forum_members.join(author, handle, asked), started, written])
        query.postgres.execute(
            "INSERT INTO forum.member (account_id, handle, handle_hash) VALUES (%s, %s, %s)",
            (author, handle, author.bytes),
        )
        query.insert("forum_threads", {
            "id": thread, "title": "Mine", "category_id": category, "author_id": author, "first_post_id": post,
            "visible": False, "created_at": now, "position": 1, "last_position": 1,
        })  # fmt: skip
        query.insert("forum_posts", {
            "id": post, "thread_id": thread, "author_id": author, "text": "Mine alone", "is_first": True,
            "mentions": [], "state": "held", "created_at": now, "position": 1,
        })  # fmt: skip
        query.postgres.execute(
            "INSERT INTO notifications.notification (id, account_id, kind, about, created_at, updated_at)"
            " VALUES (%s, %s, 'moderation', 'x', %s, %s)",
            (told, author, now, now),
        )
        return thread, post, told

    def _subscribed(self, api: Api) -> UUID:
        """A visitor's address, to the newsletter of the site."""
        subscriber, now = uuid4(), system_context(datetime.now(UTC))
        site = api.core.load(self.site, sites.evolve)
        assert site is not None
        api.core.store.append(
            subscriptions.request(None, site, subscription_id=subscriber, page="/", block="news", context=now)
        )
        api.query.postgres.execute(
            "INSERT INTO leads.contact (id, kind, email_sealed, site_id, account_id)"
            " VALUES (%s, 'site_newsletter', %s, %s, %s)",
            (
                subscriber,
                encrypt_field(api.query.settings, subscriber, "email", "una@example.com"),
                self.site,
                self.owner.account_id,
            ),
        )
        return subscriber

    def _wrote(self, api: Api) -> tuple[UUID, UUID, UUID]:
        """Of a visitor without an account: an inquiry, a place in line, a subscription."""
        ids, now = (uuid4(), uuid4(), uuid4()), system_context(datetime.now(UTC))
        received = inquiries.receive(
            ids[0], now, first_name="Una", last_name="U", email="una@example.com", message="Hello"
        )
        joined = early_access.join(None, signup_id=ids[1], context=now)
        requested = newsletter.request(None, subscription_id=ids[2], source="website", context=now)
        api.core.store.append([received, *joined, *requested])
        return ids

    def _applied(self, api: Api) -> tuple[UUID, UUID]:
        """To a program of the directory."""
        now = datetime.now(UTC)
        facts = starter_programs()[0].model_copy(update={"company_name": f"Company {uuid4().hex}"})
        program = api.core.commands.dispatch(AddProgram(facts), system_context(now)).answer.id
        member = CommandContext(now, self.owner.account_id)
        return program, api.core.commands.dispatch(ApplyToProgram(program), member).answer.id

    def _trades(self, api: Api) -> tuple[UUID, UUID, UUID, UUID, UUID]:
        """A draft, a deal with another account, a question to answer, a saved search."""
        listing, search, offer_id, question = uuid4(), uuid4(), uuid4(), uuid4()
        buyer, facts = CommandContext(datetime.now(UTC), uuid4()), ListingDetails("", "", "", ListingFigures())
        online = Listing(listing, 1, self.owner.account_id, facts, "active")
        sent = offers.send(offer_id, online, Money(amount=100, currency="USD"), "", buyer)
        offer = offers.evolve(None, sent)
        mine = CommandContext(buyer.at, self.owner.account_id)
        accepted = offers.accept(offer, 100, escrow_id(offer_id), mine)
        agreed = escrows.agree(escrow_id(offer_id), offer, mine)
        asked = questions.ask(question, online, "Why?", buyer)
        mine_alone = [listings.draft(listing, facts, mine), questions.save(search, "", SearchCriteria(), mine)]
        api.core.store.append([*mine_alone, sent, accepted, *agreed, asked])
        api.query.postgres.execute(
            "INSERT INTO marketplace.escrow_call (escrow_id, step) VALUES (%s, 'open')", (escrow_id(offer_id),)
        )
        api.query.insert("listings", {
            "id": listing, "seller_id": self.owner.account_id, "status": "draft", "title": "", "title_lower": "",
            "website_url": "", "description": "", "created_at": buyer.at,
        })  # fmt: skip
        api.query.insert("offers", {
            "id": offer_id, "listing_id": listing, "seller_id": self.owner.account_id, "buyer_id": buyer.account_id,
            "status": "accepted", "price": 100, "currency": "USD", "turn": "seller", "expires_at": buyer.at,
            "created_at": buyer.at, "updated_at": buyer.at,
        })  # fmt: skip
        return listing, offer_id, escrow_id(offer_id), question, search

    def _project(self, api: Api) -> None:
        query, now = api.query, this_moment()
        query.insert("websites", {
            "id": self.website, "account_id": self.owner.account_id, "domain": self.domain, "timezone": "UTC",
            "currency": "USD", "attribution_model": "last_click", "created_at": now,
        })  # fmt: skip
        query.partner(f"P {self.partner.hex[:8]}", partner_id=self.partner)
        terms = {"partner_id": self.partner, "effective_at": now, "terms": Jsonb(dict(PERCENT_10))}
        query.insert("partner_terms", terms)
        query.insert("website_keys", {
            "id": self.key, "website_id": self.website, "kind": "site", "key_hash": self.key.bytes, "last4": "abcd",
            "public_key": f"pk_{self.key.hex}", "allowed_origins": [], "created_at": now,
        })  # fmt: skip
        query.insert("links", {
            "id": self.link, "slug": self.slug, "code": self.link.int % 2**47, "website_id": self.website,
            "partner_id": self.partner, "destination": "https://partner.example/", "subs": "{}", "is_active": True,
            "created_at": now,
        })  # fmt: skip
        query.insert("destinations", {
            "id": self.destination, "website_id": self.website, "platform": "google_ads", "is_automatic": False,
            "mapping": Jsonb({"sale": "Affiliate sale"}), "added_at": now, "changed_at": now,
        })  # fmt: skip
        analyst = self.admin.account_id
        content = {"title": "Mine", "text": "SELECT 1 AS one", "number": 1, "is_shared": False, "account_id": analyst}
        query.insert("social_posts", {
            "id": self.social_post, "website_id": self.website, "channel_id": self.social_channel, "title": "Knives",
            "address": "https://www.instagram.com/p/DAbCdEf/", "published_at": now, "picture": "a" * 64,
        })  # fmt: skip
        query.insert("saved_queries", {
            "id": self.sql_query, **content, "author_name": "", "created_at": now, "changed_at": now,
        })  # fmt: skip
        query.insert("query_versions", {"query_id": self.sql_query, **content, "saved_at": now, "position": 1})
        query.insert("pinned_charts", {
            "id": self.pin, "account_id": analyst, "query_id": self.sql_query, "kind": "table", "x": "", "y": [],
            "parameters": Jsonb({}), "pinned_at": now,
        })  # fmt: skip
        query.insert("custom_domains", {
            "id": self.custom_domain, "account_id": self.owner.account_id, "website_id": self.website,
            "domain": f"go.{self.domain}", "token": self.token, "is_verified": False, "ssl_enabled": False,
            "added_at": now, "expires_at": now + timedelta(days=7),
        })  # fmt: skip
        query.insert("conversions", {
            "id": self.conversion, "website_id": self.website, "kind": "sale", "event": "sale",
            "txid": self.conversion.hex, "status": "pending", "amount": 1000, "currency": "USD", "commission": 0,
            "commission_currency": "USD", "reported_by": "sale", "occurred_at": now, "recorded_at": now,
        })  # fmt: skip
        query.insert("sites", {
            "id": self.site, "account_id": self.owner.account_id, "website_id": self.website, "slug": "tents",
            "document": json.dumps(self.site_document), "document_version": 2, "published": 1, "published_at": now,
            "shown_versions": Jsonb({str(self.site): 2, str(self.site_page): 1}), "created_at": now, "updated_at": now,
        })  # fmt: skip
        for id_, version, document in ((self.site, 1, self.site_document), (self.site_page, 1, {"blocks": []})):
            query.insert("site_versions", {
                "document_id": id_, "version": version, "site_id": self.site, "document": json.dumps(document),
                "account_id": self.owner.account_id, "saved_at": now, "position": version,
            })  # fmt: skip
        query.insert("site_releases", {
            "site_id": self.site, "number": 1, "account_id": self.owner.account_id, "published_at": now, "pages": 1,
            "position": 1,
        })  # fmt: skip
        query.insert("site_subscriptions", {
            "id": self.site_subscriber, "site_id": self.site, "account_id": self.owner.account_id, "state": "pending",
            "page": "/", "block": "news", "requested_at": now, "position": 1,
        })  # fmt: skip
        query.insert("webhooks", {
            "id": self.webhook, "account_id": self.owner.account_id, "url": "https://hooks.example.com/x",
            "format": "standard", "website_ids": [], "kinds": [], "resolved": False, "active": True, "added_at": now,
        })  # fmt: skip
        query.insert("payouts", {
            "id": self.payout, "website_id": self.website, "partner_id": self.partner, "amount": 100, "currency": "USD",
            "credited": 100, "credited_currency": "USD", "paid_on": now.date(), "reference": "", "allocations": "{}",
            "recorded_at": now, "file": Jsonb({"name": "payout.pdf", "media_type": "application/pdf"}),
        })  # fmt: skip
        query.insert("conversion_steps", {
            "conversion_id": self.conversion, "version": 2, "website_id": self.website, "partner_id": self.partner,
            "name": "conversion.approved", "at": EARNED_AT, "position": 1, "log_offset": 0, "txid": "t",
            "event": "sale", "occurred_at": EARNED_AT, "hold_until": EARNED_AT, "currency": "USD",
            "earned": 100, "detail": Jsonb({}),
        })  # fmt: skip
        query.insert("inquiries", {
            "id": self.inquiry, "first_name": "Una", "last_name": "U", "email": "una@example.com", "message": "Hello",
            "status": "new", "received_at": now, "updated_at": now,
        })  # fmt: skip
        named: dict[str, Any] = {"link_id": self.link, "partner_id": self.partner, "visitor": 1}
        query.events([event(self.website, now, **named), conversion(self.website, now, d_pending=1, **named)])


def register(api: Api, person: Person) -> None:
    """Registers the account of a person who has a session, with `PASSWORD`."""
    email = f"{person.account_id.hex}@example.com"
    guard = email_id(api.accounts.email_hash(email))
    events = accounts.register(
        None,
        account_id=person.account_id,
        email_id=guard,
        email=email,
        name="Ada",
        roles=(Role.MEMBER,),
        way="invite",
        context=system_context(),
    )
    api.core.store.append(events)
    api.query.postgres.execute(
        "INSERT INTO accounts.credential (account_id, password_hash) VALUES (%s, %s)", (person.account_id, api.hash)
    )


def _made(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


@contextmanager
def served(app: Any, port: int) -> Iterator[str]:
    """The app on a loopback port, as `infra.kernel.http.server` serves it."""
    address = f"http://127.0.0.1:{port}"
    guarded = BodyGuard(app, uploads=UPLOADS)
    config = uvicorn.Config(
        guarded,
        host="127.0.0.1",
        port=port,
        http=guarded_protocol(),
        log_config=None,
        access_log=False,
        timeout_keep_alive=KEEP_ALIVE_S,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        wait_until(lambda: server.started, 60, f"{address} to start")
        yield address
    finally:
        server.should_exit = True
        thread.join(20)


@contextmanager
def serve_full_api(query: QueryService, folder: Path) -> Iterator[Api]:
    """The gateway over that query service and a command service in this process."""
    with (
        dns_server() as dns,
        serve_full_api_over(query, folder, replace(query.settings, dns_resolvers=(dns.address,))) as api,
    ):
        yield api


@contextmanager
def serve_full_api_over(query: QueryService, folder: Path, deciding: Settings) -> Iterator[Api]:
    """The same with other settings for the command service."""
    create_schema(query.settings)
    with closing(open_log(query.settings)) as log:
        log.create_topics()
    command_port, web_port = free_port(), free_port()
    query_port = int(query.address.rpartition(":")[2])
    core = open_container(replace(deciding, query_port=query_port))
    settings = replace(query.settings, command_port=command_port, query_port=query_port, port=web_port)
    try:
        with served(create_app(core), command_port), served(Gateway(settings, folder), web_port) as address:
            api = Api(address, query, core)
            try:
                yield api
            finally:
                api.http.close()
    finally:
        with suppress(Exception):
            core.close()


@pytest.fixture(scope="session")
def full_api(query_service: QueryService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """Shared: every test makes its own people and belongings."""
    with serve_full_api(query_service, tmp_path_factory.mktemp("dist")) as api:
        yield api
