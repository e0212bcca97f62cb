"""Statements of a hostile analyst, each of which the validator accepts and the engine's own limits cannot stop."""

from __future__ import annotations

from typing import Final

import psutil

LEVENSHTEIN: Final = (
    "SELECT arraySum(arrayMap(x -> levenshteinDistance(repeat('ab', 32000), concat(repeat('ba', 31000), toString(x))),"
    " range(100)))"
)
REGEXP: Final = (
    "SELECT arraySum(arrayMap(x -> length(replaceRegexpAll(concat(repeat('a', 900000), toString(x)),"
    " '(a{0,900}b|a{0,901}c)', 'x')), range(100)))"
)
NESTED: Final = (
    "SELECT arraySum(arrayMap(x -> arraySum(arrayMap(y -> damerauLevenshteinDistance(repeat(toString(x), 9000),"
    " repeat(toString(y), 9000)), range(50))), range(50)))"
)
BOMBS: Final = {"levenshteinDistance": LEVENSHTEIN, "replaceRegexpAll": REGEXP, "nested lambdas": NESTED}


def cpu_seconds(pid: int) -> float:
    """Processor time that a process and its children have used so far; of children, what still runs."""
    root, used = psutil.Process(pid), 0.0
    for process in (root, *root.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        used += times.user + times.system
    return used
