"""Errors of the ClickHouse front: the engine's own codes and texts, and the HTTP status that ClickHouse gives each."""

from __future__ import annotations

import re
from enum import IntEnum
from itertools import pairwise

from infra.domain.sql_access.faults import explain


class Code(IntEnum):
    """ClickHouse's error codes, by the names that its messages end with."""

    SYNTAX_ERROR = 62
    UNKNOWN_SETTING = 115
    READONLY = 164
    TOO_MANY_SIMULTANEOUS_QUERIES = 202
    SOCKET_TIMEOUT = 209
    NETWORK_ERROR = 210
    MEMORY_LIMIT_EXCEEDED = 241
    BAD_ARGUMENTS = 36
    NOT_IMPLEMENTED = 48
    CHECKSUM_DOESNT_MATCH = 40
    CANNOT_DECOMPRESS = 271
    SESSION_IS_LOCKED = 373
    QUERY_IS_TOO_LARGE = 425
    ACCESS_DENIED = 497
    SET_NON_GRANTED_ROLE = 512
    AUTHENTICATION_FAILED = 516
    QUERY_WAS_CANCELLED = 394
    USER_SESSION_LIMIT_EXCEEDED = 731
    ABORTED = 734
    UNKNOWN_DATABASE = 81
    UNKNOWN_TABLE = 60
    TOO_MANY_ROWS_OR_BYTES = 396
    TIMEOUT_EXCEEDED = 159


# The engine's exceptionCodeToHTTPStatus, plus the two refusals that a client may retry (503).
_STATUS: dict[int, int] = {
    194: 401,  # REQUIRED_PASSWORD
    **dict.fromkeys((192, 193, 497, 512, 516), 403),
    **dict.fromkeys((6, 15, 16, 25, 26, 27, 36, 38, 41, 44, 53, 62, 69, 72, 117, 167, 168, 190, 195, 321, 427), 400),
    **dict.fromkeys((675, 676, 376), 400),  # CANNOT_PARSE_IPV4, _IPV6, _UUID
    **dict.fromkeys((46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 255, 336, 511), 404),
    Code.TIMEOUT_EXCEEDED: 408,
    Code.QUERY_IS_TOO_LARGE: 413,
    Code.NOT_IMPLEMENTED: 501,
    **dict.fromkeys((Code.SOCKET_TIMEOUT, 76, 439), 503),
    Code.TOO_MANY_SIMULTANEOUS_QUERIES: 503,
    Code.ABORTED: 503,
}

_CODE = re.compile(r"Code:\s*(\d+)\.\s*(?:DB::)?Exception:\s*", re.DOTALL)
_TRAILING_VERSION = re.compile(r"(?:\s*\(version [^()]*(?:\([^()]*\))?\)\.?(?:\s*\([A-Z_0-9]+\))?)+\s*$")
_WORDING = re.compile(r"(?P<head>Code: \d+\. DB::Exception: )(?P<said>.*?)\.?\s*(?P<name>\([A-Z_0-9]+\))", re.DOTALL)


class ClickHouseError(Exception):
    """One refusal or failure as a ClickHouse client expects it: `code` is ClickHouse's, `text` the whole message, and
    `status` of HTTP is the code's by default."""

    def __init__(self, code: int, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.status = status or _STATUS.get(code, 500)


def error(code: Code, message: str) -> ClickHouseError:
    """An error of the server itself, worded like the engine's."""
    return ClickHouseError(code, f"Code: {code}. DB::Exception: {message}. ({code.name})")


def explained(failure: ClickHouseError, sql: str) -> ClickHouseError:
    """The same error in terms of the text `sql` that its author wrote; code and form stay ClickHouse's."""
    match = _WORDING.fullmatch(failure.text)
    if match is None:
        return failure
    message = explain(match["said"], sql).message
    return ClickHouseError(failure.code, f"{match['head']}{message} {match['name']}", failure.status)


def from_engine(failure: BaseException) -> ClickHouseError:
    """The engine's exception with its code. It nests its text for SET and SETTINGS: the innermost counts."""
    text = str(failure)
    codes = list(_CODE.finditer(text))
    if not codes:
        return ClickHouseError(1001, f"Code: 1001. DB::Exception: {text} (STD_EXCEPTION)")
    is_nested = all(a.end() == b.start() for a, b in pairwise(codes))  # "Code: 1. ...: Code: 1. ...: text"
    counts = codes[-1] if is_nested else codes[0]
    return ClickHouseError(int(counts.group(1)), _TRAILING_VERSION.sub("", text[counts.start() :]).strip())
