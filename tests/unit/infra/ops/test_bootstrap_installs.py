"""What `make` installs is named by hash, builds with nothing else, and runs no script of a package."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from infra.ops import bootstrap

OF_JARS = ("infra/deploy/kafka", "tests/support/html_checker", "tests/support/helm")


@pytest.fixture
def called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The commands that a checkout with nothing installed comes to; a fetch brings two jars."""
    commands: list[list[str]] = []
    root = bootstrap.ROOT
    locks = ("requirements.lock", "requirements-dev.lock", "requirements-uv.lock")
    for name in (*locks, "pyproject.toml", *(f"{folder}/pom.xml" for folder in OF_JARS)):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes((root / name).read_bytes())
    for name in (
        "web/package.json",
        "web/package-lock.json",
        "infra/deploy/geo/package.json",
        "infra/deploy/geo/package-lock.json",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("{}")

    def call(command: list[str], _environment: dict[str, str] | None = None) -> None:
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
    monkeypatch.setattr(bootstrap, "uv_settings", dict)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    return commands


def listed(tmp_path: Path, *names: str) -> None:
    lines = [f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in names]
    for folder in OF_JARS:
        (tmp_path / folder / "jars.sha256").write_text("".join(lines))


def test_python_packages_have_hashes_and_are_built_with_what_is_installed(called: list[list[str]]) -> None:
    bootstrap.python_packages(development=True)
    installs = [command for command in called if "install" in command]
    assert len(installs) == 5, "uv twice, both locks by uv, the project itself by pip"
    for command in installs:
        if "-e" in command:
            assert {"--no-deps", "--no-build-isolation"} <= set(command)
        else:
            assert "--require-hashes" in command and command[command.index("--only-binary") + 1] == ":all:"
    lock = (bootstrap.ROOT / "requirements.lock").read_text()
    assert "\nhatchling==" in lock, "what builds the project itself"


def test_where_uv_does_not_run_pip_installs_the_same_packages(
    called: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def call(command: list[str], _environment: dict[str, str] | None = None) -> None:
        called.append(command)
        if command[0].endswith("uv"):
            raise bootstrap.Failed("uv failed.")

    monkeypatch.setattr(bootstrap, "call", call)
    bootstrap.install_locked("requirements.lock")
    assert called[-1][:4] == [*bootstrap.PIP[:4]] and called[-1][-2:] == ["-r", "requirements.lock"]
    assert "--require-hashes" in called[-1] and called[-1][called[-1].index("--only-binary") + 1] == ":all:"


def test_uv_gets_the_settings_of_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pip.conf").write_text(
        "[global]\nindex-url = https://a.test/\nextra-index-url =\n  https://b.test/\n  c\n"
    )
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.setenv("PIP_FIND_LINKS", "wheels")
    found = bootstrap.uv_settings()
    assert (found["UV_DEFAULT_INDEX"], found["UV_INDEX"]) == ("https://a.test/", "https://b.test/ c")
    assert found["UV_FIND_LINKS"] == "wheels"


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
    bootstrap.jars_for_tests("html-checker")
    bootstrap.jars_for_tests("helm")
    assert len(called) == 3 and all("--strict-checksums" in command for command in called)
    assert (tmp_path / ".build/kafka/a-1.jar").exists() and (tmp_path / ".build/html-checker/b-2.jar").exists()
    assert (tmp_path / ".build/helm/a-1.jar").exists()


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


@pytest.mark.usefixtures("called")
def test_a_changed_jar_is_refused(tmp_path: Path) -> None:
    listed(tmp_path, "a-1.jar", "b-2.jar")
    path = tmp_path / "infra/deploy/kafka/jars.sha256"
    path.write_text(path.read_text().replace(path.read_text()[:8], "0" * 8))
    with pytest.raises(bootstrap.Failed, match=r"a-1\.jar"):
        bootstrap.kafka_jars()
