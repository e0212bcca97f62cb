"""Commands of the erasure of visitors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from command_api.analytics.erasure.schemas import ErasedVisitor
from command_api.kernel.command_handlers import Command
from infra.domain.visitor_data.person import IdKind, Person


@dataclass(frozen=True, slots=True)
class FoundVisitor:
    """A person and what is stored of them, by kind. `refusals`: refused requests whose sample names them; `key_ids`:
    the keys that sealed their ad click ids; `texts`: the leaves that sealed their texts in the log, by key; `recent`:
    those that may have sealed what is on its way into the tables; `letters`: open dead letters whose record names
    them."""

    person: Person
    refusals: tuple[UUID, ...]
    key_ids: frozenset[UUID]
    texts: Mapping[int, frozenset[bytes]]
    recent: frozenset[bytes]
    counts: Mapping[str, int]
    letters: tuple[UUID, ...] = ()


class RepeatErasure(Command[None]):
    """Forgets a visitor again, as it was `decided` after the backup that was restored."""

    erasure_id: UUID
    decided: Mapping[str, Any]


class ForgetVisitor(Command[ErasedVisitor]):
    """Erases a person among the website's visitors: `found` before the command, since the search is slow."""

    website_id: UUID
    erasure_id: UUID
    named_by: IdKind
    found: FoundVisitor
