"""Places in the log: what a command returns as `X-Position`, and what a read sends as `X-Wait-For`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from schemas.topics import BY_NAME, CLICKS, DOMAIN, MAX_PARTITIONS, READ_BY, REJECTED

MAX_WAIT_S: Final = 2.0
MAX_TOKENS: Final = 8
_TOKEN: Final = re.compile(r"(?P<topic>[a-z]+)(\[(?P<partition>\d{1,4})\])?@(?P<offset>\d{1,18})")

RAW: Final = frozenset(READ_BY)
"""The projections in ClickHouse."""


class InvalidToken(ValueError):
    """An invalid `X-Wait-For`; the message gives the format."""


@dataclass(frozen=True, slots=True)
class PositionToken:
    """A position in the log that an answer must contain."""

    topic: str
    partition: int
    offset: int


def parse(text: str) -> tuple[PositionToken, ...]:
    """The tokens of an `X-Wait-For` header: `domain@12`, `clicks[3]@98765`, comma-separated. Raises `InvalidToken`."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) > MAX_TOKENS:
        raise InvalidToken(f"X-Wait-For takes at most {MAX_TOKENS} positions.")
    return tuple(_token(part) for part in parts)


def _token(text: str) -> PositionToken:
    match = _TOKEN.fullmatch(text)
    topic = BY_NAME.get(match["topic"]) if match else None
    if match is None or topic not in (DOMAIN, CLICKS, REJECTED):
        raise InvalidToken("X-Wait-For takes positions such as domain@1234 or clicks[3]@98765.")
    partition = int(match["partition"] or 0)
    last = (topic.partitions if topic is not CLICKS else MAX_PARTITIONS) - 1
    if partition > last:
        raise InvalidToken(f"X-Wait-For: {topic.name} has the partitions 0 to {last}.")
    return PositionToken(topic.name, partition, int(match["offset"]))


def topics_of(projection: str) -> frozenset[str]:
    """Returns the topics that the projection reads."""
    return frozenset(topic.name for topic in READ_BY.get(projection, (DOMAIN,)))
