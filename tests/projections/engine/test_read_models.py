"""Read models: given decided events, then these rows; and what happens to those that cannot be taken."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from infra.kernel.log import Record
from infra.kernel.security.subject_keys import open_keyring
from infra.kernel.subscriptions import limits
from schemas.base import ERASED, REGISTRY, DomainEvent
from schemas.currencies import MAX_AMOUNT
from schemas.events import accounts, links, partners, websites
from schemas.events.conversions import (
    AttributedBy,
    Attribution,
    ConversionApproved,
    ConversionAttributed,
    ConversionFacts,
    ConversionRecorded,
    ConversionRejected,
    ConversionReversed,
    CounterDelta,
)
from schemas.topics import DOMAIN
from tests.support.events import eur
from tests.support.projection_bench import PARTNER, WEBSITE, ProjectionBench, domain_record, moment
from tests.support.stack import wait_for

ACCOUNT = UUID("0190a1b2-0000-7000-8000-0000000000a1")
LINK = UUID("0190a1b2-0000-7000-8000-0000000000b1")
SALES = [UUID(int=0x0190A1B2_0000_7000_8000_0000000000C0 + number) for number in range(4)]
TERMS = partners.Terms(rate_bp=1000)


def of(aggregate: UUID, version: int, event_class: Any, **values: Any) -> DomainEvent:
    at = moment() + timedelta(minutes=version)
    event: DomainEvent = event_class(originator_id=aggregate, originator_version=version, timestamp=at, **values)
    return event


def test_websites_keys_partners_and_links(projecting: ProjectionBench) -> None:
    key = UUID(int=5)
    projecting.decide(
        of(
            WEBSITE,
            1,
            websites.WebsiteConnected,
            account_id=ACCOUNT,
            domain="a.example",
            timezone="UTC",
            currency="EUR",
        ),
        of(
            WEBSITE,
            2,
            websites.WebsiteKeyIssued,
            key_id=key,
            kind="site",
            key_hash="ab" * 32,
            last4="wxyz",
            public_key="pk_",
        ),
        of(
            WEBSITE,
            3,
            websites.WebsiteUpdated,
            timezone="Europe/Paris",
            attribution_model="first_click",
            max_claim_amount=MAX_AMOUNT,
            link_click_ids=True,
        ),
        of(WEBSITE, 4, websites.WebsiteKeyRevoked, key_id=key),
        of(PARTNER, 1, partners.PartnerRegistered, name="P", slug="p", base_url="https://p.example", terms=TERMS),
        of(
            PARTNER,
            2,
            partners.CommissionChanged,
            terms=partners.Terms(kind="flat", flat_amount=500, flat_currency="EUR"),
        ),
        of(PARTNER, 3, partners.PartnerDeactivated),
        of(PARTNER, 4, partners.CommissionChanged, terms=partners.Terms(rate_bp=900), effective_from=moment(28)),
        of(PARTNER, 5, partners.CommissionChanged, terms=partners.Terms(rate_bp=800), effective_from=moment(28)),
        of(
            LINK,
            1,
            links.LinkCreated,
            website_id=WEBSITE,
            partner_id=PARTNER,
            slug="go",
            code=7,
            destination="https://p.example/",
        ),
        of(LINK, 2, links.LinkUpdated, coupon="SAVE", subs={"sub1": "x"}),
        of(LINK, 3, links.LinkDeleted),
        of(WEBSITE, 5, websites.WebsiteDisconnected),
    )
    with projecting.running():
        for name in ("websites", "website_keys", "partners", "partner_terms", "links", "activity"):
            projecting.wait(name)
    assert projecting.sql(
        "select account_id, domain, timezone, currency, attribution_model, max_claim_amount, max_claims_per_click,"
        " link_click_ids, link_impressions_every, deleted_at from read.websites"
    ) == [
        (
            ACCOUNT,
            "a.example",
            "Europe/Paris",
            "EUR",
            "first_click",
            MAX_AMOUNT,
            None,
            True,
            0,
            moment() + timedelta(minutes=5),
        )
    ]
    assert projecting.sql(
        "select key_hash, kind, public_key, allowed_origins, revoked_at is not null from read.website_keys"
    ) == [(bytes.fromhex("ab" * 32), "site", "pk_", [], True)]
    assert projecting.sql("select terms->>'kind', (terms->>'flat_amount')::int, is_active from read.partners") == [
        ("flat", 500, False)
    ]
    assert projecting.sql("select terms->'rate_bp', effective_at from read.partner_terms order by effective_at") == [
        (TERMS.rate_bp, moment() + timedelta(minutes=1)),
        (0, moment() + timedelta(minutes=2)),
        (800, moment(28)),
    ], "what was announced for the same moment before gave way"
    assert projecting.sql("select slug, code, coupon, subs, is_active, deleted_at is not null from read.links") == [
        ("go", 7, "SAVE", {"sub1": "x"}, False, True)
    ]
    assert projecting.sql("select position from read.activity order by position") == [
        (number,) for number in (1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 13)
    ]
    assert projecting.sql(
        "select distinct domain_position from engine.position where projection <> 'refusals' and topic = 'domain'"
    ) == [(13,)]


def test_a_private_partner_is_its_owners_and_loses_its_texts_with_the_account(projecting: ProjectionBench) -> None:
    own = {"name": "Own", "slug": "own-2", "base_url": "https://own.example", "terms": TERMS, "account_id": ACCOUNT}
    later = partners.Terms(rate_bp=500)
    projecting.decide(
        of(PARTNER, 1, partners.PartnerRegistered, **own),
        of(PARTNER, 2, partners.CommissionChanged, terms=later, account_id=ACCOUNT),
        of(PARTNER, 3, partners.PartnerRemoved, owner_erased=True),
    )
    with projecting.running("partners", "partner_terms", "activity"):
        for name in ("partners", "partner_terms", "activity"):
            projecting.wait(name)
    shown = "select account_id, name, slug, base_url, removed_at is not null from read.partners"
    assert projecting.sql(shown) == [(ACCOUNT, ERASED, f"{ERASED} {PARTNER}", ERASED, True)]
    assert projecting.sql("select account_id from read.partner_terms") == [(ACCOUNT,), (ACCOUNT,)]
    assert projecting.sql("select count(*) from read.activity where description like '%%Own%%'") == [(0,)]


def test_conversions_from_report_to_reversal(projecting: ProjectionBench) -> None:
    def change(**values: int) -> CounterDelta:
        return CounterDelta(currency="EUR", **values)

    click = Attribution(by=AttributedBy.CLICK_ID, partner_id=PARTNER, link_id=LINK, clicked_at=moment(19), terms=TERMS)
    waiting, known = facts("w"), facts("k", click)
    recorded: dict[str, Any] = {"received_at": moment(), "reported_by": "postback"}
    pending = change(pending=1, commission_pending=1000)
    projecting.decide(
        of(SALES[0], 1, ConversionRecorded, facts=waiting, change=change(), **recorded),
        of(SALES[0], 2, ConversionAttributed, facts=facts("w", click), commission=eur(1000), change=pending),
        of(SALES[1], 1, ConversionRecorded, facts=known, commission=eur(1000), change=pending, **recorded),
        of(
            SALES[1],
            2,
            ConversionApproved,
            facts=known,
            change=change(pending=-1, approved=1, commission_pending=-1000, commission_approved=1000),
        ),
        of(
            SALES[1],
            3,
            ConversionReversed,
            facts=known,
            amount=eur(2500),
            commission=eur(250),
            whole=False,
            reason="part",
            change=change(commission_approved=-250, commission_reversed=250),
        ),
        of(SALES[2], 1, ConversionRecorded, facts=known, commission=eur(1000), change=pending, **recorded),
        of(
            SALES[2],
            2,
            ConversionRejected,
            facts=known,
            reason="fraud",
            change=change(pending=-1, rejected=1, commission_pending=-1000),
        ),
        of(SALES[3], 1, ConversionRecorded, facts=waiting, change=change(), **recorded),
    )
    with projecting.running("conversions", "events"):
        projecting.wait("conversions")
        projecting.wait("events")
    shown = projecting.sql(
        "select status, commission, reversed_amount, reversed_commission, partner_id, reason, decided_at is not null "
        "from read.conversions order by id"
    )
    assert shown == [
        ("pending", 1000, 0, 0, PARTNER, "", False),
        ("approved", 750, 2500, 250, PARTNER, "part", True),
        ("rejected", 0, 0, 0, PARTNER, "fraud", True),
        ("pending", 0, 0, 0, None, "", False),
    ]
    assert projecting.one(
        "SELECT sum(pending), sum(approved), sum(rejected), sum(c_pending), sum(c_approved), sum(c_reversed) "
        "FROM traffic_15m"
    ) == (1, 1, 1, 1000, 750, 250)
    assert projecting.one("SELECT count() FROM events WHERE type = 'conversion'") == (6,)
    projecting.exact()


def test_a_person_is_shown_until_erased_also_in_a_rebuild(projecting: ProjectionBench) -> None:
    with open_keyring(projecting.settings, 2) as keyring:
        email, name = (keyring.encrypt(ACCOUNT, field, f"my {field}") for field in ("email", "name"))
        projecting.decide(of(ACCOUNT, 1, accounts.AccountRegistered, email=email, name=name, way="setup"))
        with projecting.running("accounts"):
            projecting.wait("accounts")
            assert projecting.sql("select email, name, roles from read.accounts") == [
                ("my email", "my name", ["member"])
            ]
            keyring.erase(ACCOUNT)
            projecting.decide(of(ACCOUNT, 2, accounts.AccountErased))
            projecting.wait("accounts")
            assert projecting.sql("select email, name from read.accounts") == [("[erased]", "[erased]")]
            assert projecting.command("projections", "rebuild", "accounts", "--json") == 0
            assert projecting.command("projections", "verify", "accounts", "--json") == 0


def test_reading_a_persons_key_does_not_wait_for_another_worker(
    projecting: ProjectionBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each holds a connection while it asks; with as many workers as connections each waited for the others."""
    monkeypatch.setattr("projectors.service.POOL_SIZE", 1)
    with open_keyring(projecting.settings) as keyring:
        email = keyring.encrypt(ACCOUNT, "email", "a@example.com")
        name = keyring.encrypt(ACCOUNT, "name", "Ada")
    projecting.decide(of(ACCOUNT, 1, accounts.AccountRegistered, email=email, name=name, way="setup"))
    with projecting.running():
        projecting.wait("accounts")
        projecting.wait("account_details")
    assert projecting.sql("select email, name from read.accounts") == [("a@example.com", "Ada")]


def test_a_record_that_the_relay_sent_twice_changes_nothing(projecting: ProjectionBench) -> None:
    once = domain_record(
        of(PARTNER, 1, partners.PartnerRegistered, name="A", slug="a", base_url="https://a.example", terms=TERMS), 1
    )
    renamed = domain_record(of(PARTNER, 2, partners.PartnerUpdated, name="B"), 2)
    click = Attribution(by=AttributedBy.CLICK_ID, partner_id=PARTNER, link_id=LINK, clicked_at=moment(19), terms=TERMS)
    earned = CounterDelta(currency="EUR", approved=1, commission_approved=1000)
    approved = domain_record(of(SALES[0], 2, ConversionApproved, facts=facts("k", click), change=earned), 3)
    # A crash of the relay repeats what was last above all.
    projecting.log.publish([once, renamed, once, renamed, approved, approved]).result(30)
    with projecting.running("partners", "activity", "statement_months"):
        for name in ("partners", "activity", "statement_months"):
            projecting.wait(name)
    assert projecting.sql("select name from read.partners") == [("B",)]
    assert projecting.sql("select count(*) from read.activity where position < 3") == [(1,)]
    assert projecting.sql("select earned from read.statement_months") == [(1000,)]


def test_a_poisoned_event_parks_its_aggregate_alone(projecting: ProjectionBench) -> None:
    other = UUID(int=99)

    def link(aggregate: UUID, code: int, slug: str) -> DomainEvent:
        values = {"website_id": WEBSITE, "partner_id": PARTNER, "destination": "https://p.example/"}
        return of(aggregate, 1, links.LinkCreated, slug=slug, code=code, **values)

    first = UUID(int=98)
    projecting.decide(
        link(first, 1, "taken"),
        link(LINK, 2, "taken"),
        of(LINK, 2, links.LinkUpdated, coupon="LATER"),
        link(other, 3, "free"),
    )
    with projecting.running("links"):
        projecting.wait("links")
        assert projecting.sql("select slug from read.links order by code") == [("taken",), ("free",)]
        assert projecting.sql('select reason from engine.dead_letter order by "offset"') == [
            ("refused_by_handler",),
            ("parked",),
        ]
        projecting.decide(of(LINK, 3, links.LinkUpdated, coupon="LATEST"))
        projecting.wait("links")
        projecting.connection.execute("update read.links__g1 set slug = 'moved' where code = 1")
        assert projecting.command("dlq", "retry", "--projection", "links", "--json") == 0
        assert projecting.sql("select slug, coupon from read.links where code = 2") == [("taken", "LATEST")]
        projecting.decide(of(LINK, 4, links.LinkDeleted))
        projecting.wait("links")
    assert projecting.sql("select is_active from read.links where code = 2") == [(False,)]
    assert projecting.sql("select count(*) from engine.dead_letter where state = 'open'") == [(0,)]


def test_a_skipped_event_frees_its_aggregate(projecting: ProjectionBench) -> None:
    def updated(version: int, **values: Any) -> DomainEvent:
        return of(WEBSITE, version, websites.WebsiteUpdated, **values)

    projecting.decide(
        of(WEBSITE, 1, websites.WebsiteConnected, account_id=ACCOUNT, domain="a", timezone="UTC", currency="EUR"),
        updated(2, domain="nul \x00 byte"),
    )
    with projecting.running("websites"):
        projecting.wait("websites")
        assert projecting.command("dlq", "skip", "--projection", "websites", "--json") == 0
        projecting.decide(updated(3, timezone="Asia/Tokyo"))
        projecting.wait("websites")
    assert projecting.sql("select domain, timezone from read.websites") == [("a", "Asia/Tokyo")]
    assert projecting.sql("select state from engine.dead_letter where projection = 'websites'") == [("skipped",)]


def test_an_unknown_event_is_kept_by_every_read_model_and_stops_none(projecting: ProjectionBench) -> None:
    strange = Record(
        DOMAIN.name,
        b"x",
        b"{}",
        (
            ("event", b"from.the_future"),
            ("version", b"1"),
            ("position", b"1"),
            ("aggregate", str(ACCOUNT).encode()),
            ("aggregate_version", b"1"),
        ),
    )
    projecting.positions = 1
    projecting.log.publish([strange]).result(30)
    projecting.decide(
        of(PARTNER, 1, partners.PartnerRegistered, name="A", slug="a", base_url="https://a.example", terms=TERMS)
    )
    with projecting.running():
        projecting.wait("partners")
        projecting.wait("activity")
    assert projecting.sql("select name from read.partners") == [("A",)]
    assert projecting.sql("select reason from engine.dead_letter where projection = 'partners'") == [("newer_version",)]


def test_what_a_newer_version_wrote_waits_for_it_and_fails_nothing(
    projecting: ProjectionBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More of it than may fail: an older version of the program meets it, then the newer one takes over."""
    monkeypatch.setattr(limits, "MAX_CONSECUTIVE_FAILURES", 10)
    count = 15
    made = [UUID(int=number + 1) for number in range(count)]
    projecting.decide(
        *(
            of(each, 1, partners.PartnerRegistered, name="A", slug="a", base_url="https://a.example", terms=TERMS)
            for each in made
        ),
        *(of(each, 2, partners.PartnerDeactivated) for each in made),
        *(of(each, 3, partners.PartnerActivated) for each in made[:3]),
    )
    with monkeypatch.context() as older:
        older.delitem(REGISTRY, partners.PartnerDeactivated.NAME)
        with projecting.running("partners", "partner_terms", "events"):
            for name in ("partners", "partner_terms", "events"):
                projecting.wait(name)
    letters = "select projection, reason, count(*) from engine.dead_letter where projection = any(%s) group by 1, 2"
    assert sorted(projecting.sql(letters, ["partners", "partner_terms", "events"])) == [
        ("events", "newer_version", count),
        ("partner_terms", "newer_version", count),
        ("partners", "newer_version", count),
        ("partners", "parked", 3),
    ]
    assert projecting.sql("select is_active, count(*) from read.partners group by 1") == [(True, count)]
    assert projecting.sql("select name from engine.build where state = 'failed'") == []
    with projecting.running("partners", "partner_terms", "events"):
        wait_for(
            lambda: projecting.sql("select count(*) from engine.dead_letter where state = 'open'") == [(0,)],
            "the newer version to take what waited",
        )
    active = projecting.sql("select id from read.partners where is_active order by id")
    assert active == [(each,) for each in made[:3]]


def facts(txid: str, attribution: Attribution | None = None) -> ConversionFacts:
    return ConversionFacts(
        website_id=WEBSITE,
        kind="sale",
        event="purchase",
        txid=txid,
        amount=eur(10_000),
        occurred_at=moment(),
        attribution=attribution,
    )
