"""The subject of the doctor's checks: the settings, and the stack that runs on their data directory, if one does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from infra.kernel.config import secret_handover
from infra.kernel.config.loading import examine
from infra.kernel.config.settings import Settings, SettingsProblem
from infra.kernel.observability import stack_state
from infra.kernel.observability.stack_state import StackState

_MIN_SECRET: Final = 4
"""A shorter value is part of too many words to be blanked."""


@dataclass(frozen=True)
class Subject:
    """`settings`: what the operator gave. `effective`: these, completed by the addresses and ports of the running
    `stack`. `problems`: what is wrong with them. `secrets`: values that no output may contain."""

    settings: Settings
    effective: Settings
    data_dir: Path
    stack: StackState | None = None
    problems: tuple[SettingsProblem, ...] = ()
    secrets: frozenset[str] = frozenset()

    @property
    def has_external_engines_only(self) -> bool:
        """Returns whether every engine is external, so that the services run on their own."""
        settings = self.settings
        has_log = settings.kafka_bootstrap_servers is not None or settings.log == "postgres"
        return settings.postgres_url is not None and settings.clickhouse_url is not None and has_log

    @property
    def is_production(self) -> bool:
        """Returns whether others than this machine's users are meant to reach it."""
        return self.settings.public_url is not None or self.has_external_engines_only


def subject_of(environ: Mapping[str, str] | None = None, env_file: Path | None = Path(".env")) -> Subject:
    """The subject of this process's settings."""
    environment = secret_handover.environment() if environ is None else environ
    examined = examine(environment, env_file)
    data_dir = examined.settings.data_dir.resolve()
    stack = stack_state.read(data_dir)
    if stack is None or not stack_state.is_running(stack):
        return Subject(
            examined.settings, examined.settings, data_dir, None, examined.problems, _secrets(examined.settings)
        )
    effective = examine({**environment, **stack.environment}, env_file).settings
    secrets = _secrets(examined.settings) | _secrets(effective)
    return Subject(examined.settings, effective, data_dir, stack, examined.problems, secrets)


def _secrets(settings: Settings) -> frozenset[str]:
    texts: set[str] = set()
    for row in fields(settings):
        value = getattr(settings, row.name)
        if not row.metadata["secret"] or not value:
            continue
        for text in (value,) if isinstance(value, str) else value:
            password = urlsplit(text).password if "://" in text else text
            texts |= {text, password or "", unquote(password or "")}
    return frozenset(text for text in texts if len(text) >= _MIN_SECRET)
