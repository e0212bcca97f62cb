"""Reads the settings of a process: its environment, an `.env` file, the credentials of systemd; checked together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from infra.kernel.config import secret_handover, sources
from infra.kernel.config.contradictions import contradictions
from infra.kernel.config.problems import SettingsProblem
from infra.kernel.config.settings import SECRET_NAMES, Settings, SettingsError


@dataclass(frozen=True)
class Examination:
    """`settings`: the values that can be used, defaults for the others. `problems`: all that stops a start, in
    the order in which `load` reports them."""

    settings: Settings
    problems: tuple[SettingsProblem, ...]


def examine(environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> Examination:
    """Every problem of the settings in `environ` (default: the process's own), `env_file` and the credentials of
    systemd. Raises nothing."""
    rows = {f.metadata["name"]: f for f in fields(Settings)}
    given, unreadable = sources.read(_own(environ), env_file, rows, SECRET_NAMES)
    problems = [
        *unreadable,
        *(_unknown(name, rows) for name in given if name.startswith(sources.PREFIX) and name not in rows),
    ]
    values: dict[str, Any] = {}
    for name, row in rows.items():
        text = given.get(name, "").strip()
        if not text:
            continue
        try:
            values[row.name] = row.metadata["parse"](text)
        except ValueError as error:
            quoted = "its value" if row.metadata["secret"] else repr(text)
            problems.append(
                SettingsProblem((name,), f"{name}: {quoted} is not valid: {error}.", f"Correct or remove {name}.")
            )
    settings = Settings(**values)
    named = {name for problem in problems for name in problem.names}
    # A value that cannot be used is missing in `settings`: what follows from that is no finding of its own.
    problems += [problem for problem in contradictions(settings) if named.isdisjoint(problem.names)]
    return Examination(settings, tuple(problems))


def load(environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> Settings:
    """Settings from `environ` (default: the process's), completed by `env_file` where a name is not set, and by the
    credentials of systemd (`infra.kernel.config.sources`).

    Raises `SettingsError` for an unknown `ALTHING_*` name, a value that does not parse, or a contradiction.
    """
    examination = examine(environ, env_file)
    if examination.problems:
        raise SettingsError(examination.problems[0].text)
    return examination.settings


def _own(environ: Mapping[str, str] | None) -> Mapping[str, str]:
    return secret_handover.environment() if environ is None else environ


def child_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """`environ` for a child process that gets its settings as variables (see `sources.as_environment`)."""
    return sources.as_environment(environ, {row.metadata["name"] for row in fields(Settings)})


def _unknown(name: str, known: Collection[str]) -> SettingsProblem:
    near = get_close_matches(name, known, n=1, cutoff=0.8)
    hint = f"did you mean {near[0]}?" if near else "docs/settings.md lists all of them."
    remedy = f"Rename it to {near[0]}, or remove it." if near else "Remove it."
    return SettingsProblem((name,), f"{name} is not a setting of this program; {hint}", remedy)
