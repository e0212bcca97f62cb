"""`GET /api/platform/search`: what each kind is found by, by whom, and what odd input does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from query_api.search.routes import MAX_LIMIT
from tests.support.query import Person, QueryService, this_moment

ODD = [
    *("%", "_", "\\", "'", '"', "%%", "a%'; --", "\\%", "{}", "$1", "%(part)s", "\u202e", "🧪", "﷽", "İ", "ß"),
    *("", "   ", "x" * 200, "0" * 32, "-1", "(((", "*", "[a", "--", ";", "\t", "\ud7ff"),
]


def found(service: QueryService, person: Person, words: str, **more: Any) -> list[tuple[str, str]]:
    answer = service.get("/api/platform/search", person, params={"q": words, **more})
    assert answer.status_code == 200, answer.text
    return [(row["kind"], row["title"]) for row in answer.json()]


def link(service: QueryService, website: UUID, partner: UUID, slug: str, **more: Any) -> UUID:
    link_id = uuid4()
    service.insert("links", {
        "id": link_id, "slug": slug, "code": link_id.int % 2**47, "website_id": website, "partner_id": partner,
        "destination": "https://partner.example/", "subs": "{}", "is_active": True, "created_at": this_moment(), **more,
    })  # fmt: skip
    return link_id


def sale(service: QueryService, website: UUID, txid: str, **more: Any) -> UUID:
    conversion_id, now = uuid4(), this_moment()
    service.insert("conversions", {
        "id": conversion_id, "website_id": website, "kind": "sale", "event": "sale", "txid": txid, "status": "pending",
        "amount": 1000, "currency": "USD", "commission_currency": "USD", "reported_by": "sale", "occurred_at": now,
        "recorded_at": now, **more,
    })  # fmt: skip
    return conversion_id


def listing(service: QueryService, seller: Person, title: str, status: str) -> None:
    service.insert("listings", {
        "id": uuid4(), "seller_id": seller.account_id, "status": status, "title": title, "title_lower": title.lower(),
        "website_url": "https://sold.example", "description": "", "niche": "vpn", "created_at": this_moment(),
        "published_at": this_moment(),
    })  # fmt: skip


def thread(service: QueryService, title: str, visible: bool = True) -> None:
    category = uuid4()
    service.insert(
        "forum_categories",
        {"id": category, "name": "Case Studies", "slug": category.hex, "description": "", "place": 1},
    )
    service.insert("forum_threads", {
        "id": uuid4(), "title": title, "category_id": category, "author_id": uuid4(), "first_post_id": uuid4(),
        "visible": visible, "created_at": this_moment(), "position": 1, "last_position": uuid4().int % 2**60,
    })  # fmt: skip


def test_every_kind_is_found_by_a_part_of_its_name(query_service: QueryService) -> None:
    ada, mark = query_service.person(), uuid4().hex[:12]
    website = query_service.website(ada, domain=f"vpn-{mark}.example")
    partner = query_service.partner(f"Fjord {mark.upper()}")
    link(query_service, website, partner, f"deal-{mark}")
    sale(query_service, website, f"{mark}-77")
    thread(query_service, f"What {mark} taught me")
    listing(query_service, ada, f"For sale: {mark}", "active")
    assert found(query_service, ada, mark.capitalize()) == [
        ("website", f"vpn-{mark}.example"),
        ("partner", f"Fjord {mark.upper()}"),
        ("link", f"deal-{mark}"),
        ("transaction", f"{mark}-77"),
        ("thread", f"What {mark} taught me"),
        ("listing", f"For sale: {mark}"),
    ]


def test_a_result_says_where_it_belongs(query_service: QueryService) -> None:
    ada, mark = query_service.person(), uuid4().hex
    website = query_service.website(ada, domain="shop.example")
    partner = query_service.partner("Acme")
    link_id = link(query_service, website, partner, mark)
    rows = query_service.get(f"/api/platform/search?q={mark}", ada).json()
    assert rows == [
        {
            "kind": "link",
            "id": str(link_id),
            "title": mark,
            "detail": "Acme · shop.example",
            "websiteId": str(website),
        }
    ]


def test_transactions_are_found_by_transaction_click_and_conversion_id(query_service: QueryService) -> None:
    ada, mark = query_service.person(), uuid4().hex
    website = query_service.website(ada)
    one = sale(query_service, website, f"ORDER-{mark.upper()}-1", click_id=f"AbC{mark}")
    expected = [("transaction", f"ORDER-{mark.upper()}-1")]
    for words in (f"order-{mark}", f"ORDER-{mark.upper()}-1", f"AbC{mark}", str(one)):
        assert found(query_service, ada, words) == expected, words
    assert found(query_service, ada, mark) == [], "the middle of an id is not searched: there may be millions"


def test_links_are_found_by_destination_coupon_and_partner(query_service: QueryService) -> None:
    ada, mark = query_service.person(), uuid4().hex
    website, partner = query_service.website(ada), query_service.partner(f"Þórður {mark}")
    link(query_service, website, partner, f"a{uuid4().hex}", destination=f"https://x.example/Landing-{mark}")
    link(query_service, website, query_service.partner("Other"), f"b{uuid4().hex}", coupon=f"SAVE{mark.upper()}")
    assert len(found(query_service, ada, f"landing-{mark}")) == 1
    assert len(found(query_service, ada, f"save{mark}")) == 1
    assert [kind for kind, _ in found(query_service, ada, f"ÞÓRÐUR {mark}")] == ["partner", "link"]


def view(service: QueryService, person: Person, website: UUID | None, name: str, kind: str = "view") -> None:
    service.insert("saved_views", {
        "id": uuid4(), "account_id": person.account_id, "website_id": website, "kind": kind, "name": name,
        "state": "{}", "saved_at": this_moment(),
    })  # fmt: skip


def test_saved_views_are_found_by_who_may_apply_them(query_service: QueryService) -> None:
    ada, eve, admin, mark = query_service.person(), query_service.person(), query_service.person("admin"), uuid4().hex
    website = query_service.website(ada)
    view(query_service, ada, None, f"{mark} mine", "segment")
    view(query_service, ada, website, f"{mark} ours")
    view(query_service, eve, None, f"{mark} hers")
    assert found(query_service, ada, mark) == [("view", f"{mark} mine"), ("view", f"{mark} ours")]
    assert found(query_service, eve, mark) == [("view", f"{mark} hers")]
    assert found(query_service, admin, mark) == []


def test_nobody_finds_what_belongs_to_another(query_service: QueryService) -> None:
    ada, eve, admin, mark = query_service.person(), query_service.person(), query_service.person("admin"), uuid4().hex
    website, partner = query_service.website(ada, domain=f"{mark}.example"), query_service.partner("Acme")
    link(query_service, website, partner, f"{mark}")
    conversion = sale(query_service, website, f"{mark}-1", click_id=f"{mark}c")
    listing(query_service, ada, f"{mark} draft", "draft")
    listing(query_service, ada, f"{mark} rejected", "rejected")
    thread(query_service, f"{mark} held", visible=False)
    for person in (eve, admin):
        assert found(query_service, person, mark) == []
        assert found(query_service, person, str(conversion)) == []
    assert [kind for kind, _ in found(query_service, ada, mark)] == ["website", "link", "transaction", "listing"]
    assert query_service.get(f"/api/platform/search?q={mark}").status_code == 401


def test_what_is_gone_is_not_found(query_service: QueryService) -> None:
    ada, mark = query_service.person(), uuid4().hex
    website, partner = query_service.website(ada, domain=f"{mark}.example"), query_service.partner(f"P {mark}")
    link(query_service, website, partner, mark, deleted_at=this_moment())
    query_service.postgres.execute("UPDATE read.partners__g1 SET removed_at = now() WHERE id = %s", (partner,))
    query_service.postgres.execute("UPDATE read.websites__g1 SET deleted_at = now() WHERE id = %s", (website,))
    sale(query_service, website, f"{mark}-1")
    assert found(query_service, ada, mark) == []


def test_beginnings_come_first_and_each_kind_is_limited(query_service: QueryService) -> None:
    ada, mark = query_service.person(), uuid4().hex[:10]
    website, partner = query_service.website(ada), query_service.partner("Acme")
    for number in range(MAX_LIMIT + 5):
        link(
            query_service, website, partner, f"z-{mark}-{number}", created_at=this_moment() - timedelta(minutes=number)
        )
    link(query_service, website, partner, f"{mark}-first", created_at=this_moment() - timedelta(days=900))
    assert [title for _, title in found(query_service, ada, mark, limit=2)] == [f"{mark}-first", f"z-{mark}-0"]
    assert len(found(query_service, ada, mark)) == 5
    assert len(found(query_service, ada, mark, limit=MAX_LIMIT)) == MAX_LIMIT


@pytest.mark.parametrize("words", ODD)
def test_odd_words_are_words(query_service: QueryService, words: str) -> None:
    ada = query_service.person()
    website, partner = query_service.website(ada, domain="plain.example"), query_service.partner("Plain")
    link(query_service, website, partner, uuid4().hex)
    assert ("website", "plain.example") not in found(query_service, ada, words)


def test_signs_of_patterns_are_found_as_they_are(query_service: QueryService) -> None:
    ada, mark = query_service.person(), uuid4().hex[:8]
    website = query_service.website(ada)
    for txid in (f"50%_{mark}\\", f"50xy{mark}z"):
        sale(query_service, website, txid)
    assert found(query_service, ada, f"50%_{mark}\\") == [("transaction", f"50%_{mark}\\")]


@pytest.mark.parametrize(
    "query", [f"?q={'x' * 201}", f"?q={'x' * 2000}", "?q=a&limit=0", "?q=a&limit=21", "?q=a&q=b", "?q=a%00"]
)
def test_a_search_without_sense_is_refused(query_service: QueryService, query: str) -> None:
    answer = query_service.get(f"/api/platform/search{query}", query_service.person())
    assert answer.status_code == 400 and answer.json()["errors"], answer.text
