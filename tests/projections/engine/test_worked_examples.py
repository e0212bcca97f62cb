"""The worked examples of CONTRIBUTING.md in a copy of the tree: an event type is five files, a read model three, a
property of an entity five and its test. The tests that walk through all events and projections pass with them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from infra.kernel.config.settings import Settings
from tests.support.databases import own_databases
from tests.support.stack import SHARED
from tests.support.worked_examples import EXAMPLES, apply, changes, commit, copy_tree

MAX_FILES = {"Add an event": 5, "Add a read model": 3, "Add a property to an entity": 6}
"""Written by hand, at most, with the test."""
TESTS = (
    "tests/support/noted_partner.py",
    "tests/unit/schemas/test_schemas.py",
    "tests/unit/projectors/test_registry.py",
    "tests/unit/projectors/read_models/test_personal_columns.py",
    "tests/unit/command_api/kernel/test_aggregate_types.py",
    "tests/unit/command_api/partners/test_model.py",
    "tests/repository/test_docs.py",
    "tests/projections/engine/test_read_models.py::test_the_last_note_on_a_partner_is_shown",
    "tests/projections/engine/test_row_security.py::test_every_read_model_has_row_level_security_and_is_read_only",
    "tests/crash/infra/test_audit.py::test_all_that_the_projectors_build_is_audited",
    "tests/api/accounts/test_reads.py::test_every_read_model_with_rows_of_accounts_is_exported",
    "tests/api/kernel/test_query_access.py",
    "tests/api/operations/test_admin_reads.py::test_notes_on_partners_are_for_admins",
)


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_examples_are_all_that_has_to_be_written(
    embedded_postgres: Settings,
    embedded_clickhouse: Settings,
    tmp_path: Path,
    record_property: Callable[[str, object], None],
) -> None:
    copy_tree(tmp_path)
    for example in EXAMPLES:
        apply(example, tmp_path)
        files, stat = changes(tmp_path)
        record_property(f"{example}: git diff --stat", stat)
        assert len(files) <= MAX_FILES.get(example, len(files)), stat
        commit(tmp_path)
    run(tmp_path, "infra.ops.docs")
    generated, stat = changes(tmp_path)
    assert all(name.startswith("docs/") for name in generated), stat
    with own_databases(embedded_postgres, embedded_clickhouse) as engines:
        values = (embedded_postgres.data_dir, engines.postgres_url, engines.clickhouse_url)
        shared = {name: str(value) for name, value in zip(SHARED, values, strict=True)}
        found = run(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", *TESTS, **shared)
    record_property("tests in the copy", found.splitlines()[-1])


def run(tree: Path, module: str, *arguments: str, **more: str) -> str:
    """`python -m` in that tree; its output. Raises `AssertionError`."""
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), **more},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout
