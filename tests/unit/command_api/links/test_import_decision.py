"""Given what a file's line needs, when the line is decided, then a link begins or changes, or the column is named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.kernel.decision import CommandRejected
from command_api.links import model as links
from command_api.links.importing.decision import DecidedLine, ImportCase, decide
from command_api.links.importing.files import LinkLine, VariantText
from command_api.partners.slug_reservation import SlugReservation
from schemas.events.links import LinkCreated, LinkUpdated, Routing, Variant
from tests.unit.command_api.links.test_model import CONTEXT, PARTNER, SITE, another_partner, link

OTHER = another_partner()
NAMED = {"good-vpn": (PARTNER.id,), "other-vpn": (OTHER.id,), "vpn": (PARTNER.id, OTHER.id)}
PARTNERS = {PARTNER.id: PARTNER, OTHER.id: OTHER}
NEW_ID = UUID(int=7)


def case(held: links.LinkAggregate | None = None, **more: Any) -> ImportCase:
    """The slug is free, or `held` has it."""
    reservation = SlugReservation(1, held.id) if held is not None else None
    return ImportCase(
        **{"website": SITE, "reservation": reservation, "link": held, "named": NAMED, "partners": PARTNERS} | more
    )


def decided(line: LinkLine, of: ImportCase, *, updates: bool = True) -> DecidedLine:
    return decide(line, of, link_id=NEW_ID, code=5, updates_existing=updates, context=CONTEXT)


def refusal(line: LinkLine, of: ImportCase, *, updates: bool = True) -> tuple[str | None, str]:
    with pytest.raises(CommandRejected) as refused:
        decided(line, of, updates=updates)
    return refused.value.field, refused.value.message


def test_a_free_slug_begins_a_link() -> None:
    line = LinkLine(2, "spring", partner="Good-VPN", destination="https://good-vpn.example/a", tags=("VPN",))
    new = decided(line, case())
    created, reserved = new.events
    assert isinstance(created, LinkCreated)
    assert (new.outcome, new.destination) == ("new", "https://good-vpn.example/a")
    assert (created.originator_id, created.slug, created.partner_id) == (NEW_ID, "spring", PARTNER.id)
    assert (created.tags, reserved.NAME) == (("VPN",), "slug.claimed")


def test_a_new_link_that_is_off_or_archived_is_so_from_the_beginning() -> None:
    line = LinkLine(2, "spring", partner="good-vpn", is_active=False, is_archived=True)
    *_, kept = decided(line, case()).events
    assert isinstance(kept, LinkUpdated)
    assert (kept.originator_id, kept.originator_version, kept.is_active, kept.is_archived) == (NEW_ID, 2, False, True)


def test_a_split_of_a_file_may_lead_to_several_partners() -> None:
    variants = (
        VariantText(60, "https://good-vpn.example/a", ""),
        VariantText(40, "https://other-vpn.example/b", "other-vpn"),
    )
    created = decided(LinkLine(2, "spring", partner="good-vpn", variants=variants), case()).events[0]
    assert isinstance(created, LinkCreated)
    assert [(one.weight, one.number, one.partner_id) for one in created.routing.variants] == [
        (60, 1, None),
        (40, 2, OTHER.id),
    ]


def test_a_slug_of_an_own_link_is_taken_unless_the_file_may_change_links() -> None:
    line = LinkLine(2, "deal", partner="good-vpn", tags=("VPN",))
    assert refusal(line, case(link()), updates=False) == ("slug", "You already have a link deal.")
    changed = decided(line, case(link()))
    assert (changed.outcome, changed.columns) == ("changed", ("tags",))


def test_a_line_that_says_what_is_so_already_changes_nothing() -> None:
    held = link(destination="https://good-vpn.example/a")
    same = LinkLine(2, "deal", partner="good-vpn", destination=held.destination, variants=(), tags=(), folder="")
    unchanged = decided(same, case(held))
    assert (unchanged.outcome, unchanged.events, unchanged.destination) == ("unchanged", (), held.destination)


def test_a_line_moves_an_own_link_to_another_partner() -> None:
    line = LinkLine(2, "deal", partner="other-vpn", destination="https://other-vpn.example/x")
    moved = decided(line, case(link()))
    assert (moved.outcome, moved.columns) == ("changed", ("partner", "destination"))


def test_variants_that_stay_keep_their_number_and_name() -> None:
    held = Routing(
        variants=(
            Variant(destination="https://good-vpn.example/a", weight=1, number=3, name="Short page"),
            Variant(destination="https://good-vpn.example/b", weight=1, number=4),
        )
    )
    variants = (
        VariantText(30, "https://good-vpn.example/a", ""),
        VariantText(70, "https://good-vpn.example/new", ""),
    )
    [event] = decided(LinkLine(2, "deal", variants=variants), case(link(routing=held))).events
    assert isinstance(event, LinkUpdated)
    assert event.routing is not None
    assert [(one.number, one.weight, one.name) for one in event.routing.variants] == [
        (3, 30, "Short page"),
        (5, 70, ""),
    ]


@pytest.mark.parametrize(
    ("line", "more", "column", "words"),
    [
        (LinkLine(2, "a"), {}, "partner", "Enter the partner"),
        (LinkLine(2, "a", partner="nobody"), {}, "partner", "There is no partner “nobody”."),
        (LinkLine(2, "a", partner="vpn"), {}, "partner", "2 partners have the name vpn."),
        (LinkLine(2, "a", partner="good-vpn"), {"website": None}, "website", "You have no such website."),
        (
            LinkLine(2, "a", partner="good-vpn", destination="https://evil.example/"),
            {},
            "destination",
            "must be on good-vpn.example",
        ),
        (
            LinkLine(2, "a", partner="good-vpn", variants=(VariantText(1, "https://evil.example/", ""),) * 2),
            {},
            "variants",
            "must be on good-vpn.example",
        ),
        (LinkLine(2, "a", partner="good-vpn", tags=("x" * 41,)), {}, "tags", "at most 40"),
        (LinkLine(2, "a", partner="good-vpn", folder="a,b"), {}, "folder", "no comma"),
    ],
)
def test_what_a_new_link_cannot_be_is_named_by_its_column(
    line: LinkLine, more: dict[str, Any], column: str, words: str
) -> None:
    found, message = refusal(line, case(**more))
    assert found == column
    assert words in message


def test_a_partner_that_accepts_no_links_is_refused() -> None:
    off = {**PARTNERS, PARTNER.id: replace(PARTNER, is_active=False)}
    column, message = refusal(LinkLine(2, "a", partner="good-vpn"), case(partners=off))
    assert column == "partner"
    assert "does not accept new links" in message


def test_slugs_of_others_of_other_websites_and_of_deleted_links_are_taken() -> None:
    line = LinkLine(2, "deal", partner="good-vpn")
    foreign = replace(link(), website_id=uuid4())
    assert refusal(line, case(foreign)) == ("slug", "The slug deal is taken.")
    assert refusal(line, case(foreign, elsewhere="shop.example")) == ("slug", "Your link deal is on shop.example.")
    assert refusal(line, case(replace(link(), deleted=True))) == ("slug", "The slug deal is taken.")
