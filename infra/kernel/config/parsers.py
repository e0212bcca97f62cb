"""Parsers of settings: one for each kind of value; a `ValueError` says what is required.

`infra.kernel.config.settings` names them in its table and includes the error in its message.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

Network = IPv4Network | IPv6Network
Server = tuple[str, int]
"""Address and port."""


def parse_port(text: str) -> int:
    """A port from 1 to 65535."""
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise ValueError("a port is a number from 1 to 65535")
    return int(text)


def parse_count(text: str) -> int:
    """A whole number of 1 or more."""
    if not text.isdecimal() or int(text) < 1:
        raise ValueError("a whole number of 1 or more is needed")
    return int(text)


def parse_url(*schemes: str) -> Callable[[str], str]:
    """Makes a parser for URLs of these schemes; it removes slashes at the end."""

    def parse(text: str) -> str:
        parts = urlsplit(text)
        if parts.scheme not in schemes or not (parts.hostname or parts.path):
            raise ValueError(f"a URL that starts with {' or '.join(s + '://' for s in schemes)} is needed")
        return text.rstrip("/")

    return parse


def parse_profile(*hosts: str) -> Callable[[str], str]:
    """Makes a parser for the https address of a profile at one of these hosts, or at a subdomain of one."""

    def parse(text: str) -> str:
        parts = urlsplit(text)
        host = (parts.hostname or "").lower()
        is_there = any(host == one or host.endswith(f".{one}") for one in hosts)
        if parts.scheme != "https" or not is_there or "@" in parts.netloc or not text.isprintable() or " " in text:
            raise ValueError(f"the https:// address of a profile at {' or '.join(hosts)} is needed")
        return text

    return parse


def parse_figure(text: str) -> str:
    """A short text; `none`: nothing."""
    if len(text) > 20 or not text.isprintable():
        raise ValueError("a text of at most 20 characters is needed, or none")
    return "" if text.lower() == "none" else text


def parse_endpoint(text: str) -> str:
    """An address that others see in logs: names and passwords have settings of their own."""
    url = parse_url("http", "https")(text)
    parts = urlsplit(url)
    if not parts.hostname or "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("an address without user, password, ? and # is needed; the key has a setting of its own")
    return url


def parse_origin(text: str) -> str:
    """The address of a server, without a path; a slash at the end is removed."""
    origin = parse_endpoint(text)
    if urlsplit(origin).path:
        raise ValueError("scheme, host and port are needed, without a path")
    return origin


def parse_one_of(*names: str) -> Callable[[str], str]:
    """Makes a parser that accepts one of these names, in exactly this spelling."""

    def parse(text: str) -> str:
        if text not in names:
            raise ValueError(f"it takes one of {', '.join(names)}")
        return text

    return parse


def parse_rate_source(text: str) -> str | None:
    """Parses the source of exchange rates; `none`: no source outside."""
    return None if text == "none" else parse_one_of("ecb", "none")(text)


def parse_servers(text: str) -> str:
    """`host:port`, several with commas between them; spaces are removed."""
    for server in text.split(","):
        host, colon, port = server.strip().rpartition(":")
        if not (host and colon and port.isdecimal()):
            raise ValueError("servers are written host:port, with commas between them")
    return text.replace(" ", "")


def parse_file(text: str) -> Path:
    """The path of a file that exists at the start."""
    if not Path(text).is_file():
        raise ValueError("there is no such file")
    return Path(text)


def parse_webhook_secrets(text: str) -> tuple[str, ...]:
    """Short secrets could be guessed; an empty one would accept any signature."""
    for secret in text.split():
        try:
            key = b64decode(secret[6:], validate=True) if secret.startswith("whsec_") else secret.encode()
        except ValueError:
            key = b""
        if len(key) < 16:
            raise ValueError("whsec_ and the base64 of 16 bytes or more is needed (openssl rand -base64 32)")
    return tuple(text.split())


def parse_networks(text: str) -> tuple[Network, ...]:
    """Networks in CIDR notation, with commas between them; host bits are dropped."""
    return tuple(ip_network(part.strip(), strict=False) for part in text.split(",") if part.strip())


def parse_resolvers(text: str) -> tuple[Server, ...]:
    """`192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`, with commas between them."""
    servers: list[Server] = []
    for part in text.split(","):
        server = part.strip()
        address, port = server.strip("[]"), "53"
        if server.startswith("[") and "]:" in server:
            address, _, port = server[1:].partition("]:")
        elif server.count(":") == 1:
            address, _, port = server.partition(":")
        servers.append((str(ip_address(address)), parse_port(port)))
    return tuple(servers)


def parse_named_urls(*names: str) -> Callable[[str], tuple[tuple[str, str], ...]]:
    """Makes a parser for `name=URL` of these names, with commas between them; slashes at the end are removed."""

    def parse(text: str) -> tuple[tuple[str, str], ...]:
        urls: dict[str, str] = {}
        for part in text.split(","):
            name, _, url = part.strip().partition("=")
            if name not in names:
                raise ValueError(f"it is written name=URL, with commas between them; the names are {', '.join(names)}")
            urls[name] = parse_endpoint(url)
        return tuple(urls.items())

    return parse


def parse_email(text: str) -> str:
    """Checks the form alone: a name, an @ and a domain with a dot."""
    name, at, host = text.partition("@")
    if not (name and at and "." in host) or any(c.isspace() for c in text):
        raise ValueError("an email address is needed")
    return text


def parse_contact(text: str) -> str:
    """An email address or an https address, as a URI."""
    return parse_url("https")(text) if "://" in text else f"mailto:{parse_email(text)}"


def parse_password(text: str) -> str:
    """At least 8 characters."""
    if len(text) < 8:
        raise ValueError("a password has at least 8 characters")
    return text


def parse_flag(text: str) -> bool:
    """True for `1`, `true` and `yes`, false for `0`, `false` and `no`, in any case."""
    if text.lower() not in ("0", "1", "true", "false", "yes", "no"):
        raise ValueError("it takes 1 or 0")
    return text.lower() in ("1", "true", "yes")


def parse_master_key(text: str) -> str:
    """32 bytes as 64 hexadecimal digits, turned into lower case."""
    if len(text) != 64 or any(c not in "0123456789abcdefABCDEF" for c in text):
        raise ValueError("32 random bytes as 64 hexadecimal digits are needed (openssl rand -hex 32)")
    return text.lower()
