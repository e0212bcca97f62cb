"""`read.saved_queries` and `read.query_versions`: analysts' queries, and their last versions."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import SHARED_QUERIES
from schemas.events.accounts import AccountErased
from schemas.events.sql import (
    MAX_VERSIONS,
    QueryChanged,
    QueryRemoved,
    QueryRestored,
    QuerySaved,
    QueryShared,
    QueryUnshared,
)

SAVED_QUERIES: Final = ReadModel(
    name="saved_queries",
    version=1,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "title text not null",
        "text text not null",
        "number int not null",
        "is_shared boolean not null",
        "author_name text not null",
        "created_at timestamptz not null",
        "changed_at timestamptz not null",
        "removed_at timestamptz",
    ),
    key=("id",),
    fixed=("account_id",),
    readers=SHARED_QUERIES,
    indexes=("account_id",),
    personal=("title", "text", "author_name"),
)

QUERY_VERSIONS: Final = ReadModel(
    name="query_versions",
    version=1,
    columns=(
        "query_id uuid",
        "number int",
        "account_id uuid not null",
        "title text not null",
        "text text not null",
        "is_shared boolean not null",
        "restored_from int",
        "saved_by uuid",
        "saved_at timestamptz not null",
        "position bigint not null",
    ),
    key=("query_id", "number"),
    fixed=("account_id",),
    readers=SHARED_QUERIES,
    indexes=("account_id",),
    personal=("title", "text"),
)


SAVED_QUERIES.begins(
    QuerySaved, at=("created_at", "changed_at"), number=1, is_shared=False, author_name="", removed_at=None
)
SAVED_QUERIES.follows(QueryChanged, at="changed_at")
SAVED_QUERIES.follows(QueryShared, is_shared=True)
SAVED_QUERIES.follows(QueryUnshared, is_shared=False)
SAVED_QUERIES.follows(QueryRemoved, at="removed_at")
SAVED_QUERIES.follows(QueryRestored, removed_at=None)
SAVED_QUERIES.ends(AccountErased, by="account_id")


@QUERY_VERSIONS.on(QuerySaved)
def first_version(rows: Rows, event: QuerySaved) -> None:
    rows.put(
        query_id=event.originator_id,
        number=1,
        account_id=event.account_id,
        title=event.title,
        text=event.text,
        is_shared=False,
        restored_from=None,
        saved_by=event.actor_id,
        saved_at=event.timestamp,
        position=rows.position,
    )


@QUERY_VERSIONS.on(QueryChanged)
def next_version(rows: Rows, event: QueryChanged) -> None:
    previous = rows.get(query_id=event.originator_id, number=event.number - 1)
    rows.put(
        query_id=event.originator_id,
        number=event.number,
        account_id=event.account_id,
        title=event.title,
        text=event.text,
        is_shared=previous is not None and previous["is_shared"],
        restored_from=event.restored_from,
        saved_by=event.actor_id,
        saved_at=event.timestamp,
        position=rows.position,
    )
    rows.delete(query_id=event.originator_id, number=event.number - MAX_VERSIONS)


QUERY_VERSIONS.follows(QueryShared, is_shared=True)
QUERY_VERSIONS.follows(QueryUnshared, is_shared=False)
QUERY_VERSIONS.ends(AccountErased, by="account_id")
