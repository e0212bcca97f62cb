"""The escrow provider: it holds the buyer's money and pays it out when told. Over HTTP, with signed messages back.

`EscrowProvider.over_http` speaks to whatever is at `ALTHING_ESCROW_URL`; `infra.escrow.sandbox` is a provider for
trying out that moves no money. An adapter for another provider needs the methods of `Provider`.
"""

from infra.escrow.provider import EscrowProvider, Opened, Provider, ProviderAway, ProviderRefused, Standing
from infra.escrow.webhooks import BadSignature, Message, sign, verified

__all__ = [
    "BadSignature",
    "EscrowProvider",
    "Message",
    "Opened",
    "Provider",
    "ProviderAway",
    "ProviderRefused",
    "Standing",
    "sign",
    "verified",
]
