"""The identity providers that people may sign in with, as the settings have them. Both services read this table.

Names are for ever: they stand in addresses, in history (`account.signed_in`) and in linked sign-ins.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from infra.sealing import derived_key, seal, unseal
from infra.settings import Settings

ProviderName = Literal["google", "github", "microsoft", "linkedin"]
NAMES: Final[tuple[ProviderName, ...]] = get_args(ProviderName)
LABELS: Final[dict[ProviderName, str]] = {
    "google": "Google",
    "github": "GitHub",
    "microsoft": "Microsoft",
    "linkedin": "LinkedIn",
}
_URLS: Final[dict[ProviderName, str]] = {
    "google": "https://accounts.google.com",
    "github": "https://github.com",
    "microsoft": "https://login.microsoftonline.com/common/v2.0",
    "linkedin": "https://www.linkedin.com",
}


@dataclass(frozen=True, slots=True)
class IdentityProvider:
    """One that is configured. `url` has no slash at its end; `is_public`: it is the one that everybody knows."""

    name: ProviderName
    url: str
    client_id: str
    client_secret: str = field(repr=False)
    is_public: bool = True

    @property
    def label(self) -> str:
        return LABELS[self.name]


def configured(settings: Settings) -> dict[ProviderName, IdentityProvider]:
    """Those that have a client id and a secret."""
    found: dict[ProviderName, IdentityProvider] = {}
    for name in NAMES:
        client_id, client_secret = getattr(settings, f"{name}_client_id"), getattr(settings, f"{name}_client_secret")
        own = getattr(settings, f"{name}_url")
        if client_id and client_secret:
            found[name] = IdentityProvider(name, own or _URLS[name], client_id, client_secret, own is None)
    return found


def named(name: str) -> ProviderName:
    """Raises `ValueError` for a name that is none."""
    for known in NAMES:
        if known == name:
            return known
    raise ValueError(f"{name} is no identity provider")


def label_of(name: str) -> str:
    """The name as people write it."""
    return LABELS[named(name)]


def sealed_label(settings: Settings, link_id: str, label: str) -> str:
    """What an owner knows a linked identity by, as it is kept."""
    return seal(derived_key(settings, "linked-sign-in"), label, f"linked-sign-in:{link_id}")


def opened_label(settings: Settings, link_id: str, sealed: str) -> str:
    return unseal(derived_key(settings, "linked-sign-in"), sealed, f"linked-sign-in:{link_id}")
