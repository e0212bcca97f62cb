"""Defects of the settings of a process: `infra.kernel.config.settings.examine` returns a `SettingsProblem` for each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SettingsProblem:
    """`names`: the settings that it is about. `text`: the sentence with which a start is refused. `remedy`: what the
    operator does about it. No field contains the value of a secret."""

    names: tuple[str, ...]
    text: str
    remedy: str
