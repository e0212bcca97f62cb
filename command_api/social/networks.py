"""The networks that a channel can be connected to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final, Protocol

from command_api.social.instagram import Instagram
from command_api.social.network_client import NetworkClient, Reading, Tokens
from command_api.social.youtube import YouTube
from infra.domain.social_connections import SocialApp, configured_apps
from infra.kernel.config.settings import Settings
from schemas.social_networks import Network

PAGE: Final = "/links/channels/connect"
"""The page of the app to which networks send the browser back. It is registered with them."""


class NetworkApi(Protocol):
    """The calls of one network's protocol; see `YouTube`. They raise `NetworkError`."""

    def authorization(self, redirect_uri: str, state: str, verifier: str, /) -> str:
        """The address at which the owner permits the reading."""

    def exchange(self, redirect_uri: str, code: str, verifier: str, now: datetime, /) -> Tokens:
        """The tokens of a code."""

    def renewed(self, tokens: Tokens, now: datetime, /) -> Tokens:
        """Tokens that are valid at `now`."""

    def revoke(self, tokens: Tokens, /) -> None:
        """Ends the permission at the network, if it can be ended there."""

    def name(self, tokens: Tokens, /) -> str:
        """The name of the account."""

    def read(self, tokens: Tokens, now: datetime, /) -> Reading:
        """The account and its newest posts."""


def api_of(client: NetworkClient, settings: Settings, network: Network) -> NetworkApi | None:
    """Returns the network's calls; `None` if the installation has no app at the network."""
    app = configured_apps(settings).get(network)
    return _APIS[network](client, app) if app is not None else None


def redirect_uri(settings: Settings) -> str:
    """Returns the address to which the networks send the browser back."""
    return f"{settings.app_url}{PAGE}"


_APIS: Final[Mapping[Network, Callable[[NetworkClient, SocialApp], NetworkApi]]] = {
    Network.YOUTUBE: YouTube,
    Network.INSTAGRAM: Instagram,
}
