"""Failures in deals: lost and late messages, invalid answers of the provider, concurrent requests; and the
notifications of the two sides."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import psycopg
import pytest
from psycopg.rows import dict_row

from command_api.marketplace.escrow.consequences import STATUS_CHECK_INTERVAL
from command_api.marketplace.escrow.reconciliation import check_status
from command_api.marketplace.escrow.webhook import MESSAGES_PATH
from infra.domain.escrow_provider import EscrowProvider, OpenedTransaction, TransactionState, sign
from infra.domain.message_chain import chain
from tests.api.kernel.test_command_races import at_once
from tests.support.marketplace import SECRET, Market, market
from tests.support.query import Person, QueryService
from tests.support.stack import wait_for

HANDED_OVER = "please transfer the website"


@pytest.fixture(scope="module")
def there(query_service: QueryService, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    with market(query_service, tmp_path_factory.mktemp("deals")) as found:
        yield found


@pytest.fixture(autouse=True)
def now_again(there: Market) -> Iterator[None]:
    yield
    there.later = timedelta()


@pytest.fixture(scope="module")
def seller(there: Market) -> Person:
    return there.person("Embla")


@pytest.fixture(scope="module")
def buyer(there: Market) -> Person:
    return there.person("Bjarni")


@pytest.fixture(scope="module")
def admin(there: Market) -> Person:
    return there.person("Gunnar", "member", "admin")


def online(there: Market, seller: Person, admin: Person) -> str:
    return there.online(seller, admin, websiteUrl=f"https://{uuid4().hex}.example")


def undated(lines: list[str]) -> list[str]:
    """With DAY in place of a date such as Dec 6."""
    return [re.sub(r"(by|on) [A-Z][a-z]{2} \d{1,2}$", r"\1 DAY", line) for line in lines]


@contextmanager
def without_messages(there: Market) -> Iterator[None]:
    """The provider's messages reach nobody."""
    address, there.sandbox.webhook_url = there.sandbox.webhook_url, "http://127.0.0.1:9/"
    try:
        yield
    finally:
        there.sandbox.webhook_url = address


def pays(there: Market, buyer: Person, offer: str) -> None:
    url = there.get(buyer, f"marketplace/offers/{offer}")["escrow"]["paymentUrl"]
    assert httpx.post(url, timeout=60).status_code == 200


def later(there: Market) -> None:
    there.later += STATUS_CHECK_INTERVAL + timedelta(minutes=1)
    there.run_due()


def calls(there: Market, admin: Person, escrow_id: UUID) -> list[tuple[str, str]]:
    found = there.get(admin, "admin/marketplace/escrow-calls")
    return [(one["step"], one["state"]) for one in found if one["escrowId"] == str(escrow_id)]


def tell(there: Market, content: bytes, at: datetime | None = None) -> httpx.Response:
    signed = sign(SECRET, uuid4().hex, at or datetime.now(UTC), content)
    headers = {**signed, "Content-Type": "application/json"}
    return there.api.call("POST", MESSAGES_PATH, headers=headers, content=content)


def test_a_message_is_known_by_its_signature_alone(there: Market) -> None:
    content = json.dumps({"type": "transaction.of_no_kind"}).encode()
    for type_ in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "application/webhook+json"}):
        signed = sign(SECRET, uuid4().hex, datetime.now(UTC), content)
        assert there.api.call("POST", MESSAGES_PATH, headers={**signed, **type_}, content=content).status_code == 204
        unsigned = there.api.call("POST", MESSAGES_PATH, headers=type_, content=content)
        assert (unsigned.status_code, unsigned.json()["code"]) == (401, "bad_signature")


def test_money_that_comes_after_the_deal_was_cancelled_goes_back_and_nobody_hands_anything_over(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    listing = online(there, seller, admin)
    before = len(there.mails("deal_news", seller))
    with without_messages(there):
        offer = there.agreed(seller, buyer, listing)
        escrow_id = there.escrow(offer).id
        pays(there, buyer, offer)
        there.post(seller, f"marketplace/offers/{offer}/escrow/cancel")
        assert there.process.run_once() > 0  # the provider does not cancel what is paid, and is asked
        there.sync()
        assert there.events(escrow_id)[-1] == "escrow.funded" and there.escrow(offer).money_came_late
        assert there.get(buyer, f"marketplace/offers/{offer}")["next"] == "wait_for_payout"
        assert there.get(None, f"marketplace/listings/{listing}")["status"] == "active"
        there.run_due()
        later(there)
    told = ["escrow.agreed", "escrow.opened", "escrow.cancelled", "escrow.funded", "escrow.refunded"]
    assert there.events(escrow_id) == told
    wait_for(lambda: there.sandbox.book.next_message() is None, "the messages to arrive after all")
    assert there.events(escrow_id) == told
    deal = there.sandbox.book.find(str(escrow_id))
    assert (deal["status"], deal["toSeller"], deal["toBuyer"]) == ("settled", 0, 40_000_00)
    assert not [mail for mail in there.mails("deal_news", seller)[before:] if HANDED_OVER in mail]
    assert not [title for title in there.told(seller) if HANDED_OVER in title]
    assert any("came after the deal was canceled" in mail for mail in there.mails("deal_news", buyer))
    late = "Your payment of $40,000 for “Reviews of VPN services” came after the deal was canceled: it goes back to you"
    assert late in there.told(buyer)
    assert there.get(None, f"marketplace/listings/{listing}")["status"] == "active"


def test_where_the_money_is_is_asked_when_no_message_comes(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    listing = online(there, seller, admin)
    with without_messages(there):
        offer = there.agreed(seller, buyer, listing)
        escrow_id = there.escrow(offer).id
        pays(there, buyer, offer)
        there.run_due()
        assert there.escrow(offer).status == "agreed"
        later(there)
        assert there.escrow(offer).status == "funded"
        there.post(seller, f"marketplace/offers/{offer}/escrow/deliver")
        there.post(buyer, f"marketplace/offers/{offer}/escrow/accept")
        # The provider took the call, and forgot it.
        there.postgres.execute("DELETE FROM marketplace.escrow_call WHERE escrow_id = %s", (escrow_id,))
        later(there)
        assert there.sandbox.book.find(str(escrow_id))["status"] == "settled"
        later(there)
    assert there.escrow(offer).status == "released"
    wait_for(lambda: there.sandbox.book.next_message() is None, "the messages to arrive after all")
    assert Counter(there.events(escrow_id)) == Counter(set(there.events(escrow_id)))
    assert there.events(listing).count("listing.sold") == 1
    row = there.postgres.execute(
        "SELECT 1 FROM lookup.escrow WHERE is_open AND escrow_id = %s", (escrow_id,)
    ).fetchone()
    assert row is None and calls(there, admin, escrow_id) == []


def test_what_the_provider_says_and_does_not_fit_waits_for_an_admin(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    with without_messages(there):
        offer = there.agreed(seller, buyer, online(there, seller, admin))
        escrow_id = there.escrow(offer).id
        pays(there, buyer, offer)
        with there.sandbox.book._transaction() as book:
            book.execute("UPDATE deal SET amount = 1 WHERE reference = ?", (str(escrow_id),))
        for _ in range(2):
            later(there)
        assert there.escrow(offer).status == "agreed" and calls(there, admin, escrow_id) == [("look", "failed")]
        with there.sandbox.book._transaction() as book:
            book.execute("UPDATE deal SET amount = 4000000 WHERE reference = ?", (str(escrow_id),))
        there.post(admin, f"admin/marketplace/escrow-calls/{escrow_id}/retry", 204)
        there.run_due()
        assert there.escrow(offer).status == "funded" and calls(there, admin, escrow_id) == []
        there.postgres.execute(
            "INSERT INTO marketplace.escrow_call (escrow_id, step, state) VALUES (%s, 'look', 'failed')", (escrow_id,)
        )
    there.post(seller, f"marketplace/offers/{offer}/escrow/deliver")
    there.post(buyer, f"marketplace/offers/{offer}/escrow/accept")
    there.run_due()
    there.until(offer, "released")
    assert calls(there, admin, escrow_id) == []  # with the deal's end nothing is in doubt any more


class Odd:
    """A provider that answers about one escrow what nobody thought of."""

    def __init__(self, inner: EscrowProvider, about: UUID) -> None:
        self._inner, self._about = inner, about

    def open(self, escrow_id: UUID, amount: int, currency: str) -> OpenedTransaction:
        if escrow_id == self._about:
            raise RecursionError("[[[[")
        return self._inner.open(escrow_id, amount, currency)

    def settle(self, escrow_id: UUID, to_seller: int, to_buyer: int) -> None:
        self._inner.settle(escrow_id, to_seller, to_buyer)

    def cancel(self, escrow_id: UUID) -> None:
        self._inner.cancel(escrow_id)

    def find(self, escrow_id: UUID) -> TransactionState | None:
        return self._inner.find(escrow_id)


def test_an_unexpected_answer_blocks_no_other_deal(there: Market, seller: Person, buyer: Person, admin: Person) -> None:
    offers = [there.offer(buyer, online(there, seller, admin)) for _ in range(2)]
    for offer in offers:
        there.post(seller, f"marketplace/offers/{offer}/accept", price=40_000)
    odd, other = (there.escrow(offer).id for offer in offers)
    inner = EscrowProvider.over_http(there.settings)
    assert inner is not None
    assert there.outbox(Odd(inner, odd)).run_once() >= 2
    assert calls(there, admin, odd) == [("open", "waiting")]
    assert there.events(other) == ["escrow.agreed", "escrow.opened"]


def test_two_processes_that_tell_and_ask_at_the_same_moment_move_the_money_once(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    """As when one loses its leadership in the middle of a call."""
    offer = there.offer(buyer, online(there, seller, admin))
    there.post(seller, f"marketplace/offers/{offer}/accept", price=40_000)
    escrow_id = there.escrow(offer).id
    provider = EscrowProvider.over_http(there.settings)
    assert provider is not None

    def work(_: int) -> None:
        there.outbox(provider).run_once()
        check_status(there.api.core, provider, escrow_id)

    with without_messages(there):
        at_once(work, 4)
        there.sync()
        pays(there, buyer, offer)
        at_once(work, 4)
        there.sync()
        there.post(seller, f"marketplace/offers/{offer}/escrow/deliver")
        there.post(buyer, f"marketplace/offers/{offer}/escrow/accept")
        at_once(work, 4)
        there.sync()
    wait_for(lambda: there.sandbox.book.next_message() is None, "the messages to arrive after all")
    moves = ("agreed", "opened", "funded", "delivered", "accepted", "released")
    assert there.events(escrow_id) == [f"escrow.{one}" for one in moves]
    assert calls(there, admin, escrow_id) == []


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b'{"type": "transaction.seen", "data": {}}', 204),
        (b'{"type": "transaction.funded"}', 400),
        (b'{"type": 5}', 400),
        (b"\xff\x00", 400),
        (b"[" * 5_000, 400),
        (b'{"type": "transaction.funded", "data": {"id": "x", "reference": "x", "amount": 1, "currency": "USD"}}', 400),
    ],
)
def test_a_signed_message_is_understood_left_or_refused(there: Market, content: bytes, status: int) -> None:
    assert tell(there, content).status_code == status


def test_a_message_counts_for_its_own_deal_and_its_own_time(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    one, two = (there.escrow(there.agreed(seller, buyer, online(there, seller, admin))) for _ in range(2))

    def funded(escrow_id: UUID, reference: str | None) -> bytes:
        data = {"id": reference, "reference": str(escrow_id), "amount": 40_000_00, "currency": "USD"}
        return httpx.Request("POST", "http://x", json={"type": "transaction.funded", "data": data}).read()

    crossed = tell(there, funded(one.id, two.reference))
    assert (crossed.status_code, crossed.json()["code"]) == (409, "another_transaction")
    for skew in (timedelta(minutes=6), -timedelta(minutes=6)):
        assert tell(there, funded(one.id, one.reference), datetime.now(UTC) + skew).status_code == 401
    assert tell(there, funded(one.id, one.reference), datetime.now(UTC) + timedelta(minutes=4)).status_code == 204
    assert [there.events(escrow.id)[-1] for escrow in (one, two)] == ["escrow.funded", "escrow.opened"]


def test_of_accepting_naming_another_price_and_taking_back_at_once_one_happens(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    for _ in range(3):
        listing = online(there, seller, admin)
        offer = there.offer(buyer, listing)
        tries: list[tuple[str, Person, dict[str, Any]]] = [
            ("accept", seller, {"price": 40_000}),
            ("counter", seller, {"price": 41_000}),
            ("withdraw", buyer, {}),
            ("decline", seller, {}),
        ]

        def answer(
            number: int, offer: str = offer, tries: list[tuple[str, Person, dict[str, Any]]] = tries
        ) -> tuple[str, int]:
            what, who, body = tries[number % 4]
            options: dict[str, Any] = {"json": body} if body else {}
            return what, there.api.call("POST", f"/api/marketplace/offers/{offer}/{what}", who, **options).status_code

        done = sorted(what for what, status in at_once(answer, 8) if status == 200)
        ended = [name for name in there.events(offer) if name not in ("offer.sent", "offer.countered")]
        assert done in (["accept"], ["decline"], ["withdraw"], ["counter"], ["counter", "withdraw"]), done
        assert len(ended) == len([what for what in done if what != "counter"])
        assert there.events(listing).count("listing.reserved") == done.count("accept")


def test_an_admin_who_is_a_side_has_no_word_in_the_dispute(there: Market, buyer: Person, admin: Person) -> None:
    selling = there.person("Both", "member", "admin")
    offer = there.funded(selling, buyer, online(there, selling, admin))
    decide = f"admin/marketplace/offers/{offer}/decide"
    there.post(buyer, f"marketplace/offers/{offer}/escrow/dispute", text="Nothing comes.")
    own = there.post(selling, decide, 403, outcome="release", reason="Mine.")
    assert own["code"] == "own_deal"
    there.post(admin, decide, outcome="refund", reason="Nothing came.")
    there.run_due()
    there.until(offer, "refunded")
    assert there.get(buyer, f"marketplace/offers/{offer}")["escrow"]["toBuyer"]["amount"] == 40_000_00


def test_each_side_is_notified_of_acts_of_the_other_and_of_the_provider(there: Market, admin: Person) -> None:
    seller, buyer, deciding = there.person("Told"), there.person("Telling"), there.person("Deciding", "member", "admin")
    offer = there.offer(buyer, online(there, seller, admin))
    here = f"marketplace/offers/{offer}"
    assert there.get(buyer, here)["escrowKind"] == "none"  # the query service of this test knows no provider
    there.post(seller, f"{here}/counter", price=43_000)
    for text in ("One", "Two"):
        there.post(buyer, f"{here}/messages", 201, text=text)
    there.post(buyer, f"{here}/accept", price=43_000)
    there.run_due()
    deal = there.get(buyer, here)
    assert (deal["escrowKind"], deal["escrow"]["paymentUrl"] is None) == ("trial", False)
    there.pay(buyer, offer)
    there.post(seller, f"{here}/escrow/deliver")
    there.post(buyer, f"{here}/escrow/confirm-receipt")
    there.post(buyer, f"{here}/escrow/dispute", text="Half of it is missing.")
    there.post(admin, f"admin/marketplace/offers/{offer}/decide", outcome="split", toSeller=3_000, reason="Half of it.")
    there.run_due()
    there.until(offer, "released")
    site = "“Reviews of VPN services”"
    decided = f"An admin decided the dispute about {site}: $3,000 to the seller, $40,000 to the buyer"
    released = f"The deal for {site} is complete: the escrow provider has paid you"
    waits = f"The deal for {site} is disputed: an admin has to decide"
    assert waits in there.told(deciding) and waits not in there.told(seller) + there.told(buyer)
    for _ in range(2):  # told once, however often the events are looked through
        assert undated(there.told(seller)) == [
            f"Telling offers $40,000 for {site}: answer by DAY",
            f"You have 2 messages about the offer for {site}",
            f"Telling accepted $43,000 for {site}: the buyer pays by DAY",
            f"$43,000 for {site} is in escrow: please transfer the website",
            f"The inspection of {site} has begun: without a dispute it is accepted on DAY",
            f"Telling disputes the deal for {site}: please add your statement to its thread",
            decided,
            f"{released} $3,000",
        ]
        assert undated(there.told(buyer)) == [
            f"Told proposes $43,000 for {site}: answer by DAY",
            f"You can pay $43,000 for {site} into escrow by DAY",
            f"Told transferred {site}: please confirm receipt by DAY",
            decided,
            f"{released} $40,000",
        ]
    news = there.news("deal_news", seller)
    assert f"Telling accepted $43,000 for {site}: the buyer pays by DAY" in undated([one.subject for one in news])
    assert len(news) >= 4 and {one.thread for one in news} == {UUID(offer)}
    paths = {one["path"] for one in there.get(seller, "platform/notifications")}
    assert f"/marketplace/deals/{offer}" in paths
    chosen = {one["kind"]: one for one in there.get(seller, "platform/notification-preferences")}
    assert [chosen[kind]["atOnce"] for kind in ("offer", "deal", "offer_message")] == [True, True, False]
    for kind, status in (("offer", 400), ("deal", 400), ("offer_message", 200)):
        body = {"inApp": True, "mail": "weekly"}
        path = f"/api/platform/notification-preferences/{kind}"
        assert there.api.call("PUT", path, seller, json=body).status_code == status


def test_an_offer_that_nobody_answered_ends_and_both_hear_of_it(there: Market, admin: Person) -> None:
    seller, buyer = there.person("Silent"), there.person("Waiting")
    offer = there.offer(buyer, online(there, seller, admin))
    there.later = timedelta(days=7, minutes=1)
    there.run_due()
    assert there.get(buyer, f"marketplace/offers/{offer}")["status"] == "expired"
    why = "no one responded in time, or the website was sold to another"
    ended = f"The offer for “Reviews of VPN services” has ended: {why}"
    assert there.told(seller)[-1] == there.told(buyer)[-1] == ended
    assert any(ended in mail for mail in there.mails("offer_news", buyer))


def test_an_offer_whose_due_time_is_outdated_expires_at_its_own(there: Market, admin: Person) -> None:
    """As when it is countered while the process manager looks at it."""
    seller, buyer = there.person("Countering"), there.person("Countered")
    offer = there.offer(buyer, online(there, seller, admin))
    there.postgres.execute("UPDATE kernel.timeout SET due_at = now() WHERE id = %s", (offer,))
    there.run_due()
    assert there.events(offer) == ["offer.sent"]
    there.later = timedelta(days=7, minutes=1)
    there.run_due()
    assert there.events(offer) == ["offer.sent", "offer.expired"]


def test_a_chain_leads_from_the_offer_over_the_reservation_to_the_escrow(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    listing = online(there, seller, admin)
    offer = there.funded(seller, buyer, listing)
    escrow = there.escrow(offer).id
    with psycopg.connect(there.settings.postgres_url or "", row_factory=dict_row) as connection:

        def select(sql: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
            return connection.execute(sql.encode(), values).fetchall()

        found = chain(select, [UUID(offer)])
        assert chain(select, [escrow]) == found
        other = there.offer(there.person("Hlin"), online(there, seller, admin))
        assert not {UUID(other), UUID(listing)} & {one.aggregate_id for one in found if one.name.startswith("offer.")}
    names = [one.name for one in found]
    assert names == [
        "offer.sent", "offer.accepted", "listing.reserved", "escrow.agreed", "escrow.opened", "escrow.funded",
        "listing.in_escrow",
    ]  # fmt: skip
    sent, accepted, reserved, agreed, opened, funded, in_escrow = found
    assert all(one.command_id is not None and one.correlation_id for one in found)
    assert accepted.command_id == reserved.command_id == agreed.command_id != sent.command_id
    assert accepted.correlation_id == reserved.correlation_id == agreed.correlation_id == opened.correlation_id
    assert (opened.causation_id, opened.actor) == (agreed.id, "system")
    assert funded.command_id == in_escrow.command_id
    assert [one.actor for one in (sent, accepted)] == ["account", "account"]


def test_the_query_service_reads_no_deal_by_its_chain(
    there: Market, seller: Person, buyer: Person, admin: Person
) -> None:
    there.offer(buyer, online(there, seller, admin))
    with psycopg.connect(there.settings.postgres_url or "") as connection:
        connection.execute("SET ROLE query_reader")
        for reader in (str(seller.account_id), "admin"):
            connection.execute("SELECT set_config('app.reader', %s, true)", (reader,))
            query = "SELECT count(*) FROM events.message WHERE name NOT LIKE 'conversion.%'"
            assert connection.execute(query).fetchone() == (0,), reader
