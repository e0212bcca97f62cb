"""The service of projections with some of them alone: all are some hundred threads, and a connection for each."""

from __future__ import annotations

from functools import partial

from projectors import service
from projectors.engine.projection import ClickHouseProjection, Registry
from projectors.engine.read_model import ReadModel
from projectors.registry import REGISTRY


def only(*names: str) -> Registry:
    """The projections with these names; a rollup comes with its family."""
    chosen = [REGISTRY.projections[name] for name in names]
    return Registry(
        clickhouse=tuple(each for each in chosen if isinstance(each, ClickHouseProjection)),
        postgres=tuple(each for each in chosen if isinstance(each, ReadModel)),
    )


def run_projections(*names: str) -> None:
    """Makes the service of this process run these projections alone."""
    setattr(service, "run", partial(service.run, registry=only(*names)))  # noqa: B010 - mypy refuses an assignment
