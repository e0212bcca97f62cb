"""Names of the process managers of alerts."""

from __future__ import annotations

from typing import Final

FREQUENT: Final = "alerts:check"
DAILY: Final = "alerts:daily"
LINKS: Final = "alerts:links"
MAILS: Final = "alerts:mail"
CHECKS: Final = (FREQUENT, DAILY, LINKS)
