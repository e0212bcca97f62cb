"""Which names of environment variables a service of the product accepts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Final

from infra.kernel.config.loading import load
from infra.kernel.config.settings import FILE_SUFFIX, SECRET_NAMES, Settings

NAMES: Final = frozenset(row.metadata["name"] for row in fields(Settings))
ONLY_FILES: Final = SECRET_NAMES - {"OPENAI_BASE_URL"}
"""Secrets; an address of a model without a key is none to keep from the process table."""
ACCEPTED: Final = (NAMES - ONLY_FILES) | {f"{name}{FILE_SUFFIX}" for name in SECRET_NAMES}


def unknown(names: Iterable[str]) -> list[str]:
    """The names that no setting has; a secret is accepted as a file alone."""
    return sorted(set(names) - ACCEPTED)


def loaded(environment: Mapping[str, str], contents: Mapping[str, str]) -> Settings:
    """The settings of that environment, its secret files read from `contents` (by the name of the setting).
    Certificates are not looked at."""
    values = {name: value for name, value in environment.items() if not name.endswith(FILE_SUFFIX)}
    for name in environment:
        if name.endswith(FILE_SUFFIX):
            secret = name.removesuffix(FILE_SUFFIX)
            values[secret] = contents[secret]
        if name.startswith("KAFKA_SSL_"):
            values[name] = __file__
    return load(values, None)
