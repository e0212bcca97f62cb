"""Listings under four eyes, what measurements say of them over time, and questions that members quarrel about."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from io import BytesIO
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from PIL import Image

import command_api.notifications.handler  # noqa: F401 - registers the rules
from command_api.kernel.command_handlers import Command
from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.kernel.images.model import reencode
from command_api.kernel.timeouts import Timeout
from command_api.marketplace import questions
from command_api.marketplace.handlers import HANDLERS
from command_api.marketplace.listings import model
from command_api.marketplace.listings.commands import RecordVerification
from command_api.marketplace.listings.measurement import MonthlyCounts, measure, share_of
from command_api.marketplace.listings.model import Listing
from command_api.marketplace.listings.schemas import ListingFields
from command_api.marketplace.listings.verification import verification
from command_api.marketplace.schemas import Write
from command_api.marketplace.timeouts import VERIFICATION
from command_api.notifications.notification import ADMINS, LATER_RULES, RULES
from command_api.operations.exchange_rates import model as operations
from command_api.websites import model as websites
from schemas.base import DomainEvent, MoneySum
from schemas.events.domains import DomainAdded, DomainRemoved, DomainVerificationLost, DomainVerified
from schemas.events.marketplace import MeasuredMonth, MeasuredShare
from schemas.events.operations import ExchangeRateRecorded
from schemas.events.websites import WebsiteConnected, WebsiteDisconnected, WebsiteUpdated
from schemas.identity import domain_id, exchange_rate_id
from schemas.notifications import KINDS
from tests.support.events import names
from tests.support.given_when_then import given, rejected
from tests.unit.command_api.marketplace.test_model import (
    ADMIN,
    BUYER,
    FACTS,
    LISTING,
    NOW,
    OTHER,
    SELLER,
    active,
    dollars,
    drafted,
    folded,
    in_review,
    with_figures,
)

WEBSITE = uuid4()
MEASURED = replace(with_figures(website_id=WEBSITE), website_url="https://www.vpn-reviews.com/")


def verified(listing: Listing) -> Listing:
    month = MeasuredMonth(month=date(2026, 10, 1), visitors=20_000, pageviews=50_000, revenue=dollars(900))
    share = MeasuredShare(months=1, months_in_log=1, traffic=100.0, revenue=100.0)
    return folded(
        model.evolve, listing, model.verify(listing, [month], dollars(900), share, CommandContext(NOW), WEBSITE)
    )


# Four eyes


def test_nobody_lets_the_own_listing_go_live() -> None:
    of_admin = replace(SELLER, is_admin=True)
    given(in_review()).when(model.approve, 1, of_admin).then(rejected("own_listing"))
    suspended = folded(model.evolve, active(), model.suspend(active(), "Stolen.", ADMIN))
    given(suspended).when(model.resume, of_admin).then(rejected("own_listing"))
    with pytest.raises(CommandRejected) as found:
        model.approve(in_review(), 1, of_admin)
    assert found.value.kind == "forbidden"


def test_an_admin_who_asked_or_was_asked_does_not_judge_the_question() -> None:
    question = questions.evolve_question(None, questions.ask(uuid4(), active(), "Is it yours?", BUYER))
    for side in (SELLER, BUYER):
        for decide in (lambda who: questions.hide(question, "No.", who), lambda who: questions.restore(question, who)):
            given().when(decide, replace(side, is_admin=True)).then(rejected("own_question"))
    given(question).when(questions.hide, "No.", ADMIN).then("listing_question.hidden")


def test_an_admin_confirms_what_members_hid() -> None:
    question = questions.evolve_question(None, questions.ask(uuid4(), active(), "Buy pills", BUYER))
    for _ in range(questions.FLAGS_TO_HIDE):
        question = folded(
            questions.evolve_question, question, questions.flag(question, "spam", CommandContext(NOW, uuid4()))
        )
    assert question.hidden and not question.decided
    question = folded(questions.evolve_question, question, questions.hide(question, "Spam.", ADMIN))
    assert question.decided and questions.hide(question, "Spam.", ADMIN) == []


def test_a_question_has_an_end() -> None:
    question = questions.evolve_question(None, questions.ask(uuid4(), active(), "Is it yours?", BUYER))
    full = replace(question, version=questions.MAX_EVENTS)
    given(full).when(questions.answer, "It is.", SELLER).then(rejected("too_many_changes"))
    given(full).when(questions.flag, "spam", OTHER).then()
    given(replace(drafted(), version=model.MAX_EVENTS)).when(model.submit, SELLER).then(rejected("too_many_changes"))


# Notifications


def test_the_seller_the_asker_and_other_admins_are_notified_without_quoting_the_text() -> None:
    draft = model.draft(LISTING, FACTS, SELLER)
    begun = model.evolve(None, draft)
    [submitted] = model.submit(begun, SELLER)
    waiting = folded(model.evolve, begun, [submitted])
    [approved], [rejected] = model.approve(waiting, 1, ADMIN), model.reject(waiting, "A secret.", ADMIN)
    question = questions.ask(uuid4(), active(), "A secret?", BUYER)
    [answered] = questions.answer(questions.evolve_question(None, question), "A secret.", SELLER)
    told = [
        *LATER_RULES[type(submitted)](submitted, draft),
        *LATER_RULES[type(approved)](approved, draft),
        *LATER_RULES[type(rejected)](rejected, draft),
        *RULES[type(question)](question),
        *LATER_RULES[type(answered)](answered, question),
    ]
    seller, buyer = SELLER.account_id, BUYER.account_id
    assert [notice.to for notice in told] == [None, seller, seller, seller, buyer]
    assert told[0].roles == ADMINS and told[0].but == (seller,)
    assert {notice.kind for notice in told} == {"listing"} <= KINDS.keys()
    assert told[1].path == told[3].path == f"/marketplace/listing/{LISTING}"
    assert "secret" not in str(told).lower() and FACTS.title not in str(told)


# What was measured


def test_what_was_measured_at_one_address_says_nothing_of_another() -> None:
    listing = folded(model.evolve, active(), model.edit(active(), MEASURED, 1, SELLER))
    listing = verified(folded(model.evolve, listing, model.approve(listing, 2, ADMIN)))
    assert listing.verified_website == WEBSITE
    moved = model.edit(listing, replace(MEASURED, website_url="https://other-reviews.com"), 2, SELLER)
    assert names(moved) == ["listing.edited", "listing.not_verified", "listing.submitted"]
    assert [event.originator_version for event in moved] == [listing.version + 1 + number for number in range(3)]
    after = folded(model.evolve, listing, moved)
    assert (after.verified_at, after.verified_website, after.status) == (None, None, "in_review")
    detached = model.edit(listing, replace(MEASURED, figures=FACTS.figures), 2, SELLER)
    assert names(detached) == ["listing.edited", "listing.not_verified"]
    same = replace(MEASURED, website_url="http://VPN-reviews.com/about")
    assert "listing.not_verified" not in names(model.edit(listing, same, 2, SELLER))


class InMemoryEventStore:
    """An event store in memory."""

    def __init__(self, *events: DomainEvent) -> None:
        self.events = list(events)
        self.next_at: datetime | None = None

    def load(self, aggregate_id: UUID, evolve: Any) -> Any:
        state = None
        for event in self.events:
            if event.originator_id == aggregate_id:
                state = evolve(state, event)
        return state

    def select(self, _query: str, day: date, *_: Any) -> list[tuple[Any, ...]]:
        """The one table that a handler reads here: the rates that hold on `day`."""
        found = [event for event in self.events if isinstance(event, ExchangeRateRecorded) and event.on <= day]
        newest = {(event.base, event.quote): event for event in sorted(found, key=lambda event: event.on)}
        return [(event.base, event.quote, event.on, event.rate) for event in newest.values()]

    def append(self, *events: DomainEvent) -> None:
        self.events += events

    def dispatch(self, command: Command[Any], context: CommandContext) -> None:
        """Runs the command's handler."""

        def set_timeout(_process: str, _id: UUID, at: datetime | None) -> None:
            self.next_at = at

        reads = {"load": self.load, "select": self.select}
        uow = SimpleNamespace(context=context, append=self.append, set_timeout=set_timeout, **reads)
        HANDLERS.handle(command, uow)  # type: ignore[arg-type]  # stands in for the real one


class FixedMeasurements:
    """The same in every month from the `first` of the twelve on."""

    def __init__(self, first: int, revenue: int = 0) -> None:
        self.first, self.revenue, self.calls = first, revenue, 0

    def by_month(self, _website_id: UUID, edges: Sequence[datetime]) -> Sequence[MonthlyCounts]:
        self.calls += 1
        month, none = MonthlyCounts(30, 60, self.revenue, 60, self.revenue), MonthlyCounts(0, 0, 0)
        return [month if n >= self.first else none for n in range(len(edges) - 1)]


def measured(store: InMemoryEventStore, figures: FixedMeasurements, now: datetime = NOW) -> list[str]:
    """The events of one verification run."""
    before = len(store.events)
    container = cast(Container, SimpleNamespace(load=store.load, commands=store))
    due = Timeout(VERIFICATION, LISTING, now)
    command = verification(container, figures).plan([due], now)(due)
    assert isinstance(command, RecordVerification)
    store.dispatch(command, CommandContext(now))
    return names(store.events[before:])


def website(event_class: type[DomainEvent], version: int, at: datetime = NOW, **values: Any) -> DomainEvent:
    step = {"originator_id": WEBSITE, "originator_version": version, "timestamp": at, "actor_id": None}
    return event_class(**step, **values)


def proof(domain: str = "vpn-reviews.com", website_id: UUID = WEBSITE) -> list[DomainEvent]:
    """A custom domain of the seller that was verified."""
    known = domain_id(SELLER.account_id or WEBSITE, domain)

    def of(event_class: type[DomainEvent], version: int, **values: Any) -> DomainEvent:
        return event_class(originator_id=known, originator_version=version, timestamp=NOW, actor_id=None, **values)

    until = NOW + timedelta(days=7)
    said = {"account_id": SELLER.account_id, "website_id": website_id, "domain": domain, "expires_at": until}
    return [of(DomainAdded, 1, token="t" * 40, **said), of(DomainVerified, 2)]


def store(currency: str = "USD", *proofs: DomainEvent) -> InMemoryEventStore:
    connected = website(
        WebsiteConnected,
        1,
        account_id=SELLER.account_id,
        domain="vpn-reviews.com",
        timezone="Asia/Kathmandu",
        currency=currency,
    )
    draft = model.draft(LISTING, MEASURED, SELLER)
    listing = model.evolve(None, draft)
    submitted = model.submit(listing, SELLER)
    approved = model.approve(folded(model.evolve, listing, submitted), 1, ADMIN)
    return InMemoryEventStore(connected, *(proofs or proof()), draft, *submitted, *approved)


def test_a_listing_is_looked_at_daily_and_measured_monthly() -> None:
    kept, figures = store(), FixedMeasurements(first=0)
    assert measured(kept, figures) == ["listing.verified"]
    assert kept.next_at == NOW + timedelta(days=1)
    for days in range(1, 30):
        assert measured(kept, figures, NOW + timedelta(days=days)) == []
    assert figures.calls == 1
    assert measured(kept, figures, NOW + timedelta(days=30)) == ["listing.verified"]
    kept.events.append(website(WebsiteDisconnected, 2))
    assert measured(kept, figures, NOW + timedelta(days=31)) == ["listing.not_verified"]
    assert measured(kept, figures, NOW + timedelta(days=32)) == []


def test_a_website_that_is_only_connected_proves_nothing() -> None:
    figures = FixedMeasurements(first=0)
    for nothing in (
        proof()[:1],  # requested, not found
        proof("blog.vpn-reviews.com"),
        proof(website_id=uuid4()),
        [*proof(), replaced(proof()[1], DomainVerificationLost, 3, missing_since=NOW, expires_at=NOW)],
        [*proof(), replaced(proof()[1], DomainRemoved, 3)],
    ):
        kept = store("USD", *nothing)
        assert measured(kept, figures) == ["listing.not_verified"]
        assert kept.events[-1].reason == "domain_not_proven"  # type: ignore[attr-defined]  # of this kind, as it says
    assert figures.calls == 0
    assert measured(store("USD", *proof("www.vpn-reviews.com")), figures) == ["listing.verified"]


def replaced(event: DomainEvent, event_class: type[DomainEvent], version: int, **values: Any) -> DomainEvent:
    step = {"originator_id": event.originator_id, "originator_version": version, "timestamp": NOW, "actor_id": None}
    return event_class(**step, **values)


def test_a_badge_ends_with_its_proof_and_an_older_one_is_proven_again() -> None:
    kept, figures = store(), FixedMeasurements(first=0)
    assert measured(kept, figures) == ["listing.verified"]
    lost = replaced(proof()[1], DomainVerificationLost, 3, missing_since=NOW, expires_at=NOW)
    kept.events.append(lost)
    assert measured(kept, figures, NOW + timedelta(days=1)) == ["listing.not_verified"]
    kept = store()
    measured(kept, figures)
    kept.events[-1] = kept.events[-1].model_copy(update={"domain_proven": False})
    assert measured(kept, figures, NOW + timedelta(days=1)) == ["listing.verified"]


def test_the_share_is_of_all_that_the_log_holds() -> None:
    both = MonthlyCounts(visitors=5, pageviews=10, revenue=100, pageviews_in_log=40, revenue_in_log=100)
    imported = MonthlyCounts(visitors=0, pageviews=0, revenue=0, pageviews_in_log=50, revenue_in_log=0)
    share = share_of([both], [imported, both])
    assert (share.months, share.months_in_log, share.traffic, share.revenue) == (1, 2, 11.1, 100.0)
    almost = MonthlyCounts(visitors=1, pageviews=99_999, revenue=0, pageviews_in_log=100_000, revenue_in_log=0)
    assert (share_of([almost], [almost]).traffic, share_of([almost], [almost]).revenue) == (99.9, None)


def test_a_listing_without_a_whole_month_is_reported_once_and_verified_later() -> None:
    kept, none, some = store(), FixedMeasurements(first=11), FixedMeasurements(first=10)
    assert measured(kept, none) == ["listing.not_verified"]
    assert measured(kept, none, NOW + timedelta(days=1)) == []
    requested = model.ask_verification(kept.load(LISTING, model.evolve), SELLER)
    kept.events += requested
    assert measured(kept, none, NOW + timedelta(days=1)) == ["listing.not_verified"]
    assert measured(kept, some, NOW + timedelta(days=20)) == ["listing.verified"]


def test_a_website_that_changes_while_it_is_measured_is_measured_again() -> None:
    kept, figures = store(), FixedMeasurements(first=0)
    renamed = website(WebsiteUpdated, 2, domain="www.vpn-reviews.com")

    class Renaming(FixedMeasurements):
        def by_month(self, website_id: UUID, edges: Sequence[datetime]) -> Sequence[MonthlyCounts]:
            kept.events.append(renamed)
            return figures.by_month(website_id, edges)

    assert measured(kept, Renaming(first=0)) == [renamed.NAME]
    assert kept.next_at == NOW  # it stays due
    assert measured(kept, figures) == ["listing.verified"]
    assert kept.next_at == NOW + timedelta(days=1)


def test_months_in_which_the_website_was_another_do_not_count() -> None:
    kept = store()
    kept.events.append(website(WebsiteUpdated, 2, domain="www.vpn-reviews.com"))
    assert kept.load(WEBSITE, websites.evolve).named_at is None
    kept.events += [
        website(WebsiteUpdated, 3, datetime(2026, 1, 5, tzinfo=UTC), domain="popular.com"),
        website(WebsiteUpdated, 4, datetime(2026, 8, 31, 18, 30, tzinfo=UTC), domain="vpn-reviews.com"),
    ]
    assert measured(kept, FixedMeasurements(first=0)) == ["listing.verified"]
    # Half past midnight of September the 1st in Kathmandu: that month is not whole.
    assert [month.month for month in kept.events[-1].months] == [date(2026, 10, 1)]  # type: ignore[attr-defined]  # of this kind, as the test made it


def test_revenue_in_another_currency_counts_at_the_rate_of_each_months_last_day() -> None:
    kept = store("EUR")
    rates = None
    for rate, on in (("1.10", date(2025, 1, 1)), ("1.20", date(2026, 10, 31)), ("9.99", date(2026, 11, 1))):
        [recorded] = operations.record_rate(rates, base="EUR", quote="USD", rate=rate, on=on, context=ADMIN)
        rates = operations.evolve(rates, recorded)
        kept.events.append(recorded)
    assert rates is not None and rates.id == exchange_rate_id("EUR", "USD")
    assert measured(kept, FixedMeasurements(first=9, revenue=100_00)) == ["listing.verified"]
    told = kept.events[-1]
    assert told.monthly_revenue == MoneySum(amount=115_00, currency="USD")  # type: ignore[attr-defined]  # of this kind, as the test made it


def test_a_month_of_any_revenue_can_be_measured() -> None:
    """More than one amount may be: else the listing was never looked at again."""
    kept = store()
    assert measured(kept, FixedMeasurements(first=0, revenue=10**24)) == ["listing.verified"]
    told = kept.events[-1]
    assert type(told).model_validate_json(told.model_dump_json()) == told
    assert told.monthly_revenue == MoneySum(amount=10**24, currency="USD")  # type: ignore[attr-defined]  # of this kind, as the test made it


# What people send


@pytest.mark.parametrize("odd", ["4", True, float("nan"), float("inf"), -0.1, 100.1])
def test_how_old_a_website_is_is_a_number_of_years(odd: Any) -> None:
    with pytest.raises(ValueError, match="yearsEstablished"):
        ListingFields.model_validate({"yearsEstablished": odd})
    assert ListingFields.model_validate({"yearsEstablished": 4}).years_established == 4


@pytest.mark.parametrize("text", ["a\u202egnp.exe", "ring\x07", "\u2066x\u2069"])
def test_no_text_turns_the_direction_of_what_follows(text: str) -> None:
    for build in (lambda: ListingFields.model_validate({"title": text}), lambda: Write.model_validate({"text": text})):
        with pytest.raises(ValueError, match="control characters"):
            build()
    assert Write.model_validate({"text": "one\r\ntwo\tthree"}).text == "one\ntwo\tthree"


@pytest.mark.filterwarnings("ignore:Corrupt EXIF data", "ignore:Truncated File Read")
def test_a_damaged_image_is_refused_however_it_is_damaged() -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "x" * 40
    exif.get_ifd(0x8825).update({1: "N", 2: (1.0, 2.0, 3.0)})
    sent = BytesIO()
    Image.new("RGB", (64, 48)).save(sent, "JPEG", exif=exif.tobytes())
    rng, whole = random.Random(7), sent.getvalue()
    for _ in range(600):
        damaged = bytearray(whole)
        for place in (rng.randrange(2, 220) for _ in range(3)):
            damaged[place] = rng.randrange(256)
        assert code_of_redrawing(bytes(damaged)) in (None, "no_image", "too_large")


def code_of_redrawing(image: bytes) -> str | None:
    try:
        reencode(image)
    except CommandRejected as error:
        return error.code
    return None


def test_months_whose_events_have_expired_are_not_measured() -> None:
    """Rows that are gone would make them small."""
    made = store()
    state = made.load(WEBSITE, websites.evolve)
    whole = measure(state, NOW, FixedMeasurements(0))
    assert len(whole.months) == 12
    kept = measure(replace(state, expired_before=date(2026, 7, 31)), NOW, FixedMeasurements(0))
    assert [each.month for each in kept.months] == [date(2026, month, 1) for month in (8, 9, 10)]
    assert kept.share.months_in_log == kept.share.months == len(kept.months) == 3
