"""`GET /api/platform/links/{id}/history`: the changes of a link, who made them, and the values before and after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter
from pydantic import Field

from query_api.kernel.dependencies import READS_OWN_WRITES, CallerScope
from query_api.kernel.pagination import Page20
from schemas.events.links import Routing
from schemas.http.responses import ResponseModel

router = APIRouter(tags=["links"], dependencies=[READS_OWN_WRITES])

ChangedField = Literal[
    "partner", "destination", "rules", "split", "winner", "expiry", "fallback", "subs", "coupon", "state", "tags",
    "folder", "archived",
]  # fmt: skip


class FieldChange(ResponseModel):
    """A value of a link that changed. Empty: it had, or has, none."""

    field: ChangedField
    before: str
    after: str


class LinkChange(ResponseModel):
    """A change of a link; version 1 is its creation."""

    version: int
    at: datetime
    by: Literal["you", "someone else", "system"]
    bulk_id: UUID | None = Field(description="The change of many links that it belongs to")
    changes: list[FieldChange]


_LINK: Final = "SELECT id, website_id FROM read.links WHERE deleted_at IS NULL AND id = %s"
_VERSIONS: Final = (
    "SELECT version, at, actor_id, bulk_id, fields FROM read.link_changes WHERE link_id = %(link)s"
    " AND (%(last)s::int IS NULL OR version < %(last)s) ORDER BY version DESC LIMIT %(limit)s"
)
_EARLIER: Final = (
    "SELECT DISTINCT ON (name) name, value FROM read.link_changes AS c, jsonb_each(c.fields) AS one (name, value)"
    " WHERE c.link_id = %(link)s AND c.version < %(first)s ORDER BY name, c.version DESC"
)
_PARTNERS: Final = "SELECT id, name FROM read.partners WHERE id = ANY(%s)"


@router.get("/api/platform/links/{id}/history")
def get_link_history(id: UUID, scope: CallerScope, page: Page20) -> list[LinkChange]:
    """The newest first."""
    scope.row(_LINK, id, "link")
    (last,) = page.after(int)
    rows = page.take(scope.reader.rows(_VERSIONS, {"link": id, "last": last, "limit": page.limit + 1}), "version")
    if not rows:
        return []
    earlier = scope.reader.rows(_EARLIER, {"link": id, "first": rows[-1]["version"]})
    states = list(reversed(list(_states({row["name"]: row["value"] for row in earlier}, reversed(rows)))))
    ids = {partner for before, after in states for partner in (*_partner_ids(before), *_partner_ids(after))}
    names = {str(row["id"]): row["name"] for row in scope.reader.rows(_PARTNERS, (list(ids),))}
    return [
        LinkChange(
            version=row["version"],
            at=row["at"],
            by=_actor(row["actor_id"], scope.principal.account_id),
            bulk_id=row["bulk_id"],
            changes=differences(before, after, names),
        )
        for row, (before, after) in zip(rows, states, strict=True)
    ]


Fields = Mapping[str, Any]


def _states(fields: Fields, rows: Iterable[Mapping[str, Any]]) -> Iterable[tuple[Fields, Fields]]:
    """The values before and after each change; `rows`: the oldest first."""
    for row in rows:
        after = {**fields, **row["fields"]}
        yield fields, after
        fields = after


def differences(before: Fields, after: Fields, partners: Mapping[str, str]) -> list[FieldChange]:
    """Returns what differs, as people read it. `partners`: names by id."""
    was, now = _texts(before, partners), _texts(after, partners)
    return [FieldChange(field=name, before=was[name], after=text) for name, text in now.items() if text != was[name]]


def _texts(fields: Fields, partners: Mapping[str, str]) -> dict[ChangedField, str]:
    routing = Routing.model_validate(fields.get("routing") or {})
    is_active = fields.get("is_active", True if fields else None)
    return {
        "partner": partners.get(str(fields.get("partner_id")), ""),
        "destination": fields.get("destination") or "",
        "rules": "\n".join(f"{', '.join((*one.countries, *one.devices))} → {one.destination}" for one in routing.rules),
        "split": "\n".join(f"{one.weight} {one.name or one.number}: {one.destination}" for one in routing.variants),
        "winner": str(routing.winner or ""),
        "expiry": routing.expires_at.isoformat() if routing.expires_at else "",
        "fallback": routing.fallback or "",
        "subs": "\n".join(f"{name}: {value}" for name, value in sorted((fields.get("subs") or {}).items())),
        "coupon": fields.get("coupon") or "",
        "state": "" if is_active is None else "on" if is_active else "off",
        "tags": ", ".join(fields.get("tags") or ()),
        "folder": fields.get("folder") or "",
        "archived": "yes" if fields.get("is_archived") else "",
    }


def _partner_ids(fields: Fields) -> Sequence[UUID]:
    return [UUID(fields["partner_id"])] if fields.get("partner_id") else []


def _actor(actor_id: UUID | None, account_id: UUID) -> Literal["you", "someone else", "system"]:
    return "system" if actor_id is None else "you" if actor_id == account_id else "someone else"
