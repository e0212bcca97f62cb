"""What a member can form that costs most, beyond what follows from the schemas: full pages, large pictures, long
filters, files of rows, and statements whose rows or text are as much as is taken.

Used by the test of each route's cost and by the bench of fairness.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from io import BytesIO
from typing import Any, Final
from uuid import UUID, uuid4

from PIL import Image

from infra.domain.sql_access.limits import TEXT_BYTES

JSON: Final = "application/json"
PNG: Final = "image/png"
PDF: Final = "application/pdf"
_HEAD: Final = "| a | b | c | d | e | f | g |\n|---|---|---|---|---|---|---|\n"
MARKDOWN: Final = _HEAD + "| *x* | y | z | u | v | w | t |\n" * 1_200
"""Nearly as many cells and marks as a block takes."""

_POSTS: Final = "Post ID,Account username,Description,Publish time,Permalink,Views,Reach,Likes,Comments"
_PROGRAMS: Final = (
    "company_name,category,description,url,commission_type,commission_percent,cookie_days,approval,payment,source"
)

Request = tuple[str, bytes]
"""Content type and body."""


def full_page(number: int = 0) -> dict[str, Any]:
    """A page of five blocks with as many marks as a block takes."""
    text = f"# {number}\n\n{MARKDOWN}"
    return {"blocks": [{"id": str(uuid4()), "type": "article", "markdown": text} for _ in range(5)]}


@cache
def large_picture() -> bytes:
    """39.7 megapixels in little more than a hundred kilobytes."""
    drawn = BytesIO()
    Image.new("RGB", (6_300, 6_300), (200, 30, 30)).save(drawn, "PNG")
    return drawn.getvalue()


def long_filters() -> dict[str, Any]:
    """A view with as many values as may be, each long."""
    return {
        "name": uuid4().hex,
        "websiteId": None,
        "state": {"filters": [f"page:is:/{n}{'x' * 4_000}" for n in range(20)]},
    }


def worst_requests(site_page: UUID, website: UUID, partner: str) -> Mapping[tuple[str, str], list[Request]]:
    """By method and template of the path. `partner`: the name of one to which links of the website may lead."""
    picture = [(PNG, large_picture())]
    page = full_page()
    link = f"{uuid4().hex[:8]}-{{0}},{partner},https://partner.example/{{0}}{'x' * 100},one,on"
    links = {"websiteId": str(website), "csv": _rows("slug,partner,destination,tags,state", link, 1_000)}
    return {
        ("put", "/api/platform/sites/{id}/pages/{pageId}"): [_json({"document": page, "basedOn": 1})],
        ("post", "/api/platform/sites/{id}/preview"): [_json({"pageId": str(site_page), "page": page})],
        ("post", "/api/platform/sites/{id}/images"): picture,
        ("post", "/api/platform/social-posts/{id}/images"): picture,
        ("post", "/api/marketplace/listings/{id}/images"): picture,
        ("post", "/api/platform/payouts/{id}/file"): [(PDF, b"%PDF-" + bytes(999_000))],
        ("post", "/api/platform/views"): [_json(long_filters())],
        ("patch", "/api/platform/views/{id}"): [_json(long_filters())],
        ("post", "/api/platform/social-channels/{id}/figures"): [
            _json(
                {
                    "csv": _rows(
                        _POSTS, "{0},fjord,Knives,11/01/2026 05:00,https://www.instagram.com/p/D{0}/,9,8,3,2", 1_999
                    )
                }
            )
        ],
        ("post", "/api/admin/programs/import"): [
            _json(
                {
                    "csv": _rows(
                        _PROGRAMS,
                        "Program {},pets,Food.,https://i.example.com/,percentage,10,30,easy,monthly,Its page",
                        999,
                    )
                }
            )
        ],
        ("post", "/api/admin/exchange-rates/import"): [
            _json({"csv": _rows("base,quote,rate,on", "EUR,USD,1.{},2026-11-03", 999)})
        ],
        ("post", "/api/platform/links/import/plan"): [_json(links)],
        ("post", "/api/platform/links/import"): [_json(links)],
        ("post", "/api/platform/sql"): [_json({"sql": sql, "maxRows": 100_000}) for sql in _statements()],
    }


def _statements() -> list[str]:
    nested = "SELECT " + "abs(" * 20 + "1" + ")" * 20
    columns = "SELECT " + ", ".join(f"{number} AS c{number}" for number in range(900))
    return [
        "SELECT repeat('x', 1000) AS x, arrayJoin(range(100000)) AS n",
        "SELECT arrayJoin(range(100000)) AS a, a AS b, toString(a) AS c, a % 7 AS d",
        nested,
        f"SELECT '{'x' * (TEXT_BYTES - 20)}' AS x",
        columns,
    ]


def _json(body: Mapping[str, Any]) -> Request:
    return JSON, json.dumps(body).encode()


def _rows(head: str, row: str, count: int) -> str:
    return "\n".join([head, *(row.format(number) for number in range(count))])
