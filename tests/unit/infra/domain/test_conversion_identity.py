"""Transaction ids that are unique within a click only, and what was reported before they had that scope."""

from __future__ import annotations

from dataclasses import dataclass, field
from uuid import UUID, uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.domain.conversion_identity import AmbiguousTxid, candidates, chosen
from schemas.identity import conversion_id
from schemas.tracking import ConversionReported

SITE = UUID(int=7)


@dataclass
class Recorded:
    """What is recorded: the clicks that reports of each conversion named."""

    clicks: dict[UUID, set[str]] = field(default_factory=dict)
    shared: dict[UUID, UUID] = field(default_factory=dict)

    def take(self, report: ConversionReported) -> UUID:
        """Records the report; returns its conversion."""
        wanted = candidates(report)
        found = chosen(
            report,
            wanted,
            self.clicks.__contains__,
            lambda one, click: click in self.clicks.get(one, ()),
            lambda: [one for one, shared in self.shared.items() if shared == wanted.shared_id != one],
        )
        identity = report.conversion_id if found is None else found
        self.clicks.setdefault(identity, set()).update({report.click_id} - {""})
        self.shared[identity] = wanted.shared_id
        return identity


def a_report(txid: str = "1", click: str = "", scope: str = "click", **changes: object) -> ConversionReported:
    scoped = click if scope == "click" else ""
    values: dict[str, object] = {
        "report_id": uuid4(),
        "conversion_id": conversion_id(SITE, "sale", txid, click_id=scoped),
        "website_id": SITE,
        "kind": "sale",
        "event": "sale",
        "txid": txid,
        "reported_by": "postback",
        "occurred_at": "2026-05-17 10:00:00.000",
        "received_at": "2026-05-17 10:00:00.000",
        "click_id": click,
        "txid_scope": scope if scope == "click" else "",
    }
    return ConversionReported.model_validate(values | changes)


@given(st.lists(st.tuples(st.sampled_from("12"), st.sampled_from("abc")), max_size=20))
def test_each_transaction_of_each_click_is_one_sale(said: list[tuple[str, str]]) -> None:
    recorded = Recorded()
    found = {(txid, click): recorded.take(a_report(txid, click)) for txid, click in said}
    assert len(set(found.values())) == len(set(said))
    assert all(recorded.take(a_report(txid, click)) == identity for (txid, click), identity in found.items())


@given(st.permutations(["shop", "network", "network", "status"]))
def test_shop_and_network_that_name_the_same_click_make_one_sale_in_any_order(order: list[str]) -> None:
    recorded = Recorded()
    says = {"shop": a_report(click="a", scope="website"), "network": a_report(click="a"), "status": a_report(click="a")}
    assert len({recorded.take(says[one]) for one in order}) == 1


def test_a_sale_from_before_the_scope_changed_is_found_by_its_click() -> None:
    recorded = Recorded()
    before = recorded.take(a_report(click="a", scope="website"))
    assert recorded.take(a_report(click="a")) == before
    assert recorded.take(a_report(click="b")) not in (before, None)
    assert recorded.take(a_report()) == before, "a status without a click is about the sale that has its id"
    back = Recorded()
    scoped = back.take(a_report(click="a"))
    assert back.take(a_report(click="a", scope="website")) == scoped


def test_a_status_without_a_click_finds_the_only_sale_and_never_one_of_several() -> None:
    recorded = Recorded()
    only = recorded.take(a_report(click="a"))
    assert recorded.take(a_report(status="approved")) == only
    recorded.take(a_report(click="b"))
    with pytest.raises(AmbiguousTxid):
        recorded.take(a_report(status="approved"))
    assert recorded.take(a_report(click="b", status="approved")) != only


def test_an_id_that_was_sent_with_blanks_before_is_the_same_sale() -> None:
    recorded = Recorded()
    earlier = conversion_id(SITE, "sale", "A1 ")
    recorded.clicks[earlier] = {"a"}
    assert recorded.take(a_report("A1", "a", "website", other_id=earlier)) == earlier
    assert Recorded().take(a_report("A1", "a", "website", other_id=earlier)) == conversion_id(SITE, "sale", "A1")


def test_a_placeholder_is_one_with_the_sale_from_before_only_by_its_click() -> None:
    before = conversion_id(SITE, "sale", "{tid}")
    apart = conversion_id(SITE, "sale", "{tid}", apart="x")
    recorded = Recorded({before: {"a"}})
    same = {"conversion_id": apart, "other_id": before, "unread": {"txid": "{tid}"}}
    assert recorded.take(a_report("{tid}", "a", "website", **same)) == before
    assert recorded.take(a_report("{tid}", "b", "website", **same)) == apart
