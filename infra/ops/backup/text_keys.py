"""The keys of the log's personal texts, as they are after the end of a backup's log.

The snapshot of Postgres is older than that end. An erasure in between begins a key that the snapshot lacks, with which
everybody's later texts in the log are sealed, and takes the person out of keys that it has. So a backup has the keys
twice, and a restore takes these: no key is missing, and who was erased by then stays unreadable.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import psycopg

FILE_NAME: Final = "text_keys.copy"
_BLOCK: Final = 1024 * 1024
_COPY: Final = "COPY (SELECT number, begins_at, nodes_wrapped FROM log.text_key) TO STDOUT"


def write(connection: psycopg.Connection[Any], path: Path) -> None:
    """Writes the keys, wrapped by the master key as they are stored."""
    with path.open("xb") as file, connection.cursor() as cursor, cursor.copy(_COPY) as copy:
        for block in copy:
            file.write(block)


def restore(connection: psycopg.Connection[Any], path: Path) -> None:
    """Replaces the keys that are there by those of the file, and adds those that are not."""
    with connection.transaction(), connection.cursor() as cursor, path.open("rb") as file:
        cursor.execute("CREATE TEMPORARY TABLE newer (LIKE log.text_key) ON COMMIT DROP")
        with cursor.copy("COPY newer (number, begins_at, nodes_wrapped) FROM STDIN") as copy:
            while block := file.read(_BLOCK):
                copy.write(block)
        cursor.execute(
            "INSERT INTO log.text_key (number, begins_at, nodes_wrapped)"
            " SELECT number, begins_at, nodes_wrapped FROM newer"
            " ON CONFLICT (number) DO UPDATE SET nodes_wrapped = excluded.nodes_wrapped"
        )
