"""Who may see what: the one place that decides it. Every route that reads of a website gets the website from here.

A member sees the websites of the own account, an admin all. What is not theirs does not exist for them: 404, so that
ids cannot be probed.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from infra.identity import Pool, Principal, require_admin
from infra.problems import Problem
from query_api.reader import Reader
from schemas.zones import ZoneInfo


@dataclass(frozen=True, slots=True)
class Website:
    """A website that the person asking may see."""

    id: UUID
    domain: str
    timezone: str
    currency: str
    created_at: datetime

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)


_COLUMNS: Final = "id, domain, timezone, currency, created_at"
_VISIBLE: Final = "deleted_at IS NULL AND (%(everything)s OR account_id = %(account)s)"
_ONE: Final = f"SELECT {_COLUMNS} FROM read.websites WHERE id = %(id)s AND {_VISIBLE}"  # noqa: S608 - own text
_ALL: Final = f"SELECT {_COLUMNS} FROM read.websites WHERE {_VISIBLE} ORDER BY created_at, id"  # noqa: S608 - own text


class Owned:
    """What one person may see. `reader` reads of Postgres what is theirs, and nothing else, whatever is asked."""

    def __init__(self, pool: Pool, principal: Principal) -> None:
        self.principal = principal
        self.reader = Reader.of(pool, principal)

    def website(self, website_id: UUID) -> Website:
        """The website. Raises `Problem` 404 for one that is not theirs or not there."""
        found = self._read(_ONE, {"id": website_id})
        if not found:
            raise not_found("website")
        return found[0]

    def websites(self) -> list[Website]:
        """All of theirs, oldest first."""
        return self._read(_ALL, {})

    def scope(self, website_id: UUID | None) -> list[UUID]:
        """Ids of the websites that a list may show: the one that is asked for, or all of theirs."""
        return [self.website(website_id).id] if website_id is not None else [one.id for one in self.websites()]

    def require_admin(self) -> None:
        """Raises `Problem` 403 for everybody else."""
        require_admin(self.principal)

    def _read(self, sql: str, values: dict[str, Any]) -> list[Website]:
        bound = {**values, "everything": self.principal.is_admin, "account": self.principal.account_id}
        return [Website(**row) for row in self.reader.rows(sql, bound)]


def not_found(what: str) -> Problem:
    return Problem(404, "not_found", f"There is no such {what}.")
