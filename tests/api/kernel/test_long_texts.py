"""Lists whose rows have the longest texts that people may write: one answer has a bounded number of bytes, and all rows
are read page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import quote
from uuid import UUID, uuid4

import pytest

from command_api.leads.schemas import _MESSAGE
from command_api.marketplace.fields import MAX_TEXT_LENGTH
from command_api.sql.lookups import MAX_QUERIES
from infra.domain.sql_access.limits import TEXT_BYTES
from query_api.kernel.pagination import MAX_LIMIT, MAX_TEXT_BYTES
from query_api.marketplace.rows import MAX_DESCRIBED
from schemas.events.sql import MAX_VERSIONS
from tests.support.query import Person, QueryService

LONG: Final = "\N{PILE OF POO}" * MAX_TEXT_LENGTH
"""Four bytes each."""
MAX_BYTES: Final = MAX_TEXT_BYTES + max(TEXT_BYTES, 4 * _MESSAGE, 8 * MAX_TEXT_LENGTH) + 1_000 * MAX_LIMIT
"""The texts with the row that reaches the bound, and what else the rows have."""
START: Final = datetime(2026, 1, 1, tzinfo=UTC)
TITLE: Final = "Site of long texts"
OFFER: Final = {"status": "sent", "price": 1, "currency": "USD", "turn": "seller"}
Filled = tuple[str, Person | None, set[str]]
"""A list, who may read it, and the ids of its rows."""


@pytest.fixture(scope="module", autouse=True)
def _removed(query_service: QueryService) -> Iterator[None]:
    """Others count in the same tables."""
    yield
    query_service.postgres.execute("DELETE FROM read.listings__g1 WHERE title LIKE %s", (f"{TITLE}%",))
    query_service.postgres.execute("DELETE FROM read.inquiries__g1 WHERE last_name = %s", (TITLE,))
    query_service.postgres.execute("DELETE FROM read.saved_queries__g1 WHERE title LIKE %s", (f"{TITLE}%",))


def listing(service: QueryService, seller: UUID, description: str, number: int = 0) -> UUID:
    listing_id, at = uuid4(), START + timedelta(seconds=number)
    title = f"{TITLE}, {'described' if description else 'asked about'}"
    row = {"id": listing_id, "seller_id": seller, "status": "active", "title": title, "title_lower": title.lower()}
    more = {"website_url": "https://site.example/", "description": description, "created_at": at, "published_at": at}
    service.insert("listings", {**row, **more})
    return listing_id


def questions(service: QueryService) -> Filled:
    seller = service.person().account_id
    listing_id, ids = listing(service, seller, "", 0), [uuid4() for _ in range(MAX_LIMIT)]
    for number, question in enumerate(ids):
        at = START + timedelta(seconds=number)
        row = {"id": question, "listing_id": listing_id, "seller_id": seller, "author_id": seller, "asked_at": at}
        service.insert("listing_questions", {**row, "text": LONG, "answer": LONG, "answered_at": at})
    return f"/api/marketplace/listings/{listing_id}/questions", None, {str(one) for one in ids}


def messages(service: QueryService) -> Filled:
    buyer, seller, offer = service.person(), service.person(), uuid4()
    listing_id = listing(service, seller.account_id, "")
    row = {"id": offer, "listing_id": listing_id, "buyer_id": buyer.account_id, "seller_id": seller.account_id}
    service.insert("offers", {**row, **OFFER, "expires_at": START, "created_at": START, "updated_at": START})
    ids = [uuid4() for _ in range(MAX_LIMIT)]
    for number, message in enumerate(ids, start=1):
        written = {"number": number, "author_id": buyer.account_id, "side": "buyer", "text": LONG, "at": START}
        service.insert("offer_messages", {"id": message, "offer_id": offer, **written})
    return f"/api/marketplace/offers/{offer}/messages", buyer, {str(number) for number in range(1, MAX_LIMIT + 1)}


def inquiries(service: QueryService) -> Filled:
    ids = [uuid4() for _ in range(60)]
    for number, inquiry in enumerate(ids):
        at = START + timedelta(seconds=number)
        row = {"id": inquiry, "first_name": "A", "last_name": TITLE, "email": "a@example.com", "status": "new"}
        message = LONG * (_MESSAGE // MAX_TEXT_LENGTH)
        service.insert("inquiries", {**row, "message": message, "received_at": at, "updated_at": at})
    return f"/api/admin/inquiries?search={quote(TITLE)}", service.person("member", "admin"), {str(one) for one in ids}


def statements(service: QueryService) -> Filled:
    asker, ids = service.person("analyst"), [uuid4() for _ in range(MAX_LIMIT)]
    for statement in ids:
        service.postgres.execute(
            "INSERT INTO sql.statement (id, account_id, door, text, outcome) VALUES (%s, %s, 'sql page', %s, 'done')",
            (statement, asker.account_id, "x" * TEXT_BYTES),
        )
    return "/api/platform/sql/history", asker, {str(one) for one in ids}


def versions(service: QueryService) -> Filled:
    author, query = service.person("analyst"), saved(service, "versions")[0]
    for number in range(1, MAX_VERSIONS + 1):
        row = {"query_id": query, "number": number, "saved_by": author.account_id, "saved_at": START, "position": 1}
        content = {"account_id": author.account_id, "title": TITLE, "text": "x" * TEXT_BYTES, "is_shared": True}
        service.insert("query_versions", {**row, **content})
    return f"/api/platform/sql/queries/{query}/versions", author, {str(n) for n in range(1, MAX_VERSIONS + 1)}


def saved(service: QueryService, kind: str, count: int = 1) -> list[UUID]:
    """Shared queries of one author, each with the longest text."""
    author, ids = service.person("analyst"), [uuid4() for _ in range(count)]
    for query in ids:
        row = {"id": query, "account_id": author.account_id, "number": 1, "created_at": START, "changed_at": START}
        content = {"title": f"{TITLE}, {kind}", "text": "x" * TEXT_BYTES, "is_shared": True, "author_name": "Ida"}
        service.insert("saved_queries", {**row, **content})
    return ids


@pytest.mark.parametrize("filled", [questions, messages, inquiries, statements, versions])
def test_long_texts_are_read_page_by_page(
    query_service: QueryService, filled: Callable[[QueryService], Filled]
) -> None:
    path, reader, ids = filled(query_service)
    name = "number" if filled in (messages, versions) else "id"
    address: str | None = f"{path}{'&' if '?' in path else '?'}limit={MAX_LIMIT}"
    seen, pages = list[str](), 0
    while address is not None:
        answer = query_service.get(address, reader)
        assert answer.status_code == 200 and len(answer.content) < MAX_BYTES, answer.text[:300]
        seen += [str(row[name]) for row in answer.json()]
        address, pages = answer.links.get("next", {}).get("url"), pages + 1
    assert len(seen) == len(set(seen)) and set(seen) == ids
    assert pages > 1


def test_the_list_of_saved_queries_shows_the_beginning_of_texts(query_service: QueryService) -> None:
    ids, reader = saved(query_service, "list", MAX_QUERIES), query_service.person("analyst")
    answer = query_service.get("/api/platform/sql/queries", reader)
    listed = [one for one in answer.json() if one["title"] == f"{TITLE}, list"]
    assert len(listed) == MAX_QUERIES and len(answer.content) < 1024 * 1024
    assert {(len(one["excerpt"]), "sql" in one) for one in listed} == {(200, False)}
    assert query_service.get(f"/api/platform/sql/queries/{ids[0]}", reader).json()["sql"] == "x" * TEXT_BYTES


def test_lists_of_listings_show_the_beginning_of_descriptions(query_service: QueryService) -> None:
    seller = query_service.person()
    one, *_ = [listing(query_service, seller.account_id, LONG, number) for number in range(MAX_LIMIT)]
    admin = query_service.person("member", "admin")
    for path, reader in (
        (f"/api/marketplace/listings?seller={seller.account_id}&limit={MAX_LIMIT}", None),
        (f"/api/marketplace/my/listings?limit={MAX_LIMIT}", seller),
        (f"/api/admin/marketplace/listings?status=active&search=described&limit={MAX_LIMIT}", admin),
    ):
        answer = query_service.get(path, reader)
        assert {len(row["description"]) for row in answer.json()} == {MAX_DESCRIBED}, path
        assert len(answer.json()) == MAX_LIMIT and len(answer.content) < 1024 * 1024
    query_service.insert(
        "listing_watches",
        {"id": uuid4(), "account_id": admin.account_id, "listing_id": one, "began_at": START},
    )
    [watched] = query_service.get("/api/marketplace/my/watches", admin).json()
    assert len(watched["description"]) == MAX_DESCRIBED
    row = {"account_id": seller.account_id, "name": "Ada", "member_since": START, "took_part": True}
    query_service.insert("sellers", row)
    assert query_service.get(f"/api/marketplace/listings/{one}").json()["description"] == LONG
