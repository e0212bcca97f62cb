"""Step decode: decodes the body to events in short steps, between which other requests run.

A valid body is decoded in pieces of 8 KB, or of one event. Only an invalid piece is split into elements, so that one
bad event does not affect the valid ones around it. All parts are counted before any of them is decoded alone.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Generator, Iterator
from functools import lru_cache
from math import isinf
from typing import Final

import msgspec

from ingest.errors import EventRejected, invalid
from ingest.rows import SentEvent
from ingest.steps.split import Splitter, unfinished
from schemas.tracking import Outcome

MAX_BODY: Final = 1024 * 1024
MAX_EVENTS: Final = 10_000
MAX_EVENT_BYTES: Final = 32 * 1024
MAX_CONTENT_TYPE: Final = 256
PIECE: Final = 8 * 1024
"""Bytes that are decoded at once, if an event ends within them."""
Decoded = list[SentEvent | EventRejected]


def finite(text: str) -> float:
    """A number with a fraction or exponent. msgspec's own reading of large exponents takes a hundred times longer.
    Raises `ValueError` for one that no float can hold."""
    number = float(text)
    if isinf(number):
        raise ValueError("Number out of range")
    return number


_one = msgspec.json.Decoder(SentEvent)
_many = msgspec.json.Decoder(list[SentEvent])
_parts = msgspec.json.Decoder(list[msgspec.Raw])
_JSON: Final = frozenset({b"application/json", b"text/plain", b""})
_LINES: Final = frozenset({b"application/x-ndjson", b"application/ndjson", b"application/jsonl"})
_UTF8: Final = frozenset({b"", b"utf-8", b"utf8", b"us-ascii"})


class DecodedBody:
    """The bytes of a request without their Content-Encoding, decompressed only as far as needed."""

    def __init__(self, sent: bytes, encoding: bytes) -> None:
        """Checks the content encoding. Raises `EventRejected` (415)."""
        self._sent = sent
        self._reader = None
        if encoding not in (b"", b"identity"):
            if encoding.lower() not in (b"gzip", b"x-gzip"):
                raise EventRejected(Outcome.INVALID, "unsupported_encoding", "Content-Encoding may be gzip", status=415)
            self._reader = zlib.decompressobj(31)
        self._plain = b"" if self._reader is not None else sent
        self._begun = False

    def start(self, size: int) -> bytes:
        """About the first `size` bytes. Raises `EventRejected` (bad_gzip)."""
        if self._reader is not None and not self._begun:
            self._begun = True
            self._plain = _unpacked(self._reader, self._sent, size)
        return self._plain[:size]

    def whole(self) -> bytes:
        """Returns the whole body, at most `MAX_BODY` bytes. Raises `EventRejected` (bad_gzip, too_large)."""
        reader = self._reader
        if reader is None:
            return self._plain
        left = reader.unconsumed_tail if self._begun else self._sent
        self._begun = True
        self._plain += _unpacked(reader, left, MAX_BODY + 1 - len(self._plain))
        if len(self._plain) > MAX_BODY:
            raise too_large("The body has more than 1 MiB once it is unpacked.")
        if not reader.eof or reader.unused_data:
            raise invalid("bad_gzip", "The gzip body is cut off, or more follows it.")
        return self._plain


def _unpacked(reader: zlib._Decompress, packed: bytes, size: int) -> bytes:
    try:
        return reader.decompress(packed, size)
    except zlib.error:
        raise invalid("bad_gzip", "The body is not gzip.") from None


def inflate(body: bytes, encoding: bytes) -> bytes:
    """The body without its Content-Encoding, at most `MAX_BODY` bytes. Raises `EventRejected`."""
    return DecodedBody(body, encoding).whole()


def decode(body: bytes, content_type: bytes) -> tuple[Decoded, bool]:
    """The events in the order sent, and whether it was one event alone (not an array). Raises `EventRejected`."""
    reading = BodyDecoder(body, content_type)
    for _ in reading.steps():
        pass
    return reading.events, reading.is_alone


def is_json(content_type: bytes) -> bool:
    """Returns whether the type is read as JSON; false: as lines of JSON. Raises `EventRejected` (415) for any other."""
    as_json = _is_json(content_type) if len(content_type) <= MAX_CONTENT_TYPE else None
    if as_json is None:
        raise EventRejected(
            Outcome.INVALID,
            "unsupported_media_type",
            "Send application/json, text/plain (read as JSON) or application/x-ndjson, in UTF-8.",
            status=415,
        )
    return as_json


@lru_cache(maxsize=256)
def _is_json(content_type: bytes) -> bool | None:
    kind, *parameters = (part.strip() for part in content_type.lower().split(b";"))
    charset = next((p.removeprefix(b"charset=").strip(b"\"'") for p in parameters if p.startswith(b"charset=")), b"")
    if charset not in _UTF8:
        return None
    if kind in _JSON or kind.endswith(b"+json"):
        return True
    return False if kind in _LINES else None


def is_array(start: bytes) -> bool:
    """Returns whether a JSON body that begins like this is an array."""
    return (start[:64].lstrip() or start.lstrip())[:1] == b"["


class BodyDecoder:
    """Decodes one body to events."""

    def __init__(self, body: bytes, content_type: bytes) -> None:
        """Raises `EventRejected` (415)."""
        self._body = body
        self._is_json = is_json(content_type)
        self._items: list[SentEvent | EventRejected | msgspec.Raw | bytes] = []
        self._has_parts = False
        self.is_alone = self._is_json and not is_array(body)
        """Whether it is one event, not an array or lines."""

    @property
    def events(self) -> Decoded:
        """Returns the events that were read, once all steps are done."""
        return self._items  # type: ignore[return-value]  # no part is left undecoded by then

    def steps(self) -> Iterator[None]:
        """Reads; each step is at most a few milliseconds. Raises `EventRejected`."""
        if self.is_alone:
            self._items = [event_too_large() if len(self._body) > MAX_EVENT_BYTES else decode_one(self._body)]
            return
        yield from self._array() if self._is_json else self._lines()
        if not self._items:
            raise invalid("empty", "There is no event in the body.")
        if self._has_parts:
            yield from self._decode_parts()

    def _array(self) -> Iterator[None]:
        body = self._body
        if len(body) <= MAX_EVENT_BYTES:
            try:
                self._take(_many.decode(body))
            except (ValueError, RecursionError):
                pass
            else:
                return
        at, end = body.index(b"[") + 1, len(body.rstrip()) - 1
        splitter = Splitter(body)
        while True:
            for cut in _cuts(body, at, end):
                is_taken = self._take_piece(body[at:cut])
                yield
                if is_taken:
                    break
            else:
                cut = yield from self._take_elements(splitter, at)
            if body[cut : cut + 1] != b",":
                break
            at = cut + 1
        if body[cut + 1 :].strip():
            raise unfinished()

    def _take_elements(self, splitter: Splitter, at: int) -> Generator[None, None, int]:
        """Takes about a piece from `at` on, element by element; gives where the last of them ends."""
        body, until = self._body, min(at + PIECE, len(self._body))
        while True:
            cut = yield from splitter.end_of(at)
            is_last = body[cut : cut + 1] != b","
            part = body[at:cut]
            if not is_last or part.strip():
                self._take_part(part)
            at = cut + 1
            if is_last or at >= until:
                return cut

    def _lines(self) -> Iterator[None]:
        body, at = self._body, 0
        while at < len(body):
            cut = len(body)
            if cut - at > PIECE:
                cut = body.rfind(b"\n", at, at + PIECE) + 1 or body.rfind(b"\n", at, at + MAX_EVENT_BYTES) + 1
            if cut:
                piece = body[at:cut]
                try:
                    self._take(_one.decode_lines(piece))
                except (ValueError, RecursionError):
                    for line in piece.split(b"\n"):
                        if line.strip():
                            self._take_part(line)
            else:  # one line is longer than an event may be
                cut = body.find(b"\n", at + MAX_EVENT_BYTES) + 1 or len(body)
                line = body[at:cut].strip()
                if line:
                    self._take_part(line)
            yield
            at = cut

    def _take_piece(self, piece: bytes) -> bool:
        """Takes whole elements; false when the piece is not that. What is JSON between brackets began and ended where
        an element does: no bracket or string is left open."""
        array = b"[%b]" % piece
        try:
            self._take(_many.decode(array))
        except (ValueError, RecursionError):
            pass
        else:
            return True
        try:
            parts = _parts.decode(array)
        except (ValueError, RecursionError):
            return False
        self._items += parts
        self._has_parts = True
        self._check_count()
        return True

    def _take(self, events: list[SentEvent]) -> None:
        self._items += events
        self._check_count()

    def _take_part(self, part: bytes) -> None:
        self._items.append(event_too_large() if len(part) > MAX_EVENT_BYTES else part)
        self._has_parts = True
        self._check_count()

    def _check_count(self) -> None:
        if len(self._items) > MAX_EVENTS:
            raise too_large(f"A request may hold {MAX_EVENTS:,} events.")

    def _decode_parts(self) -> Iterator[None]:
        items = self._items
        for place, item in enumerate(items):
            if isinstance(item, msgspec.Raw):
                # It is JSON already: only an object can be an event.
                start = memoryview(item)[:1].tobytes()
                items[place] = decode_one(bytes(item)) if start == b"{" else _not_an_event()
                yield
            elif isinstance(item, bytes):
                items[place] = decode_one(item)
                yield


def _cuts(body: bytes, at: int, end: int) -> Iterator[int]:
    """Yields where a piece from `at` on may end: its last event, or its last part of any kind. Guesses, to be
    checked."""
    for size in (PIECE, MAX_EVENT_BYTES):
        if end - at <= size and body[end : end + 1] == b"]":
            yield end
            return
        until = min(at + size, end)
        between = max(body.rfind(pattern, at, until) for pattern in _BETWEEN)
        if between > 0:
            yield between + 1
        comma = body.rfind(b",", at, until)
        if comma > 0 and comma != between + 1:
            yield comma


def decode_one(part: bytes) -> SentEvent | EventRejected:
    try:
        return _one.decode(part)
    except msgspec.ValidationError as error:
        return _explain(str(error))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        return invalid("bad_json", f"This is not JSON in UTF-8: {error}")
    except RecursionError:
        return invalid("bad_json", "The JSON is nested too deeply.")


def _explain(error: str) -> EventRejected:
    """Returns a rejection with msgspec's words and a code that names the field."""
    match = _AT_FIELD.search(error) or _MISSING.search(error)
    if match is not None:
        field = match.group(1)
        kind = "missing" if "missing" in error else "bad"
        return invalid(f"{kind}_{field}", f"{field}: {error.partition(' - at ')[0]}")
    return _not_an_event()


def _not_an_event() -> EventRejected:
    return invalid("not_an_event", 'An event is a JSON object with a type, such as {"type": "pageview"}.')


def too_large(message: str) -> EventRejected:
    return EventRejected(Outcome.TOO_LARGE, "too_large", message, status=413)


def event_too_large() -> EventRejected:
    return EventRejected(Outcome.TOO_LARGE, "event_too_large", "One event may have 32 KB.", status=413)


_BETWEEN: Final = (b"},{", b"}, {", b"},\n", b"},\r")
_AT_FIELD: Final = re.compile(r"at `\$\.(\w+)")
_MISSING: Final = re.compile(r"missing required field `(\w+)`")
