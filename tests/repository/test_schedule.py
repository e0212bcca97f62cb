"""The order of the test files names files that there are, each once, and every browser test; a third worker starts no
stack."""

from __future__ import annotations

from collections import Counter, OrderedDict
from types import SimpleNamespace

from infra.kernel.config.paths import ROOT
from tests.support.schedule import TOGETHER, GroupScheduling

TESTS = ROOT / "tests"


def test_each_named_file_is_there_and_named_once() -> None:
    named = Counter(name for names in TOGETHER for name in names)
    assert [name for name in named if not (TESTS / f"{name}.py").is_file()] == []
    assert [name for name, times in named.items() if times > 1] == []


def test_every_browser_test_has_its_place() -> None:
    named = {name for names in TOGETHER for name in names}
    assert {f"e2e/{path.stem}" for path in (TESTS / "e2e").glob("test_*.py")} <= named


def test_a_third_worker_takes_the_first_file_without_a_stack_until_none_is_left() -> None:
    scheduling = GroupScheduling.__new__(GroupScheduling)
    names = ("gw2", "gw0", "gw1")  # in any order: as they became ready
    scheduling.assigned_work = {Worker(name): {} for name in names}
    files = ("tests/crash/infra/test_audit.py", "tests/api/links/test_links.py", "tests/unit/ingest/test_hostile.py")
    scheduling.workqueue = OrderedDict((file, {f"{file}::test_it": False}) for file in files)
    assert [scheduling._next_for(worker) for worker in scheduling.nodes] == [files[1], files[0], files[0]]

    del scheduling.workqueue[files[1]], scheduling.workqueue[files[2]]
    assert [scheduling._next_for(worker) for worker in scheduling.nodes] == [None, files[0], files[0]]


class Worker:
    """What the scheduling reads of one: its name."""

    def __init__(self, name: str) -> None:
        self.gateway = SimpleNamespace(id=name)
