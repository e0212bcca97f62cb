"""The social networks on which a website may have channels, and how their handles and addresses look."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import unquote, urlsplit

MAX_ADDRESS: Final = 300


class Network(StrEnum):
    """A social network; its value is the `utm_source` of the links of its channels."""

    INSTAGRAM = "instagram"
    TIKTOK = "tiktok"
    YOUTUBE = "youtube"
    X = "x"
    PINTEREST = "pinterest"
    FACEBOOK = "facebook"


@dataclass(frozen=True, slots=True)
class NetworkRules:
    """`handle`: what a handle looks like, `rule`: the same for people. `address`: of a channel, with its handle as {}.
    `hosts`: whose addresses name a channel. `slug`: beginning of the slugs of its links."""

    name: str
    handle: re.Pattern[str]
    rule: str
    address: str
    hosts: tuple[str, ...]
    slug: str


RULES: Final = {
    Network.INSTAGRAM: NetworkRules(
        "Instagram",
        re.compile(r"(?!.*\.\.)[a-z0-9_](?:[a-z0-9._]{0,28}[a-z0-9_])?"),
        "1 to 30 letters, digits, underscores and inner dots",
        "https://www.instagram.com/{}",
        ("instagram.com",),
        "ig",
    ),
    Network.TIKTOK: NetworkRules(
        "TikTok",
        re.compile(r"[a-z0-9._]{1,23}[a-z0-9_]"),
        "2 to 24 letters, digits, underscores and dots, no dot at the end",
        "https://www.tiktok.com/@{}",
        ("tiktok.com",),
        "tt",
    ),
    Network.YOUTUBE: NetworkRules(
        "YouTube",
        re.compile(r"UC[A-Za-z0-9_-]{22}|[^\W_](?:[\w.·-]{1,28}[^\W_])"),
        "3 to 30 letters, digits, hyphens, underscores and dots, or an ID that begins with UC",
        "https://www.youtube.com/@{}",
        ("youtube.com",),
        "yt",
    ),
    Network.X: NetworkRules(
        "X",
        re.compile(r"[a-z0-9_]{1,15}"),
        "1 to 15 letters, digits and underscores",
        "https://x.com/{}",
        ("x.com", "twitter.com"),
        "x",
    ),
    Network.PINTEREST: NetworkRules(
        "Pinterest",
        re.compile(r"[a-z0-9_]{3,30}"),
        "3 to 30 letters, digits and underscores",
        "https://www.pinterest.com/{}/",
        ("pinterest.com",),
        "pin",
    ),
    Network.FACEBOOK: NetworkRules(
        "Facebook",
        re.compile(r"[a-z0-9](?:[a-z0-9.]{3,48}[a-z0-9])"),
        "5 to 50 letters, digits and dots",
        "https://www.facebook.com/{}",
        ("facebook.com", "fb.com"),
        "fb",
    ),
}
_CHANNEL_ID: Final = re.compile(r"UC[A-Za-z0-9_-]{22}")
_NOT_HANDLES: Final = frozenset(
    ("p", "reel", "reels", "stories", "explore", "watch", "shorts", "playlist", "results", "i", "home", "search", "pin")
) | frozenset(
    ("c", "user", "groups", "pages", "profile.php", "people", "share", "hashtag", "video", "embed", "feed", "settings")
)
"""First parts of paths that are pages of the network, not channels."""


class BadHandle(ValueError):
    """The text names no channel of the network; the message says what is expected."""


def handle_of(network: Network, text: str) -> str:
    """The handle in `text`: a handle, with or without @, or the address of a channel. Raises `BadHandle`."""
    rules = RULES[network]
    text = text.strip()
    if len(text) > MAX_ADDRESS:
        raise BadHandle(f"An address has at most {MAX_ADDRESS} characters.")
    named = _in_address(network, text) if _is_address(text) else text
    handle = named.removeprefix("@")
    handle = handle if network is Network.YOUTUBE and _CHANNEL_ID.fullmatch(handle) else handle.lower()
    if not rules.handle.fullmatch(handle) or handle in _NOT_HANDLES:
        raise BadHandle(f"A handle on {rules.name} has {rules.rule}.")
    return handle


def address_of(network: Network, handle: str) -> str:
    """The address of the channel on its network."""
    if network is Network.YOUTUBE and _CHANNEL_ID.fullmatch(handle):
        return f"https://www.youtube.com/channel/{handle}"
    return RULES[network].address.format(handle)


def _is_address(text: str) -> bool:
    """Returns whether the text is an address: handles have no slash."""
    return "/" in text


def _in_address(network: Network, text: str) -> str:
    rules = RULES[network]
    expected = f"Enter a handle, or an address such as {address_of(network, 'example')}."
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        host = (parts.hostname or "").lower()
    except ValueError:
        raise BadHandle(expected) from None
    if parts.scheme not in ("http", "https"):
        raise BadHandle(expected)
    if not any(host == own or host.endswith(f".{own}") for own in rules.hosts):
        raise BadHandle(f"This is no address on {rules.name}. {expected}")
    path = [unquote(part) for part in parts.path.split("/") if part]
    if network is Network.YOUTUBE and path and path[0] == "channel":
        path = path[1:]
    if not path:
        raise BadHandle(f"This address names no channel. {expected}")
    return path[0]
