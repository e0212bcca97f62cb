"""Errors of the ClickHouse front: the engine's own codes and texts, and the HTTP status that ClickHouse gives each."""

from __future__ import annotations

import re
from itertools import pairwise

SYNTAX_ERROR = 62
UNKNOWN_SETTING = 115
READONLY = 164
TOO_MANY_SIMULTANEOUS_QUERIES = 202
SOCKET_TIMEOUT = 209
NETWORK_ERROR = 210
MEMORY_LIMIT_EXCEEDED = 241
INCORRECT_DATA = 117
BAD_ARGUMENTS = 36
NOT_IMPLEMENTED = 48
CHECKSUM_DOESNT_MATCH = 40
CANNOT_DECOMPRESS = 271
SESSION_NOT_FOUND = 372
SESSION_IS_LOCKED = 373
QUERY_IS_TOO_LARGE = 425
ACCESS_DENIED = 497
SET_NON_GRANTED_ROLE = 512
AUTHENTICATION_FAILED = 516
QUERY_WAS_CANCELLED = 394
TOO_MANY_SESSIONS = 731
SERVER_STOPPING = 734
UNKNOWN_DATABASE = 81
TOO_MANY_ROWS_OR_BYTES = 396
TIMEOUT_EXCEEDED = 159

_NAMES = {
    SYNTAX_ERROR: "SYNTAX_ERROR",
    UNKNOWN_SETTING: "UNKNOWN_SETTING",
    READONLY: "READONLY",
    TOO_MANY_SIMULTANEOUS_QUERIES: "TOO_MANY_SIMULTANEOUS_QUERIES",
    SOCKET_TIMEOUT: "SOCKET_TIMEOUT",
    NETWORK_ERROR: "NETWORK_ERROR",
    MEMORY_LIMIT_EXCEEDED: "MEMORY_LIMIT_EXCEEDED",
    INCORRECT_DATA: "INCORRECT_DATA",
    BAD_ARGUMENTS: "BAD_ARGUMENTS",
    NOT_IMPLEMENTED: "NOT_IMPLEMENTED",
    CHECKSUM_DOESNT_MATCH: "CHECKSUM_DOESNT_MATCH",
    CANNOT_DECOMPRESS: "CANNOT_DECOMPRESS",
    SESSION_NOT_FOUND: "SESSION_NOT_FOUND",
    SESSION_IS_LOCKED: "SESSION_IS_LOCKED",
    QUERY_IS_TOO_LARGE: "QUERY_IS_TOO_LARGE",
    ACCESS_DENIED: "ACCESS_DENIED",
    SET_NON_GRANTED_ROLE: "SET_NON_GRANTED_ROLE",
    AUTHENTICATION_FAILED: "AUTHENTICATION_FAILED",
    QUERY_WAS_CANCELLED: "QUERY_WAS_CANCELLED",
    TOO_MANY_SESSIONS: "USER_SESSION_LIMIT_EXCEEDED",
    SERVER_STOPPING: "ABORTED",
    UNKNOWN_DATABASE: "UNKNOWN_DATABASE",
    TOO_MANY_ROWS_OR_BYTES: "TOO_MANY_ROWS_OR_BYTES",
    TIMEOUT_EXCEEDED: "TIMEOUT_EXCEEDED",
}

# The engine's exceptionCodeToHTTPStatus, plus the two refusals that a client may retry (503).
_STATUS: dict[int, int] = {
    194: 401,  # REQUIRED_PASSWORD
    **dict.fromkeys((192, 193, 497, 512, 516), 403),
    **dict.fromkeys((6, 15, 16, 25, 26, 27, 36, 38, 41, 44, 53, 62, 69, 72, 117, 167, 168, 190, 195, 321, 427), 400),
    **dict.fromkeys((675, 676, 376), 400),  # CANNOT_PARSE_IPV4, _IPV6, _UUID
    **dict.fromkeys((46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 255, 336, 511), 404),
    TIMEOUT_EXCEEDED: 408,
    QUERY_IS_TOO_LARGE: 413,
    NOT_IMPLEMENTED: 501,
    **dict.fromkeys((SOCKET_TIMEOUT, 76, 439), 503),
    TOO_MANY_SIMULTANEOUS_QUERIES: 503,
    SERVER_STOPPING: 503,
}

_CODE = re.compile(r"Code:\s*(\d+)\.\s*(?:DB::)?Exception:\s*", re.DOTALL)
_TRAILING_VERSION = re.compile(r"(?:\s*\(version [^()]*(?:\([^()]*\))?\)\.?(?:\s*\([A-Z_0-9]+\))?)+\s*$")


class ClickHouseError(Exception):
    """One refusal or failure as a ClickHouse client expects it: `code` is ClickHouse's, `text` the whole message."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code
        self.text = text

    @property
    def status(self) -> int:
        return _STATUS.get(self.code, 500)


def error(code: int, message: str) -> ClickHouseError:
    """A refusal by the front itself, worded as the engine words its own."""
    return ClickHouseError(code, f"Code: {code}. DB::Exception: {message}. ({_NAMES[code]})")


def from_engine(failure: BaseException) -> ClickHouseError:
    """The engine's exception with its code. It nests its text for SET and SETTINGS: the innermost counts."""
    text = str(failure)
    found = list(_CODE.finditer(text))
    if not found:
        return ClickHouseError(1001, f"Code: 1001. DB::Exception: {text} (STD_EXCEPTION)")
    text = text[found[-1].start() :] if _nested(found) else text[found[0].start() :]
    return ClickHouseError(int(found[-1 if _nested(found) else 0].group(1)), _TRAILING_VERSION.sub("", text).strip())


def _nested(found: list[re.Match[str]]) -> bool:
    """Whether the codes stand directly inside each other ("Code: 1. ...: Code: 1. ...: text")."""
    return len(found) > 1 and all(a.end() == b.start() for a, b in pairwise(found))
