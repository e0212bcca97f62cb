"""The worked examples of CONTRIBUTING.md fit the tree: `tests/projections/engine/test_worked_examples.py` runs them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from infra.kernel.config.paths import ROOT
from tests.support.worked_examples import EXAMPLES, apply, files_of, patched


def test_every_block_has_a_file_and_its_context_is_there(tmp_path: Path) -> None:
    for name in {name for example in EXAMPLES for name in files_of(example)}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        if (ROOT / name).exists():
            shutil.copy2(ROOT / name, tmp_path / name)
    for example in EXAMPLES:
        apply(example, tmp_path)
    with pytest.raises(AssertionError, match="once"):
        apply("Add a read model", tmp_path)


def test_hunks_have_context_or_go_to_the_end() -> None:
    text = "a\nb\nc\n"
    assert patched(text, " a\n+x\n b\n@@\n-c\n@@\n+\n+d\n", "file") == "a\nx\nb\n\nd\n"
    for diff in (" a\n c\n+x\n", "-x\n"):
        with pytest.raises(AssertionError, match=re.escape("file does not have these lines once")):
            patched(text, diff, "file")
