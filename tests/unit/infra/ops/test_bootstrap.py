"""What `make` does before anything is installed: tools that lack are named, current steps are skipped."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from infra.kernel.config.paths import ROOT
from infra.ops import bootstrap
from tests.conftest import pytest_runtest_setup


@pytest.fixture(autouse=True)
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "STAMPS", tmp_path / ".build" / "stamps")
    return tmp_path


def test_a_step_runs_once_for_the_same_inputs(checkout: Path) -> None:
    runs: list[int] = []
    product = checkout / "product"

    def build() -> None:
        runs.append(1)
        product.touch()

    for wanted in ("a", "a", "b", "b"):
        bootstrap.with_stamp("step", wanted, "building", build, product)
    assert len(runs) == 2
    product.unlink()
    bootstrap.with_stamp("step", "b", "building", build, product)
    assert len(runs) == 3, "a product that is gone is made again"


@pytest.mark.usefixtures("checkout")
def test_a_step_that_failed_runs_again() -> None:
    def fail() -> None:
        raise bootstrap.Failed("no")

    bootstrap.with_stamp("step", "a", "building", lambda: None)
    with pytest.raises(bootstrap.Failed):
        bootstrap.with_stamp("step", "b", "building", fail)
    assert not (bootstrap.STAMPS / "step").exists()


def test_inputs_are_names_and_contents(checkout: Path) -> None:
    one, two = checkout / "one", checkout / "two"
    one.write_text("x")
    two.write_text("x")
    first = bootstrap.digest([one])
    assert first != bootstrap.digest([two])
    one.write_text("y")
    assert bootstrap.digest([one]) != first


@pytest.mark.parametrize(("found", "says"), [(None, "was not found"), (18, "this is 18")])
def test_a_missing_or_old_node_is_one_line(monkeypatch: pytest.MonkeyPatch, found: int | None, says: str) -> None:
    monkeypatch.setattr(bootstrap, "version_of", lambda *_: found)
    with pytest.raises(bootstrap.Failed, match=says) as refusal:
        bootstrap.check_tools(web=True)
    assert str(refusal.value).count("\n") == 0 and "install" in str(refusal.value)


def test_without_java_kafka_is_left_out_loudly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "version_of", lambda *_: None)
    bootstrap.kafka_jars()
    assert "NO KAFKA" in capsys.readouterr().out


def test_a_browser_that_is_named_must_be_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CHROMIUM", "/nonexistent/chromium")
    with pytest.raises(bootstrap.Failed, match="/nonexistent/chromium"):
        bootstrap.browser()


def test_no_php_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PHP", raising=False)
    monkeypatch.setattr("shutil.which", lambda _name: None)
    with pytest.raises(bootstrap.Failed, match="install php-cli, or set PHP"):
        bootstrap.php()


def test_no_browser_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr("shutil.which", lambda _name: None)
    with pytest.raises(bootstrap.Failed, match="install chromium"):
        bootstrap.browser()


def test_ci_looks_at_the_build_that_is_there_and_at_its_sizes(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []

    def build(command: list[str]) -> None:
        done.append(" ".join(command))
        product = checkout / "web" / ("dist/index.html" if "build" in command else "node_modules")
        product.parent.mkdir(exist_ok=True)
        product.touch()

    (checkout / "web").mkdir()
    for name in ("package.json", "package-lock.json"):
        (checkout / "web" / name).write_text("{}")
    for name in ("lint", "gate"):
        monkeypatch.setattr(bootstrap, name, lambda: None)
    monkeypatch.setattr(bootstrap, "set_up", lambda **_: bootstrap.web(build=True))
    monkeypatch.setattr(bootstrap, "run_tests", lambda *_: None)
    monkeypatch.setattr(bootstrap, "browser", lambda: "chromium")
    monkeypatch.setattr(bootstrap, "call", build)
    looked: list[str] = []
    monkeypatch.setattr(
        bootstrap, "attempt_side_by_side", lambda _failed, row, **_: looked.extend(" ".join(check) for check in row)
    )
    looks = ["node web/scripts/budgets.mjs", *(f"nice npm run {name} --prefix web" for name in ("first-view", "axe"))]
    bootstrap.ci()
    assert (done[1:], looked) == (["npm run build --prefix web"], looks), "built once"
    bootstrap.ci()
    assert (done[2:], looked) == ([], [*looks, *looks]), "what is current is not built again, but looked at"
    (checkout / "web" / "index.html").write_text("new")
    bootstrap.ci()
    assert done[2:] == ["npm run build --prefix web"]


def test_ci_fails_when_a_page_is_too_large(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (checkout / "web").mkdir()
    (checkout / "web" / "package.json").write_text("{}")
    for name in ("lint", "gate", "set_up", "run_tests"):
        monkeypatch.setattr(bootstrap, name, lambda *_, **__: None)
    monkeypatch.setattr(bootstrap, "browser", lambda: "chromium")
    monkeypatch.setattr(
        bootstrap, "attempt_side_by_side", lambda failed, *_, **__: failed.append("a page is too large")
    )
    with pytest.raises(bootstrap.Failed, match="a page is too large"):
        bootstrap.ci()


def test_ci_begins_no_slow_test_when_its_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []
    for name in ("lint", "gate", "set_up", "web_pages"):
        monkeypatch.setattr(bootstrap, name, lambda *_, **__: None)
    monkeypatch.setattr(bootstrap, "run_tests", lambda *options: given.extend(options))
    monkeypatch.setattr("time.time", lambda: 1_000.0)
    bootstrap.ci()
    assert given == ["--slow-until", str(1_000.0 + bootstrap.SLOW_WITHIN_S)]


def test_slow_tests_end_with_every_overlay_of_every_page(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (checkout / "web").mkdir()
    (checkout / "web" / "package.json").write_text("{}")
    for name in ("set_up", "browser", "php"):
        monkeypatch.setattr(bootstrap, name, lambda **_: "found")
    run: list[str] = []
    monkeypatch.setattr(bootstrap, "attempt", lambda _failed, command, _environment: run.append(" ".join(command)))
    bootstrap.test_slow()
    assert [run[0].endswith("-m slow"), *run[1:]] == [True, "npm run overlays --prefix web"]


@pytest.mark.parametrize(("marks", "is_skipped"), [(["slow"], True), ([], False)])
def test_a_slow_test_does_not_begin_after_the_given_time(marks: list[str], is_skipped: bool) -> None:
    def item(slow_until: float) -> Any:
        config = SimpleNamespace(getoption={"--slow-until": slow_until}.__getitem__)
        return SimpleNamespace(config=config, get_closest_marker=lambda name: name in marks)

    pytest_runtest_setup(item(time.time() + 60))
    with pytest.raises(pytest.skip.Exception) if is_skipped else nullcontext():
        pytest_runtest_setup(item(time.time() - 60))


@pytest.mark.usefixtures("checkout")
def test_ci_fails_when_a_hot_path_is_slower_and_runs_the_tests_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def fails(command: list[str]) -> None:
        ran.append(" ".join(command[1:]))
        raise bootstrap.Failed("slower than recorded")

    for name in ("lint", "set_up", "web_pages"):
        monkeypatch.setattr(bootstrap, name, lambda *_, **__: None)
    monkeypatch.setattr(bootstrap, "run_tests", lambda *_: ran.append("test"))
    monkeypatch.setattr(bootstrap, "call", fails)
    with pytest.raises(bootstrap.Failed, match="slower than recorded"):
        bootstrap.ci()
    assert ran == ["-m tests.bench gate", "test"]


def test_ci_names_at_its_end_the_tests_that_failed(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What engines and interpreters say when they end can bury the list of pytest."""

    monkeypatch.setattr(bootstrap, "attempt", fails_in(checkout, times=2))
    without_the_rest(monkeypatch)
    with pytest.raises(bootstrap.Failed, match=r"^failed: .* pytest .*; tests/unit/test_b.py::test_it$"):
        bootstrap.ci()


def test_a_test_that_fails_and_then_passes_is_named_and_remembered(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bootstrap, "attempt", fails_in(checkout, times=1))
    without_the_rest(monkeypatch)
    bootstrap.ci()
    assert "UNSTEADY, failed and then passed: tests/unit/test_b.py::test_it" in capsys.readouterr().out
    [run] = bootstrap.remembered_runs()
    assert run["unsteady"] == ["tests/unit/test_b.py::test_it"]


def test_a_test_that_is_unsteady_again_fails_the_run(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    without_the_rest(monkeypatch)
    monkeypatch.setattr(bootstrap, "attempt", fails_in(checkout, times=1))
    bootstrap.ci()
    monkeypatch.setattr(bootstrap, "attempt", fails_in(checkout, times=0))
    for _ in range(bootstrap.REMEMBERED_RUNS - 1):
        bootstrap.ci()
    monkeypatch.setattr(bootstrap, "attempt", fails_in(checkout, times=1))
    with pytest.raises(bootstrap.Failed, match=r"tests/unit/test_b\.py::test_it: unsteady again"):
        bootstrap.ci()
    monkeypatch.setattr(bootstrap, "attempt", fails_in(checkout, times=0))
    for _ in range(bootstrap.REMEMBERED_RUNS):
        bootstrap.ci()
    monkeypatch.setattr(bootstrap, "attempt", fails_in(checkout, times=1))
    bootstrap.ci()


@pytest.mark.parametrize("count", [0, bootstrap.MAX_REPEATED + 1])
def test_a_run_without_a_few_failed_tests_is_not_repeated(
    count: int, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could not load its files, lost a worker, or shows a fault that is everywhere."""
    monkeypatch.setattr(bootstrap, "attempt", fails_in(checkout, times=1, count=count))
    without_the_rest(monkeypatch)
    with pytest.raises(bootstrap.Failed, match="pytest"):
        bootstrap.ci()


def test_failed_tests_of_the_web_app_are_read_from_their_report(checkout: Path) -> None:
    assert bootstrap.failed_web_tests() == []
    tests = [{"status": "passed", "fullName": "one"}, {"status": "failed", "fullName": "another"}]
    report = {
        "testResults": [
            {"name": f"{checkout}/web/src/a.test.ts", "status": "failed", "assertionResults": tests},
            {"name": f"{checkout}/web/src/b.test.ts", "status": "failed", "assertionResults": []},
            {"name": f"{checkout}/web/src/c.test.ts", "status": "passed", "assertionResults": tests[:1]},
        ]
    }
    (checkout / ".build").mkdir(exist_ok=True)
    (checkout / bootstrap.FAILED_IN_WEB).write_text(json.dumps(report))
    assert bootstrap.failed_web_files() == ["src/a.test.ts", "src/b.test.ts"]
    assert bootstrap.failed_web_tests() == ["src/a.test.ts: another", "src/b.test.ts: the file itself"]


def fails_in(checkout: Path, times: int, count: int = 1) -> Callable[..., None]:
    """A run of pytest in which `count` tests fail, so many times."""
    left = iter(range(times))

    def attempt(failed: list[str], command: list[str], *_: object) -> None:
        if "pytest" in command and next(left, None) is not None:
            (checkout / ".pytest_cache/v/cache").mkdir(parents=True, exist_ok=True)
            names = [f"tests/unit/test_b.py::test_it{number or ''}" for number in range(count)]
            (checkout / bootstrap.FAILED_IN_PYTHON).write_text(json.dumps(dict.fromkeys(names, True)))
            failed.append(" ".join(command))

    return attempt


def without_the_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("lint", "gate", "web_pages"):
        monkeypatch.setattr(bootstrap, name, lambda *_: None)
    for name in ("browser", "php"):
        monkeypatch.setattr(bootstrap, name, lambda: "program")
    monkeypatch.setattr(bootstrap, "jars_for_tests", lambda _: Path("jars"))
    monkeypatch.setattr(bootstrap, "set_up", lambda **_: None)


@pytest.mark.usefixtures("checkout")
def test_checks_run_side_by_side_and_all_failures_are_listed(capfd: pytest.CaptureFixture[str]) -> None:
    failed: list[str] = []
    bootstrap.attempt_side_by_side(failed, [["false"], ["echo", "first"]], [["cat", "/nonexistent"]])
    said = capfd.readouterr().out
    assert sorted(failed) == ["cat /nonexistent", "false"]
    assert "$ echo first\nfirst\n" in said and "No such file" in said.partition("$ cat /nonexistent\n")[2]


@pytest.mark.parametrize(("free", "is_in_memory"), [(2**40, True), (0, False)])
def test_stacks_under_test_are_kept_in_memory_if_enough_is_free(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, free: int, is_in_memory: bool
) -> None:
    monkeypatch.setattr(bootstrap, "MEMORY", checkout)
    monkeypatch.setattr(bootstrap, "MEMORY_FOR_TESTS", 1)
    monkeypatch.setattr(bootstrap, "available_memory", lambda: free)
    with bootstrap.folder_for_tests() as folder:
        assert Path(folder).stat().st_mode & 0o005 == 0o005, "Postgres, which runs as another user, passes through it"
        assert (Path(folder).parent == checkout) is is_in_memory
    assert not Path(folder).exists()


def test_an_unknown_target_is_wrong_use() -> None:
    assert bootstrap.main(["nonsense"]) == 2


def test_the_web_app_is_built_again_when_an_article_or_the_documentation_has_changed() -> None:
    root = ROOT
    sources = set(bootstrap.web_sources(root / "web"))
    for name in ("web/content/help/getting-started.md", "web/scripts/documents.mjs", "docs/tracking-api.md"):
        assert root / name in sources
    for name in ("schema.d.ts", "request-schemas.ts"):
        assert root / "web/src/lib/api" / name not in sources, "the build makes it"
