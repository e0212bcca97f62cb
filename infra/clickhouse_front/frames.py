"""What passes between the front and a process that runs analysts' statements: a kind, a length, and that many bytes.

The front sends one `JOB`. The process answers with `HEAD`, any number of `DATA` and `END`, or with `ERROR` in the place
of what is left. Nothing that comes from the process is more than data to the front.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

from infra.clickhouse_front.engine import Stats
from infra.clickhouse_front.errors import ClickHouseError

READY: Final = b"R"
JOB: Final = b"J"
HEAD: Final = b"H"
DATA: Final = b"D"
END: Final = b"Z"
ERROR: Final = b"E"

HEADER: Final = struct.Struct("!cI")
MAX_FRAME_BYTES: Final = 4 << 20
DATA_BYTES: Final = 1 << 20


@dataclass(frozen=True)
class Job:
    """A statement with all that it may: `settings` are its limits, `create` makes its tables in database `tables_in`,
    and `paths` are the directories of their parts. `is_checked`: a service has read the text; nobody looks again."""

    kind: str
    sql: str
    output_format: str
    database: str
    whole: bool
    parameters: Mapping[str, str]
    settings: Mapping[str, str]
    tables_in: str
    is_checked: bool
    create: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    def encode(self) -> bytes:
        return frame(JOB, json.dumps(asdict(self)).encode())

    @classmethod
    def decode(cls, payload: bytes) -> Job:
        found: dict[str, Any] = json.loads(payload)
        return cls(**{**found, "create": tuple(found["create"]), "paths": tuple(found["paths"])})


@dataclass(frozen=True)
class Head:
    """The beginning of a result; `is_whole`: it has been computed to its end."""

    output_format: str
    stats: Stats
    is_whole: bool


def frame(kind: bytes, payload: bytes = b"") -> bytes:
    return HEADER.pack(kind, len(payload)) + payload


def encode_head(output_format: str, stats: Stats, *, is_whole: bool) -> bytes:
    return json.dumps({"format": output_format, "stats": asdict(stats), "whole": is_whole}).encode()


def decode_head(payload: bytes) -> Head:
    found = json.loads(payload)
    return Head(str(found["format"]), _stats(found["stats"]), bool(found["whole"]))


def encode_stats(stats: Stats) -> bytes:
    return json.dumps(asdict(stats)).encode()


def decode_stats(payload: bytes) -> Stats:
    return _stats(json.loads(payload))


def encode_failure(failure: ClickHouseError) -> bytes:
    return json.dumps([failure.code, failure.text]).encode()


def decode_failure(payload: bytes) -> ClickHouseError:
    code, text = json.loads(payload)
    return ClickHouseError(int(code), str(text))


def _stats(found: Mapping[str, Any]) -> Stats:
    return Stats(**{name: int(value) for name, value in found.items()})
