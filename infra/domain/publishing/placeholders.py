"""Placeholders: texts in square brackets, such as `[Name of product A]`, that starters and new blocks have for their
author to fill in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

import orjson

from infra.domain.publishing.document import SiteDocument

_BEGIN: Final = r"\[(?:Name|Your|Date|Price|Result|Number|Reason|Country)\b"
_PLACEHOLDER: Final = re.compile(_BEGIN + r"[^\[\]\n]{0,120}\](?!\()")
_ANY: Final = re.compile(_BEGIN)


@dataclass(frozen=True, slots=True)
class TextPlaceholder:
    """A text to fill in. `page_id`: of the page that has it in a block, or (without a `placement`) in its title or
    description; none: it is in the site's own texts. `field`: its place inside of the block, page or site."""

    page_id: UUID | None
    placement: str
    field: str
    text: str


def placeholders_of(site: SiteDocument, contents: Mapping[UUID, str]) -> tuple[TextPlaceholder, ...]:
    """The placeholders of a site's own texts, then of each page in order. `contents`: JSON of valid pages."""
    own = site.model_dump(mode="json", include={"name", "author"})
    found = list(_in_texts(None, "", own))
    for page in site.pages:
        found += _in_texts(page.id, "", page.model_dump(mode="json"))
        content = contents.get(page.id, "")
        if _ANY.search(content):  # most pages have none and are not parsed
            for block in orjson.loads(content)["blocks"]:
                found += _in_texts(page.id, block["name"] or block["id"], block)
    return tuple(found)


def _in_texts(page_id: UUID | None, placement: str, part: Any) -> Iterator[TextPlaceholder]:
    for field, text in _texts(part, ""):
        for placeholder in _PLACEHOLDER.findall(text):
            yield TextPlaceholder(page_id, placement, field, placeholder)


def _texts(value: Any, field: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, dict | list):
        for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _texts(inner, f"{field}.{name}" if field else str(name))
