"""The product's own list of programs that are no people, `machine_agents.toml`: data with a date, beside kept lists."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).with_suffix(".toml")


@dataclass(frozen=True, slots=True)
class MachineAgents:
    """The list of `day`. `names`, `desktop`, `phones`: texts in user agents, case does not count."""

    day: date
    names: tuple[str, ...]
    desktop: tuple[str, ...]
    phones: tuple[str, ...]


def read(path: Path = FILE) -> MachineAgents:
    """Reads the file. Raises `KeyError` or `ValueError` if it does not have the form that its head describes."""
    lists = tomllib.loads(path.read_text())
    names = tuple(name for group in lists["machines"] for name in group["names"])
    return MachineAgents(lists["date"], names, tuple(lists["desktop"]), tuple(lists["phones"]))


def any_of(texts: tuple[str, ...]) -> re.Pattern[str]:
    """Finds one of these texts that does not begin within a word."""
    return re.compile(r"(?<![a-z])(?:" + "|".join(map(re.escape, texts)) + ")", re.I)


def is_machine(agent_text: str) -> bool:
    """Returns whether the user agent is a machine's by the list."""
    if _NAMES.search(agent_text) is not None:
        return True
    return "Mobile" not in agent_text and _DESKTOP.search(agent_text) is not None


def without_phones(agent_text: str) -> str:
    """The user agent without makes of phones that look like names of bots."""
    return _PHONES.sub("", agent_text)


LIST: Final = read()
_NAMES: Final = any_of(LIST.names)
_DESKTOP: Final = any_of(LIST.desktop)
_PHONES: Final = any_of(LIST.phones)
