"""`read.inquiries` and `read.inquiry_steps`: the admins' inbox, and what was answered and noted, in order."""

from __future__ import annotations

from typing import Final

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import ADMINS
from schemas.base import ERASED, DomainEvent
from schemas.events import leads

INQUIRIES: Final = ReadModel(
    name="inquiries",
    version=1,
    columns=(
        "id uuid",
        "first_name text not null",
        "last_name text not null",
        "email text not null",
        "message text not null",
        "service_interest text",
        "status text not null",
        "assigned_to uuid",
        "received_at timestamptz not null",
        "answered_at timestamptz",
        "updated_at timestamptz not null",
        "erased boolean not null default false",
    ),
    key=("id",),
    readers=ADMINS,
    indexes=("status, received_at", "received_at, id"),
    personal=("first_name", "last_name", "email", "message"),
)

INQUIRY_STEPS: Final = ReadModel(
    name="inquiry_steps",
    version=1,
    columns=(
        "inquiry_id uuid",
        "number int",
        "kind text not null",
        "text text not null default ''",
        "actor_id uuid",
        "at timestamptz not null",
    ),
    key=("inquiry_id", "number"),
    readers=ADMINS,
    personal=("text",),
)


INQUIRIES.begins(leads.InquiryReceived, at=("received_at", "updated_at"), status="new")
INQUIRIES.follows(leads.InquiryAnswered, at=("answered_at", "updated_at"))
INQUIRIES.follows(leads.InquiryNoted, at="updated_at")
INQUIRIES.follows(leads.InquiryMoved, at="updated_at")
INQUIRIES.follows(leads.InquiryAssigned, at="updated_at", takes={"assigned_to": "account_id"})


@INQUIRIES.on(leads.InquiryErased)
def erased(rows: Rows, event: leads.InquiryErased) -> None:
    texts = dict.fromkeys(("first_name", "last_name", "email", "message"), ERASED)
    rows.update({"id": event.originator_id}, **texts, erased=True, updated_at=event.timestamp)


@INQUIRY_STEPS.on(leads.InquiryAnswered)
def answer_kept(rows: Rows, event: leads.InquiryAnswered) -> None:
    _step(rows, event, "answer", event.text)


@INQUIRY_STEPS.on(leads.InquiryNoted)
def note_kept(rows: Rows, event: leads.InquiryNoted) -> None:
    _step(rows, event, "note", event.text)


@INQUIRY_STEPS.on(leads.InquiryMoved)
def move_kept(rows: Rows, event: leads.InquiryMoved) -> None:
    _step(rows, event, "status", event.status)


@INQUIRY_STEPS.on(leads.InquiryAssigned)
def assignment_kept(rows: Rows, event: leads.InquiryAssigned) -> None:
    _step(rows, event, "assigned", str(event.account_id) if event.account_id is not None else "")


@INQUIRY_STEPS.on(leads.InquiryErased)
def steps_erased(rows: Rows, event: leads.InquiryErased) -> None:
    rows.update({"inquiry_id": event.originator_id}, text=ERASED)
    _step(rows, event, "erased", "")


def _step(rows: Rows, event: DomainEvent, kind: str, text: str) -> None:
    rows.put(
        inquiry_id=event.originator_id,
        number=event.originator_version,
        kind=kind,
        text=text,
        actor_id=event.actor_id,
        at=event.timestamp,
    )
