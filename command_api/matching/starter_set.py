"""The starter set comes into the directory: once, by events, and never over what an admin made of it."""

from __future__ import annotations

import logging
from datetime import date
from typing import Final

from command_api.core import Core
from command_api.decision import by_system
from command_api.matching import programs
from command_api.matching.program_files import starter
from command_api.store import Conflict
from schemas.base import DomainEvent
from schemas.identity import program_id

RECORDED_ON: Final = date(2026, 11, 21)
"""As of when the facts of the starter set were written down."""

log = logging.getLogger(__name__)


def plant(core: Core) -> int:
    """Lists the programs of the starter set that the directory never had; gives how many. Whatever was changed or
    retired stays as it is. Two processes that begin together plant it once."""
    known = _known(core)
    asked = by_system()
    events: list[DomainEvent] = []
    for program in starter():
        if program_id(program.company_name) not in known:
            events += programs.add(None, program, origin="starter", recorded_on=RECORDED_ON, asked=asked)
    try:
        core.store.write(events)
    except Conflict:
        return 0  # the other process was first, with all of them
    if events:
        log.info("listed %d programs of the starter set", len(events))
    return len(events)


def _known(core: Core) -> set[object]:
    ids = [program_id(program.company_name) for program in starter()]
    with core.pool.connection() as connection:
        rows = connection.execute(
            "SELECT originator_id FROM events.stored_events WHERE originator_id = ANY(%s) AND originator_version = 1",
            (ids,),
        ).fetchall()
    return {row["originator_id"] if isinstance(row, dict) else row[0] for row in rows}
