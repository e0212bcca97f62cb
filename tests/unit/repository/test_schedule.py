"""The order of the test files names files that there are, each once, and every browser test."""

from __future__ import annotations

from collections import Counter

from infra.kernel.config.paths import ROOT
from tests.support.schedule import TOGETHER

TESTS = ROOT / "tests"


def test_each_named_file_is_there_and_named_once() -> None:
    named = Counter(name for names in TOGETHER for name in names)
    assert [name for name in named if not (TESTS / f"{name}.py").is_file()] == []
    assert [name for name, times in named.items() if times > 1] == []


def test_every_browser_test_shares_a_stack() -> None:
    named = {name for names in TOGETHER for name in names}
    assert {f"e2e/{path.stem}" for path in (TESTS / "e2e").glob("test_*.py")} <= named
