"""Creates what is missing of the tables of every registered projection; a step of `althing migrate`."""

from __future__ import annotations

from infra.kernel.config.settings import Settings
from projectors.engine import schema
from projectors.registry import REGISTRY


def create_schema(settings: Settings) -> None:
    """Runs `engine.schema.create_schema` for the registry. Safe to run again."""
    schema.create_schema(settings, REGISTRY)
