"""Headers of a request that the gateway hands on to a service: the client's address, and the proof of it."""

from __future__ import annotations

from infra.forwarding import PROOF, forwarding_key, proof_of
from infra.settings import Settings


def forwarded_for(settings: Settings, address: str) -> dict[str, str]:
    return {"X-Forwarded-For": address, PROOF: proof_of(forwarding_key(settings), address)}
