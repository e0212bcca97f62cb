"""Addresses by which a custom domain is proved and recognised; part of the public interface."""

from __future__ import annotations

from typing import Final

CHALLENGE: Final = "_affiliate-challenge"
PROBE: Final = "/.well-known/tracking-domain"
"""Under a verified domain the tracking API answers here with the domain's id: so it is seen to lead to us."""


def record_name(domain: str) -> str:
    """Returns the name of the TXT record with the token."""
    return f"{CHALLENGE}.{domain}"
