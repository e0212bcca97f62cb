"""Step decode: the body's bytes to events. A good body is decoded in one go; only a bad one is taken apart, so that
one bad event never loses the good ones around it."""

from __future__ import annotations

import re
import zlib
from typing import Final

import msgspec

from ingest.refused import Refused, invalid
from ingest.rows import SentEvent
from schemas.tracking import Outcome

MAX_BODY: Final = 1024 * 1024
MAX_EVENTS: Final = 10_000
MAX_EVENT_BYTES: Final = 32 * 1024
Decoded = list[SentEvent | Refused]

_one = msgspec.json.Decoder(SentEvent)
_many = msgspec.json.Decoder(list[SentEvent])
_parts = msgspec.json.Decoder(list[msgspec.Raw])
_JSON: Final = frozenset({b"application/json", b"text/plain", b""})
_LINES: Final = frozenset({b"application/x-ndjson", b"application/ndjson", b"application/jsonl"})
_UTF8: Final = frozenset({b"", b"utf-8", b"utf8", b"us-ascii"})


def inflate(body: bytes, encoding: bytes) -> bytes:
    """The body without its Content-Encoding, at most `MAX_BODY` bytes. Raises `Refused`."""
    if encoding in (b"", b"identity"):
        return body
    if encoding.lower() not in (b"gzip", b"x-gzip"):
        raise Refused(Outcome.INVALID, "unsupported_encoding", "Content-Encoding may be gzip", status=415)
    reader = zlib.decompressobj(31)
    try:
        plain = reader.decompress(body, MAX_BODY + 1)
    except zlib.error:
        raise invalid("bad_gzip", "The body is not gzip.") from None
    if len(plain) > MAX_BODY:
        raise too_large("The body has more than 1 MiB once it is unpacked.")
    if not reader.eof or reader.unused_data:
        raise invalid("bad_gzip", "The gzip body is cut off, or more follows it.")
    return plain


def decode(body: bytes, content_type: bytes) -> tuple[Decoded, bool]:
    """The events in the order sent, and whether it was one event alone (not an array). Raises `Refused`."""
    if not is_json(content_type):
        return _limited(_decode_lines(body)), False
    start = body[:64].lstrip()[:1] or body.lstrip()[:1]
    if start == b"[":
        return _limited(_decode_array(body)), False
    if len(body) > MAX_EVENT_BYTES:
        return [_event_too_large()], True
    return [_decode_one(body)], True


def is_json(content_type: bytes) -> bool:
    """Whether the type is read as JSON; false: as lines of JSON. Raises `Refused` (415) for any other."""
    kind, *parameters = (part.strip() for part in content_type.lower().split(b";"))
    charset = next((p.removeprefix(b"charset=").strip(b"\"'") for p in parameters if p.startswith(b"charset=")), b"")
    if charset in _UTF8 and (kind in _JSON or kind.endswith(b"+json")):
        return True
    if charset in _UTF8 and kind in _LINES:
        return False
    raise Refused(
        Outcome.INVALID,
        "unsupported_media_type",
        "Send application/json, text/plain (read as JSON) or application/x-ndjson, in UTF-8.",
        status=415,
    )


def _limited(events: Decoded) -> Decoded:
    if not events:
        raise invalid("empty", "There is no event in the body.")
    if len(events) > MAX_EVENTS:
        raise too_large(f"A request may hold {MAX_EVENTS:,} events.")
    return events


def _decode_array(body: bytes) -> Decoded:
    try:
        if len(body) <= MAX_EVENT_BYTES:
            return list(_many.decode(body))
        parts = _parts.decode(body)
        if all(memoryview(part).nbytes <= MAX_EVENT_BYTES for part in parts):
            return list(_many.decode(body))
    except (ValueError, RecursionError):
        pass
    return [_decode_part(part) for part in _split(body)]


def _decode_lines(body: bytes) -> Decoded:
    lines = [line for line in body.split(b"\n") if line.strip()]
    if all(len(line) <= MAX_EVENT_BYTES for line in lines):
        try:
            return list(_one.decode_lines(body))
        except (ValueError, RecursionError):
            pass
    return [_decode_part(line) for line in lines[: MAX_EVENTS + 1]]


def _decode_part(part: bytes) -> SentEvent | Refused:
    return _event_too_large() if len(part) > MAX_EVENT_BYTES else _decode_one(part)


def _decode_one(part: bytes) -> SentEvent | Refused:
    try:
        return _one.decode(part)
    except msgspec.ValidationError as error:
        return _explain(str(error))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return invalid("bad_json", f"This is not JSON in UTF-8: {error}")
    except RecursionError:
        return invalid("bad_json", "The JSON is nested too deeply.")


def _explain(error: str) -> Refused:
    """msgspec's words, with a code that names the field."""
    found = _AT_FIELD.search(error) or _MISSING.search(error)
    if found is not None:
        field = found.group(1)
        kind = "missing" if "missing" in error else "bad"
        return invalid(f"{kind}_{field}", f"{field}: {error.partition(' - at ')[0]}")
    return invalid("not_an_event", 'An event is a JSON object with a type, such as {"type": "pageview"}.')


def _split(body: bytes) -> list[bytes]:
    """The elements of an array, also when some are not JSON: by brackets, commas and strings alone."""
    try:
        return [bytes(part) for part in _parts.decode(body)]
    except (ValueError, RecursionError):
        pass
    parts: list[bytes] = []
    depth, start = 0, 0
    for token in _TOKEN.finditer(body):
        sign = token.group()
        if sign in b"[{":
            depth += 1
            if depth == 1:
                start = token.end()
        elif sign in b"]}":
            depth -= 1
        if (sign == b"," and depth == 1) or depth == 0:
            part = body[start : token.start()]
            if part.strip() or sign == b",":
                parts.append(part)
            start = token.end()
        if depth == 0:
            if body[start:].strip():
                break
            return parts
        if len(parts) > MAX_EVENTS:
            return parts
    raise invalid("bad_json", "The body is not a JSON array: it does not end where it should.")


def too_large(message: str) -> Refused:
    return Refused(Outcome.TOO_LARGE, "too_large", message, status=413)


def _event_too_large() -> Refused:
    return Refused(Outcome.TOO_LARGE, "event_too_large", "One event may have 32 KB.", status=413)


# A text that does not end is taken to the end: if it did not match, every quote in it would be tried anew.
_TOKEN: Final = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{},]', re.S)
_AT_FIELD: Final = re.compile(r"at `\$\.(\w+)")
_MISSING: Final = re.compile(r"missing required field `(\w+)`")
