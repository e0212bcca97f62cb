"""What of a dead letter must be the record at its place."""

from __future__ import annotations

from typing import Final

import pytest

from infra.kernel.log import StoredRecord
from infra.ops.audit.dead_letters import is_record

RECORD: Final = StoredRecord("rejected", 0, 5, 0, b"key", b"value", ())


@pytest.mark.parametrize("state", ["open", "superseded", "retried", "skipped"])
def test_key_and_value_are_those_of_the_record(state: str) -> None:
    assert is_record(RECORD, state, b"key", b"value")
    assert not is_record(RECORD, state, b"key", b"planted") and not is_record(RECORD, state, b"planted", b"value")


@pytest.mark.parametrize(("state", "is_right"), [("open", False), ("superseded", False), ("retried", True)])
def test_only_a_decided_dead_letter_has_lost_its_value(state: str, is_right: bool) -> None:
    assert is_record(RECORD, state, b"key", b"") == is_right
    assert not is_record(RECORD, state, b"planted", b"")
