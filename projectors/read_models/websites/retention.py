"""`read.retention`: for how many months single events of each website are kept, where its owner chose that; null:
permanently again."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import OWN_WEBSITES
from schemas.events.websites import WebsiteRetentionChanged

RETENTION: Final = ReadModel(
    name="retention",
    version=1,
    columns=("website_id uuid", "raw_months integer", "changed_at timestamptz not null"),
    key=("website_id",),
    readers=OWN_WEBSITES,
)


RETENTION.begins(WebsiteRetentionChanged, at="changed_at")
