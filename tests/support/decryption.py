"""How tests open what events have encrypted (`schemas.envelope.Decrypt`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID


@dataclass(frozen=True)
class Opening:
    """Opens personal fields by a function; what is sealed stays closed."""

    personal: Callable[[UUID, str, str], str]

    def __call__(self, subject_id: UUID, field: str, text: str) -> str:
        return self.personal(subject_id, field, text)

    def unseal(self, _sealed: str, _bound: bytes) -> bytes | None:
        return None
