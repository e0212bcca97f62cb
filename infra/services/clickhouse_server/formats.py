"""Output formats: content types, and which of them may be sent chunk by chunk.

The engine renders every chunk of a streamed result as a document of its own. Where documents simply follow each other
(rows, blocks) they are passed on; where each begins with the same header, the later headers are cut off; any other
format (JSON, Parquet, Pretty, ...) is rendered once, whole.
"""

from __future__ import annotations

from collections.abc import Callable

DEFAULT = "TabSeparated"

_PLAIN = {
    "tabseparated", "tsv", "tabseparatedraw", "tsvraw", "raw", "csv", "jsoneachrow", "jsonlines", "ndjson",
    "jsonstringseachrow", "jsoncompacteachrow", "jsoncompactstringseachrow", "native", "rowbinary", "bsoneachrow",
    "tskv", "lineasstring", "msgpack", "null",
}  # fmt: skip

_TYPES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("tab", "tsv"), "text/tab-separated-values; charset=UTF-8"),
    (("csvwithnames",), "text/csv; charset=UTF-8; header=present"),
    (("csv",), "text/csv; charset=UTF-8; header=absent"),
    (("jsoneachrow", "jsonlines", "ndjson", "jsonstringseachrow"), "application/x-ndjson; charset=UTF-8"),
    (("jsoncompacteachrow", "jsoncompactstringseachrow"), "application/x-ndjson; charset=UTF-8"),
    (("json",), "application/json; charset=UTF-8"),
    (("xml",), "application/xml; charset=UTF-8"),
    (("native", "rowbinary", "parquet", "arrow", "orc", "msgpack", "avro"), "application/octet-stream"),
)


def content_type(name: str) -> str:
    lowered = name.lower()
    return next((kind for begins, kind in _TYPES if lowered.startswith(begins)), "text/plain; charset=UTF-8")


def header_cutter(name: str) -> Callable[[bytes], int] | None:
    """Returns the function that measures the header of a chunk, for a format that can be streamed; None for one that
    cannot."""
    base = name.lower().removesuffix("withnamesandtypes").removesuffix("withnames")
    if base not in _PLAIN:
        return None
    lines = 2 if name.lower().endswith("withnamesandtypes") else 1 if name.lower().endswith("withnames") else 0
    if not lines:
        return lambda _: 0
    if base == "rowbinary":
        return lambda chunk: _binary_header(chunk, lines)
    if base == "csv":
        return lambda chunk: _csv_header(chunk, lines)
    return lambda chunk: _line_header(chunk, lines)


def _line_header(chunk: bytes, lines: int) -> int:
    end = 0
    for _ in range(lines):
        end = chunk.find(b"\n", end) + 1
        if end == 0:
            return len(chunk)
    return end


def _csv_header(chunk: bytes, lines: int) -> int:
    """Names may hold line ends inside quotes; a doubled quote flips twice and so leaves the state as it was."""
    end = 0
    for _ in range(lines):
        quoted = False
        while True:
            stop = chunk.find(b"\n", end)
            if stop < 0:
                return len(chunk)
            quoted ^= chunk.count(b'"', end, stop) % 2 == 1
            end = stop + 1
            if not quoted:
                break
    return end


def _binary_header(chunk: bytes, parts: int) -> int:
    columns, at = _varint(chunk, 0)
    for _ in range(columns * parts):
        length, at = _varint(chunk, at)
        at += length
    return at


def _varint(chunk: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = chunk[at]
        value |= (byte & 0x7F) << shift
        at += 1
        if byte < 0x80:
            return value, at
        shift += 7
