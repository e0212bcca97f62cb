"""Takes from conversions what leads to a visitor who was erased; what earned them stays.

A report that is not decided yet waits for an exchange rate, or is a dead letter of the attribution policy. Its click
and its visitor decide who earned the sale, so they stay until then. The erasure is noted with it, and repeated in the
transaction that decides it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from command_api.conversions import lookups, model
from command_api.conversions.attribution.repository import PENDING_ATTRIBUTION
from command_api.kernel import sealed_events
from command_api.kernel.aggregates import next_event
from command_api.kernel.unit_of_work import UnitOfWork
from schemas.events.conversions import ConversionForgotten
from schemas.tracking import NOT_DECIDING


@dataclass(frozen=True, slots=True)
class Forgotten:
    """An erasure, and the website whose visitor it was. `id`: the aggregate of `visitor.forgotten`."""

    id: UUID
    website_id: UUID


def forget(uow: UnitOfWork, erasure: Forgotten, conversion_ids: Iterable[UUID]) -> None:
    """Forgets the website's conversions among these, what is stored beside their events, and what their undecided
    reports say beyond their traces; their stored events become unreadable. No click is looked for any more."""
    ids = sorted(set(conversion_ids))
    conversions = [each for id_ in ids if (each := uow.load(id_, model.evolve)) is not None]
    own = [each for each in conversions if each.facts.website_id == erasure.website_id]
    others = {each.id for each in conversions} - {each.id for each in own}
    more = {"website_id": erasure.website_id, "erasure_id": erasure.id}
    uow.append(*(ConversionForgotten(**next_event(each, uow.context), **more) for each in own))
    _forget_rows(uow, erasure, [id_ for id_ in ids if id_ not in others])
    erased = sealed_events.erase(uow.cursor, uow.settings, [each.id for each in own], uow.context.account_id)
    lookups.forget_reports(uow, erased)


def erasures_of_letter(uow: UnitOfWork, letter_id: UUID) -> list[Forgotten]:
    """The erasure that `analytics.visitor_erasure` noted on a dead letter. It stays true until the commit."""
    rows = uow.cursor.execute(_OF_LETTER, (letter_id,)).fetchall()
    return [Forgotten(row["erasure_id"], row["website_id"]) for row in rows]


def _forget_rows(uow: UnitOfWork, erasure: Forgotten, conversion_ids: Sequence[UUID]) -> None:
    values = {"ids": list(conversion_ids), "site": erasure.website_id, "erasure": erasure.id}
    for statement in _FORGET:
        uow.cursor.execute(statement, {**values, "left": Jsonb(dict(NOT_DECIDING))})
    for conversion_id in conversion_ids:
        uow.set_timeout(PENDING_ATTRIBUTION, conversion_id, None)


_FORGET: Final[tuple[LiteralString, ...]] = (
    "DELETE FROM conversions.pending_attribution WHERE conversion_id = ANY(%(ids)s)",
    "DELETE FROM events.snapshots WHERE originator_id = ANY(%(ids)s)",
    "UPDATE conversions.rejected_report SET claim = NULL WHERE website_id = %(site)s AND conversion_id = ANY(%(ids)s)",
    "UPDATE conversions.awaiting_exchange_rate SET erasure_id = %(erasure)s, report = report || %(left)s"
    " WHERE website_id = %(site)s AND conversion_id = ANY(%(ids)s)",
    "UPDATE ingest.conversion_key SET click_id = NULL, click_rank = 0"
    " WHERE website_id = %(site)s AND conversion_id = ANY(%(ids)s)",
    "DELETE FROM kernel.idempotency AS i USING unnest(%(ids)s::uuid[]) AS forgotten (id)"
    " WHERE position(forgotten.id::text IN i.body) > 0",
)
_OF_LETTER: Final[LiteralString] = (
    "SELECT erasure_id, website_id FROM engine.dead_letter"
    " WHERE id = %s AND erasure_id IS NOT NULL AND website_id IS NOT NULL FOR UPDATE"
)
