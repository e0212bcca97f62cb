"""The planted faults fit the tree, and a run tells a fault that a test found from one that only breaks the program."""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

import pytest

from infra.kernel.config.paths import ROOT
from tests.mutants.__main__ import LIST, by_names
from tests.mutants.mutant import WEB, InvalidMutant, Mutant, chosen, read
from tests.mutants.verdict import Report, failed, finder, of_pytest, of_vitest, why_not_found, without_tests

MUTANTS = read(LIST.read_text())
MUTANT = Mutant("a sum is a difference", "money", "books.py", "a + b", "a - b", ("tests/unit/test_books.py",))
ENTRY = """
[[mutant]]
name = "a sum is a difference"
kind = "money"
file = "books.py"
from = "a + b"
to = "a - b"
tests = ["tests/unit/test_books.py"]
"""


def test_every_fault_can_be_planted() -> None:
    for mutant in MUTANTS:
        assert mutant.plant((ROOT / mutant.file).read_text()), mutant.name


def test_every_named_test_is_there() -> None:
    missing = {(mutant.name, test) for mutant in MUTANTS for test in mutant.tests if not is_there(test)}
    assert missing == set()


def test_thirty_faults_are_spread_over_the_whole() -> None:
    assert len(MUTANTS) >= 30
    kinds = Counter(mutant.kind for mutant in MUTANTS)
    assert {"money", "order", "tenancy", "rounding", "zones", "dedupe", "crash"} <= kinds.keys()
    assert kinds["web"] >= 4
    packages = {mutant.file.split("/")[0] for mutant in MUTANTS}
    assert {"ingest", "command_api", "projectors", "query_api", "infra", "schemas", "web"} <= packages
    # Found by real engines alone.
    assert sum(not test.startswith(("tests/unit/", WEB)) for mutant in MUTANTS for test in mutant.tests) >= 8


def test_an_entry_is_read_as_it_stands() -> None:
    assert read(ENTRY) == (MUTANT,)


@pytest.mark.parametrize(
    ("instead", "says"),
    [
        (ENTRY.replace('kind = "money"\n', ""), "an entry has"),
        (ENTRY + "because = 1\n", "an entry has"),
        (ENTRY.replace("money", "luck"), "`kind` is one of"),
        (ENTRY.replace("a - b", "a + b"), "changes a text"),
        (ENTRY.replace('["tests/unit/test_books.py"]', "[]"), "names a test"),
        (ENTRY.replace("tests/unit/test_books.py", "web/src/books.test.ts"), "web app"),
        (ENTRY * 2, "one fault"),
    ],
)
def test_an_entry_that_says_too_little_is_refused(instead: str, says: str) -> None:
    with pytest.raises(InvalidMutant, match=says):
        read(instead)


@pytest.mark.parametrize("text", ["x = a * b\n", "x = a + b\ny = a + b\n"])
def test_a_fault_is_planted_only_where_its_text_is_as_often_as_it_says(text: str) -> None:
    assert MUTANT.plant("x = a + b\n") == "x = a - b\n"
    with pytest.raises(InvalidMutant, match=f"occurs {text.count('a + b')} times"):
        MUTANT.plant(text)


def test_a_change_that_does_not_parse_is_no_fault() -> None:
    with pytest.raises(InvalidMutant, match="does not parse"):
        Mutant("x", "money", "books.py", "a + b", "a +", ("t",)).plant("x = a + b\n")


def test_faults_are_chosen_by_a_part_of_name_kind_or_file() -> None:
    assert [chosen([MUTANT], only) for only in ("", "A SUM", "money", "books.py")] == [(MUTANT,)] * 4
    with pytest.raises(InvalidMutant, match="No planted fault"):
        chosen([MUTANT], "dividend")


@pytest.mark.parametrize(
    ("outcome", "message", "finds"),
    [
        ("call", "assert 3 == 5", True),
        ("call", "Failed: DID NOT RAISE", True),
        ("call", "NameError: name 'c' is not defined", False),
        ("call", "ImportError: cannot import name 'c'", False),
        ("call", "ReferenceError: c is not defined", False),
        ("collect", "SyntaxError: invalid syntax", False),
        ("setup", "assert 3 == 5", False),
        ("teardown", "assert 3 == 5", False),
        ("import", "TypeError: no", False),
        ("passed", "", False),
    ],
)
def test_only_a_test_that_fails_itself_finds_a_fault(outcome: str, message: str, finds: bool) -> None:
    report = Report("tests/unit/test_books.py::test_sum", outcome, message)
    assert (finder([report]) is report) is finds
    assert finds or why_not_found([report])


def test_why_a_fault_was_not_found_is_one_line() -> None:
    passed, broken = Report("a", "passed"), Report("b", "setup", "AssertionError: no engine\nmore")
    assert why_not_found([]) == "no test ran"
    assert why_not_found([passed, passed]) == "all 2 tests pass"
    assert why_not_found([passed, broken]) == "only broken, at setup of b: AssertionError: no engine"


def test_reports_of_pytest_are_lines_and_those_of_vitest_a_document() -> None:
    reports = [Report("a::b", "passed"), Report("a::c", "call", "x")]
    assert of_pytest("".join(json.dumps(asdict(report)) + "\n" for report in reports)) == reports
    tests = [
        {"fullName": "sums", "status": "failed", "failureMessages": ["AssertionError: x"]},
        {"fullName": "rest", "status": "passed", "failureMessages": []},
        {"fullName": "not reached", "status": "skipped", "failureMessages": []},
    ]
    files = [
        {"name": "/tree/web/a.test.ts", "status": "failed", "assertionResults": tests},
        {"name": "/tree/web/b.test.ts", "status": "failed", "assertionResults": [], "message": "SyntaxError"},
    ]
    found = of_vitest(json.dumps({"testResults": files}), "/tree/")
    assert found == [
        Report("web/a.test.ts: sums", "call", "AssertionError: x"),
        Report("web/a.test.ts: rest", "passed"),
        Report("web/b.test.ts", "collect", "SyntaxError"),
    ]
    assert failed(found) == [found[0], found[2]]


def test_a_named_test_that_did_not_run_is_noticed() -> None:
    ran = [Report("a.py::T::test_x[1]", "passed"), Report("web/b.test.ts: sums", "passed")]
    named = ["a.py", "a.py::T", "a.py::T::test_x", "web/b.test.ts", "web/b.test.ts: sums", "a.py::T::test", "c.py"]
    assert without_tests(named, ran) == ["a.py::T::test", "c.py"]


def test_web_tests_run_whole_files_and_named_ones_apart() -> None:
    assert by_names(["a", "b: one", "b: two: three", "c"]) == [(["a", "c"], []), (["b"], ["one", "two: three"])]
    assert by_names([]) == []


def is_there(test: str) -> bool:
    """Whether the file has that class and function, or, in the web app, a test with that name."""
    name, _, title = test.partition(": ") if test.startswith(WEB) else (test, "", "")
    file, *path = name.partition("[")[0].split("::")
    if not (ROOT / file).exists():
        return False
    text = (ROOT / file).read_text() if (ROOT / file).is_file() else ""
    if title:
        return f"'{title}'" in text
    return not path or tuple(path) in set(names_in(ast.parse(text)))


def names_in(tree: ast.AST, within: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            yield (*within, node.name)
            if isinstance(node, ast.ClassDef):
                yield from names_in(node, (*within, node.name))
