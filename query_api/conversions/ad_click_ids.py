"""The ad click ids of the visit that a conversion's click belongs to, opened for the website's owner.

They are sealed in column `ad_ids` of the visit's events (`infra.kernel.security.visitor_keys`). What is sealed with a
key that is gone is `[erased]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from uuid import UUID

from pydantic import Field

from infra.domain.visits.ad_click_ids import OF_CLICK, OF_VISIT
from infra.kernel.security.encryption import DecryptionError
from infra.kernel.security.visitor_keys import WRAPPED, Sealed, VisitorKeys, key_ids
from query_api.kernel.clickhouse_reader import Query
from query_api.kernel.dependencies import Services
from query_api.kernel.postgres_reader import PostgresReader
from schemas.ad_click_ids import NETWORKS
from schemas.base import ERASED
from schemas.http.responses import ResponseModel


class AdClickId(ResponseModel):
    """A click id with which an advertising network knows the click that began the visit."""

    name: str | None = Field(description="The parameter, such as gclid; null: erased")
    network: str | None = Field(description="Whose it is; null: erased")
    value: str = Field(description="As it was sent; [erased]: its key is deleted")


def ad_click_ids(
    reader: PostgresReader, context: Services, website_id: UUID, click: UUID, visitor: int, day: date
) -> list[AdClickId]:
    """The ids in the visit of the click, the first seen first. `visitor`: the click's; `day`: its UTC day. Raises
    `Problem` 503."""
    bound = {"site": str(website_id), "day": day.isoformat(), "visitor": visitor, "id": str(click)}
    rows = context.clickhouse.rows(Query(OF_VISIT if visitor else OF_CLICK, bound))
    return opened(reader, context, [Sealed(website_id, row["event_id"], row["ad_ids"]) for row in rows])


def opened(reader: PostgresReader, context: Services, sealed: Sequence[Sealed]) -> list[AdClickId]:
    """Returns the ids of the texts, each once; `[erased]` once, if the key of any of them is gone."""
    if not sealed:
        return []
    rows = reader.rows(WRAPPED, (list(key_ids(one.text for one in sealed)),))
    wrapped, keys = {row["key_id"]: row["key_wrapped"] for row in rows}, VisitorKeys(context.settings)
    ids: dict[tuple[str, str], AdClickId] = {}
    for one in sealed:
        try:
            values = keys.open(one, wrapped)
        except DecryptionError:  # ingest did not seal it: the audit of the signatures reports its record
            continue
        if values is None:
            ids["", ERASED] = AdClickId(name=None, network=None, value=ERASED)
            continue
        for name, value in values.items():
            ids[name, value] = AdClickId(name=name, network=NETWORKS.get(name), value=value)
    return list(ids.values())
