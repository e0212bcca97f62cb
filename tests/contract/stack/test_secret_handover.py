"""Secrets go from a process to its child through a pipe, and are nowhere in the environment that the kernel shows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.kernel.config import secret_handover
from infra.kernel.config.loading import load
from infra.kernel.config.secret_handover import DESCRIPTOR, divided, environment, handed_over, keep, take
from infra.kernel.config.settings import SECRET_NAMES

KEY = "0123456789abcdef" * 4
GIVEN = {"PATH": os.defpath, "ALTHING_MASTER_KEY": KEY, "SMTP_URL": "", "ALTHING_PORT": "8123"}
SHOWN = """
import json, os, sys
from infra.kernel.config.secret_handover import take
from infra.kernel.config.loading import load
from infra.kernel.config.settings import SECRET_NAMES
if "take" in sys.argv:
    take(SECRET_NAMES)
found, again = load(env_file=None), load(env_file=None)
assert found == again
print(json.dumps({
    "key": found.master_key, "port": found.port,
    "at_start": open("/proc/self/environ", "rb").read().decode() if sys.platform == "linux" else "",
    "now": dict(os.environ),
}))
"""


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """This process has no secrets of a parent before and after."""
    assert not secret_handover._kept
    yield
    secret_handover._kept.clear()


def shown(environ: dict[str, str], *arguments: str, descriptors: tuple[int, ...] = ()) -> dict[str, object]:
    """What a Python process says that is started like this."""
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(
        [sys.executable, "-c", SHOWN, *arguments],
        env={**environ, "PYTHONPATH": str(root)},
        pass_fds=descriptors,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_a_child_reads_its_secrets_from_a_pipe_and_shows_none() -> None:
    with handed_over(GIVEN, SECRET_NAMES) as (variables, descriptors):
        assert KEY not in variables.values() and int(variables[DESCRIPTOR]) >= 10
        found = shown(variables, descriptors=descriptors)
    assert (found["key"], found["port"]) == (KEY, 8123)
    assert KEY not in str(found["at_start"]) and KEY not in str(found["now"])
    assert DESCRIPTOR not in str(found["now"]), "its own children would look for it"


def test_what_a_program_was_started_with_is_wiped_and_still_counts() -> None:
    found = shown(GIVEN, "take")
    assert (found["key"], found["port"]) == (KEY, 8123)
    assert KEY not in str(found["at_start"]) and KEY not in str(found["now"])


@pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")
def test_without_that_it_would_be_seen() -> None:
    assert KEY in str(shown(GIVEN)["at_start"])


def test_without_secrets_nothing_is_handed_over() -> None:
    with handed_over({"PATH": "/bin", "SMTP_URL": ""}, SECRET_NAMES) as made:
        assert made == ({"PATH": "/bin", "SMTP_URL": ""}, ())


def test_no_descriptor_stays_open() -> None:
    with handed_over(GIVEN, SECRET_NAMES) as (_, (descriptor,)):
        os.fstat(descriptor)
    with pytest.raises(OSError, match="descriptor"):
        os.fstat(descriptor)
    with pytest.raises(OSError, match="too large"), handed_over({"SMTP_URL": "x" * 100_000}, SECRET_NAMES):
        raise AssertionError("the child would wait for the rest")


def test_an_empty_value_is_no_secret_but_says_that_there_is_none() -> None:
    assert divided(GIVEN, SECRET_NAMES) == (
        {"PATH": os.defpath, "SMTP_URL": "", "ALTHING_PORT": "8123"},
        {"ALTHING_MASTER_KEY": KEY},
    )


def test_kept_secrets_count_beside_the_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALTHING_MASTER_KEY", KEY)
    monkeypatch.setenv("ALTHING_PORT", "8123")
    take(SECRET_NAMES)
    assert "ALTHING_MASTER_KEY" not in os.environ and environment()["ALTHING_MASTER_KEY"] == KEY
    keep({"OPENAI_API_KEY": "sk-test"})
    found = load(env_file=None)
    assert (found.master_key, found.openai_api_key, found.port) == (KEY, "sk-test", 8123)
