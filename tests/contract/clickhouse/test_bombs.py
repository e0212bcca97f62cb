"""A compressed body of any size takes a bounded piece of memory."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import lz4.frame
import pytest
import zstandard

from infra.services.clickhouse_server import content_encodings


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("zstd", zstandard.compress),
        ("lz4", lz4.frame.compress),
    ],
)
def test_a_bomb_unpacks_in_pieces_of_bounded_size(coding: str, pack: Callable[[bytes], bytes]) -> None:
    packed = pack(bytes(64 << 20))
    sizes = [len(piece) for piece in content_encodings.decoder(coding, native=False).decode(packed)]
    assert sum(sizes) == 64 << 20
    assert max(sizes) <= 17 << 20
