"""Click ids: what is minted is read back, and nothing else is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import click_id

KEY = b"k" * 32
WEBSITE = UUID(int=1)
COUNTRIES = st.text(alphabet="ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=2, max_size=2)


@given(
    st.integers(0, 10**9), st.integers(0, 2**48 - 1), COUNTRIES, st.sampled_from(click_id.DEVICES),
    st.integers(0, 2**32 - 1), st.uuids(),
)  # fmt: skip
def test_a_click_id_tells_what_it_was_made_of(
    seconds: int, code: int, country: str, device: str, nonce: int, website: UUID
) -> None:
    at = click_id.EPOCH + timedelta(seconds=seconds)
    text = click_id.mint(KEY, at=at, link_code=code, website_id=website, country=country, device=device, nonce=nonce)
    assert len(text) == click_id.LENGTH <= 40 and text.isalnum()
    found = click_id.read(KEY, text)
    assert (found.at, found.link_code, found.country, found.device, found.nonce) == (at, code, country, device, nonce)
    assert found.is_of(website) and not found.is_of(UUID(int=website.int ^ 1))
    assert found.partner_place is None


@given(st.integers(0, click_id.MAX_PLACE), COUNTRIES, st.sampled_from(click_id.DEVICES), st.integers(0, 2**32 - 1))
def test_a_click_id_may_name_the_partner_of_a_variant_and_keeps_24_random_bits(
    place: int, country: str, device: str, nonce: int
) -> None:
    at = datetime(2026, 5, 17, tzinfo=UTC)
    text = click_id.mint(
        KEY, at=at, link_code=5, website_id=WEBSITE, country=country, device=device, nonce=nonce, partner_place=place
    )
    found = click_id.read(KEY, text)
    assert len(text) == click_id.LENGTH
    assert (found.partner_place, found.country, found.device) == (place, country, device)
    assert found.nonce & 0xFFFFFF == nonce & 0xFFFFFF


def minted() -> str:
    at = datetime(2026, 5, 17, tzinfo=UTC)
    return click_id.mint(KEY, at=at, link_code=5, website_id=WEBSITE, country="IS", device="mobile", nonce=9)


@given(st.integers(0, click_id.LENGTH - 1), st.sampled_from("0123456789ABCxyz"))
def test_any_changed_digit_is_refused(place: int, digit: str) -> None:
    text = minted()
    changed = text[:place] + digit + text[place + 1 :]
    if changed != text:
        with pytest.raises(click_id.ForgedClickId):
            click_id.read(KEY, changed)


@pytest.mark.parametrize("text", ["", "a", "z" * 39, "-" * 39, "é" * 39, "0" * 39, "0" * 40, " " + "0" * 38])
def test_what_is_no_click_id_is_refused(text: str) -> None:
    with pytest.raises(click_id.ForgedClickId):
        click_id.read(KEY, text)


def test_another_key_is_refused() -> None:
    with pytest.raises(click_id.ForgedClickId):
        click_id.read(b"x" * 32, minted())


def test_a_click_id_names_one_event_permanently() -> None:
    first = click_id.event_id(minted())
    assert first == click_id.event_id(minted()) and first.version == 8
