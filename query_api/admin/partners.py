"""`GET /api/admin/partners`: partners with everything an admin may change."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from fastapi import APIRouter, Depends
from pydantic import BaseModel, Field

from query_api.context import AsAdmin, Reads
from query_api.money import Amount
from query_api.platform.partners import flat, percent

router = APIRouter(tags=["admin"])


class AdminPartner(BaseModel):
    """An affiliate program."""

    id: UUID
    name: str
    slug: str
    baseUrl: str
    commission: float | None = Field(description="Percent of the sale; null when a flat sum is paid")
    flatCommission: Amount | None
    description: str
    isActive: bool
    cookieDays: int
    postbackPreset: str | None
    createdAt: datetime
    updatedAt: datetime


@router.get("/api/admin/partners", dependencies=[Depends(Reads("partners"))])
def get_admin_partners(admin: AsAdmin) -> list[AdminPartner]:
    """Newest first."""
    rows = admin.reader.rows("SELECT * FROM read.partners ORDER BY created_at DESC, id DESC")
    return [
        AdminPartner(
            id=row["id"],
            name=row["name"],
            slug=row["slug"],
            baseUrl=row["base_url"],
            commission=percent(row["terms"]),
            flatCommission=flat(row["terms"]),
            description=row["description"],
            isActive=row["is_active"],
            cookieDays=row["cookie_days"],
            postbackPreset=row["postback_preset"],
            createdAt=row["created_at"],
            updatedAt=row["updated_at"],
        )
        for row in rows
    ]
