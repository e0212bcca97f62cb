"""`GET /api/platform/search`: the command palette's objects, by a part of their name.

One bounded statement per kind, filtered by owner twice: by the websites of the account scope, and by row-level
security. Websites, partners, links, saved views, threads and listings are found by any part of their text.
Transactions can be millions: they are found by the beginning of the transaction id (as typed, in capitals or in small
letters) or of the click id, which indexes answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field

from query_api.kernel.authorization import AccountScope
from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.postgres_reader import like
from schemas.base import ERASED
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["search"])

Kind = Literal["website", "partner", "link", "view", "transaction", "thread", "listing"]

MAX_LENGTH: Final = 200
MAX_LIMIT: Final = 20
MAX_SCANNED: Final = 5_000
"""The newest links, threads and listings that are looked through for a part of their text."""

FEW: Final = 200
"""Transactions with the same beginning among which the newest are chosen."""

LAST_CHARACTER: Final = "\U0010ffff"
"""After every text with the same beginning. Ranges, not LIKE: with row-level security only they may use an index."""


class Result(ResponseModel):
    """An object that was found."""

    kind: Kind
    id: UUID
    title: str
    detail: str = Field(description="What tells it from others of that name: domain, partner, status")
    website_id: UUID | None = Field(description="The website it belongs to; null: to none")


_PARTNERS: Final = """
SELECT id, name AS title, NULL AS website_id, concat_ws(' · ', CASE WHEN p.account_id IS NOT NULL
    THEN 'Private' END, CASE WHEN NOT is_active THEN 'Inactive' END) AS detail
FROM read.partners AS p
WHERE removed_at IS NULL AND (lower(name) LIKE %(part)s OR slug LIKE %(part)s)
ORDER BY lower(name) NOT LIKE %(begin)s, is_active DESC, lower(name), id LIMIT %(limit)s"""
_LINKS: Final = """
SELECT l.id, l.slug AS title, concat_ws(' · ', p.name, w.domain) AS detail, l.website_id
FROM (
    (SELECT id, slug, coupon, destination, partner_id, website_id, created_at FROM read.links
     WHERE deleted_at IS NULL AND website_id = ANY(%(websites)s) ORDER BY created_at DESC LIMIT %(scanned)s)
    UNION
    (SELECT id, slug, coupon, destination, partner_id, website_id, created_at FROM read.links
     WHERE slug >= %(small)s AND slug < %(small_end)s AND deleted_at IS NULL AND website_id = ANY(%(websites)s)
     LIMIT %(limit)s)
) AS l JOIN read.websites AS w ON w.id = l.website_id LEFT JOIN read.partners AS p ON p.id = l.partner_id
WHERE lower(l.slug) LIKE %(part)s OR lower(l.destination) LIKE %(part)s OR lower(l.coupon) LIKE %(part)s
    OR lower(p.name) LIKE %(part)s
ORDER BY lower(l.slug) NOT LIKE %(begin)s, lower(l.slug) NOT LIKE %(part)s, l.created_at DESC, l.id LIMIT %(limit)s"""
_VIEWS: Final = """
SELECT v.id, v.name AS title, concat_ws(' · ', initcap(v.kind), w.domain) AS detail, v.website_id
FROM read.saved_views AS v LEFT JOIN read.websites AS w ON w.id = v.website_id
WHERE v.removed_at IS NULL AND lower(v.name) LIKE %(part)s
    AND (v.website_id = ANY(%(websites)s) OR v.website_id IS NULL AND v.account_id = %(me)s)
ORDER BY lower(v.name) NOT LIKE %(begin)s, lower(v.name), v.id LIMIT %(limit)s"""
_TRANSACTIONS: Final = """
SELECT c.id, c.txid AS title, concat_ws(' · ', c.status, p.name, w.domain) AS detail, c.website_id
FROM (
    (SELECT id FROM read.conversions
     WHERE website_id = ANY(%(websites)s) AND txid >= %(text)s AND txid < %(text_end)s LIMIT %(few)s)
    UNION (SELECT id FROM read.conversions
     WHERE website_id = ANY(%(websites)s) AND txid >= %(small)s AND txid < %(small_end)s LIMIT %(few)s)
    UNION (SELECT id FROM read.conversions
     WHERE website_id = ANY(%(websites)s) AND txid >= %(capitals)s AND txid < %(capitals_end)s LIMIT %(few)s)
    UNION (SELECT id FROM read.conversions
     WHERE click_id >= %(text)s AND click_id < %(text_end)s AND website_id = ANY(%(websites)s) LIMIT %(few)s)
    UNION (SELECT id FROM read.conversions WHERE id = %(id)s AND website_id = ANY(%(websites)s))
) AS hits JOIN read.conversions AS c ON c.id = hits.id JOIN read.websites AS w ON w.id = c.website_id
LEFT JOIN read.partners AS p ON p.id = c.partner_id
ORDER BY c.txid <> %(text)s, c.occurred_at DESC, c.id LIMIT %(limit)s"""
_THREADS: Final = """
SELECT t.id, t.title, c.name AS detail, NULL AS website_id
FROM (
    SELECT id, title, category_id, last_position FROM read.forum_threads WHERE visible
    ORDER BY last_position DESC LIMIT %(scanned)s
) AS t JOIN read.forum_categories AS c ON c.id = t.category_id
WHERE t.title <> %(erased)s AND lower(t.title) LIKE %(part)s
ORDER BY lower(t.title) NOT LIKE %(begin)s, t.last_position DESC LIMIT %(limit)s"""
_LISTINGS: Final = """
SELECT id, title, coalesce(niche, '') AS detail, NULL AS website_id
FROM (
    SELECT id, title, title_lower, niche, published_at FROM read.listings
    WHERE status IN ('active', 'under_offer') OR seller_id = %(me)s AND status <> 'draft'
    ORDER BY published_at DESC, id LIMIT %(scanned)s
) AS l
WHERE title <> %(erased)s AND title_lower LIKE %(part)s
ORDER BY title_lower NOT LIKE %(begin)s, published_at DESC, id LIMIT %(limit)s"""
STATEMENTS: Final[Mapping[Kind, str]] = {
    "partner": _PARTNERS,
    "link": _LINKS,
    "view": _VIEWS,
    "transaction": _TRANSACTIONS,
    "thread": _THREADS,
    "listing": _LISTINGS,
}


@router.get(
    "/api/platform/search",
    dependencies=[READS_OWN_WRITES],
)
def search(
    scope: CallerScope,
    q: Annotated[str, Query(max_length=MAX_LENGTH, description="A part of the name, in any case; empty: nothing")] = "",
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Results of one kind")] = 5,
) -> list[Result]:
    """Websites, partners, links, saved views, transactions, threads and listings; of each the best matches."""
    words = like(q)
    return [] if words is None else list(WordSearch(scope, q.strip(), words, limit).results())


@dataclass(frozen=True, slots=True)
class WordSearch:
    """One search in the data that the principal may read. `words`: the pattern of the text."""

    scope: AccountScope
    text: str
    words: str
    limit: int

    def results(self) -> Iterator[Result]:
        """Yields all results, kind by kind."""
        websites = self.scope.websites()
        text = self.text.lower()
        matching = sorted(
            (website for website in websites if text in website.domain.lower()),
            key=lambda website: (not website.domain.lower().startswith(text), website.domain),
        )
        for website in matching[: self.limit]:
            yield Result(kind="website", id=website.id, title=website.domain, detail="", website_id=website.id)
        bound = self._bound([website.id for website in websites])
        for kind, statement in STATEMENTS.items():
            for row in self.scope.reader.rows(statement, bound):
                title, detail = row["title"], row["detail"]
                yield Result(kind=kind, id=row["id"], title=title, detail=detail, website_id=row["website_id"])

    def _bound(self, websites: Sequence[UUID]) -> dict[str, Any]:
        variants = {"text": self.text, "small": self.text.lower(), "capitals": self.text.upper()}
        return {
            **variants,
            **{f"{name}_end": f"{text}{LAST_CHARACTER}" for name, text in variants.items()},
            "part": self.words.lower(),
            "begin": self.words[1:].lower(),
            "id": _id_of(self.text),
            "me": self.scope.principal.account_id,
            "websites": websites,
            "erased": ERASED,
            "scanned": MAX_SCANNED,
            "few": FEW,
            "limit": self.limit,
        }


def _id_of(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
