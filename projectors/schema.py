"""Creates the missing tables of every registered projection and of visits; a step of `althing migrate`."""

from __future__ import annotations

from infra.kernel.config.settings import Settings
from projectors.engine import schema
from projectors.engine.clickhouse import HttpClickHouse
from projectors.registry import REGISTRY
from projectors.visits import tables


def create_schema(settings: Settings) -> None:
    """Runs `engine.schema.create_schema` for the registry, then creates the tables of visits. Safe to run again."""
    schema.create_schema(settings, REGISTRY)
    tables.create(HttpClickHouse(settings))
