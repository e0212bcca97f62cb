"""Plants each fault of `tests/mutants.toml` in a copy of the tree and runs its tests there.

Exit code 1 if a test fails without a fault, a fault cannot be planted, or one is not found. `ONLY` chooses faults by a
part of their name, kind or file.
"""

from __future__ import annotations

import os
import re
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from infra.kernel.config.paths import ROOT
from infra.ops.bootstrap import FAILED_IN_WEB
from tests.mutants import verdict
from tests.mutants.mutant import WEB, InvalidMutant, Mutant, chosen, read
from tests.mutants.verdict import Report
from tests.support.worked_examples import copy_tree

LIST: Final = ROOT / "tests" / "mutants.toml"
SHARED: Final = (".venv", "web/node_modules")
"""Folders outside of git that the copy has from this tree, as it has each part of `.build`: a run writes to that."""
ALL_WITHIN_S: Final = 900
EACH_WITHIN_S: Final = 240
IMPORT_WITHIN_S: Final = 60
END_WITHIN_S: Final = 30
PYTEST: Final = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "tests.mutants.reporter")


@dataclass(frozen=True, slots=True)
class Tree:
    """A copy of the tree, and a folder for what its tests report."""

    root: Path
    reports: Path

    def run(self, tests: Iterable[str], within_s: float, *, until_first: bool) -> list[Report]:
        """Reports of the tests, in their order; `until_first`: those up to the first failure."""
        named = list(dict.fromkeys(tests))
        of_web = [name.removeprefix(WEB) for name in named if name.startswith(WEB)]
        of_python = [name for name in named if not name.startswith(WEB)]
        reports: list[Report] = []
        if of_python:
            lines, first = self.reports / "pytest", ["-x"] if until_first else []
            lines.write_text("")
            self._call([*PYTEST, *first, *of_python], self.root, within_s, MUTANTS_REPORT=str(lines))
            reports += verdict.of_pytest(lines.read_text())
        for files, names in by_names(of_web):
            file, first = self.root / FAILED_IN_WEB, ["--bail=1"] if until_first else []
            file.unlink(missing_ok=True)
            only = ["-t", "|".join(map(re.escape, names))] if names else []
            self._call(["npx", "vitest", "run", *first, *only, *files], self.root / WEB, within_s)
            reports += verdict.of_vitest(file.read_text(), f"{self.root}/") if file.exists() else []
        return reports

    def imports(self, module: str) -> bool:
        return self._call([sys.executable, "-c", f"import {module}"], self.root, IMPORT_WITHIN_S)

    def _call(self, command: Sequence[str], folder: Path, within_s: float, **more: str) -> bool:
        """Whether the command succeeds in time. One that does not end is interrupted, so that it ends its engines."""
        environment = {**os.environ, "PYTHONPATH": str(self.root), **more}
        with (self.reports / "output").open("wb") as output:
            process = subprocess.Popen(
                command, cwd=folder, env=environment, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
            )
            try:
                return process.wait(within_s) == 0
            except BaseException as error:
                process.send_signal(signal.SIGINT)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(END_WITHIN_S)
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                if not isinstance(error, subprocess.TimeoutExpired):
                    raise
                return False

    @property
    def output(self) -> str:
        """What the last command said."""
        return (self.reports / "output").read_text(errors="replace")


def main() -> int:
    try:
        mutants = chosen(read(LIST.read_text()), os.environ.get("ONLY", ""))
    except InvalidMutant as error:
        say(str(error))
        return 1
    began, used = time.monotonic(), processor_s()
    with TemporaryDirectory(prefix="mutants-") as folder:
        Path(folder).chmod(0o755)  # as root, Postgres runs as another user
        tree = copied(Path(folder))
        if not all_pass(tree, mutants):
            return 1
        found = sum(is_found(tree, mutant, number) for number, mutant in enumerate(mutants, 1))
    took = f"{time.monotonic() - began:.0f} s, {processor_s() - used:.0f} s of processor time"
    say(f"{found} of {len(mutants)} found ({took})")
    return int(found < len(mutants))


def by_names(tests: Iterable[str]) -> list[tuple[list[str], list[str]]]:
    """Runs of vitest: the files, and the names of the tests in them; no names: all."""
    whole = [test for test in tests if ": " not in test]
    named = [test.split(": ", 1) for test in tests if ": " in test]
    runs = [(whole, []), (list(dict.fromkeys(file for file, _ in named)), [name for _, name in named])]
    return [(files, names) for files, names in runs if files]


def copied(folder: Path) -> Tree:
    tree = Tree(folder / "tree", folder / "reports")
    tree.reports.mkdir()
    copy_tree(tree.root)
    (tree.root / ".build").mkdir()
    for name in (*SHARED, *(f".build/{part.name}" for part in (ROOT / ".build").iterdir())):
        if (ROOT / name).exists():
            (tree.root / name).symlink_to((ROOT / name).resolve())
    (tree.root / FAILED_IN_WEB).unlink(missing_ok=True)
    return tree


def all_pass(tree: Tree, mutants: Sequence[Mutant]) -> bool:
    """Whether every fault can be planted and every test passes without one."""
    for mutant in mutants:
        try:
            mutant.plant((tree.root / mutant.file).read_text())
        except (InvalidMutant, OSError) as error:
            say(str(error))
            return False
    named = [test for mutant in mutants for test in mutant.tests]
    began = time.monotonic()
    reports = tree.run(named, ALL_WITHIN_S, until_first=False)
    problems = [f"{report.test}: {report.outcome}: {report.message}" for report in verdict.failed(reports)]
    problems += [f"{name}: no test ran" for name in verdict.without_tests(named, reports)]
    if problems:
        say("\n".join(["Without a fault:", *problems, tree.output[-4000:]]))
        return False
    say(f"{len(reports)} tests pass without a fault ({time.monotonic() - began:.0f} s)")
    return True


def is_found(tree: Tree, mutant: Mutant, number: int) -> bool:
    """Plants the fault, runs its tests, takes it out again and says what came of it."""
    began, used = time.monotonic(), processor_s()
    place = tree.root / mutant.file
    original, before = place.read_text(), place.stat()
    place.write_text(mutant.plant(original))
    # Compiled files differ for Python by time in whole seconds, and by size.
    os.utime(place, (before.st_atime, before.st_mtime + 10 * number))
    try:
        if mutant.module is not None and not tree.imports(mutant.module):
            reports = [Report(mutant.file, "import", tree.output.strip().rpartition("\n")[2])]
        else:
            reports = tree.run(mutant.tests, EACH_WITHIN_S, until_first=True)
    finally:
        place.write_text(original)
        os.utime(place, (before.st_atime, before.st_mtime))
    finder = verdict.finder(reports)
    said = f"found by {finder.test}" if finder is not None else f"NOT FOUND: {verdict.why_not_found(reports)}"
    took = f"{time.monotonic() - began:.1f} s, {processor_s() - used:.1f} s of processor time"
    say(f"{number:2} {mutant.kind}: {mutant.name}\n   {said} ({took})")
    return finder is not None


def processor_s() -> float:
    """Of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
