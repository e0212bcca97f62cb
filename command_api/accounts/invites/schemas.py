"""The body of a new invite."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from command_api.accounts.invites.model import DEFAULT_DAYS, DEFAULT_USES, MAX_DAYS, MAX_USES
from command_api.kernel.http import RequestModel


def _or_default(default: int) -> BeforeValidator:
    """Replaces anything but a whole number of 1 or more by the default."""

    def read(value: Any) -> Any:
        text = str(value).strip() if isinstance(value, (int, str)) and not isinstance(value, bool) else ""
        return int(text) if text.isascii() and text.isdecimal() and int(text) >= 1 else default

    return BeforeValidator(read)


MaxUses = Annotated[int, Field(ge=1, le=MAX_USES), _or_default(DEFAULT_USES)]
Days = Annotated[int, Field(ge=1, le=MAX_DAYS), _or_default(DEFAULT_DAYS)]


class CreateInvite(RequestModel):
    """Missing or invalid values default to 1 use and 30 days."""

    max_uses: MaxUses = DEFAULT_USES
    expires_in_days: Days = DEFAULT_DAYS
