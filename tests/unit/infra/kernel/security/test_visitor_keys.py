"""What a visitor's key seals is opened for its own event alone, and by nobody once the key is gone."""

from __future__ import annotations

from datetime import date
from uuid import UUID, uuid4

import pytest

from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import DecryptionError
from infra.kernel.security.visitor_keys import Sealed, VisitorKeys, key_id, key_ids, seal

WEBSITE, EVENT = UUID(int=7), UUID(int=8)
VALUES = {"gclid": "Cj0KCQ-äöü_\"'", "fbclid": "IwAR0"}


@pytest.fixture
def keys() -> VisitorKeys:
    return VisitorKeys(Settings(master_key="5a" * 32))


def test_what_is_sealed_is_opened_and_not_readable(keys: VisitorKeys) -> None:
    key = keys.make(WEBSITE, date(2026, 5, 17))
    text = seal(key, str(EVENT), VALUES)
    assert "Cj0KCQ" not in text and "gclid" not in text
    assert keys.open(Sealed(WEBSITE, EVENT, text), {key.id: key.wrapped}) == VALUES
    assert text != seal(key, str(EVENT), VALUES), "equal values look different"


def test_without_its_key_it_is_erased(keys: VisitorKeys) -> None:
    key, other = keys.make(WEBSITE, date(2026, 5, 17)), keys.make(WEBSITE, date(2026, 5, 17))
    text = seal(key, str(EVENT), VALUES)
    assert keys.open(Sealed(WEBSITE, EVENT, text), {other.id: other.wrapped}) is None
    assert key.id != other.id and key.wrapped != other.wrapped


@pytest.mark.parametrize(
    "elsewhere",
    [(uuid4(), EVENT), (WEBSITE, uuid4())],
    ids=["another website", "another event"],
)
def test_it_belongs_to_its_event(keys: VisitorKeys, elsewhere: tuple[UUID, UUID]) -> None:
    key = keys.make(WEBSITE, date(2026, 5, 17))
    text = seal(key, str(EVENT), VALUES)
    with pytest.raises(DecryptionError):
        keys.open(Sealed(*elsewhere, text), {key.id: key.wrapped})


def test_another_master_key_opens_nothing(keys: VisitorKeys) -> None:
    key = keys.make(WEBSITE, date(2026, 5, 17))
    others = VisitorKeys(Settings(master_key="6b" * 32))
    with pytest.raises(DecryptionError):
        others.open(Sealed(WEBSITE, EVENT, seal(key, str(EVENT), VALUES)), {key.id: key.wrapped})


@pytest.mark.parametrize("text", ["", "v1:", "v1::", "v1:00:", "v1:xyz:AAAA", f"v2:{UUID(int=1).hex}:AAAA", "a"])
def test_other_texts_name_no_key(keys: VisitorKeys, text: str) -> None:
    assert key_id(text) is None and key_ids([text]) == set()
    with pytest.raises(DecryptionError):
        keys.open(Sealed(WEBSITE, EVENT, text), {})


def test_the_keys_of_many_texts(keys: VisitorKeys) -> None:
    made = [keys.make(WEBSITE, date(2026, 5, 17)) for _ in range(3)]
    texts = [seal(key, str(uuid4()), VALUES) for key in made for _ in range(2)]
    assert key_ids([*texts, ""]) == {key.id for key in made}
