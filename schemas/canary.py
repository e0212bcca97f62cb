"""The canary's website: it has no owner and is in no list. Its events measure latency; no total counts them.

Where they are kept out of every figure: `projectors.rollups.event_rows`.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

WEBSITE_ID: Final = UUID("00000000-0000-4000-8000-00000000ca4a")
