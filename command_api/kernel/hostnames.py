"""Normalizes host names and web addresses that users type; rejects those that cannot be public. Pure."""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import ip_address
from typing import Final
from urllib.parse import SplitResult, urlsplit

import idna
from publicsuffixlist import PublicSuffixList

from command_api.kernel.decision import invalid

MAX_URL_LENGTH: Final = 2048
_PRIVATE_ENDINGS: Final = (".local", ".internal", ".localhost", ".lan", ".home.arpa", ".onion")
_ODD: Final = re.compile(r"[\x00-\x20\x7f\\\s]")


def website_domain(text: str) -> str:
    """Parses a typed host name: `https://www.Example.com/` -> `www.example.com`. Raises `CommandRejected`."""
    host = re.sub(r"^https?://", "", text.strip(), flags=re.IGNORECASE).rstrip("/")
    if not host or re.search(r"[/?#@:\s\\]", host):
        raise invalid("bad_host", "Please enter a domain such as example.com, without a path.", "domain")
    return public_host(host, "domain")


def public_host(host: str, field: str) -> str:
    """Returns `host` in lower case and IDNA form. Raises `CommandRejected` unless it is below a public suffix."""
    name = host.rstrip(".").lower()
    try:
        name = idna.encode(name, uts46=True).decode()
    except (idna.IDNAError, UnicodeError) as error:
        raise invalid("bad_host", f"{host[:100]} is not a host name.", field) from error
    if is_address(name) or name.endswith(_PRIVATE_ENDINGS) or registered_domain(name) is None:
        raise invalid("bad_host", f"{name} is not a public host name.", field)
    return name


def registered_domain(host: str) -> str | None:
    """Returns the registrable domain: `shop.example.co.uk` -> `example.co.uk`; `None` for a public suffix."""
    domain: str | None = _suffixes().privatesuffix(host)
    return domain


def web_address(text: str, field: str) -> SplitResult:
    """Parses an http(s) URL with a public host. Raises `CommandRejected`."""
    plain_text(text, field)
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise invalid("bad_url", "This is not a web address.", field) from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise invalid("bad_url", "A web address starts with https:// or http:// and a host name.", field)
    if "@" in parts.netloc:
        raise invalid("bad_url", "A web address must not contain a user name or password.", field)
    host = public_host(parts.hostname, field)
    return parts._replace(netloc=host if port is None else f"{host}:{port}")


def plain_text(text: str, field: str) -> None:
    """Raises `CommandRejected` for a URL that is too long or contains spaces, control characters or `\\`."""
    if len(text) > MAX_URL_LENGTH or _ODD.search(text):
        raise invalid("bad_url", "An address has at most 2,048 characters and no spaces.", field)


def is_address(host: str) -> bool:
    """Returns whether `host` is an IP address in any notation that resolvers accept."""
    if re.fullmatch(r"(0x[0-9a-f]+|\d+)(\.(0x[0-9a-f]+|\d+))*", host):
        return True
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()
