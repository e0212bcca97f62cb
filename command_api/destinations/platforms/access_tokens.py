"""Short-lived access tokens of Google and Microsoft, by OAuth 2.0 refresh tokens; one for each batch, never stored."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlencode

from command_api.destinations.platforms.ad_api import AdRequest, Call, SendFailed, SendingRefused, text_of


def access_token(call: Call, origin: str, path: str, credentials: Mapping[str, str], name: str, scope: str = "") -> str:
    """The token. Raises `SendFailed`; `SendingRefused` if the refresh token is not valid any more."""
    form = {
        "grant_type": "refresh_token",
        "client_id": credentials["clientId"],
        "client_secret": credentials["clientSecret"],
        "refresh_token": credentials["refreshToken"],
        **({"scope": scope} if scope else {}),
    }
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = call(AdRequest(origin, path, urlencode(form).encode(), headers))
    token = text_of(answer.body, "access_token")
    if answer.status in (400, 403) and text_of(answer.body, "error") in ("invalid_grant", "invalid_client"):
        raise SendingRefused(f"{name} does not accept these credentials. Enter new ones.", answer.status)
    if answer.status != 200 or not token.isascii() or not token.isprintable() or not token:
        raise SendFailed(f"{name} gives no access token.", answer.status)
    return token
