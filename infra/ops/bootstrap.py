"""The steps of `make`: checks the tools, installs and builds what is missing inside the checkout, then starts or tests.

Standard library only, and parsable by old Pythons, since it runs before anything is installed. Each step is skipped
while the hash of its inputs is the one of its last success (`.build/stamps`), so that a second start takes seconds.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from ast import literal_eval
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
STAMPS = BUILD / "stamps"
BIN = ROOT / ".venv" / "bin"
PYTHON = BIN / "python"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
HEADLESS_SHELL = "chromium-headless-shell"
"""It draws what the others draw, for two thirds of their processor time, but not at the same moments."""
OLDEST_PYTHON = (3, 11)
OLDEST_NODE = 20
OLDEST_JAVA = 17
PIP = (str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
UV_NAMES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "no-index": "UV_NO_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
    "proxy": "ALL_PROXY",
}
MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of its own is made in it
MEMORY_FOR_TESTS = 8 << 30
"""Bytes that must be free there: the stacks under test keep less than two GiB, and need as much again to run."""
MAX_NAMED = 20
"""Failed tests that the last line of a run names."""
MAX_REPEATED = 5
"""Failed tests that are run once more. A busy machine makes one or two late; a fault of the code usually fails more."""
FAILED_IN_PYTHON = ".pytest_cache/v/cache/lastfailed"
FAILED_IN_WEB = ".build/vitest.json"
SLOW_WITHIN_S = 45 * 60
"""`.ci/run` begins no slow test after so much time."""
UNSTEADY = ".build/unsteady.json"
"""Tests of the last run that failed and then passed."""
HISTORY = ".ci/output/runs.jsonl"
"""A line for each `.ci/run`: its commit and unsteady tests. It is committed with the next change."""
REMEMBERED_RUNS = 20
"""A test that was unsteady in one of so many runs before is a failure when it is unsteady again."""
_FAILED = "failed: "
_QUIET_NPM = ("--no-audit", "--no-fund", "--loglevel=error")


class Failed(Exception):
    """One step did not succeed; the text says which and what to do."""


def main(arguments: list[str]) -> int:
    named = (
        run,
        demo,
        test,
        test_fast,
        test_slow,
        test_install,
        lint,
        docs,
        pictures,
        oracle,
        mutants,
        wheel,
        release,
        ci,
    )
    targets: dict[str, Callable[[], None]] = {step.__name__.replace("_", "-"): step for step in named}
    targets |= {name: partial(run_module, *module) for name, module in MODULES.items()}
    targets["setup"] = set_up
    if len(arguments) != 1 or arguments[0] not in targets:
        say("usage: bootstrap.py " + "|".join(targets))
        return 2
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # each of hundreds of processes would compile the same files again
    try:
        targets[arguments[0]]()
    except Failed as failure:
        say(str(failure))
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


MODULES = {
    "bench": ("tests.bench",),
    "bench-peers": ("tests.bench", "peers"),  # beside Umami, which npm installs, and the plain design; 15 minutes
    "fuzz": ("tests.bench.fuzz_functions",),  # ten minutes of every function of the ClickHouse engine, as a bomb
    "soak": ("tests.soak",),  # half an hour of load with a fault every minute, and the audit; SOAK_MINUTES
    "test-scale": ("tests.scale",),  # three brokers and several processes of each service, with faults under load
}
"""Targets that are one module, and its arguments."""


def run_module(*arguments: str) -> None:
    set_up(development=True)
    call([str(PYTHON), "-m", *arguments])


def run() -> None:
    set_up()
    become([str(BIN / "althing"), "up"])


def demo() -> None:
    set_up()
    become([str(BIN / "althing"), "demo", "--start"])


def test() -> None:
    run_tests("-m", "not slow")


def run_tests(*chosen: str) -> None:
    """Runs the web's tests and those of pytest's that its options `chosen` name; few that fail are run once more."""
    set_up(development=True)
    environment = dict(os.environ, CHROMIUM=browser(), PHP=php())
    for name in JARS_FOR_TESTS:
        jars_for_tests(name)
    failed: list[str] = []
    of_python = [str(PYTHON), "-m", "pytest", *IN_PARALLEL, *chosen]
    of_web = ["npm", "test", "--prefix", "web"] if has_web() else []
    with folder_for_tests() as folder:
        environment["TMPDIR"] = folder
        for report in (FAILED_IN_PYTHON, FAILED_IN_WEB, UNSTEADY):
            (ROOT / report).unlink(missing_ok=True)
        if of_web:
            attempt(failed, of_web)
        attempt(failed, of_python, environment)
        repeat(failed, of_python, failed_tests(), [str(PYTHON), "-m", "pytest", "--last-failed"], environment)
        repeat(failed, of_web, failed_web_tests(), ["npm", "test", "--prefix", "web", "--", *failed_web_files()])
    finish(failed)


def repeat(
    failed: list[str],
    command: list[str],
    names: list[str],
    again: list[str],
    environment: dict[str, str] | None = None,
) -> None:
    """Runs the few tests that `command` found failing once more, on a machine that is as busy. Those that pass then are
    named as unsteady, and `command` has not failed, unless one was unsteady in a run before; otherwise their names are
    added to `failed`."""
    if " ".join(command) not in failed:
        return
    again_failed: list[str] = []
    if 0 < len(names) <= MAX_REPEATED:
        with busy_cores():
            attempt(again_failed, again, environment)
        if not again_failed:
            failed.remove(" ".join(command))
            say("UNSTEADY, failed and then passed: " + "; ".join(names))
            runs = remembered_runs()
            failed += [f"{name}: unsteady again, as at {at}" for name in names if (at := unsteady_at(name, runs))]
            note_unsteady(names)
            return
    failed += names[:MAX_NAMED]


@contextmanager
def busy_cores() -> Iterator[None]:
    """Keeps every core busy during the block: what failed beside others has to pass beside others."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count() or 1)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def note_unsteady(names: list[str]) -> None:
    path = ROOT / UNSTEADY
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps([*unsteady_tests(), *names]))


def unsteady_tests() -> list[str]:
    """Names of the tests of the last run that failed and then passed."""
    try:
        names: list[str] = json.loads((ROOT / UNSTEADY).read_text())
    except FileNotFoundError:
        return []
    return names


def remember_run() -> None:
    """Adds this run to the history; the oldest of more than `REMEMBERED_RUNS` is left out."""
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, check=False, capture_output=True, text=True)
    runs = [*remembered_runs(), {"commit": head.stdout.strip() or "no commit", "unsteady": unsteady_tests()}]
    path = ROOT / HISTORY
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(run)}\n" for run in runs[-REMEMBERED_RUNS:]))


def remembered_runs() -> list[dict[str, Any]]:
    """The last runs, the oldest first, each with `commit` and `unsteady`, names of tests."""
    path = ROOT / HISTORY
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def unsteady_at(name: str, runs: list[dict[str, Any]]) -> str:
    """The commit of a run in which this test was unsteady; empty: none."""
    return next((str(run["commit"]) for run in reversed(runs) if name in run["unsteady"]), "")


def failed_tests() -> list[str]:
    """Names of the tests that failed in the last run of pytest."""
    try:
        names: dict[str, bool] = json.loads((ROOT / FAILED_IN_PYTHON).read_text())
    except FileNotFoundError:
        return []
    return sorted(names)


def failed_web_tests() -> list[str]:
    """Names of the tests that failed in the last run of vitest."""
    return [f"{file}: {name}" for file, names in _failed_in_web().items() for name in names]


def failed_web_files() -> list[str]:
    """Paths below `web` of the files whose tests failed."""
    return list(_failed_in_web())


def _failed_in_web() -> dict[str, list[str]]:
    """The failed tests of each file with failures."""
    try:
        report = json.loads((ROOT / FAILED_IN_WEB).read_text())
    except FileNotFoundError:
        return {}
    by_file: dict[str, list[str]] = {}
    for file in report["testResults"]:
        if file["status"] == "failed":
            names = [test["fullName"] for test in file["assertionResults"] if test["status"] == "failed"]
            by_file[os.path.relpath(file["name"], ROOT / "web")] = names or ["the file itself"]
    return by_file


@contextmanager
def folder_for_tests() -> Iterator[str]:
    """Yields the folder where the stacks under test keep their data: in memory if enough is free. Their engines wait
    for the disk at each write, which took a sixth of the time. No test looks at the disk itself: the one of a power
    failure reads what the log forced to it."""
    is_free = MEMORY.is_dir() and min(shutil.disk_usage(MEMORY).free, available_memory()) > MEMORY_FOR_TESTS
    with TemporaryDirectory(prefix="althing-", dir=MEMORY if is_free else None) as folder:
        Path(folder).chmod(0o755)  # as root, Postgres runs as another user
        yield folder


def available_memory() -> int:
    """Bytes that programs can still take; 0 where the system does not say."""
    try:
        match = re.search(r"^MemAvailable: +(\d+) kB$", Path("/proc/meminfo").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(match.group(1)) * 1024 if match else 0


IN_PARALLEL = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")
"""Three files at a time, two of them with a stack of services: a third stack makes two cores too slow for deadlines.
A file's tests stay together, they share; `tests/support/schedule.py` says which do so, too, and in which order."""


def test_fast() -> None:
    check_tools(web=False)
    python_packages(development=True)
    # They wait for nothing, and each worker imports everything first: as many as there are cores, not more.
    call([str(PYTHON), "-m", "pytest", "-q", "-n", "2", *IN_PARALLEL[2:], "-m", "not slow", "tests/unit"])


def test_slow() -> None:
    """Runs the tests that take minutes and rarely fail: whole upgrades, long rounds of kills, the worked examples in a
    copy, every overlay of every page."""
    set_up(development=True)
    environment = dict(os.environ, CHROMIUM=browser(), PHP=php())
    failed: list[str] = []
    with folder_for_tests() as folder:
        environment["TMPDIR"] = folder
        attempt(failed, [str(PYTHON), "-m", "pytest", *IN_PARALLEL, "-m", "slow"], environment)
    if has_web():
        attempt(failed, ["npm", "run", "overlays", "--prefix", "web"], environment)
    finish(failed)


def lint() -> None:
    set_up(development=True, build_web=False)
    failed: list[str] = []
    of_python = [[str(BIN / command[0]), *command[1:]] for command in LINTERS]
    of_web = [["npm", "run", script, "--prefix", "web"] for script in ("typecheck", "lint", "format:check")]
    attempt_side_by_side(failed, of_python, of_web if has_web() else [])
    finish(failed)


LINTERS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "."),
    ("mypy",),
    ("lint-imports",),
    ("python", "-m", "infra.ops.retired_words"),
    ("python", "-m", "pytest", "-q", "tests/repository"),  # what reads the whole tree: documents, changelog, log events
)


def docs() -> None:
    """Writes what the documentation has from code: lists of events, settings, projections and tables, the picture of
    the imports."""
    check_tools(web=False)
    python_packages(development=True)
    call([str(PYTHON), "-m", "infra.ops.docs"])


def pictures() -> None:
    """Makes the pictures of README.md, of the built app with seeded answers."""
    set_up(development=True)
    call(["npm", "run", "pictures", "--prefix", "web"], dict(os.environ, CHROMIUM=browser()))


def oracle() -> None:
    """Tests many random histories against independent books; `ORACLE_SEEDS` says how many."""
    set_up(development=True)
    seed = str(int(time.time()) % 10**6)
    environment = {"ORACLE_SEEDS": "20", "ORACLE_SALES": "60", "ORACLE_SEED": seed, **os.environ}
    call([str(PYTHON), "-m", "pytest", "-q", "tests/oracle"], environment)


def mutants() -> None:
    """Plants the faults of `tests/mutants.toml` one by one: each must turn a test red. `ONLY` chooses some of them."""
    set_up(development=True, build_web=False)
    with folder_for_tests() as folder:
        call([str(PYTHON), "-m", "tests.mutants"], dict(os.environ, TMPDIR=folder))


def wheel() -> None:
    """Wheel and sdist with all parts inside, in `.build/wheel`."""
    parts_of_wheel(development=False)
    call([str(PYTHON), "-m", "infra.ops.release.archives", str(BUILD / "wheel")])


def release() -> None:
    """The signed files of a release, in `.build/release`; RELEASE_KEY names the key."""
    parts_of_wheel(development=True)
    call([str(PYTHON), "-m", "infra.ops.release"])


def test_install() -> None:
    """Builds the wheel, installs it where there are no tools, and counts an event with each kind of log."""
    parts_of_wheel(development=True)
    call([str(PYTHON), "-m", "pytest", "tests/install"])


def parts_of_wheel(development: bool) -> None:
    """Fetches and builds what the wheel has inside. Raises `Failed` where a tool for it is missing."""
    check_tools(web=True)
    if not has_maven():
        raise Failed(f"The wheel has Kafka's jars inside: install Java {OLDEST_JAVA} or newer and Maven.")
    python_packages(development)
    kafka_jars()
    country_database()
    web(build=True)


def ci() -> None:
    """Checks everything that must hold before a change is taken. Goes on after a failure, to show all of them at the
    end."""
    began = time.time()
    failed: list[str] = []
    for step in (lint, gate, partial(test_beside_pages, began + SLOW_WITHIN_S)):
        try:
            step()
        except Failed as failure:
            say(str(failure))
            failed.append(str(failure).removeprefix(_FAILED))
    remember_run()
    finish(failed)


def test_beside_pages(slow_until: float) -> None:
    """Runs all tests, and at a low priority beside them the checks of the web pages: neither waits for the last of the
    others. Slow tests are in the same run, where they use the stacks of the others; none begins after `slow_until`, in
    seconds since 1970."""
    set_up(development=True)
    failed: list[str] = []
    with ThreadPoolExecutor(1) as threads:
        pages = threads.submit(web_pages, failed)
        try:
            run_tests("--slow-until", str(slow_until))
        except Failed as failure:
            failed.append(str(failure).removeprefix(_FAILED))
        pages.result()
    finish(failed)


def gate() -> None:
    """Checks whether a hot path became slower, by its ratio to reference work of the same run."""
    call([str(PYTHON), "-m", "tests.bench", "gate"])


def web_pages(failed: list[str]) -> None:
    """Checks how much the built web app sends, the first view of its analytics, and the accessibility of all that it
    shows."""
    if has_web():
        looks = (["nice", "npm", "run", script, "--prefix", "web"] for script in ("first-view", "axe"))
        checks = [["node", "web/scripts/budgets.mjs"], *looks]
        attempt_side_by_side(failed, checks, environment=dict(os.environ, CHROMIUM=browser()))


def set_up(development: bool = False, build_web: bool = True) -> None:
    check_tools(web=True)
    python_packages(development)
    kafka_jars()
    kafka_archive()
    country_database()
    web(build_web)


def check_tools(web: bool) -> None:
    """One line for each tool that is missing or too old."""
    problems: list[str] = []
    if sys.version_info < OLDEST_PYTHON:
        version = ".".join(str(part) for part in sys.version_info[:3])
        problems.append(f"Python 3.11 or newer is needed, this is {version}: install python3.11 and python3.11-venv.")
    if web:
        node = version_of(["node", "--version"], r"v(\d+)")
        if node is None:
            problems.append(f"Node {OLDEST_NODE} or newer is needed and was not found: install nodejs with npm.")
        elif node < OLDEST_NODE:
            problems.append(f"Node {OLDEST_NODE} or newer is needed, this is {node}: install a newer nodejs.")
        elif shutil.which("npm") is None:
            problems.append("npm is needed beside Node and was not found: install npm.")
    if problems:
        raise Failed("\n".join(problems))


def python_packages(development: bool) -> None:
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if not PYTHON.exists():
        say("making .venv")
        call([sys.executable, "-m", "venv", str(ROOT / ".venv")])
        forget("python")
        forget("python-dev")

    def install() -> None:
        install_locked("requirements.lock")
        call([*PIP, "--no-deps", "--no-build-isolation", "-e", "."])  # by the hatchling of the lock

    inputs = [ROOT / "requirements.lock", ROOT / "pyproject.toml"]
    with_stamp(
        "python",
        python + digest(inputs),
        "installing the Python packages",
        install,
    )
    if development:
        inputs = [ROOT / "requirements.lock", ROOT / "requirements-dev.lock"]
        with_stamp(
            "python-dev",
            python + digest(inputs),
            "installing the tools for tests",
            lambda: install_locked("requirements-dev.lock"),
        )


def install_locked(lock: str) -> None:
    """Installs the packages of `lock` with uv, or with pip if uv does not run here or does not reach the index."""
    locked = ["--require-hashes", "--only-binary", ":all:"]  # a source package would bring tools without a hash
    try:
        call([*PIP, *locked, "-r", "requirements-uv.lock"])
        uv = [str(BIN / "uv"), "pip", "install", "--quiet", "--python", str(PYTHON), "--compile-bytecode"]
        call([*uv, *locked, "-r", lock], {**uv_settings(), **os.environ})
    except Failed as failure:
        say(f"{failure} Installing with pip, which is slower.")
        call([*PIP, *locked, "-r", lock])


def uv_settings() -> dict[str, str]:
    """pip's settings of where packages come from, as environment variables of uv, which does not read them."""
    command = [str(PYTHON), "-m", "pip", "config", "list"]
    listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    options: dict[str, str] = {}
    for section in ("global", "install", ":env:"):  # a later one takes precedence
        options.update(re.findall(rf"^{section}\.([a-z-]+)=(.*)$", listed, re.MULTILINE))
    return {
        UV_NAMES[name]: " ".join(literal_eval(value).split()) for name, value in options.items() if name in UV_NAMES
    }


def kafka_jars() -> None:
    """Optional: without Java or Maven the log is kept in Postgres, which `althing up` says loudly."""
    if has_maven():
        fetch_jars("kafka", ROOT / "infra/deploy/kafka", "Kafka")
    else:
        say(f"NO KAFKA: Java {OLDEST_JAVA} or newer and Maven were not both found; the log will be kept in Postgres.")


JARS_FOR_TESTS = {
    "html-checker": "tests/support/html_checker",
    "helm": "tests/support/helm",
    "clickhouse-jdbc": "tests/contract/clickhouse/clickhouse_jdbc",
}
"""Folders with the `pom.xml` of jars that only tests need."""


def jars_for_tests(name: str) -> Path:
    """The folder with the jars. Raises `Failed` without a JDK or Maven."""
    if not has_maven() or shutil.which("javac") is None:
        raise Failed(f"The tests need a JDK {OLDEST_JAVA} or newer and Maven: install both.")
    return fetch_jars(name, ROOT / JARS_FOR_TESTS[name], f"{name} for the tests")


def has_maven() -> bool:
    java = version_of(["java", "-version"], r'version "(?:1\.)?(\d+)')
    return java is not None and java >= OLDEST_JAVA and shutil.which("mvn") is not None


def fetch_jars(name: str, source: Path, what: str) -> Path:
    """Fetches the jars of `pom.xml` in the folder `source`, as its `jars.sha256` lists them."""
    folder = BUILD / name
    pom, listed = source / "pom.xml", source / "jars.sha256"

    def fetch() -> None:
        new = BUILD / f"{name}.new"
        shutil.rmtree(new, ignore_errors=True)
        command = ["mvn", "--strict-checksums", "-q", "-B", "-f", str(pom.relative_to(ROOT))]
        call([*command, "dependency:copy-dependencies", f"-DoutputDirectory={new}", "-DincludeScope=runtime"])
        check_jars(new, listed)
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)

    with_stamp(name, digest([pom, listed]), f"fetching {what}", fetch, folder)
    return folder


def check_jars(folder: Path, list_: Path) -> None:
    """Raises `Failed` unless the jars are exactly those of the list of their SHA-256."""
    listed = {name: wanted for wanted, name in (line.split() for line in list_.read_text().splitlines())}
    jars = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.jar")}
    wrong = sorted(name for name in {*listed, *jars} if listed.get(name) != jars.get(name))
    if wrong:
        raise Failed(f"These jars are not those of {list_.relative_to(ROOT)}: {', '.join(wrong)}.")


def kafka_archive() -> None:
    """Makes an archive of Kafka's classes, with which it starts in half the time."""
    java = shutil.which("java")
    if java is None or not (BUILD / "kafka").exists():
        return
    program = Path(java).resolve()
    with_stamp(
        "kafka-archive",
        f"{program} {program.stat().st_mtime_ns} "
        + digest([ROOT / "infra/deploy/kafka/pom.xml", ROOT / "infra/ops/stack/engines/kafka.py"]),
        "preparing Kafka",
        lambda: call([str(PYTHON), "-m", "infra.ops.stack.engines.kafka_archive", str(BUILD / "kafka.jsa")]),
        BUILD / "kafka.jsa",
    )


def country_database() -> None:
    folder = BUILD / "geo"
    inputs = [ROOT / "infra/deploy/geo/package.json", ROOT / "infra/deploy/geo/package-lock.json"]

    def fetch() -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for path in inputs:
            shutil.copy(path, folder)
        call(["npm", "ci", "--prefix", str(folder), "--ignore-scripts", *_QUIET_NPM])

    with_stamp("geo", digest(inputs), "fetching the country database", fetch, folder / "node_modules")


def web(build: bool) -> None:
    if not has_web():
        return
    folder = ROOT / "web"
    locks = [folder / "package.json", folder / "package-lock.json"]
    with_stamp(
        "web-packages",
        digest(locks),
        "installing the web app's packages",
        lambda: call(["npm", "ci", "--prefix", "web", "--ignore-scripts", *_QUIET_NPM]),
        folder / "node_modules",
    )
    if build:
        with_stamp(
            "web",
            digest([*locks, *web_sources(folder)]),
            "building the web app",
            lambda: call(["npm", "run", "build", "--prefix", "web"]),
            folder / "dist" / "index.html",
        )


GENERATED_FROM_API = ("schema.d.ts", "request-schemas.ts")
"""Made from openapi.json before each build: as inputs they would be new after every first one."""


def web_sources(folder: Path) -> list[Path]:
    """Returns the files that a build of the web app depends on, besides its packages."""
    parts = ("src", "public", "scripts", "content")
    paths = [path for part in parts for path in (folder / part).rglob("*") if path.is_file()]
    paths += (folder.parent / "docs").glob("*.md")  # the API's documentation is a page of the app
    paths += [path for path in folder.iterdir() if path.is_file() and path.suffix in (".html", ".ts", ".js", ".json")]
    return sorted({path for path in paths if not path.name.startswith(GENERATED_FROM_API)})


def browser() -> str:
    """The Chromium that the browser tests use: named by CHROMIUM, found, or installed where that is possible."""
    names = (HEADLESS_SHELL, *BROWSERS)
    return program_for_tests("CHROMIUM", names, names[:2], "The browser tests need Chromium", "a Chrome or Chromium")


def users_browser() -> str:
    """The Chromium in which page loads are timed: one that people use, found in the same way."""
    need = "The bench of the web app needs Chromium"
    return program_for_tests("CHROMIUM", BROWSERS, BROWSERS[:1], need, "a Chrome or Chromium")


def php() -> str:
    """The PHP that runs the documentation's PHP: named by PHP, found, or installed where that is possible."""
    return program_for_tests(
        "PHP", ("php",), ("php-cli",), "The test of the documentation's PHP snippet needs PHP", "a PHP"
    )


def program_for_tests(setting: str, names: Sequence[str], packages: Sequence[str], need: str, kind: str) -> str:
    """Returns a program that only tests need. Raises `Failed` with one sentence when it is not there and cannot be
    installed: the first of `packages` that the system has."""
    configured = os.environ.get(setting)
    if configured:
        if shutil.which(configured) is None:
            raise Failed(f"{setting} names {configured}, which is not a program.")
        return configured
    program = next((path for path in map(shutil.which, names) if path), None)
    if program is None and hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        call(["apt-get", "update", "-qq"])
        for package in packages:
            say(f"installing {package} for the tests")
            with suppress(Failed):
                call(["apt-get", "install", "-y", "-qq", "--no-install-recommends", package])
                break
        program = next((path for path in map(shutil.which, names) if path), None)
    if program is None:
        raise Failed(f"{need}: install {packages[-1]}, or set {setting} to {kind} program.")
    return program


def has_web() -> bool:
    return (ROOT / "web" / "package.json").exists()


def with_stamp(name: str, wanted: str, text: str, action: Callable[[], object], product: Path | None = None) -> None:
    """Does `action` unless its last success had the same inputs and its product is still there."""
    stamp = STAMPS / name
    if stamp.exists() and stamp.read_text() == wanted and (product is None or product.exists()):
        return
    say(text)
    forget(name)
    action()
    STAMPS.mkdir(parents=True, exist_ok=True)
    stamp.write_text(wanted)


def forget(name: str) -> None:
    (STAMPS / name).unlink(missing_ok=True)


def digest(paths: list[Path]) -> str:
    sha256 = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        sha256.update(f"{path.relative_to(ROOT)} {len(content)}\n".encode())
        sha256.update(content)
    return sha256.hexdigest()


def version_of(command: list[str], pattern: str) -> int | None:
    """The major version that a program reports, or None when it does not run."""
    if shutil.which(command[0]) is None:
        return None
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(pattern, done.stdout + done.stderr)
    return int(match.group(1)) if match else None


def call(command: list[str], environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    if done.returncode != 0:
        raise Failed(f"`{' '.join(command)}` failed with code {done.returncode}.")


def attempt(failed: list[str], command: list[str], environment: dict[str, str] | None = None) -> None:
    """Runs a check; a failure is noted and the next one runs all the same."""
    say("$ " + " ".join(command))
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode != 0:
        failed.append(" ".join(command))


def attempt_side_by_side(failed: list[str], *rows: list[list[str]], environment: dict[str, str] | None = None) -> None:
    """`attempt` for the checks of each row in turn, beside those of the other rows: most of them use one core. What a
    check says is shown once it has ended."""

    def attempt_all(row: list[list[str]]) -> None:
        for command in row:
            done = subprocess.run(
                command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
            )
            say(f"$ {' '.join(command)}\n{done.stdout.decode(errors='replace')}")
            if done.returncode != 0:
                failed.append(" ".join(command))

    with ThreadPoolExecutor(len(rows)) as threads:
        list(threads.map(attempt_all, rows))


def finish(failed: list[str]) -> None:
    if failed:
        raise Failed(_FAILED + "; ".join(failed))


def become(command: list[str]) -> None:
    sys.stdout.flush()
    os.chdir(ROOT)
    os.execv(command[0], command)  # noqa: S606 - the foreground process is the stack itself, so Ctrl-C reaches it


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
