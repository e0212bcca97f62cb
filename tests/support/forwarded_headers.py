"""Headers of a request that the gateway hands on to a service: the client's address, and the proof of it."""

from __future__ import annotations

from infra.kernel.config.settings import Settings
from infra.kernel.security.forwarding import PROOF, forwarding_key, proof_of


def forwarded_for(settings: Settings, address: str) -> dict[str, str]:
    return {"X-Forwarded-For": address, PROOF: proof_of(forwarding_key(settings), address)}
