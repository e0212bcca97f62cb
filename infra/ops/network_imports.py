"""`althing import network FILE --network SLUG --website DOMAIN`: imports a report of a network by the running stack.

The file is stored as an upload of the website's owner; `command_api.networks.process` reads and applies it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from tempfile import SpooledTemporaryFile
from time import monotonic, sleep
from typing import Any, BinaryIO, Final, cast
from uuid import UUID

import psycopg
from eventsourcing.persistence import PersistenceError
from pydantic import ValidationError

from command_api.kernel.container import Container
from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.networks import commands, model, staging
from command_api.networks.model import NetworkImportAggregate
from command_api.registry import open_container
from infra.domain.report_files import stored_files
from infra.kernel.config.loading import load
from schemas.events.networks import ReportMapping
from schemas.report_imports import ImportState
from schemas.uuid7 import uuid7

MAX_BYTES: Final = 512 * 1024**2
"""Of a file as it is sent, compressed or not."""
MAX_SILENCE_S: Final = 60.0
POLL_INTERVAL_S: Final = 0.2
PROGRESS_S: Final = 5.0
_WEBSITE: Final = (
    "SELECT id, account_id FROM read.websites WHERE domain = %s AND deleted_at IS NULL ORDER BY created_at"
)
_DONE: Final = "SELECT done, total FROM networks.import_job WHERE import_id = %s"
_RUNNING: Final = frozenset({ImportState.READING, ImportState.APPLYING, ImportState.UNDOING})


class ReportNotImported(Exception):
    """The import cannot be done; the message is for the person who runs it."""


def main(argv: Sequence[str]) -> int:
    """Exit codes: 0 done, 1 it could not be done, 2 wrong use."""
    options = parser().parse_args(list(argv))
    try:
        mapping = ReportMapping.model_validate_json(options.mapping or "{}")
    except ValidationError:
        sys.stderr.write("althing import: the mapping cannot be read; docs/conversions.md has its fields\n")
        return 2
    try:
        with closing(open_container(load())) as container:
            found = import_report(container, options, mapping)
    except (
        ReportNotImported,
        stored_files.EmptyReport,
        CommandRejected,
        OSError,
        EOFError,
        gzip.BadGzipFile,
        PersistenceError,
        psycopg.Error,
    ) as error:
        sys.stderr.write(f"althing import: {error}\n")
        return 1
    sys.stdout.write(json.dumps(found) + "\n" if options.json else _table(found))
    return 0 if found["state"] in ("ready", "applied") else 1


def import_report(container: Container, options: argparse.Namespace, mapping: ReportMapping) -> dict[str, Any]:
    """Uploads the file and waits until it is read or, without `--dry-run`, applied. Raises `ReportNotImported`."""
    rows = container.select(_WEBSITE, options.website)
    if not rows:
        raise ReportNotImported(f"there is no website {options.website}")
    website_id, account_id = rows[0]
    import_id = uuid7()
    with _opened(options.file) as content:
        described = stored_files.described(Path(options.file).name if options.file != "-" else "", content)
        parts = stored_files.sealed_parts(container.settings, import_id, content)
    command = commands.UploadNetworkReport(
        import_id,
        website_id,
        options.network,
        described,
        parts,
        mapping,
        None,
        options.as_of,
        applies=not options.dry_run,
    )
    container.commands.dispatch(command, CommandContext(datetime.now(UTC), account_id))
    held = _wait(container, import_id, quiet=options.json)
    return _answer(container, held)


def _wait(container: Container, import_id: UUID, *, quiet: bool) -> NetworkImportAggregate:
    """The import once its work has ended. Raises `ReportNotImported` when nothing works on it."""
    moved_at = shown_at = monotonic()
    last: object = None
    while True:
        held = container.load(import_id, model.evolve)
        if held is None:
            raise ReportNotImported("the import was erased")
        if held.state not in _RUNNING:
            return held
        [progress] = container.select(_DONE, import_id)
        if (held.state, progress) != last:
            last, moved_at = (held.state, progress), monotonic()
        if monotonic() - moved_at > MAX_SILENCE_S:
            raise ReportNotImported(f"nothing works on import {import_id}: is the stack running (althing up)?")
        if not quiet and monotonic() - shown_at > PROGRESS_S:
            sys.stderr.write(f"{held.state.value}: {progress[0]:,} sales of {progress[1]:,} rows\n")
            shown_at = monotonic()
        sleep(POLL_INTERVAL_S)


def _answer(container: Container, held: NetworkImportAggregate) -> dict[str, Any]:
    rejected = container.select(staging.REJECTED_LINES, held.id, staging.MAX_REJECTED_SHOWN)
    counts = held.counts.model_dump()
    return {
        "importId": str(held.id),
        "state": held.state.value,
        **{name: counts[name] for name in ("rows", "new", "changed", "unchanged", "unmatched", "tests")},
        "rejected": [{"line": line, "code": code, "message": message} for line, code, message in rejected],
        "rejectedCount": counts["rejected"],
        "delta": [one.model_dump() for one in held.delta],
        "questions": [one.model_dump(mode="json") for one in held.questions],
        **({"code": held.code, "message": held.message} if held.code else {}),
    }


def _opened(file: str) -> BinaryIO:
    """The content. Raises `ReportNotImported` for a file that is too large."""
    if file != "-":
        if Path(file).stat().st_size > MAX_BYTES:
            raise ReportNotImported("a report has at most 512 MiB; split it by time")
        return Path(file).open("rb")
    content = cast(BinaryIO, SpooledTemporaryFile(stored_files.SPOOL_BYTES))  # noqa: SIM115 - the caller closes it
    size = 0
    while chunk := sys.stdin.buffer.read(stored_files.PART_BYTES):
        size += len(chunk)
        if size > MAX_BYTES:
            raise ReportNotImported("a report has at most 512 MiB; split it by time")
        content.write(chunk)
    content.seek(0)
    return content


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = argparse.ArgumentParser(prog="althing import network", description=__doc__.partition("\n")[0])
    made.add_argument("file", metavar="FILE", help="CSV, TSV, XLSX or JSON, gzip too; - = standard input")
    made.add_argument("--network", metavar="SLUG", required=True, help="as docs/networks.md lists them")
    made.add_argument("--website", metavar="DOMAIN", required=True)
    made.add_argument("--mapping", metavar="JSON", help="how the file is read, where that cannot be detected")
    made.add_argument("--as-of", metavar="TIME", type=_moment, help="when the network made the report")
    made.add_argument("--dry-run", action="store_true", help="say what it would change, and apply nothing")
    made.add_argument("--json", action="store_true", help="end with one JSON object, no progress")
    return made


def _table(found: dict[str, Any]) -> str:
    names = ("rows", "new", "changed", "unchanged", "unmatched", "tests", "rejectedCount")
    lines = [f"{'state':<14}{found['state']:>12}", *(f"{name:<14}{found[name]:>12,}" for name in names)]
    lines += [f"{'difference':<14}{one['amount']:>12,} (minor units, {one['currency']})" for one in found["delta"]]
    lines += [f"line {one['line']}: {one['message']}" for one in found["rejected"]]
    lines += [one["message"] for one in found["questions"]]
    lines += [found["message"]] if "message" in found else []
    return "\n".join(lines) + "\n"
