"""Ends places of early access that were held for an hour and not confirmed. One process at a time does it."""

from __future__ import annotations

from datetime import UTC, datetime
from threading import Event
from typing import Final

from command_api.core import Core
from command_api.leader import Connection
from command_api.leads.desk import LeadsDesk

NAME: Final = "policy:early-access"
LOOK_S: Final = 2.0
AT_ONCE: Final = 50


class Holding:
    """`run` is the work of a `Leader`."""

    def __init__(self, core: Core) -> None:
        self._desk = LeadsDesk.of(core)

    def run(self, _: Connection, stop: Event) -> None:
        while not stop.is_set():
            if self._desk.end_unconfirmed(datetime.now(UTC), AT_ONCE) < AT_ONCE:
                stop.wait(LOOK_S)
