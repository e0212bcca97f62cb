"""Makes one report file of the pages of a pull: each row once, the newest statement of it, sorted by its id.

`PulledPage` -> `page_bytes`, which is stored -> `report_file` -> `commands.UploadNetworkReport`

The same rows give the same file, whatever the order in which they came.
"""

from __future__ import annotations

from collections.abc import Iterable
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, cast

import orjson

from command_api.networks.pulling.position import PulledRecord, PullFailed

MAX_RECORDS: Final = 500_000
_SPOOL_BYTES: Final = 8 * 1024 * 1024


def page_bytes(records: Iterable[PulledRecord]) -> bytes:
    """A page as it is stored: per row its id, its newness and its JSON. Raises `PullFailed` for what is no JSON."""
    lines: list[bytes] = []
    for each in records:
        try:
            text = orjson.dumps(each.record)
        except orjson.JSONEncodeError as error:
            raise PullFailed("The network's answer has a text that cannot be stored.") from error
        lines.append(b"%b\t%d\t%b\n" % (each.key.encode(), each.newness, text))
    return b"".join(lines)


def report_file(pages: Iterable[bytes], list_name: str) -> tuple[BinaryIO, int]:
    """The file, from its beginning, and the number of its rows; `list_name`: of the list in it, empty: it is the list.
    Raises `PullTooLarge`."""
    with cast(BinaryIO, SpooledTemporaryFile(_SPOOL_BYTES)) as rows:
        places = _spooled(pages, rows)
        file = cast(BinaryIO, SpooledTemporaryFile(_SPOOL_BYTES))  # noqa: SIM115 - the caller closes it
        file.write(b"{%b:[" % orjson.dumps(list_name) if list_name else b"[")
        for number, key in enumerate(sorted(places)):
            _, start, size = places[key]
            rows.seek(start)
            file.write(b",\n" if number else b"\n")
            file.write(rows.read(size))
        file.write(b"\n]}" if list_name else b"\n]")
    file.seek(0)
    return file, len(places)


def _spooled(pages: Iterable[bytes], rows: BinaryIO) -> dict[bytes, tuple[int, int, int]]:
    """Writes the rows; returns of each id the newness, place and size of the row that counts."""
    places: dict[bytes, tuple[int, int, int]] = {}
    for page in pages:
        for line in page.splitlines():
            key, newness, text = line.split(b"\t", 2)
            held = places.get(key)
            if held is not None and held[0] > int(newness):
                continue
            places[key] = (int(newness), rows.tell(), len(text))
            if len(places) > MAX_RECORDS:
                raise PullFailed(
                    f"The network has more than {MAX_RECORDS:,} sales. Upload its report by month instead."
                )
            rows.write(text)
    return places
