"""The escrow provider: holds the buyer's money and pays it out on request. HTTP calls, signed webhooks back.

`EscrowProvider.over_http` calls the server at `ALTHING_ESCROW_URL`; `infra.domain.escrow_provider.sandbox` is a
provider for tests that moves no money. An adapter for another provider implements the methods of `Provider`.
"""

from infra.domain.escrow_provider.provider import EscrowProvider as EscrowProvider
from infra.domain.escrow_provider.provider import OpenedTransaction as OpenedTransaction
from infra.domain.escrow_provider.provider import Provider as Provider
from infra.domain.escrow_provider.provider import ProviderRejected as ProviderRejected
from infra.domain.escrow_provider.provider import ProviderUnavailable as ProviderUnavailable
from infra.domain.escrow_provider.provider import TransactionState as TransactionState
from infra.domain.escrow_provider.webhooks import BadSignature as BadSignature
from infra.domain.escrow_provider.webhooks import EscrowMessage as EscrowMessage
from infra.domain.escrow_provider.webhooks import sign as sign
from infra.domain.escrow_provider.webhooks import verified as verified
