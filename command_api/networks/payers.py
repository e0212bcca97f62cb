"""Which partner pays a row of a network's report. Pure but for `candidates`.

By the mapping that a person gave; else by the one that the import names; else the only partner of that network that
the website uses; else the one whose name is the advertiser's. A row with a click of the website needs none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from command_api.networks.reading.rows import NetworkRow


@dataclass(frozen=True, slots=True)
class PayerCandidate:
    """A partner that the website's account has, or to which a link of the website leads."""

    id: UUID
    name: str
    network: str


@dataclass(frozen=True, slots=True)
class Payers:
    """`chosen`: the partner that the import names; `mapped`: advertisers by id or name, to partners."""

    network: str
    candidates: Sequence[PayerCandidate]
    chosen: UUID | None
    mapped: Mapping[str, UUID]

    def of(self, row: NetworkRow) -> UUID | None:
        """The partner that pays the row; none is known."""
        for text in (row.partner_ref, row.partner_name):
            if text and (mapped := self.mapped.get(folded(text))) is not None:
                return mapped
        if self.chosen is not None:
            return self.chosen
        own = [one for one in self.candidates if one.network == self.network]
        named = [
            one for one in own or self.candidates if row.partner_name and folded(one.name) == folded(row.partner_name)
        ]
        if len(named) == 1:
            return named[0].id
        return own[0].id if len(own) == 1 else None


def payers(
    connection: Connection[Any],
    website_id: UUID,
    account_id: UUID,
    network: str,
    chosen: UUID | None,
    mapped: Mapping[str, UUID],
) -> Payers:
    """The partners that may pay rows of the website."""
    rows = connection.execute(_CANDIDATES, {"website": website_id, "account": account_id})
    found = [PayerCandidate(id, name, preset or "") for id, name, preset in rows]
    return Payers(network, found, chosen, {folded(text): partner_id for text, partner_id in mapped.items()})


def folded(text: str) -> str:
    """The text as advertisers are compared."""
    return " ".join(text.split()).casefold()


_CANDIDATES: Final = (
    "SELECT p.id, p.name, p.postback_preset FROM read.partners AS p WHERE p.removed_at IS NULL"
    " AND (p.account_id = %(account)s OR (p.account_id IS NULL AND p.id IN"
    " (SELECT l.partner_id FROM lookup.link AS l WHERE l.website_id = %(website)s))) ORDER BY p.name, p.id"
)
