"""Changes of the directory: single rows where that is enough, otherwise everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

import psycopg
import pytest

from ingest.directory.changes import MAX_CHANGES, READ_MODELS, Changes, LivePositions, changes_between
from ingest.directory.directory import Directory, DirectoryListing, KeyRow, LinkRow, PartnerRow, WebsiteRow
from ingest.directory.refresh import append_changes, load_copy, save_copy

LINK, SITE = uuid4(), uuid4()
BEFORE = LivePositions(dict.fromkeys(READ_MODELS, (1, 10)))
AFTER = LivePositions(dict.fromkeys(READ_MODELS, (1, 20)))


class Rows:
    """A connection that gives these rows and records the queries."""

    def __init__(self, rows: list[tuple[UUID, str]]) -> None:
        self.rows = rows
        self.asked: list[Any] = []

    def execute(self, _: str, params: Any) -> Rows:
        self.asked.append(params)
        return self

    def fetchall(self) -> list[tuple[UUID, str]]:
        return self.rows


def between(
    rows: list[tuple[UUID, str]], before: LivePositions = BEFORE, after: LivePositions = AFTER
) -> Changes | None:
    return changes_between(cast("psycopg.Connection[Any]", Rows(rows)), before, after)


def test_links_and_additions_are_read_individually() -> None:
    found = between([(LINK, "link.created.v1"), (LINK, "link.updated.v1"), (SITE, "website.key_issued.v1")])
    assert found == Changes([LINK], [SITE])
    assert between([]) == Changes([], []) == between([], BEFORE, BEFORE)


@pytest.mark.parametrize(
    "topic", ["website.key_revoked.v1", "website.disconnected.v1", "partner.updated.v2", "domain.verified.v1"]
)
def test_whatever_else_changes_needs_a_whole_reading(topic: str) -> None:
    assert between([(LINK, "link.created.v1"), (SITE, topic)]) is None


def test_so_do_very_many_changes_and_a_rebuilt_read_model() -> None:
    assert between([(uuid4(), "link.created.v1") for _ in range(MAX_CHANGES + 1)]) is None
    assert between([], AFTER, BEFORE) is None
    rebuilt = LivePositions({**AFTER.models, "links": (2, 30)})
    assert between([], BEFORE, rebuilt) is None


def test_models_at_different_positions_are_read_from_the_lowest_to_the_highest() -> None:
    rows = Rows([])
    before, after = (
        LivePositions({**BEFORE.models, "links": (1, 7)}),
        LivePositions({**AFTER.models, "websites": (1, 25)}),
    )
    changes_between(cast("psycopg.Connection[Any]", rows), before, after)
    assert rows.asked[0][:2] == (7, 25)


def a_link(website: WebsiteRow, partner: PartnerRow, destination: str, link: UUID = LINK) -> LinkRow:
    return LinkRow(link, "deal", 7, website.id, partner.id, destination, (), True)


def test_changes_hold_beside_the_rest_and_are_kept_beside_the_copy(tmp_path: Path) -> None:
    website, partner = WebsiteRow(SITE, "own.example", "USD"), PartnerRow(uuid4(), "", "acme", "Acme", "", 30, True)
    partner = PartnerRow(partner.id, str(partner.id), "acme", "Acme", "", 30, True)
    whole = DirectoryListing(
        (website,), (KeyRow(SITE, "1", "site", ()),), (a_link(website, partner, "https://a/"),), (partner,)
    )
    changes = DirectoryListing(keys=(KeyRow(SITE, "2", "secret", ()),), links=(a_link(website, partner, "https://b/"),))
    directory = Directory(nothing)
    directory.replace(whole, 1.0)
    directory.apply(changes, 2.0)
    assert directory.links["deal"].destination == "https://b/" == directory.links_by_id[str(LINK)].destination
    assert set(directory.keys) == {"1", "2"}

    copy = tmp_path / "ingest-directory.json"
    save_copy(copy, whole, 1.0)
    append_changes(copy, changes)
    with copy.with_suffix(".changes").open("ab") as file:
        file.write(b'{"websites":[')  # killed while it wrote
    kept = load_copy(copy)
    assert kept is not None
    assert {key.hash for key in kept[0].keys} == {"1", "2"} and kept[0].links[0].destination == "https://b/"
    save_copy(copy, whole, 3.0)
    kept = load_copy(copy)
    assert kept is not None and kept[0] == whole


def test_links_pass_the_click_id_in_the_parameter_of_their_partner_also_after_it_changed(tmp_path: Path) -> None:
    website, id = WebsiteRow(SITE, "own.example", "USD"), uuid4()
    directory = Directory(nothing)
    for parameter, destination in (
        ("", "https://a.example/?b=1#c"),
        ("sub1", "https://a.example/?b=1&sub1={click_id}#c"),
        ("aff", "https://a.example/?b=1&aff={click_id}#c"),
    ):
        partner = PartnerRow(id, str(id), "acme", "Acme", "", 30, True, parameter)
        whole = DirectoryListing((website,), (), (a_link(website, partner, "https://a.example/?b=1#c"),), (partner,))
        directory.replace(whole, 1.0)
        assert directory.links["deal"].destination == destination == directory.links_by_code[7].destination
    save_copy(tmp_path / "copy.json", whole, 1.0)
    assert load_copy(tmp_path / "copy.json") == (whole, 1.0)


def test_a_website_has_one_partner_of_a_network_or_several(tmp_path: Path) -> None:
    site, other = WebsiteRow(SITE, "own.example", "USD", True, 10), WebsiteRow(uuid4(), "other.example", "USD")
    names = [uuid4() for _ in range(3)]
    partners = [PartnerRow(id, str(id), id.hex, "Acme", "awin", 30, True) for id in names]

    def a_link_of(website: WebsiteRow, partner: PartnerRow, *, is_active: bool = True) -> LinkRow:
        return LinkRow(uuid4(), uuid4().hex, uuid4().int, website.id, partner.id, "https://a/", (), is_active)

    rows = (a_link_of(site, partners[0]), a_link_of(site, partners[0]), a_link_of(site, partners[1], is_active=False))
    whole = DirectoryListing((site, other), (), rows, tuple(partners))
    directory = Directory(nothing)
    directory.replace(whole, 1.0)
    assert directory.network_partners == {(SITE, "awin"): str(names[0])}
    directory.apply(DirectoryListing(links=(a_link_of(other, partners[2]), a_link_of(site, partners[2]))), 2.0)
    assert directory.network_partners == {(SITE, "awin"): "", (other.id, "awin"): str(names[2])}
    save_copy(tmp_path / "copy.json", whole, 1.0)
    assert load_copy(tmp_path / "copy.json") == (whole, 1.0)


def test_a_link_knows_the_partners_before_also_from_the_copy(tmp_path: Path) -> None:
    website, old, new = WebsiteRow(SITE, "own.example", "USD"), uuid4(), uuid4()
    partner = PartnerRow(new, str(new), "acme", "Acme", "", 30, True)
    row = replace(a_link(website, partner, "https://a/"), former_partners=((str(old), 1_000),))
    row = replace(row, variant_partners=(str(uuid4()), str(old)))
    directory = Directory(nothing)
    directory.replace(DirectoryListing((website,), (), (row,), (partner,)), 1.0)
    assert [directory.links["deal"].partner_at(at) for at in (999, 1_000)] == [str(old), str(new)]
    save_copy(tmp_path / "copy.json", DirectoryListing((website,), (), (row,), (partner,)), 1.0)
    kept = load_copy(tmp_path / "copy.json")
    assert kept is not None and kept[0].links == (row,)


async def nothing(_kind: str, _names: Sequence[str]) -> DirectoryListing:
    return DirectoryListing()
