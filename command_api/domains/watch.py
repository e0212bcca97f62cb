"""Looks at custom domains when they are due: unproven ones ever more rarely, verified ones daily.

`Watch.run` is the work of a `command_api.leader.Leader`: events are written by the command service alone, so this is
not a job of the scheduler; one process at a time does it just the same.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Final
from uuid import UUID

from prometheus_client import Counter

from command_api.core import Core
from command_api.decision import Asked
from command_api.domains import desk, model
from command_api.domains.looking import AT_ONCE, Looking, Seen
from command_api.leader import Connection
from command_api.store import UNAVAILABLE, Conflict

NAME: Final = "policy:domains"
LOOK_S: Final = 1.0
ATTEMPTS: Final = 4
_AFTER_ERROR: Final = timedelta(minutes=10)

log = logging.getLogger(__name__)
_LOOKS = Counter("domain_looks_total", "Looks at custom domains by what the DNS said", ["verdict"])


class Watch:
    """`now` is the clock: tests turn it."""

    def __init__(self, core: Core, looking: Looking, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._core = core
        self._looking = looking
        self._now = now

    def run(self, connection: Connection, stop: Event) -> None:
        while not stop.is_set():
            if self.look(connection) < AT_ONCE:
                stop.wait(LOOK_S)

    def look(self, connection: Connection) -> int:
        """Looks at those that are due; how many they were."""
        rows = connection.execute(_DUE, (self._now(), self._now(), AT_ONCE)).fetchall()
        domains: list[model.Domain] = []
        for domain_id, row_version in rows:
            domain = self._core.store.load(domain_id, model.evolve)
            if domain is None or domain.removed:  # this row alone: the domain may have been added anew by now
                connection.execute(_DROP, (domain_id, row_version))
            else:
                domains.append(domain)
        for domain, seen in zip(domains, self._looking.look(*domains), strict=True):
            _LOOKS.labels(seen.verdict.value).inc()
            try:
                self.settle(domain.id, seen)
            except UNAVAILABLE:
                raise
            except Exception:
                # One that cannot be judged must not hold up the others.
                log.exception("%s cannot be judged", domain.domain)
                connection.execute(_LATER, (self._now() + _AFTER_ERROR, domain.id))
        return len(rows)

    def settle(self, domain_id: UUID, seen: Seen) -> None:
        """Decides what follows from a look, and stores it; anew when somebody else was first."""
        for _ in range(ATTEMPTS):
            domain = self._core.store.load(domain_id, model.evolve)
            if domain is None or domain.removed:
                return
            found, also = desk.settled(self._core, domain, seen, Asked(self._now()))
            try:
                self._core.store.write(found.events, also)
            except Conflict as conflict:
                log.info("%s was changed at the same moment: %s", domain.domain, conflict.constraint)
                continue
            return


_DUE: Final = (
    "SELECT domain_id, xmin::text FROM policy.custom_domain"
    # Looked at in the future: the clock was set back, and `next_at` may lie as far ahead.
    " WHERE next_at <= %s OR checked_at > %s + interval '1 hour'"
    " ORDER BY next_at LIMIT %s"
)
_DROP: Final = "DELETE FROM policy.custom_domain WHERE domain_id = %s AND xmin::text = %s"
_LATER: Final = "UPDATE policy.custom_domain SET next_at = %s WHERE domain_id = %s"
