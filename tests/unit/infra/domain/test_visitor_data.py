"""Which links lead from an id to a person, and where they end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest

from infra.domain.visitor_data import person
from infra.domain.visitor_data.person import Identifier, IdKind, Person, find_person
from infra.domain.visitor_data.samples import bound_samples
from infra.kernel.http.problems import Problem
from infra.kernel.security.pseudonyms import Pseudonyms

SITE = uuid4()
PSEUDONYMS = Pseudonyms(b"v" * 32, b"c" * 32)
NAMED = PSEUDONYMS.visitor(SITE.bytes, "njal")
CUSTOMER = PSEUDONYMS.customer(SITE.bytes, "njal")
CLICK = "0HnVWCQjrs5vPNBVLnnFqI2oCYqA6QtQ0ikK5cD"
DAILY = 12_345


@dataclass
class Stores:
    """Two orders of one customer; the first one's click was made by a visitor of a day, who was named later."""

    orders: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)

    def order(self, txid: str, **more: Any) -> UUID:
        plain = {
            "click_id": None,
            "customer": "",
            "attributed_by": None,
            "visitor": 0,
            "reported_click": "",
            "is_undecided": False,
        }
        made = {"id": uuid4(), "txid": txid, **plain, **more}
        self.orders.append(made)
        return made["id"]  # type: ignore[no-any-return]

    def event(self, visitor: int, session: int = 0, click_id: str = "") -> None:
        self.events.append({"visitor": visitor, "session": session, "click_id": click_id, "rows": 1})

    def postgres(self, sql: str, values: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        assert values["site"] == SITE
        if sql == person._REPORTED:
            return [
                {"visitor": str(each["visitor"]), "click_id": each["reported_click"]}
                for each in self.orders
                if each["id"] in values["ids"]
            ]
        name, column = {
            person._OF_ORDER: ("txid", "txid"),
            person._OF_CUSTOMERS: ("customers", "customer"),
            person._OF_CLICKS: ("clicks", "click_id"),
            person._OF_VISITORS: ("visitors", "visitor"),
        }[sql]
        wanted = values[name] if isinstance(values[name], list) else [values[name]]
        found = [each for each in self.orders if str(each[column] or "") in map(str, wanted)]
        if sql == person._OF_CLICKS:
            found = [each for each in found if each["attributed_by"] in ("click_id", "visitor")]
        return found[: values["limit"]]

    def clickhouse(self, sql: str, values: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
        assert values["site"] == str(SITE)
        if sql == person._VISITORS_OF_CLICKS:
            return [each for each in self.events if each["click_id"] in values["clicks"]]
        if sql == person._VISITORS_OF_SESSIONS:
            return [each for each in self.events if each["session"] in values["sessions"]]
        assert sql == person._OF_PEOPLE
        return [each for each in self.events if each["visitor"] in values["visitors"]]


def find(stores: Stores, kind: IdKind, value: str) -> Person:
    return find_person(stores, PSEUDONYMS, SITE, Identifier(kind, value))


def test_an_order_leads_to_its_customer_click_and_visitor() -> None:
    stores = Stores()
    first = stores.order("A-1", click_id=CLICK, attributed_by="click_id", customer=CUSTOMER)
    second = stores.order("A-2", customer=CUSTOMER)
    stores.order("B-1", customer="another's")
    stores.event(DAILY, click_id=CLICK)
    found = find(stores, IdKind.ORDER, "A-1")
    assert found.conversion_ids == {first, second}
    assert found.visitors == {DAILY}
    assert found.click_ids == {CLICK}
    assert found.customers == {CUSTOMER}
    assert find(stores, IdKind.CUSTOMER, "njal").conversion_ids == {first, second}


def test_a_visitor_leads_to_the_sessions_before_they_were_named() -> None:
    stores = Stores()
    stores.event(NAMED, session=5)
    stores.event(DAILY, session=5, click_id=CLICK)
    stores.event(99, session=6)
    sale = stores.order("A-1", click_id=CLICK, attributed_by="click_id")
    found = find(stores, IdKind.VISITOR, "njal")
    assert found.visitors == {NAMED, DAILY}
    assert found.sessions == {5}
    assert found.click_ids == {CLICK}
    assert found.conversion_ids == {sale}


def test_a_report_that_names_the_visitor_leads_to_its_click() -> None:
    stores = Stores()
    sale = stores.order("A-1", click_id=CLICK, attributed_by="click_id", visitor=NAMED)
    stores.event(DAILY, click_id=CLICK)
    for kind, value in ((IdKind.VISITOR, "njal"), (IdKind.CLICK, CLICK), (IdKind.ORDER, "A-1")):
        found = find(stores, kind, value)
        assert found.visitors == {NAMED, DAILY}, kind
        assert found.conversion_ids == {sale}, kind


@pytest.mark.parametrize("by", ["coupon", "manual"])
def test_a_coupon_and_a_chosen_click_lead_to_nobody(by: str) -> None:
    stores = Stores()
    stores.order("A-1", click_id=CLICK, attributed_by=by)
    stores.event(DAILY, click_id=CLICK)
    assert not find(stores, IdKind.ORDER, "A-1").visitors


def test_the_customer_of_a_visitor_leads_no_further() -> None:
    stores = Stores()
    stores.event(NAMED, click_id=CLICK)
    mine = stores.order("A-1", click_id=CLICK, attributed_by="click_id", customer="shared")
    stores.order("A-2", customer="shared")
    assert find(stores, IdKind.VISITOR, "njal").conversion_ids == {mine}


def test_an_unknown_id_leads_to_nothing() -> None:
    for kind in IdKind:
        found = find(Stores(), kind, "nobody")
        assert not (found.sessions or found.conversion_ids)


@pytest.mark.parametrize("what", ["events", "conversions", "visitors"])
def test_an_id_of_many_is_none_of_a_person(what: str) -> None:
    stores = Stores()
    for number in range(person.MAX_ROWS + 1 if what == "events" else 0):
        stores.event(NAMED, session=number)
    for _ in range(person.MAX_CONVERSIONS + 1 if what == "conversions" else 0):
        stores.order("A", customer=CUSTOMER)
    for number in range(person.MAX_VISITORS + 1 if what == "visitors" else 0):
        stores.event(number + 1, session=5)
    stores.event(NAMED, session=5)
    with pytest.raises(Problem) as refused:
        find(stores, IdKind.CUSTOMER if what == "conversions" else IdKind.VISITOR, "njal")
    assert (refused.value.status, refused.value.code) == (422, "too_much_data")


def test_short_orders_are_looked_for_in_no_sample() -> None:
    found = bound_samples(Person(SITE, txids=frozenset({"12", "ORDER-1", "order #7"}), click_ids=frozenset({CLICK})))
    assert found == {"site": str(SITE), "words": sorted([CLICK, "ORDER-1"]), "texts": ["order #7"]}
    assert bound_samples(Person(SITE, txids=frozenset({"12"}))) is None
