"""The previous release and the next version side by side on the same engines, under load; then the old one ends.

The next version is this tree with CONTRIBUTING's examples: it has an event, a command, a read model and a query that
the previous release does not know.
"""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import httpx
import psycopg
import pytest

from tests.support.previous_release import previous_release
from tests.support.service_process import Balancer, ServiceProcess, ended, environment
from tests.support.stack import stack, wait_for
from tests.support.under_load import ADMIN, assert_answered, loading
from tests.support.worked_examples import EXAMPLES, apply, copy_tree

pytestmark = [pytest.mark.crash, pytest.mark.slow, pytest.mark.timeout(400)]

KINDS: Final = ("command", "query", "ingest", "projectors")
NOTE: Final = "Pays late in August."
NAME_OF_LETTERS: Final = """
    select projection, count(*) from engine.dead_letter where state = 'open' and headers @> %s::jsonb group by 1"""
NOTED: Final = f'[["event", "{b"partner.noted".hex()}"]]'


@dataclass
class Version:
    """The services of one version."""

    tree: Path
    command: ServiceProcess
    query: ServiceProcess
    ingest: ServiceProcess
    projectors: ServiceProcess

    @property
    def services(self) -> tuple[ServiceProcess, ...]:
        return self.command, self.query, self.ingest, self.projectors

    def start(self) -> None:
        for each in self.services:
            each.begin()
        for each in self.services:
            each.wait_ready()


@dataclass
class Both:
    """Two versions on the same engines. `app` and `tracking` are those of `under_load`."""

    old: Version
    new: Version
    app: str
    tracking: str
    environment: Mapping[str, str]
    database: psycopg.Connection[Any]
    folder: Path

    def run(self, tree: Path, module: str, *arguments: str) -> str:
        """The output of `python -m module` of a tree."""
        done = self.command_of(tree, module, *arguments)
        assert done.returncode == 0, (
            f"{module} {arguments}: {done.returncode}\n{done.stdout[-3000:]}{done.stderr[-3000:]}"
        )
        return done.stdout

    def command_of(self, tree: Path, module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """The same, however it ends."""
        return subprocess.run(
            [sys.executable, "-m", module, *arguments],
            cwd=self.folder,
            env=environment(tree, self.environment),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def letters(self) -> dict[str, int]:
        """Open dead letters of the event that the old version does not know, by projection."""
        return dict(self.database.execute(NAME_OF_LETTERS, (NOTED,)).fetchall())

    def count(self, query: str, *values: object) -> int:
        row = self.database.execute(query.encode(), values).fetchone()
        assert row is not None
        return int(row[0])


@pytest.fixture
def both(tmp_path: Path) -> Iterator[Both]:
    """Engines with the old version's tables, and both versions' services; none of them runs yet."""
    new_tree, folder = tmp_path / "new", tmp_path / "run"
    folder.mkdir()
    settings = {"ALTHING_MASTER_KEY": secrets.token_hex(32), "ALTHING_LOG": os.environ.get("CRASH_LOG", "kafka")}
    with previous_release() as old_tree:
        copy_tree(new_tree)
        for example in EXAMPLES[:4]:  # the old projectors park a partner with a property that they do not know
            apply(example, new_tree)
        with stack(settings, only=(), tree=old_tree) as engines:
            shared = {**engines.environment, **settings, **ADMIN}
            old, new = (
                Version(tree, *(ServiceProcess(kind, f"{name}-{kind}", folder, shared, tree=tree) for kind in KINDS))
                for name, tree in (("old", old_tree), ("new", new_tree))
            )
            with (
                psycopg.connect(shared["POSTGRES_URL"], autocommit=True) as database,
                Balancer([old.command, new.command]) as command,
                Balancer([old.ingest, new.ingest]) as ingest,
                ended((*old.services, *new.services)),
            ):
                yield Both(old, new, command.url, ingest.url, shared, database, folder)


def test_two_versions_side_by_side_and_then_the_new_one_alone(both: Both, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger.jsonl"
    both.old.start()

    with loading(both, ledger) as load:
        before = load.accepted()
        replace_the_old(both)
        assert load.accepted() > before
    assert_answered(load.result)
    print(both.run(both.new.tree, "infra.ops.cli", "audit", "--ledger", str(ledger), "--timeout", "90"))


def replace_the_old(both: Both) -> None:
    old, new = both.old, both.new
    both.run(new.tree, "infra.ops.cli", "migrate")
    new.start()
    token = sign_in(old)
    noted = partner_of(old, token, "Noted")
    # Each version decides, and each shows what the other decided.
    for decides, shows in ((old, new), (new, old)):
        partner_of(decides, token, "Seen", shown_by=shows)
    both.run(new.tree, "tests.support.partner_note", noted, NOTE)
    change_partner(new, token, noted, "Renamed")
    wait_for(lambda: both.letters().get("partners"), "the old projectors to park what they do not know")
    # Nothing else stands still, for the old projectors neither.
    for decides, shows in ((old, old), (new, new)):
        partner_of(decides, token, "Seen as well", shown_by=shows)
    assert both.count("select count(*) from engine.build where state = 'failed'") == 0
    assert both.count("select count(*) from read.partners where name = 'Renamed'") == 0
    wait_for(lambda: shown_notes(new, token) == [NOTE], "the new projectors to show the note")
    for each in (old.command, old.query, old.ingest, old.projectors):
        assert each.stop() == 0, each.name
    end = both.database.execute("select now()").fetchone() or ()
    wait_for(lambda: both.count(NOT_OWNED_BY, owner_of(both)) == 0, "the new projectors to take over")
    # The previous release does not say yet that a newer version wrote the event, as this one does.
    wait_for(lambda: is_retried(both, new), "the events that the old version could not read to be processed")
    wait_for(lambda: not both.count(OPEN_LETTERS, PARKED), "the parked events to be processed")
    assert both.count("select count(*) from read.partners where name = 'Renamed'") == 1
    wait_for(lambda: both.count(REBUILT_BEFORE, *end) == 0, "rows of what the old version decided last", 200)


def is_retried(both: Both, version: Version) -> bool:
    """Whether a retry leaves no event that the old version could not read. An event may follow from one that is retried
    after it: then the next retry processes it."""
    both.command_of(version.tree, "infra.ops.cli", "dlq", "retry", "--reason", "undecodable")
    open_letters = both.database.execute(UNREAD).fetchall()
    return not open_letters


UNREAD: Final = """
    select projection, count(*), min(error) from engine.dead_letter
    where state = 'open' and reason = 'undecodable' group by 1"""
PARKED: Final = ["undecodable", "parked", "newer_version"]
OPEN_LETTERS: Final = "select count(*) from engine.dead_letter where state = 'open' and reason = any(%s)"
REBUILT_BEFORE: Final = "select count(*) from lookup.projection where upgraded_at is not null and rebuilt_at < %s"
NOT_OWNED_BY: Final = """
    select count(*) from engine.position p join engine.projection j on j.name = p.projection
    where p.generation = j.live_generation and p.owner is distinct from %s"""


def owner_of(both: Both) -> str:
    """How the new projectors call themselves: the read model that only they have is theirs from the start."""
    row = both.database.execute("select owner from engine.position where projection = 'partner_notes'").fetchone()
    assert row is not None
    return str(row[0])


def sign_in(version: Version) -> str:
    body = {"email": ADMIN["ALTHING_ADMIN_EMAIL"], "password": ADMIN["ALTHING_ADMIN_PASSWORD"]}
    return str(sent("POST", version.command, "/api/platform/login", body).json()["token"])


def partner_of(version: Version, token: str, name: str, shown_by: Version | None = None) -> str:
    """A partner that this version's command service adds; its id, once the other's query service shows it."""
    slug = f"{name.lower().replace(' ', '-')}-{uuid4().hex[:8]}"
    body = {"name": name, "slug": slug, "baseUrl": "https://partner.example/", "commission": 10}
    made = sent("POST", version.command, "/api/admin/partners", body, token)
    if shown_by is not None:
        wait_for(lambda: slug in {each["slug"] for each in shown(shown_by, token)}, f"{slug} to be shown")
    return str(made.json()["id"])


def change_partner(version: Version, token: str, partner: str, name: str) -> None:
    sent("PATCH", version.command, f"/api/admin/partners/{partner}", {"name": name}, token)


def shown(version: Version, token: str) -> Sequence[Mapping[str, Any]]:
    found: Sequence[Mapping[str, Any]] = sent("GET", version.query, "/api/admin/partners", None, token).json()
    return found


def shown_notes(version: Version, token: str) -> list[str]:
    found = sent("GET", version.query, "/api/admin/partner-notes", None, token).json()
    return [each["note"] for each in found]


def sent(
    method: str, service: ServiceProcess, path: str, body: Mapping[str, Any] | None, token: str = ""
) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return httpx.request(method, f"{service.url}{path}", json=body, headers=headers, timeout=20).raise_for_status()
