"""Detects hosts of the same website: those of one registrable domain, such as `blog.` and `shop.example.co.uk`, by the
list of public suffixes. Hosts that strangers register under (`github.io`, `myshopify.com`, `co.uk`) are not one
website, nor are addresses and names without a domain."""

from __future__ import annotations

from functools import lru_cache

from publicsuffixlist import PublicSuffixList


def is_same_site(host: str, other: str) -> bool:
    """Returns whether both hosts, lower case, are of one registrable domain."""
    site = _site_of(host)
    return site != "" and site == _site_of(other)


def warm_up() -> None:
    """Reads the list, which takes a quarter of a second: not while a person waits."""
    _suffixes()


@lru_cache(maxsize=4096)
def _site_of(host: str) -> str:
    if ":" in host or host.rpartition(".")[2].isdecimal():
        return ""
    return _suffixes().privatesuffix(host) or ""


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()
