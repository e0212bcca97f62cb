"""The Nu HTML checker, as validator.w3.org runs it, and RELAX NG for the files that machines read of a site."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from infra.ops.bootstrap import jars_for_tests

_SCHEMA: Final = Path(__file__).with_name("machine_files.rnc")
_CHECKER: Final = "nu.validator.client.SimpleCommandLineValidator"
_RELAX_NG: Final = "nu.validator.vendor.thaiopensource.relaxng.util.Driver"
_TIMEOUT_S: Final = 300


def html_faults(folder: Path) -> list[str]:
    """Errors and warnings of every `.html` file in the folder, each with its file, line and extract. No language is
    guessed: texts of tests have none."""
    options = ("--format", "json", "--stdout", "--skip-non-html", "--no-langdetect")
    done = _java(_CHECKER, *options, str(folder))
    found = json.loads(done.stdout)["messages"]
    return [
        f"{one['url'].partition(str(folder))[2]}:{one.get('lastLine', '')} {one['message']} {one.get('extract', '')}"
        for one in found
    ]


def machine_file_faults(files: Sequence[Path]) -> list[str]:
    """Faults of sitemaps and Atom feeds."""
    done = _java(_RELAX_NG, "-c", str(_SCHEMA), *map(str, files))
    assert done.returncode == 0 or done.stdout, done.stderr
    return done.stdout.splitlines()


def _java(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["java", "-cp", f"{jars_for_tests('html-checker')}/*", program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
