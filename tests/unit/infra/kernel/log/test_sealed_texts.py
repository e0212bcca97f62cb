"""Sealed texts in the value of a record."""

from __future__ import annotations

import os

import orjson
import pytest

from infra.kernel.log.port import StoredRecord
from infra.kernel.log.sealed_texts import Opened, joined, sealed_value, split, without_texts
from infra.kernel.security.text_keys import TextKey, leaf_of

KEY, LEAF = TextKey(7, {"": os.urandom(16)}), leaf_of("visitor", b"w" * 16, b"njal----")


def record(value: bytes) -> StoredRecord:
    return StoredRecord("clicks", 0, 0, 0, b"event", value, ())


def test_the_clear_members_stay_readable() -> None:
    value = sealed_value(b'{"id":1,"path":"/"}', b'{"title":"Njal"}', KEY, LEAF, "clicks", b"event")
    assert b"Njal" not in value
    assert orjson.loads(value).keys() == {"id", "path", "sealed"}
    clear, text = split(value)
    assert orjson.loads(clear) == {"id": 1, "path": "/"}
    assert text
    assert without_texts([record(value)]) == [Opened(clear)]


def test_one_object_is_made_of_both() -> None:
    assert orjson.loads(joined(b'{"id":1}', b'{"title":"Njal"}')) == {"id": 1, "title": "Njal"}


@pytest.mark.parametrize(
    "sent",
    [
        {"id": 1},
        {"id": 1, "subs": {"a": "b", "sealed": "x"}},
        {"id": 1, "props": '{"a":1,"sealed":"x"}'},
        {"subs": {"a": "b", "sealed": "x"}, "event": "sale"},
        {"id": 1, "title": ',"sealed":"'},
    ],
)
def test_what_senders_call_sealed_is_theirs(sent: dict[str, object]) -> None:
    value = orjson.dumps(sent)
    assert split(value) == (value, b"")
