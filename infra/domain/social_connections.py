"""Connections of social channels: the networks that the installation has configured, and the name of a connected
account as it is stored."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

from infra.kernel.config.settings import Settings
from infra.kernel.net.outbound_http import origin_of
from infra.kernel.security.encryption import decrypt, derived_key, encrypt
from schemas.social_networks import Network

NETWORKS: Final = (Network.YOUTUBE, Network.INSTAGRAM)
"""The networks that a channel can be connected to."""
_NAME: Final = "social-connection-name"


@dataclass(frozen=True, slots=True)
class SocialApp:
    """The installation's app at a network. `url`: a server in place of the network's own, without a trailing slash."""

    network: Network
    client_id: str
    client_secret: str = field(repr=False)
    url: str | None = None

    def address(self, public: str) -> str:
        """The network's address `public`, at the configured server if there is one."""
        return public if self.url is None else self.url + urlsplit(public).path

    @property
    def configured_origin(self) -> str | None:
        """The origin that the settings name, which may be a private one."""
        return None if self.url is None else origin_of(self.url)


def configured_apps(settings: Settings) -> dict[Network, SocialApp]:
    """Returns the apps that have a client id and a secret."""
    apps = {}
    for network in NETWORKS:
        client_id = getattr(settings, f"{network.value}_client_id")
        client_secret = getattr(settings, f"{network.value}_client_secret")
        if client_id and client_secret:
            apps[network] = SocialApp(network, client_id, client_secret, getattr(settings, f"{network.value}_api_url"))
    return apps


def encrypt_name(settings: Settings, channel_id: UUID, name: str) -> str:
    """The name of the connected account, as it is stored."""
    return encrypt(derived_key(settings, _NAME), name, f"{_NAME}:{channel_id}")


def decrypt_name(settings: Settings, channel_id: UUID, sealed: str) -> str:
    """Decrypts what `encrypt_name` made for the same channel. Raises `DecryptionError`."""
    return decrypt(derived_key(settings, _NAME), sealed, f"{_NAME}:{channel_id}")
