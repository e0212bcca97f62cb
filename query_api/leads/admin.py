"""`GET /api/admin/{inquiries,subscribers,early-access}`: the inbox, and who waits for what. Admins only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import BaseModel, Field

from infra import contacts
from infra.settings import Settings
from query_api import paging
from query_api.context import AsAdmin, Context, Reads
from query_api.owned import not_found
from query_api.paging import Cursor, Limit
from query_api.public.early_access import PLACES
from query_api.reader import Reader
from query_api.tabular import csv_stream
from schemas.events.leads import InquiryStatus

router = APIRouter(prefix="/api/admin", tags=["leads"])

ANSWER_WITHIN: Final = timedelta(hours=24)
"""Spec §9: replies are promised within 24 hours."""
_AT_ONCE: Final = 2_000
"""Rows of the file that are read together."""


class Inquiry(BaseModel):
    """What a visitor wrote, and where it stands."""

    id: UUID
    firstName: str
    lastName: str
    email: str
    serviceInterest: str | None
    message: str
    status: InquiryStatus
    assignedTo: UUID | None
    assignedName: str | None = Field(description="Of the admin who looks after it")
    receivedAt: datetime
    answerBy: datetime | None = Field(description="Promised within 24 hours; null once it needs no answer")
    answeredAt: datetime | None


class InquiryStep(BaseModel):
    kind: Literal["answer", "note", "status", "assigned", "erased"]
    text: str
    by: str | None = Field(description="Name of the admin")
    at: datetime
    mail: Literal["waiting", "sent", "failed"] | None = Field(
        description="Of an answer: sent once a mail server took it; null after 30 days, when mails are forgotten"
    )


class InquiryInFull(Inquiry):
    """With everything that was done about it, oldest first."""

    steps: list[InquiryStep]


class Subscriber(BaseModel):
    id: UUID
    email: str | None = Field(
        description="Null once it ended, or was not confirmed within a week: the address is deleted"
    )
    name: str | None
    state: Literal["pending", "confirmed", "ended"]
    source: str
    requestedAt: datetime
    confirmedAt: datetime | None
    endedAt: datetime | None


class SubscriberForSending(Subscriber):
    """With what belongs into every mail to them: the link, and the address for `List-Unsubscribe` (RFC 8058)."""

    unsubscribeUrl: str
    oneClickUrl: str


class EarlyAccessSignup(BaseModel):
    id: UUID
    email: str | None
    place: int | None
    waitingNumber: int | None = Field(description="Place in line, from 1; null for who has a place")
    joinedAt: datetime
    invitedAt: datetime | None
    heldUntil: datetime | None = Field(description="Given up then unless the address is confirmed; null: it is")


class LeadTotals(BaseModel):
    """How much there is of each."""

    inquiries: dict[str, int] = Field(description="By status")
    subscribers: dict[str, int] = Field(description="By state")
    places: int
    placesTaken: int
    waiting: int


_INQUIRY: Final = (
    "SELECT i.*, a.name AS assigned_name FROM read.inquiries AS i LEFT JOIN read.accounts AS a ON a.id = i.assigned_to"
    " WHERE NOT i.erased"
)
_INQUIRIES: Final = f"""
{_INQUIRY}
  AND (%(status)s::text IS NULL OR i.status = %(status)s)
  AND (%(search)s::text IS NULL
       OR concat_ws(' ', i.first_name, i.last_name, i.email, i.message) ILIKE %(search)s)
  AND (%(at)s::timestamptz IS NULL OR (i.received_at, i.id) < (%(at)s, %(id)s))
ORDER BY i.received_at DESC, i.id DESC LIMIT %(limit)s"""
_TOTALS: Final = """
SELECT 'inquiries' AS of, status AS what, count(*) AS found FROM read.inquiries WHERE NOT erased GROUP BY status
UNION ALL SELECT 'subscribers', state, count(*) FROM read.subscriptions GROUP BY state
UNION ALL SELECT 'signups', CASE WHEN place IS NULL THEN 'waiting' ELSE 'placed' END, count(*)
FROM read.early_access WHERE left_at IS NULL GROUP BY 2"""
_STEPS: Final = """
SELECT s.kind, coalesce(t.name, s.text) AS text, s.at, a.name AS by, m.state AS mail FROM read.inquiry_steps AS s
LEFT JOIN read.accounts AS a ON a.id = s.actor_id
LEFT JOIN ops.mail AS m ON s.kind = 'answer' AND m.about = s.inquiry_id AND m.about_step = s.number
LEFT JOIN read.accounts AS t ON s.kind = 'assigned' AND t.id::text = s.text
WHERE s.inquiry_id = %s ORDER BY s.number"""
_SUBSCRIBERS: Final = """
SELECT s.*, c.email_sealed, c.name_sealed FROM read.subscriptions AS s LEFT JOIN ops.contact AS c ON c.id = s.id
WHERE (%(state)s::text IS NULL OR s.state = %(state)s)
  AND (%(at)s::timestamptz IS NULL OR (s.requested_at, s.id) < (%(at)s, %(id)s))
ORDER BY s.requested_at DESC, s.id DESC LIMIT %(limit)s"""
_SIGNUPS: Final = """
SELECT e.*, c.email_sealed FROM read.early_access AS e LEFT JOIN ops.contact AS c ON c.id = e.id
WHERE e.left_at IS NULL AND (%(at)s::timestamptz IS NULL OR (e.joined_at, e.id) > (%(at)s, %(id)s))
ORDER BY e.joined_at, e.id LIMIT %(limit)s"""
_AHEAD: Final = """
SELECT count(*) AS ahead FROM read.early_access
WHERE left_at IS NULL AND place IS NULL AND (joined_at, id) <= (%(at)s, %(id)s)"""


@router.get("/leads", dependencies=[Depends(Reads("inquiries", "subscriptions", "early_access"))])
def get_lead_totals(admin: AsAdmin) -> LeadTotals:
    found: dict[str, dict[str, int]] = {"inquiries": {}, "subscribers": {}, "signups": {}}
    for row in admin.reader.rows(_TOTALS):
        found[row["of"]][row["what"]] = row["found"]
    signups = found["signups"]
    return LeadTotals(
        inquiries=found["inquiries"],
        subscribers=found["subscribers"],
        places=PLACES,
        placesTaken=signups.get("placed", 0),
        waiting=signups.get("waiting", 0),
    )


@router.get("/inquiries", dependencies=[Depends(Reads("inquiries"))])
def get_inquiries(
    request: Request,
    response: Response,
    admin: AsAdmin,
    status: InquiryStatus | None = None,
    search: Annotated[str | None, Query(max_length=200)] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> list[Inquiry]:
    """Newest first."""
    values = {"status": status, "search": _like(search), "limit": limit + 1, **_after(cursor)}
    rows = _page(request, response, admin.reader.rows(_INQUIRIES, values), limit, "received_at")
    return [Inquiry(**_inquiry(row)) for row in rows]


@router.get("/inquiries/{id}", dependencies=[Depends(Reads("inquiries", "inquiry_steps"))])
def get_inquiry(id: UUID, admin: AsAdmin) -> InquiryInFull:
    row = admin.reader.row(f"{_INQUIRY} AND i.id = %s", (id,))
    if row is None:
        raise not_found("inquiry")
    steps = [_step(step) for step in admin.reader.rows(_STEPS, (id,))]
    return InquiryInFull(**_inquiry(row), steps=steps)


@router.get("/subscribers", dependencies=[Depends(Reads("subscriptions"))])
def get_subscribers(
    request: Request,
    response: Response,
    context: Context,
    admin: AsAdmin,
    state: Literal["pending", "confirmed", "ended"] | None = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> list[Subscriber]:
    """Newest first."""
    rows = admin.reader.rows(_SUBSCRIBERS, {"state": state, "limit": limit + 1, **_after(cursor)})
    return [_subscriber(context.settings, row) for row in _page(request, response, rows, limit, "requested_at")]


@router.get(
    "/subscribers.csv",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
    dependencies=[Depends(Reads("subscriptions"))],
)
def get_subscribers_csv(context: Context, admin: AsAdmin) -> Response:
    """Everybody who confirmed, for the program that sends the newsletter, with the link that ends it for each."""
    found = _confirmed(admin.reader, context.settings)
    return csv_stream("subscribers", list(SubscriberForSending.model_fields), found)


@router.get("/early-access", dependencies=[Depends(Reads("early_access"))])
def get_early_access(
    request: Request, response: Response, context: Context, admin: AsAdmin, limit: Limit = 50, cursor: Cursor = None
) -> list[EarlyAccessSignup]:
    """In the order of joining: places first come first served, then the line."""
    after = _after(cursor)
    rows = _page(request, response, admin.reader.rows(_SIGNUPS, {"limit": limit + 1, **after}), limit, "joined_at")
    ahead = admin.reader.row(_AHEAD, after) if cursor else None
    line = count(1 + (ahead["ahead"] if ahead is not None else 0))
    return [_signup(context.settings, row, next(line) if row["place"] is None else None) for row in rows]


def _confirmed(reader: Reader, settings: Settings) -> Iterator[SubscriberForSending]:
    """Newest first, read piece by piece: there may be many, and the file leaves out nobody."""
    after: dict[str, Any] = {"at": None, "id": None}
    while rows := reader.rows(_SUBSCRIBERS, {"state": "confirmed", "limit": _AT_ONCE, **after}):
        yield from (_for_sending(settings, row) for row in rows if row["email_sealed"] is not None)
        after = {"at": rows[-1]["requested_at"], "id": rows[-1]["id"]}


def _after(cursor: str | None) -> dict[str, Any]:
    at, last = paging.decode(cursor, datetime, UUID) if cursor else (None, None)
    return {"at": at, "id": last}


def _page(
    request: Request, response: Response, rows: list[dict[str, Any]], limit: int, sorted_by: str
) -> list[dict[str, Any]]:
    """The page's own rows; adds the link to the next one."""
    more, rows = len(rows) > limit, rows[:limit]
    paging.link_next(request, response, paging.encode(rows[-1][sorted_by], rows[-1]["id"]) if more else None)
    return rows


def _like(search: str | None) -> str | None:
    """Finds the words as they are: what LIKE would read as a pattern is none."""
    if search is None or not search.strip():
        return None
    for sign in ("\\", "%", "_"):
        search = search.replace(sign, f"\\{sign}")
    return f"%{search.strip()}%"


def _inquiry(row: dict[str, Any]) -> dict[str, Any]:
    waits = row["answered_at"] is None and row["status"] in ("new", "in_progress")
    return {
        "id": row["id"],
        "firstName": row["first_name"],
        "lastName": row["last_name"],
        "email": row["email"],
        "serviceInterest": row["service_interest"],
        "message": row["message"],
        "status": row["status"],
        "assignedTo": row["assigned_to"],
        "assignedName": row["assigned_name"],
        "receivedAt": row["received_at"],
        "answerBy": row["received_at"] + ANSWER_WITHIN if waits else None,
        "answeredAt": row["answered_at"],
    }


def _step(row: dict[str, Any]) -> InquiryStep:
    return InquiryStep(kind=row["kind"], text=row["text"], by=row["by"], at=row["at"], mail=row["mail"])


def _subscriber(settings: Settings, row: dict[str, Any]) -> Subscriber:
    return Subscriber(
        id=row["id"],
        email=_opened(settings, row["id"], "email", row["email_sealed"]),
        name=_opened(settings, row["id"], "name", row["name_sealed"]),
        state=row["state"],
        source=row["source"],
        requestedAt=row["requested_at"],
        confirmedAt=row["confirmed_at"],
        endedAt=row["ended_at"],
    )


def _for_sending(settings: Settings, row: dict[str, Any]) -> SubscriberForSending:
    return SubscriberForSending(
        **_subscriber(settings, row).model_dump(),
        unsubscribeUrl=contacts.stop_page(settings, "newsletter", row["id"]),
        oneClickUrl=contacts.one_click_url(settings, row["id"]),
    )


def _signup(settings: Settings, row: dict[str, Any], line: int | None) -> EarlyAccessSignup:
    return EarlyAccessSignup(
        id=row["id"],
        email=_opened(settings, row["id"], "email", row["email_sealed"]),
        place=row["place"],
        waitingNumber=line,
        joinedAt=row["joined_at"],
        invitedAt=row["invited_at"],
        heldUntil=row["held_until"],
    )


def _opened(settings: Settings, contact: UUID, what: contacts.What, sealed: str | None) -> str | None:
    return contacts.opened(settings, contact, what, sealed) if sealed is not None else None
