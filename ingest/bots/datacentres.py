"""Detects addresses of hosting companies: ranges from `datacentres.csv`, which names its date and source.

People browse from homes, offices and phones; what comes from a rented server is a program, or a person behind a VPN.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from pathlib import Path
from socket import AF_INET, AF_INET6, inet_pton
from typing import Final

FILE: Final = Path(__file__).with_name("datacentres.csv")


def packed_address(address: str) -> bytes | None:
    """Returns 4 or 16 bytes; none for a text that is no address."""
    try:
        return inet_pton(AF_INET6 if ":" in address else AF_INET, address)
    except (OSError, UnicodeEncodeError, ValueError):
        return None


class Datacentres:
    """Address ranges, searched by halves. An empty list holds no address."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, ranges: Iterable[tuple[bytes, bytes]] = ()) -> None:
        in_order = sorted(ranges, key=lambda one: (len(one[0]), one[0]))
        self._starts = {size: [first for first, _ in in_order if len(first) == size] for size in (4, 16)}
        self._ends = {size: [last for first, last in in_order if len(first) == size] for size in (4, 16)}

    def holds(self, packed: bytes) -> bool:
        starts = self._starts[len(packed)]
        place = bisect_right(starts, packed)
        return place > 0 and packed <= self._ends[len(packed)][place - 1]


def read_datacentres(file: Path = FILE) -> Datacentres:
    """The list of the file. Raises `ValueError` for a line that is no range."""
    ranges: list[tuple[bytes, bytes]] = []
    for line in file.read_text().splitlines():
        if line.startswith("#"):
            continue
        first, _, last = line.partition(",")
        begin, end = packed_address(first), packed_address(last)
        if begin is None or end is None or len(begin) != len(end) or begin > end:
            raise ValueError(f"{file.name}: {line!r} is no range of addresses")
        ranges.append((begin, end))
    return Datacentres(ranges)
