"""The lanes of the command service: threads and connections that one kind of request has for itself.

Whatever members, visitors and their documents do, sign-in and decisions about money keep theirs
(`infra.kernel.http.lanes`, `infra.kernel.http.route_costs`).
"""

from __future__ import annotations

from typing import Final

from infra.kernel.http.lane_pools import BACKGROUND

THREADS: Final = {"accounts": 6, "money": 4, "public": 3, "commands": 8, "reads": 2, "documents": 2}
"""Requests of each lane that are worked on at one time. `reads`: the few that this service answers itself."""
CONNECTIONS: Final = {BACKGROUND: 4, "accounts": 3, "money": 2, "public": 2, "commands": 4, "reads": 1, "documents": 2}
"""The connections of the store, and as many for rows: a request holds one of each at most, and never for long."""
KEY_CONNECTIONS: Final = 1
"""The connections of each lane that read the keys of people."""
