"""Limits of claims that hold while a website's owner has set none: decided by the commands, shown by the reads."""

from __future__ import annotations

from typing import Final

from schemas.currencies import MAGNITUDES, digits

DEFAULT_MAX_CLAIM_DOLLARS: Final = 5_000
DEFAULT_MAX_CLAIMS_PER_CLICK: Final = 5
MAX_CLAIMS_PER_CLICK: Final = 1_000


def default_max_claim(currency: str) -> int:
    """Minor units that the public site key may claim as one sale: about 5,000 US dollars, in a round number."""
    return int(DEFAULT_MAX_CLAIM_DOLLARS * MAGNITUDES.get(currency, 1) * 10 ** digits(currency))
