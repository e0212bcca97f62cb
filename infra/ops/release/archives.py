"""Builds wheel, sdist and constraints: `python -m infra.ops.release.archives FOLDER`, or as a step of a release.

The same commit gives the same bytes in every folder and at every time: hatchling sorts the files and sets their modes,
and `SOURCE_DATE_EPOCH` is the time of each one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from infra.kernel.config.paths import ROOT
from infra.ops.release import ReleaseError, constraints
from infra.ops.release.tree import commit_time, version


def main(arguments: list[str]) -> int:
    """Returns 1 where nothing was built; the backend has printed why."""
    try:
        folder = Path(arguments[0]).resolve()
        made = (*build(ROOT, folder, source_date(ROOT)), constraints.write(ROOT, folder, version(ROOT)))
    except ReleaseError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    for path in made:
        sys.stdout.write(f"{path}\n")
    return 0


def build(root: Path, folder: Path, epoch: int) -> tuple[Path, Path]:
    """The wheel and the sdist of the checkout `root`, made in `folder`. Raises `ReleaseError`."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--target", "wheel"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch)}
    done = subprocess.run([*command, "--directory", str(folder)], cwd=root, env=environment, check=False)
    if done.returncode != 0:
        raise ReleaseError("Wheel and sdist were not built; the reason is above.")
    name = f"althing-{version(root)}"
    return folder / f"{name}-py3-none-any.whl", folder / f"{name}.tar.gz"


def source_date(root: Path) -> int:
    """`SOURCE_DATE_EPOCH` where it is set, as in a container without history, else the time of the last commit."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    return int(epoch) if epoch else commit_time(root)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
