"""`/.well-known/security.txt` (RFC 9116): to whom people report a vulnerability of this installation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Final

from infra.kernel.config.settings import Settings

PATH: Final = "/.well-known/security.txt"
VALID: Final = timedelta(days=180)
"""Each answer has a later end; a copy of the file is fetched again before its own."""


def security_txt(settings: Settings, now: datetime | None = None) -> bytes | None:
    """Returns the file; `None` for an installation without a contact."""
    contact = settings.security_contact or (settings.contact_email and f"mailto:{settings.contact_email}")
    if not contact:
        return None
    expires = ((now or datetime.now(UTC)) + VALID).replace(hour=0, minute=0, second=0, microsecond=0)
    lines = (
        f"Contact: {contact}",
        f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}",
        "Preferred-Languages: en",
        f"Canonical: {settings.app_url}{PATH}",
    )
    return "".join(f"{line}\n" for line in lines).encode()
