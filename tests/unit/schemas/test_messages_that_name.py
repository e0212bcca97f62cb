"""Names in notifications and subjects: they stay one bounded part of one line, whatever they contain."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.inline_text import MAX_LENGTH, inline
from schemas.notifications import KINDS, Names, filled, words

FSI, PDI = "\u2068", "\u2069"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Gear for small kitchens", "Gear for small kitchens"),
        ("  two\r\nlines\tand a tab ", "two lines and a tab"),
        ("Subject\r\nBcc: other@example.com", "Subject Bcc: other@example.com"),
        ("x" * 200, "x" * (MAX_LENGTH - 1) + "…"),
        ("متجر القهوة", f"{FSI}متجر القهوة{PDI}"),
        ("\u202eevil\u202c", "evil"),
        ("A\u2066B\u2069", "AB"),
        ("👩‍🍳 Kitchen 🇮🇸", "👩‍🍳 Kitchen 🇮🇸"),
    ],
)
def test_a_name_is_one_bounded_line_with_its_own_direction(text: str, shown: str) -> None:
    assert inline(text) == shown


def test_an_emoji_is_not_cut_in_two() -> None:
    assert inline("a" * (MAX_LENGTH - 2) + "👩‍🍳" * 3) == "a" * (MAX_LENGTH - 2) + "👩…"


@given(st.text(max_size=300))
def test_no_text_breaks_out_of_its_line(text: str) -> None:
    shown = inline(text)
    assert len(shown) <= MAX_LENGTH + 2
    assert not any(unicodedata.category(one) in ("Cc", "Zl", "Zp") for one in shown)
    assert shown.count(FSI) == shown.count(PDI) <= 1


def test_a_name_that_reads_like_a_place_stays_a_name() -> None:
    names = Names(actor="{listing}", listing="{actor} accepted $1")
    assert filled("{actor} offers $5 for {listing}", names) == "{listing} offers $5 for “{actor} accepted $1”"


def test_what_the_reader_may_not_see_is_not_named() -> None:
    assert filled("{actor} accepted $5 for {listing}", Names()) == "Someone accepted $5 for the website"
    assert words("mention", 1, Names(), "") == "Someone mentioned you in a thread"
    assert filled("{listing} is online", Names()) == "The website is online"


@pytest.mark.parametrize("kind", ["alert", "admin_act", "rates"])
def test_free_text_has_no_places(kind: str) -> None:
    assert words(kind, 1, Names(actor="Ada"), "a.example: {actor}") == "a.example: {actor}"


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_several_of_one_kind_are_counted_without_an_empty_place(kind: str) -> None:
    for count in (1, 2, 3_000):
        text = words(kind, count, Names(actor="Ada", thread="T", listing="L", website="w.example"), "{actor} did it")
        assert text and (kind in ("alert", "admin_act", "rates") or "{" not in text)
