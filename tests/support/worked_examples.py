"""The worked examples of CONTRIBUTING.md, to be applied to a copy of the tree as they stand."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from infra.kernel.config.paths import ROOT

EXAMPLES: Final = (
    "Add an event",
    "Add a command",
    "Add a read model",
    "Add a query",
    "Add a property to an entity",
)
"""Headings, in the order in which they build on each other."""
_BLOCK: Final = re.compile(r"((?:^(?!```)[^\n]+\n)+)\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE: Final = re.compile(r"`([\w./-]+/[\w.-]+\.(?:py|json))`")
_GIT: Final = ("git", "-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "core.hooksPath=/dev/null")


def apply(example: str, tree: Path) -> None:
    """Writes the blocks of a section into their files.

    Raises `AssertionError` for a block without a file, and for context that is not there once.
    """
    for name, language, body in _blocks(example):
        file = tree / name
        if language == "diff":
            file.write_text(patched(file.read_text(), body, name))
        elif file.exists():
            file.write_text(f"{file.read_text()}\n\n{body}")
        else:
            file.write_text(body)


def files_of(example: str) -> list[str]:
    """The files that the blocks of a section are written into."""
    return [name for name, _, _ in _blocks(example)]


def patched(text: str, diff: str, name: str) -> str:
    """`text` with hunks that are separated by `@@` and have no numbers; one without context is added at the end."""
    for hunk in diff.removesuffix("\n").split("\n@@\n"):
        lines = hunk.split("\n")
        old, new = ("".join(f"{line[1:]}\n" for line in lines if line[:1] != sign) for sign in "+-")
        assert not old or f"\n{text}".count(f"\n{old}") == 1, f"{name} does not have these lines once:\n{old}"
        text = f"\n{text}".replace(f"\n{old}", f"\n{new}")[1:] if old else text + new
    return text


def _blocks(example: str) -> Iterator[tuple[str, str, str]]:
    """File, language and content of each block: the file is the first that the paragraph before it names."""
    [section] = re.findall(rf"^## {example}\n(.*?)(?=^## )", (ROOT / "CONTRIBUTING.md").read_text(), re.M | re.S)
    found = _BLOCK.findall(section)
    assert len(found) == section.count("```") // 2, f"{example}: a block has no paragraph"
    for paragraph, language, body in found:
        named = _FILE.search(paragraph)
        assert named is not None, f"{example}: no file is named before the block: {paragraph}"
        yield named[1], language, body


def copy_tree(to: Path) -> None:
    """A repository with one commit: the files of the working tree that git knows or would take. What Python has
    compiled of them comes along: to compile it again takes longer than the tests."""
    listed = _run(ROOT, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for file in (ROOT / name for name in listed):
        if file.is_file():
            for found in (file, *file.parent.glob(f"__pycache__/{file.stem}.*.pyc")):
                copy = to / found.relative_to(ROOT)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(found, copy)
    _run(to, *_GIT, "init", "-q")
    commit(to)


def changes(tree: Path) -> tuple[list[str], str]:
    """The files that differ from the last commit, and `git diff --stat` of them."""
    _run(tree, "git", "add", "-A")
    return (
        _run(tree, "git", "diff", "--cached", "--name-only").splitlines(),
        _run(tree, "git", "diff", "--cached", "--stat"),
    )


def commit(tree: Path) -> None:
    _run(tree, "git", "add", "-A")
    _run(tree, *_GIT, "commit", "-q", "--allow-empty", "--no-gpg-sign", "-m", "all")


def _run(folder: Path, *command: str) -> str:
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return subprocess.run(command, cwd=folder, env=own, check=True, capture_output=True, text=True).stdout
