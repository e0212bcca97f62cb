"""`read.inquiries` and `read.inquiry_steps`: the admins' inbox, and what was answered and noted, in order."""

from __future__ import annotations

from typing import Final

from projectors.engine.read_model import ReadModel, Rows
from projectors.postgres.readers import ADMINS
from schemas.base import ERASED, DomainEvent
from schemas.events.leads import (
    InquiryAnswered,
    InquiryAssigned,
    InquiryErased,
    InquiryMoved,
    InquiryNoted,
    InquiryReceived,
)

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
)


@INQUIRIES.on(InquiryReceived)
def received(rows: Rows, event: InquiryReceived) -> None:
    rows.put(
        id=event.originator_id,
        first_name=event.first_name,
        last_name=event.last_name,
        email=event.email,
        message=event.message,
        service_interest=event.service_interest,
        status="new",
        assigned_to=None,
        received_at=event.timestamp,
        answered_at=None,
        updated_at=event.timestamp,
        erased=False,
    )


@INQUIRIES.on(InquiryAnswered)
def answered(rows: Rows, event: InquiryAnswered) -> None:
    rows.update({"id": event.originator_id}, answered_at=event.timestamp, updated_at=event.timestamp)


@INQUIRIES.on(InquiryNoted)
def noted(rows: Rows, event: InquiryNoted) -> None:
    rows.update({"id": event.originator_id}, updated_at=event.timestamp)


@INQUIRIES.on(InquiryMoved)
def moved(rows: Rows, event: InquiryMoved) -> None:
    rows.update({"id": event.originator_id}, status=event.status, updated_at=event.timestamp)


@INQUIRIES.on(InquiryAssigned)
def assigned(rows: Rows, event: InquiryAssigned) -> None:
    rows.update({"id": event.originator_id}, assigned_to=event.account_id, updated_at=event.timestamp)


@INQUIRIES.on(InquiryErased)
def erased(rows: Rows, event: InquiryErased) -> None:
    texts = dict.fromkeys(("first_name", "last_name", "email", "message"), ERASED)
    rows.update({"id": event.originator_id}, **texts, erased=True, updated_at=event.timestamp)


@INQUIRY_STEPS.on(InquiryAnswered)
def answer_kept(rows: Rows, event: InquiryAnswered) -> None:
    _step(rows, event, "answer", event.text)


@INQUIRY_STEPS.on(InquiryNoted)
def note_kept(rows: Rows, event: InquiryNoted) -> None:
    _step(rows, event, "note", event.text)


@INQUIRY_STEPS.on(InquiryMoved)
def move_kept(rows: Rows, event: InquiryMoved) -> None:
    _step(rows, event, "status", event.status)


@INQUIRY_STEPS.on(InquiryAssigned)
def assignment_kept(rows: Rows, event: InquiryAssigned) -> None:
    _step(rows, event, "assigned", str(event.account_id) if event.account_id is not None else "")


@INQUIRY_STEPS.on(InquiryErased)
def steps_erased(rows: Rows, event: InquiryErased) -> None:
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
