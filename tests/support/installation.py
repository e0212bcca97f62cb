"""The wheel in a bare virtual environment, in a folder of its own: no tools on the path, no home, no cache of pip.

Used by `tests/install` and the bench `install`.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Final
from uuid import uuid4

import httpx

from tests.bench.stack_client import EMAIL, PASSWORD, Owner, bearer
from tests.support.stack import ROOT, Stack, wait_for

INSTALL_S: Final = 400.0
_PIPS: Final = ("PIP_", "SSL_", "REQUESTS_", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http", "https", "no_proxy")
"""How pip reaches its index is the machine's affair; everything else of the environment is left out."""
_NEEDED: Final = ("true",)
"""Programs that any system has and the product calls by name."""


class Installation:
    """A virtual environment in `folder`, in which `install` puts a wheel."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.venv = folder / "venv"
        self.python = self.venv / "bin" / "python"
        for name in ("home", "cache", "programs", "programs-with-java"):
            (folder / name).mkdir(parents=True)
        for name in _NEEDED:
            _link(folder / "programs", name)
        for name in (*_NEEDED, "java"):
            _link(folder / "programs-with-java", name)

    def environment(self, java: bool = False) -> Mapping[str, str]:
        programs = self.folder / ("programs-with-java" if java else "programs")
        return {
            **{name: value for name, value in os.environ.items() if name.startswith(_PIPS)},
            "PATH": f"{self.venv / 'bin'}{os.pathsep}{programs}",
            "HOME": str(self.folder / "home"),
            "PIP_CACHE_DIR": str(self.folder / "cache"),
        }

    def install(self, wheel: Path) -> float:
        """Makes the environment and installs the wheel, as a user does; the seconds that both took."""
        began = time.monotonic()
        subprocess.run([sys.executable, "-m", "venv", str(self.venv)], check=True, timeout=INSTALL_S)
        self.run("pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
        return time.monotonic() - began

    def run(self, *command: str, java: bool = False) -> str:
        """The output of a program of the environment; fails the test with it."""
        program = shutil.which(command[0], path=str(self.venv / "bin"))
        assert program is not None, f"{command[0]} is not installed"
        done = subprocess.run(
            [program, *command[1:]],
            cwd=self.folder,
            env=self.environment(java),
            capture_output=True,
            text=True,
            timeout=INSTALL_S,
            check=False,
        )
        assert done.returncode == 0, f"{command[0]} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
        return done.stdout


class InstalledStack(Stack):
    """`althing up` of an installation, in a fresh data directory."""

    def __init__(self, installation: Installation, folder: Path, *, java: bool) -> None:
        super().__init__(folder, {"ALTHING_ADMIN_EMAIL": EMAIL, "ALTHING_ADMIN_PASSWORD": PASSWORD})
        self.program = (str(installation.venv / "bin" / "althing"),)
        self._environment = {**installation.environment(java), **self.settings}


@contextmanager
def installed_stack(installation: Installation, *, java: bool) -> Iterator[InstalledStack]:
    """Started, in a folder of its own; ended and removed afterwards."""
    folder = Path(mkdtemp(prefix="althing-installed-"))
    made = InstalledStack(installation, folder, java=java)
    try:
        made.start()
        yield made
    finally:
        if made.process is not None:
            made.stop()
        shutil.rmtree(folder, ignore_errors=True)


def count_first_event(stack: Stack) -> None:
    """Connects a website, sends an event by the tracking API, and waits until the query API counts it."""
    owner = Owner(stack)
    site = owner.website("installed.example")
    event = {"type": "click", "id": str(uuid4()), "url": "https://installed.example/"}

    def is_accepted() -> bool:
        """A sender repeats what is answered with 503, as the tracking API says; the id is the same."""
        answer = httpx.post(f"{stack.tracking}/track", json=event, headers=bearer(site), timeout=30)
        if answer.status_code == 503:
            print(f"503: {answer.text}")
            return False
        answer.raise_for_status()
        return True

    wait_for(is_accepted, "the event to be accepted")
    path = f"/api/platform/analytics/overview?websiteId={site.id}&timeRange=24h"

    def is_counted() -> bool:
        return bool(owner.http.get(path).raise_for_status().json()["clicks"]["total"] == 1)

    wait_for(is_counted, "the event to be counted")


def copy_of_checkout(folder: Path) -> Path:
    """What git does not ignore, and the built parts, in another folder."""
    from infra.ops.release.build_hook import PARTS

    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            _copy(ROOT / name, folder / name)
    for name in PARTS:
        for path in [ROOT / name, *(ROOT / name).rglob("*")]:
            if path.is_file():
                _copy(path, folder / path.relative_to(ROOT))
    return folder


def _copy(source: Path, target: Path) -> None:
    """Without its times and with rights for the group: they are no part of an archive."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    target.chmod(0o775 if os.access(source, os.X_OK) else 0o664)


def _link(folder: Path, name: str) -> None:
    program = shutil.which(name)
    assert program is not None, f"the test needs {name}"
    (folder / name).symlink_to(program)
