"""Given links, then their file is one that an import reads as the same links."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.links.importing.files import READ_COLUMNS, SHOWN_COLUMNS, LinkLine, VariantText, parse
from query_api.kernel.csv import csv_response
from query_api.links.export import COLUMNS, ExportedLink, variants_text
from schemas.events.links import Routing, Variant

OTHER = UUID(int=9)
ROW: dict[str, Any] = {
    "slug": "spring",
    "website": "blog.example",
    "partner": "good-vpn",
    "destination": "https://good-vpn.example/a?x=1;=2&n={click_id}",
    "variants": "",
    "tags": "",
    "folder": "",
    "state": "on",
    "archived": "no",
    "partner_name": "Good VPN",
    "address": "https://go.example/go/spring",
    "created": datetime(2026, 11, 20, 12, tzinfo=UTC),
}


def imported(**changes: Any) -> LinkLine:
    body = csv_response("links", COLUMNS, [ExportedLink(**{**ROW, **changes})]).body
    read = parse(bytes(body).decode())
    assert read.faults == ()
    return read.lines[0]


def test_the_columns_are_those_that_an_import_knows() -> None:
    assert tuple(COLUMNS) == (*READ_COLUMNS, *SHOWN_COLUMNS)


def test_a_link_is_read_as_it_was_written() -> None:
    line = imported(state="off", archived="yes")
    assert (line.slug, line.website, line.partner, line.destination) == (
        "spring",
        "blog.example",
        "good-vpn",
        ROW["destination"],
    )
    assert (line.variants, line.tags, line.folder) == ((), (), "")
    assert (line.is_active, line.is_archived) == (False, True)


@pytest.mark.parametrize("text", ["=sale", "+1", "-10 %", "@home", "🎁 gifts", "עברית", "a;=b", 'say "hi"'])
def test_labels_that_look_like_formulas_and_any_script_survive(text: str) -> None:
    line = imported(tags=text, folder=text)
    assert (line.tags, line.folder) == ((text,), text)


def test_a_split_is_read_with_weights_addresses_and_partners() -> None:
    routing = Routing(
        variants=(
            Variant(destination="https://good-vpn.example/a|b", weight=60, number=1, name="Short | page"),
            Variant(destination="https://other-vpn.example/", weight=40, number=2, partner_id=OTHER),
        )
    )
    text = variants_text(routing, {str(OTHER): "other-vpn", str(uuid4()): "nobody"})
    assert imported(variants=text).variants == (
        VariantText(60, "https://good-vpn.example/a|b", ""),
        VariantText(40, "https://other-vpn.example/", "other-vpn"),
    )
