"""Click ids: 39 letters and digits that travel to the partner and come back with the sale.

A click id carries website, link, time, country and device class, and a MAC, so a sale is attributed without a look-up
and a forged or altered id is refused. `ingest` mints them, `ingest` and the attribution policy open them.

Layout, 29 bytes, big endian, written in base 62 with 39 digits:
`ms since 2020 (5) | random (4) | link code (6) | website check (4) | flags 2, country 10, device 4 bit (2) | MAC (8)`

Of a link whose variants lead to several partners the id also says which one this click was led to: flag 1, and the
first of the random bytes is the place of that partner among those of the link's variants, 0 for the link's own. Ids
without the flag, also those of earlier versions, do not say it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from hmac import compare_digest
from typing import Final
from uuid import UUID

LENGTH: Final = 39
IN_PAGE: Final = 0
"""Link code of clicks on links that stand in a page and are no tracked links; those have codes from 1 on."""
EPOCH: Final = datetime(2020, 1, 1, tzinfo=UTC)
DEVICES: Final = ("", "desktop", "mobile", "tablet", "bot", "other")

_DIGITS: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_PAIRS: Final = [first + second for first in _DIGITS for second in _DIGITS]
_VALUE: Final = {digit: value for value, digit in enumerate(_DIGITS)}
_BODY: Final = 21
_MAC: Final = 8
MAX_PLACE: Final = 255
"""Partners of variants that an id can name."""
_NAMES_PARTNER: Final = 1 << 14
_RANDOM_BESIDE_PLACE: Final = (1 << 24) - 1


@dataclass(frozen=True, slots=True)
class Click:
    """The content of a genuine click id. `partner_place`: the partner to which it led, among those of the link's
    variants, from 1 on, 0 for the link's own; none: the id does not say it."""

    at: datetime
    link_code: int
    website_check: int
    country: str
    device: str
    nonce: int
    partner_place: int | None = None

    def is_of(self, website_id: UUID) -> bool:
        """Returns whether the click happened on that website."""
        return self.website_check == website_check(website_id)


class ForgedClickId(ValueError):
    """Not a click id of this installation: wrong format or wrong MAC."""


def website_check(website_id: UUID) -> int:
    """Returns the 32 bits of a website inside a click id."""
    return int.from_bytes(blake2b(website_id.bytes, digest_size=4).digest(), "big")


def mint(
    key: bytes,
    *,
    at: datetime,
    link_code: int,
    website_id: UUID,
    country: str,
    device: str,
    nonce: int,
    partner_place: int | None = None,
) -> str:
    """A click id, signed with `key` (32 bytes). `nonce`: 32 random bits, of which it takes 24 with a `partner_place`
    (at most `MAX_PLACE`); `country`: two capitals."""
    milliseconds = (at - EPOCH) // timedelta(milliseconds=1)
    first, second = (ord(c) - 65 for c in country)
    traits = (first * 26 + second) << 4 | DEVICES.index(device if device in DEVICES else "other")
    if partner_place is not None:
        traits |= _NAMES_PARTNER
        nonce = partner_place << 24 | nonce & _RANDOM_BESIDE_PLACE
    body = (
        milliseconds.to_bytes(5, "big")
        + nonce.to_bytes(4, "big")
        + link_code.to_bytes(6, "big")
        + website_check(website_id).to_bytes(4, "big")
        + traits.to_bytes(2, "big")
    )
    number = int.from_bytes(body + _mac(key, body), "big")
    pairs = []
    for _ in range(LENGTH // 2):
        number, value = divmod(number, len(_PAIRS))
        pairs.append(_PAIRS[value])
    return _DIGITS[number] + "".join(reversed(pairs))


def read(key: bytes, text: str) -> Click:
    """The content of the click id. Raises `ForgedClickId`."""
    raw = _decoded(text)
    if not compare_digest(raw[_BODY:], _mac(key, raw[:_BODY])):
        raise ForgedClickId("the click id was not made here, or was changed")
    return _content(raw)


def unverified(text: str) -> Click:
    """Returns the content of a click id, for services without the key: it may be forged. Raises `ForgedClickId` for
    other text."""
    return _content(_decoded(text))


def event_id(text: str) -> UUID:
    """Returns the id of the click event that a click id names (UUID version 8)."""
    raw = bytearray(blake2b(text.encode(), digest_size=16).digest())
    raw[6] = raw[6] & 0x0F | 0x80
    raw[8] = raw[8] & 0x3F | 0x80
    return UUID(bytes=bytes(raw))


def _decoded(text: str) -> bytes:
    if len(text) != LENGTH:
        raise ForgedClickId(f"a click id has {LENGTH} letters and digits")
    number = 0
    for digit in text:
        value = _VALUE.get(digit)
        if value is None:
            raise ForgedClickId("a click id has letters and digits only")
        number = number * 62 + value
    if number >> (8 * (_BODY + _MAC)):
        raise ForgedClickId("not a click id")
    return number.to_bytes(_BODY + _MAC, "big")


def _content(body: bytes) -> Click:
    traits = int.from_bytes(body[19:21], "big")
    letters, device = (traits & (_NAMES_PARTNER - 1)) >> 4, traits & 15
    return Click(
        at=EPOCH + timedelta(milliseconds=int.from_bytes(body[0:5], "big")),
        link_code=int.from_bytes(body[9:15], "big"),
        website_check=int.from_bytes(body[15:19], "big"),
        country=chr(65 + letters // 26) + chr(65 + letters % 26),
        device=DEVICES[device] if device < len(DEVICES) else "other",
        nonce=int.from_bytes(body[5:9], "big"),
        partner_place=body[5] if traits & _NAMES_PARTNER else None,
    )


def _mac(key: bytes, body: bytes) -> bytes:
    return blake2b(body, key=key, digest_size=_MAC).digest()
