"""Addresses of posts on social networks: which post of which network an address names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, parse_qs, urlsplit
from uuid import UUID, uuid5

from schemas.social_networks import RULES, Network

MAX_POST_ADDRESS: Final = 500
_HANDLE: Final = r"[\w.·%-]+"


class BadPostAddress(ValueError):
    """The text is no address of a post on the network; the message says what is expected."""


@dataclass(frozen=True, slots=True)
class PostAddress:
    """`key`: what the network calls the post; `address`: where it is, without parameters of tracking."""

    key: str
    address: str


@dataclass(frozen=True, slots=True)
class _Form:
    """`path`: of the address, with the key as a group; `address`: the canonical one. `parameter`: of the query has the
    key instead."""

    path: re.Pattern[str]
    address: str
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class _Posts:
    """`short`: hosts of addresses that only redirect. `example`: shown when an address is refused."""

    forms: tuple[_Form, ...]
    example: str
    short: tuple[str, ...] = ()


def _form(path: str, address: str, parameter: str = "") -> _Form:
    return _Form(re.compile(path), address, parameter)


_VIDEO: Final = r"(?P<key>[A-Za-z0-9_-]{11})"
_CODE: Final = r"(?P<key>[A-Za-z0-9_-]{5,40})"
_NUMBER: Final = r"(?P<key>\d{5,25})"
_FACEBOOK_ID: Final = r"(?P<key>\d{5,25}|pfbid[A-Za-z0-9]{10,100})"
_POSTS: Final[Mapping[Network, _Posts]] = {
    Network.INSTAGRAM: _Posts(
        (
            _form(rf"/(?:{_HANDLE}/)?p/{_CODE}", "https://www.instagram.com/p/{}/"),
            _form(rf"/(?:{_HANDLE}/)?(?:reel|reels|tv)/{_CODE}", "https://www.instagram.com/reel/{}/"),
        ),
        "https://www.instagram.com/p/DAbCdEfGhIj/",
    ),
    Network.TIKTOK: _Posts(
        (_form(rf"/(?P<of>@{_HANDLE})/(?P<kind>video|photo)/{_NUMBER}", "https://www.tiktok.com/{of}/{kind}/{}"),),
        "https://www.tiktok.com/@example/video/7300000000000000000",
        ("vm.tiktok.com", "vt.tiktok.com"),
    ),
    Network.YOUTUBE: _Posts(
        (
            _form(r"/watch", "https://www.youtube.com/watch?v={}", "v"),
            _form(rf"/shorts/{_VIDEO}", "https://www.youtube.com/shorts/{}"),
            _form(rf"/live/{_VIDEO}", "https://www.youtube.com/watch?v={}"),
            _form(r"/post/(?P<key>Ug[A-Za-z0-9_-]{10,60})", "https://www.youtube.com/post/{}"),
        ),
        "https://www.youtube.com/watch?v=aBcDeFgHiJk",
    ),
    Network.X: _Posts(
        (_form(rf"/(?P<of>i/web|i|\w{{1,15}})/status/{_NUMBER}(?:/.*)?", "https://x.com/{of}/status/{}"),),
        "https://x.com/example/status/1800000000000000000",
        ("t.co",),
    ),
    Network.PINTEREST: _Posts(
        (_form(rf"/pin/(?:[^/]*--)?{_NUMBER}", "https://www.pinterest.com/pin/{}/"),),
        "https://www.pinterest.com/pin/1234567890123/",
        ("pin.it",),
    ),
    Network.FACEBOOK: _Posts(
        (
            _form(rf"/(?P<of>{_HANDLE})/posts/(?:[^/]+/)?{_FACEBOOK_ID}", "https://www.facebook.com/{of}/posts/{}"),
            _form(rf"/(?P<of>{_HANDLE})/videos/(?:[^/]+/)?{_NUMBER}", "https://www.facebook.com/{of}/videos/{}"),
            _form(rf"/reel/{_NUMBER}", "https://www.facebook.com/reel/{}"),
            _form(r"/watch", "https://www.facebook.com/watch/?v={}", "v"),
            _form(r"/photo(?:\.php)?", "https://www.facebook.com/photo/?fbid={}", "fbid"),
        ),
        "https://www.facebook.com/example/posts/1234567890",
        ("fb.watch", "fb.me"),
    ),
}
_KEYS: Final = {"v": {Network.YOUTUBE: _VIDEO, Network.FACEBOOK: _NUMBER}, "fbid": {Network.FACEBOOK: _NUMBER}}


def post_at(network: Network, text: str) -> PostAddress:
    """The post of `network` whose address is `text`. Raises `BadPostAddress`."""
    rules, posts = RULES[network], _POSTS[network]
    expected = f"Enter the address of a post on {rules.name}, such as {posts.example}."
    text = text.strip()
    if len(text) > MAX_POST_ADDRESS:
        raise BadPostAddress(f"An address has at most {MAX_POST_ADDRESS} characters.")
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        host = (parts.hostname or "").lower()
    except ValueError:
        raise BadPostAddress(expected) from None
    if parts.scheme not in ("http", "https"):
        raise BadPostAddress(expected)
    if host in posts.short:
        raise BadPostAddress(f"This is a short address. Open it and copy the full one. {expected}")
    if network is Network.YOUTUBE and host == "youtu.be":
        return _found(network, parts._replace(path=f"/live{parts.path}"), expected)
    if not any(host == own or host.endswith(f".{own}") for own in rules.hosts):
        raise BadPostAddress(f"This is no address on {rules.name}. {expected}")
    return _found(network, parts, expected)


def post_id(channel_id: UUID, key: str) -> UUID:
    """The id of the channel's post that the network calls `key`: the same post is added once."""
    return uuid5(channel_id, f"post/{key}")


def content_of(post: UUID) -> str:
    """`utm_content` of the tracked links of a post."""
    return f"post-{post.hex[:10]}"


def _found(network: Network, parts: SplitResult, expected: str) -> PostAddress:
    for form in _POSTS[network].forms:
        matched = form.path.fullmatch(parts.path.rstrip("/"))
        if matched is None:
            continue
        named = matched.groupdict()
        if form.parameter:
            named["key"] = parse_qs(parts.query).get(form.parameter, [""])[0]
            if not re.fullmatch(_KEYS[form.parameter][network], named["key"]):
                continue
        key = named.pop("key")
        return PostAddress(key, form.address.format(key, **named))
    raise BadPostAddress(f"This address names no post. {expected}")
