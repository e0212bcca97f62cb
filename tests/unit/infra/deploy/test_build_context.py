"""What an image is built from: the source, and nothing that git ignores or that holds a secret.

A build sends its whole context to the builder and copies it (`COPY . .`), so what `.dockerignore` lets through is in
the layers and the cache of the image's first stage.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import lru_cache

import pytest

from infra.kernel.config.paths import ROOT

COMPOSE = "infra/deploy/compose"


def rules() -> list[tuple[bool, re.Pattern[str]]]:
    """Of `.dockerignore`: whether a rule excludes, and what it matches; the last one that matches counts."""
    lines = [line.strip() for line in (ROOT / ".dockerignore").read_text().splitlines()]
    return [
        (not line.startswith("!"), pattern_of(line.removeprefix("!"))) for line in lines if line and line[0] not in "#"
    ]


def pattern_of(text: str) -> re.Pattern[str]:
    """A builder's pattern: from the root of the context, `**` is any number of folders, and a folder means all that is
    in it (moby's patternmatcher)."""
    expression = ""
    for part in re.split(r"(\*\*/|\*|\?)", text.strip("/")):
        expression += {"**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}.get(part) or re.escape(part)
    return re.compile(expression + "(?:/.*)?")


@lru_cache(maxsize=1)
def cached_rules() -> tuple[tuple[bool, re.Pattern[str]], ...]:
    return tuple(rules())


def is_in_context(path: str) -> bool:
    """Whether the builder gets this file."""
    is_excluded = False
    for excludes, pattern in cached_rules():
        if pattern.fullmatch(path):
            is_excluded = excludes
    return not is_excluded


def samples_of(ignored: str) -> Iterator[str]:
    """Files that a line of `.gitignore` ignores: at the root and, unless it is anchored there, in a folder."""
    name = ignored.strip("/").replace("*", "x")
    is_anchored = "/" in ignored.rstrip("/")
    for folder in ("",) if is_anchored else ("", "web/", "infra/deploy/compose/"):
        yield f"{folder}{name}"
        yield f"{folder}{name}/inside"


def git_ignored() -> list[str]:
    lines = (ROOT / ".gitignore").read_text().splitlines()
    return [line for line in lines if line and not line.startswith(("#", "!"))]


@pytest.mark.parametrize("line", git_ignored())
def test_what_git_ignores_is_not_in_the_image(line: str) -> None:
    assert [path for path in samples_of(line) if is_in_context(path)] == []


def test_the_secrets_of_compose_are_not_in_the_image() -> None:
    script = (ROOT / COMPOSE / "create-secrets.sh").read_text()
    names = set(re.findall(r"\bsave (\w[\w.]*)", script))
    described = (ROOT / COMPOSE / "compose.yaml").read_text()
    files = {path.removeprefix("./") for path in re.findall(r"file: (\./\S+?)[,}\s]", described)}
    assert {"master_key", "postgres_url", "clickhouse.xml"} <= names and files
    paths = [*(f"{COMPOSE}/secrets/{name}" for name in names), *(f"{COMPOSE}/{path}" for path in files)]
    assert [path for path in paths if is_in_context(path)] == []


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        f"{COMPOSE}/.env",
        f"{COMPOSE}/.env.production",
        f"{COMPOSE}/secrets/google",
        "secrets/master_key",
        ".althing/secrets.json",
        ".althing-demo/kafka.properties",
        "data/secrets.json",
        "tls/server.key",
        "tls/server.pem",
    ],
)
def test_documented_places_of_secrets_are_not_in_the_image(path: str) -> None:
    assert not is_in_context(path)


def test_the_whole_source_is() -> None:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    assert [path for path in listed.split("\0") if path and not is_in_context(path)] == []


def test_the_compose_file_names_no_secret_outside_of_its_folder() -> None:
    described = (ROOT / COMPOSE / "compose.yaml").read_text()
    files = re.findall(r"(?<![\w-])file: (\S+?)[,}\s]", described)
    assert files and all(path.startswith("./secrets/") for path in files)
