"""A new tracked property is one entry of the column list: in a copy of the tree that has it, it arrives everywhere."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from infra.kernel.config.settings import Settings
from tests.support.engines import ROOT

PACKAGES = ("schemas", "infra", "ingest", "projectors", "tests")
[ENTRY] = re.findall(r"^```python\n(    app_version: .*?\n)```", (ROOT / "CONTRIBUTING.md").read_text(), re.M | re.S)
"""The worked example of CONTRIBUTING.md, as it stands."""


def test_one_entry_is_enough(embedded_clickhouse: Settings, tmp_path: Path) -> None:
    being_compiled = shutil.ignore_patterns("*.pyc.*")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=being_compiled)
    listed = tmp_path / "schemas" / "tracking.py"
    text, end = listed.read_text(), "\n\n\ndef _fields()"
    assert text.count(end) == 1
    listed.write_text(text.replace(end, f"\n{ENTRY.rstrip()}{end}"))
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.new_property", "app_version"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path), "CLICKHOUSE_URL": str(embedded_clickhouse.clickhouse_url)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [
        *("accepted", "logged", "versioned", "stored", "left-out-of-older-tables", "not-needed-in-older-tables"),
        *("shown-to-analysts", "audited", "documented"),
    ]
