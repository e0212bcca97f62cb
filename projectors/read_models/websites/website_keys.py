"""`read.website_keys`: the keys of websites by their SHA-256, for `ingest` to look up and for owners to manage."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.websites import WebsiteKeyIssued, WebsiteKeyRevoked

WEBSITE_KEYS: Final = ReadModel(
    name="website_keys",
    version=2,
    columns=(
        "id uuid",
        "website_id uuid not null",
        "kind text not null",
        "key_hash bytea not null",
        "last4 text not null",
        "public_key text",
        "allowed_origins text[] not null",
        "created_at timestamptz not null",
        "revoked_at timestamptz",
        "name text not null default ''",
        "is_readable boolean not null default false",
    ),
    key=("id",),
    readers=OWN_WEBSITES,
    indexes=("key_hash", "website_id"),
)


@WEBSITE_KEYS.on(WebsiteKeyIssued)
def issued(rows: Rows, event: WebsiteKeyIssued) -> None:
    rows.put(
        id=event.key_id,
        website_id=event.originator_id,
        kind=event.kind.value,
        key_hash=bytes.fromhex(event.key_hash),
        last4=event.last4,
        public_key=event.public_key,
        allowed_origins=list(event.allowed_origins),
        created_at=event.timestamp,
        name=event.name,
        is_readable=event.is_readable,
    )


WEBSITE_KEYS.follows(WebsiteKeyRevoked, at="revoked_at", of="key_id")
