"""Process managers of the marketplace: they expire offers and listings, advance escrows and direct deals, send calls to
the provider and check its status, verify listings and send digests of saved searches."""

from __future__ import annotations

from collections.abc import Iterator

from command_api.kernel.container import Container
from command_api.kernel.process_manager import ProcessManager, issuing
from command_api.marketplace import commands, timeouts
from command_api.marketplace.escrow import commands as escrow_commands
from command_api.marketplace.escrow.outbox import escrow_calls
from command_api.marketplace.escrow.reconciliation import escrow_status
from command_api.marketplace.listings import commands as listing_commands
from command_api.marketplace.listings.measurement import MeasurementSource
from command_api.marketplace.listings.verification import verification
from infra.domain.escrow_provider import Provider


def process_managers(
    container: Container, figures: MeasurementSource, provider: Provider | None
) -> Iterator[ProcessManager]:
    """Yields the process managers of the marketplace. Without a provider no escrow begins."""
    if provider is not None:
        yield escrow_calls(container, provider)
        yield escrow_status(container, provider)
    yield ProcessManager(
        timeouts.LISTING_EXPIRY,
        issuing(listing_commands.ExpireListing),
        ids="SELECT listing_id FROM lookup.listing WHERE status = 'active'",
    )
    yield ProcessManager(
        timeouts.OFFER_EXPIRY, issuing(commands.ExpireOffer), ids="SELECT offer_id FROM lookup.open_offer"
    )
    yield ProcessManager(
        timeouts.ESCROW_DEADLINE,
        issuing(escrow_commands.AdvanceEscrow),
        ids="SELECT escrow_id FROM lookup.escrow WHERE is_open",
    )
    yield ProcessManager(
        timeouts.DIRECT_DEAL_DEADLINE,
        issuing(commands.ExpireDirectDeal),
        ids="SELECT deal_id FROM lookup.direct_deal WHERE is_open",
    )
    yield verification(container, figures)
    yield ProcessManager(
        timeouts.SEARCH_DIGEST,
        issuing(commands.SendSearchDigest),
        ids="SELECT search_id FROM marketplace.saved_search",
    )
