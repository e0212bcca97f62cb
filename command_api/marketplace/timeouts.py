"""Names of the marketplace's process managers (`command_api.marketplace.process`), by which handlers set timeouts."""

from __future__ import annotations

from typing import Final

LISTING_EXPIRY: Final = "marketplace:listing-expiry"
VERIFICATION: Final = "marketplace:verification"
OFFER_EXPIRY: Final = "marketplace:offer-expiry"
DIRECT_DEAL_DEADLINE: Final = "marketplace:direct-deal-deadline"
ESCROW_DEADLINE: Final = "marketplace:escrow-deadline"
ESCROW_CALLS: Final = "marketplace:escrow-calls"
ESCROW_STATUS: Final = "marketplace:escrow-status"
SEARCH_DIGEST: Final = "marketplace:search-digest"
