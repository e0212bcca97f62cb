"""The lists of projections in the documentation, as Markdown (`infra.ops.docs` writes them into the pages)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

from infra.domain.visits.tables import VERSION
from projectors.engine.read_model import ReadModel
from projectors.engine.tables import create_feed, create_table, create_view, drop_table, table_name
from projectors.registry import REGISTRY
from projectors.visits.tables import TABLES as VISITS
from schemas.topics import DOMAIN


def projections() -> str:
    """Returns the table of projections by kind: where their tables are and what they are built from."""
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
    """Returns the table of read models with the events that they show."""
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


def cluster_statements() -> str:
    """Returns the statements that make the tables of generation 1 in a cluster, and those that remove a generation."""
    made = "".join(f"```sql\n{statement};\n```\n\n" for statement in statements_of_cluster(CLUSTER))
    family = REGISTRY.clickhouse[0]
    dropped = [statement for table in family.tables for statement in drop_table(table, 1, CLUSTER)]
    removed = "".join(f"{statement};\n" for statement in dropped)
    return f"{made}A generation of `{family.name}` is removed by\n\n```sql\n{removed}```\n"


def statements_of_cluster(cluster: str) -> list[str]:
    """Returns the statements that `althing migrate` runs on an empty cluster of this name, in its order."""
    statements = []
    for family in REGISTRY.clickhouse:
        for table in (family.main, *family.others):
            statements += create_table(table, 1, cluster)
        for rollup in family.rollups:
            statements += create_table(rollup, 1, cluster)
            statements.append(create_feed(rollup, 1, table_name(family.main.name, 1), cluster))
        statements += [create_view(table.name, 1, cluster) for table in family.tables]
    for table in VISITS:
        statements += create_table(table, VERSION, cluster)
    return statements


CLUSTER: Final = "CLUSTER"
"""Stands for the value of `CLICKHOUSE_CLUSTER` in the documentation."""

PARTS: Final[Mapping[str, Callable[[], str]]] = {
    "projections": projections,
    "read-models": read_models,
    "read-model-names": read_model_names,
    "rollup-names": rollup_names,
    "cluster-statements": cluster_statements,
}


def _by_name() -> list[ReadModel]:
    return sorted(REGISTRY.postgres, key=lambda model: model.name)


def _names(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
