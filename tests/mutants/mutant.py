"""The list of planted faults: what each one is, and a text with it planted. Pure."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

KINDS: Final = (
    *("money", "rounding", "order", "dedupe", "crash", "tenancy", "security", "privacy", "zones", "time"),
    *("attribution", "web"),
)
WEB: Final = "web/"
_FIELDS: Final = {"name", "kind", "file", "from", "to", "tests", "times"}


class InvalidMutant(ValueError):
    """An entry that cannot be planted as it says; the text names it."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault. `file` and `tests` are paths in the tree; a Python test may be a node id of pytest."""

    name: str
    kind: str
    file: str
    original: str
    changed: str
    tests: tuple[str, ...]
    times: int = 1
    """How often `original` occurs in the file; each of them is changed."""

    @property
    def is_web(self) -> bool:
        return self.file.startswith(WEB)

    @property
    def module(self) -> str | None:
        """The name by which Python imports the file."""
        return self.file.removesuffix(".py").replace("/", ".") if self.file.endswith(".py") else None

    def plant(self, text: str) -> str:
        """`text` with the fault. Raises `InvalidMutant` unless `original` occurs in it exactly `times` times, or when
        Python cannot parse what comes of it."""
        found = text.count(self.original)
        if found != self.times:
            raise InvalidMutant(f"{self.name}: `from` occurs {found} times in {self.file}, not {self.times}.")
        planted = text.replace(self.original, self.changed)
        if self.module is not None:
            try:
                ast.parse(planted)
            except SyntaxError as error:
                raise InvalidMutant(f"{self.name}: {self.file} does not parse with `to`: {error}") from error
        return planted


def read(text: str) -> tuple[Mutant, ...]:
    """The faults of a TOML text. Raises `InvalidMutant`."""
    mutants = tuple(_read(entry) for entry in tomllib.loads(text)["mutant"])
    names = [mutant.name for mutant in mutants]
    if twice := {name for name in names if names.count(name) > 1}:
        raise InvalidMutant(f"{', '.join(sorted(twice))}: a name stands for one fault.")
    return mutants


def _read(entry: dict[str, Any]) -> Mutant:
    name = entry.get("name", "")
    if not name or entry.keys() - _FIELDS or _FIELDS - entry.keys() - {"times"}:
        raise InvalidMutant(f"{name or entry}: an entry has {', '.join(sorted(_FIELDS))}, `times` if it is not 1.")
    mutant = Mutant(
        name, entry["kind"], entry["file"], entry["from"], entry["to"], tuple(entry["tests"]), entry.get("times", 1)
    )
    if mutant.kind not in KINDS:
        raise InvalidMutant(f"{name}: `kind` is one of {', '.join(KINDS)}.")
    if not mutant.original or mutant.original == mutant.changed or not mutant.tests:
        raise InvalidMutant(f"{name}: it changes a text, and names a test.")
    if any(test.startswith(WEB) is not mutant.is_web for test in mutant.tests):
        raise InvalidMutant(f"{name}: a fault of the web app is found by its tests, any other by those of Python.")
    return mutant


def chosen(mutants: Sequence[Mutant], only: str) -> tuple[Mutant, ...]:
    """Those whose name, kind or file contains `only`, in any case. Raises `InvalidMutant` if there is none."""
    wanted = only.casefold()
    found = tuple(each for each in mutants if wanted in f"{each.name}\n{each.kind}\n{each.file}".casefold())
    if not found:
        raise InvalidMutant(f"No planted fault has {only!r} in its name, kind or file.")
    return found
