"""The one time-zone database of the installation: the pinned package `tzdata`, never the system's.

Whatever needs a zone imports it from here (ruff refuses `zoneinfo` elsewhere), so every process reads the same rules,
whichever files its machine has. Engines are given instants: none of them turns a time into a local day.
"""

from __future__ import annotations

import zoneinfo
from zoneinfo import ZoneInfo as ZoneInfo
from zoneinfo import available_timezones as available_timezones

zoneinfo.reset_tzpath(())
ZoneInfo.clear_cache()
