"""The protocol between the server and a worker process: frames of a kind, a length, and that many bytes.

The server sends one `JOB`. The process answers with `HEAD`, any number of `DATA` and `END`, or with `ERROR` in place
of the remaining frames. The server treats everything from the process as data.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, TypeVar

import msgspec

from infra.services.clickhouse_server.engine import Stats

T = TypeVar("T")

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
class JobTable:
    """An external table of a job; its rows are in `file`."""

    name: str
    file: str
    input_format: str
    structure: str


@dataclass(frozen=True)
class StatementJob:
    """A statement with its limits (`settings`) and tables: `create` creates them in database `tables_in`, `paths`
    are the directories of their parts, `external` exist for the statement alone. `is_checked`: a service has validated
    the text; it is not validated again."""

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
    external: tuple[JobTable, ...] = ()
    protocol_revision: int = 0


@dataclass(frozen=True)
class Head:
    """The beginning of a result; `is_whole`: it has been computed to its end."""

    output_format: str
    stats: Stats
    is_whole: bool


def frame(kind: bytes, payload: bytes = b"") -> bytes:
    return HEADER.pack(kind, len(payload)) + payload


def encode(kind: bytes, value: Any) -> bytes:
    """A frame with a data class or a tuple: `StatementJob`, `Head`, `Stats`, or the code and the text of an error."""
    return frame(kind, json.dumps(value, default=asdict).encode())


def decode(payload: bytes, form: type[T]) -> T:
    """Reads what `encode` made of a value of this type. Raises `msgspec.ValidationError` for anything else."""
    return msgspec.convert(json.loads(payload), form)
