"""The lists of projections in the documentation, as Markdown (`infra.ops.docs` writes them into the pages)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.registry import REGISTRY
from schemas.topics import DOMAIN


def projections() -> str:
    """Every projection by kind: where its tables are and what they are built from."""
    families = ", ".join(
        f"`{family.name}`" + (f" (with {_names(other.name for other in family.others)})" if family.others else "")
        for family in REGISTRY.clickhouse
    )
    topics = "; ".join(" and ".join(f"`{topic.name}`" for topic in family.topics) for family in REGISTRY.clickhouse)
    return (
        "| kind | tables | built from | one row of `list` per |\n|---|---|---|---|\n"
        f"| `clickhouse` | {families} | topics {topics} | family of tables |\n"
        f"| `rollup` | {_names(REGISTRY.rollups)} | the raw table `events`, by materialized views | rollup |\n"
        f"| `postgres` | {len(REGISTRY.postgres)} read models in schema `read`, listed below | topic `{DOMAIN.name}` "
        "| read model |\n"
    )


def read_models() -> str:
    """Every read model with the events that it shows."""
    rows = "".join(
        f"| `{model.name}` | {_names(sorted(event.NAME for event in model.handlers))} |\n" for model in _by_name()
    )
    return f"| read model | built from |\n|---|---|\n{rows}"


def read_model_names() -> str:
    """The names of all read models, in one line."""
    return _names(model.name for model in _by_name())


def rollup_names() -> str:
    """The rollups that add up or count rows; the others keep rows as they are."""
    return _names(name for name, (_, rollup) in REGISTRY.rollups.items() if rollup.sums or rollup.uniques)


PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "projections": projections,
    "read-models": read_models,
    "read-model-names": read_model_names,
    "rollup-names": rollup_names,
}


def _by_name() -> list[ReadModel]:
    return sorted(REGISTRY.postgres, key=lambda model: model.name)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
