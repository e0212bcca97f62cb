"""The identity providers for sign-in, from the settings. Both services read this table.

Names are permanent: they are part of addresses, of history (`account.signed_in`) and of linked sign-ins.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from infra.kernel.config.settings import Settings
from infra.kernel.security.encryption import decrypt, derived_key, encrypt

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
    """A configured provider. `url` has no trailing slash; `is_public`: it is the provider's public server."""

    name: ProviderName
    url: str
    client_id: str
    client_secret: str = field(repr=False)
    is_public: bool = True

    @property
    def label(self) -> str:
        """The provider's name as people write it."""
        return LABELS[self.name]


def configured(settings: Settings) -> dict[ProviderName, IdentityProvider]:
    """Returns the providers that have a client id and a secret."""
    providers: dict[ProviderName, IdentityProvider] = {}
    for name in NAMES:
        client_id, client_secret = getattr(settings, f"{name}_client_id"), getattr(settings, f"{name}_client_secret")
        own = getattr(settings, f"{name}_url")
        if client_id and client_secret:
            providers[name] = IdentityProvider(name, own or _URLS[name], client_id, client_secret, own is None)
    return providers


def named(name: str) -> ProviderName:
    """Raises `ValueError` for a name that is none."""
    for provider in NAMES:
        if provider == name:
            return provider
    raise ValueError(f"{name} is no identity provider")


def label_of(name: str) -> str:
    """The name as people write it."""
    return LABELS[named(name)]


def encrypt_label(settings: Settings, link_id: str, label: str) -> str:
    """Encrypts what an owner knows a linked identity by, as it is kept."""
    return encrypt(derived_key(settings, "linked-sign-in"), label, f"linked-sign-in:{link_id}")


def decrypt_label(settings: Settings, link_id: str, sealed: str) -> str:
    """Decrypts what `encrypt_label` made for the same link. Raises `DecryptionError`."""
    return decrypt(derived_key(settings, "linked-sign-in"), sealed, f"linked-sign-in:{link_id}")
