"""`GET /api/admin/{inquiries,subscribers,early-access}`: the inbox, and who waits for what. Admins only."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from typing import Annotated, Any, Final, Literal
from uuid import UUID

from fastapi import APIRouter, Query, Response
from pydantic import Field

from infra.domain import contacts
from infra.kernel.config.settings import Settings
from infra.kernel.http.openapi import file_response
from query_api.kernel.authorization import require_existing
from query_api.kernel.csv import columns_of, csv_stream
from query_api.kernel.dependencies import READS_OWN_WRITES, AdminScope, Context
from query_api.kernel.pagination import Page50, bounded
from query_api.kernel.postgres_reader import PostgresReader, like
from query_api.leads.early_access import PLACES
from schemas.events.leads import InquiryStatus
from schemas.http.leads import InquiryState, SignupState
from schemas.http.responses import ResponseModel

router = APIRouter(prefix="/api/admin", tags=["leads"])

ANSWER_WITHIN: Final = timedelta(hours=24)
"""Spec §9: replies are promised within 24 hours."""
_BATCH_SIZE: Final = 2_000
"""Rows of the file that are read together."""


class Inquiry(InquiryState):
    """A visitor's message and its status."""

    first_name: str
    last_name: str
    email: str
    service_interest: str | None
    message: str
    assigned_name: str | None = Field(description="Of the admin who looks after it")
    received_at: datetime
    answer_by: datetime | None = Field(description="Promised within 24 hours; null once it needs no reply")
    answered_at: datetime | None


class InquiryStep(ResponseModel):
    """One action of an admin on an inquiry."""

    kind: Literal["answer", "note", "status", "assigned", "erased"]
    text: str
    by: str | None = Field(description="Name of the admin")
    at: datetime
    mail: Literal["waiting", "sent", "failed"] | None = Field(
        description="Of a reply: sent once a mail server accepted it; null after 30 days, when emails are deleted"
    )


class InquiryInFull(Inquiry):
    """With everything that was done about it, oldest first."""

    steps: list[InquiryStep]


class Subscriber(ResponseModel):
    """A newsletter subscription. It counts once the address is confirmed."""

    id: UUID
    email: str | None = Field(
        description="Null once it ended, or was not confirmed within a week: the address is deleted"
    )
    name: str | None
    state: Literal["pending", "confirmed", "ended"]
    source: str
    requested_at: datetime
    confirmed_at: datetime | None
    ended_at: datetime | None


class SubscriberForSending(Subscriber):
    """With what belongs into every mail to them: the link, and the address for `List-Unsubscribe` (RFC 8058)."""

    unsubscribe_url: str
    one_click_url: str


class EarlyAccessSignup(SignupState):
    """A place, a place in line, or an address that is not confirmed yet."""

    email: str | None
    waiting_number: int | None = Field(
        description="Place in line, from 1; null with a place, and before the confirmation"
    )
    joined_at: datetime
    invited_at: datetime | None
    held_until: datetime | None = Field(description="Deleted then unless confirmed; null: the address is confirmed")


class LeadTotals(ResponseModel):
    """How much there is of each."""

    inquiries: dict[str, int] = Field(description="By status")
    subscribers: dict[str, int] = Field(description="By state")
    places: int
    places_taken: int
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
  AND (%(at)s::timestamptz IS NULL OR (i.received_at, i.id) < (%(at)s, %(last)s))
ORDER BY i.received_at DESC, i.id DESC LIMIT %(limit)s"""
_TOTALS: Final = """
SELECT 'inquiries' AS of, status AS what, count(*) AS found FROM read.inquiries WHERE NOT erased GROUP BY status
UNION ALL SELECT 'subscribers', state, count(*) FROM read.subscriptions GROUP BY state
UNION ALL SELECT 'signups', CASE WHEN place IS NULL THEN 'waiting' ELSE 'placed' END, count(*)
FROM read.early_access WHERE left_at IS NULL AND (place IS NOT NULL OR held_until IS NULL) GROUP BY 2"""
_STEPS: Final = """
SELECT s.kind, coalesce(t.name, s.text) AS text, s.at, a.name AS by, m.state AS mail FROM read.inquiry_steps AS s
LEFT JOIN read.accounts AS a ON a.id = s.actor_id
LEFT JOIN kernel.mail AS m ON s.kind = 'answer' AND m.about = s.inquiry_id AND m.about_step = s.number
LEFT JOIN read.accounts AS t ON s.kind = 'assigned' AND t.id::text = s.text
WHERE s.inquiry_id = %s ORDER BY s.number"""
_SUBSCRIBERS: Final = """
SELECT s.*, c.email_sealed, c.name_sealed FROM read.subscriptions AS s LEFT JOIN leads.contact AS c ON c.id = s.id
WHERE (%(state)s::text IS NULL OR s.state = %(state)s) AND (%(id)s::uuid IS NULL OR s.id = %(id)s)
  AND (%(at)s::timestamptz IS NULL OR (s.requested_at, s.id) < (%(at)s, %(last)s))
ORDER BY s.requested_at DESC, s.id DESC LIMIT %(limit)s"""
_SIGNUPS: Final = """
SELECT e.*, c.email_sealed FROM read.early_access AS e LEFT JOIN leads.contact AS c ON c.id = e.id
WHERE e.left_at IS NULL AND (%(at)s::timestamptz IS NULL OR (e.joined_at, e.id) > (%(at)s, %(last)s))
ORDER BY e.joined_at, e.id LIMIT %(limit)s"""
_AHEAD: Final = """
SELECT count(*) AS ahead FROM read.early_access
WHERE left_at IS NULL AND place IS NULL AND held_until IS NULL AND (joined_at, id) <= (%s, %s)"""


@router.get("/leads", dependencies=[READS_OWN_WRITES])
def get_lead_totals(admin: AdminScope) -> LeadTotals:
    counts: dict[str, dict[str, int]] = {"inquiries": {}, "subscribers": {}, "signups": {}}
    for row in admin.reader.rows(_TOTALS):
        counts[row["of"]][row["what"]] = row["found"]
    signups = counts["signups"]
    return LeadTotals(
        inquiries=counts["inquiries"],
        subscribers=counts["subscribers"],
        places=PLACES,
        places_taken=signups.get("placed", 0),
        waiting=signups.get("waiting", 0),
    )


@router.get("/inquiries", dependencies=[READS_OWN_WRITES])
def get_inquiries(
    admin: AdminScope,
    page: Page50,
    status: InquiryStatus | None = None,
    search: Annotated[str | None, Query(max_length=200)] = None,
) -> list[Inquiry]:
    """Newest first."""
    values = {"status": status, "search": like(search)}
    rows = page.rows(admin.reader, bounded(_INQUIRIES, "message"), "received_at", values)
    return [Inquiry.of_row(row, answer_by=_answer_by(row)) for row in rows]


@router.get("/inquiries/{id}", dependencies=[READS_OWN_WRITES])
def get_inquiry(id: UUID, admin: AdminScope) -> InquiryInFull:
    row = require_existing(admin.reader.row(f"{_INQUIRY} AND i.id = %s", (id,)), "inquiry")
    steps = [InquiryStep.of_row(step) for step in admin.reader.rows(_STEPS, (id,))]
    return InquiryInFull.of_row(row, answer_by=_answer_by(row), steps=steps)


@router.get("/subscribers", dependencies=[READS_OWN_WRITES])
def get_subscribers(
    context: Context,
    admin: AdminScope,
    page: Page50,
    state: Literal["pending", "confirmed", "ended"] | None = None,
    email: Annotated[
        str | None,
        Query(max_length=320, description="The whole address: stored addresses are encrypted"),
    ] = None,
) -> list[Subscriber]:
    """Newest first."""
    id_ = contacts.id_of(context.settings, "newsletter", email) if email and email.strip() else None
    rows = page.rows(admin.reader, _SUBSCRIBERS, "requested_at", {"state": state, "id": id_})
    return [_subscriber(context.settings, row) for row in rows]


@router.get(
    "/subscribers.csv",
    response_class=Response,
    responses=file_response("text/csv"),
    dependencies=[READS_OWN_WRITES],
)
def get_subscribers_csv(context: Context, admin: AdminScope) -> Response:
    """All confirmed subscribers, for the program that sends the newsletter, each with an unsubscribe link."""
    subscribers = _confirmed(admin.reader, context.settings)
    return csv_stream("subscribers", columns_of(SubscriberForSending), subscribers)


@router.get("/early-access", dependencies=[READS_OWN_WRITES])
def get_early_access(context: Context, admin: AdminScope, page: Page50) -> list[EarlyAccessSignup]:
    """In the order of confirmation."""
    rows = page.rows(admin.reader, _SIGNUPS, "joined_at")
    ahead = None if page.is_first else admin.reader.row(_AHEAD, page.after(datetime, UUID))
    line = count(1 + (ahead["ahead"] if ahead is not None else 0))
    return [
        EarlyAccessSignup.of_row(
            row,
            email=_opened(context.settings, row, "email"),
            waiting_number=next(line) if row["place"] is None and row["held_until"] is None else None,
        )
        for row in rows
    ]


def _confirmed(reader: PostgresReader, settings: Settings) -> Iterator[SubscriberForSending]:
    """Yields the subscribers newest first, read in batches: the file is complete and may be long."""
    after: dict[str, Any] = {"at": None, "last": None}
    while rows := reader.rows(_SUBSCRIBERS, {"state": "confirmed", "id": None, "limit": _BATCH_SIZE, **after}):
        yield from (_for_sending(settings, row) for row in rows if row["email_sealed"] is not None)
        after = {"at": rows[-1]["requested_at"], "last": rows[-1]["id"]}


def _answer_by(row: dict[str, Any]) -> datetime | None:
    waits = row["answered_at"] is None and row["status"] in ("new", "in_progress")
    return row["received_at"] + ANSWER_WITHIN if waits else None


def _subscriber(settings: Settings, row: dict[str, Any]) -> Subscriber:
    email, name = (_opened(settings, row, what) for what in ("email", "name"))
    return Subscriber.of_row(row, email=email, name=name)


def _for_sending(settings: Settings, row: dict[str, Any]) -> SubscriberForSending:
    return SubscriberForSending(
        **_subscriber(settings, row).model_dump(),
        unsubscribe_url=contacts.unsubscribe_page(settings, "newsletter", row["id"]),
        one_click_url=contacts.one_click_url(settings, row["id"]),
    )


def _opened(settings: Settings, row: dict[str, Any], what: contacts.Field) -> str | None:
    sealed = row[f"{what}_sealed"]
    return contacts.decrypt_field(settings, row["id"], what, sealed) if sealed is not None else None
