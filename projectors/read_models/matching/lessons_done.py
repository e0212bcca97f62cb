"""`read.lessons_done`: which lessons of the learning hub an account finished; `done` is false for reopened ones."""

from __future__ import annotations

from typing import Final
from uuid import UUID, uuid5

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.events.matching import LessonCompleted, LessonReopened

LESSONS_DONE: Final = ReadModel(
    name="lessons_done",
    version=1,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "course text not null",
        "lesson text not null",
        "done boolean not null",
        "at timestamptz not null",
    ),
    key=("id",),
    readers=own_account("account_id"),
    indexes=("account_id",),
)


@LESSONS_DONE.on(LessonCompleted)
def completed(rows: Rows, event: LessonCompleted) -> None:
    rows.put(
        id=_id(event),
        account_id=event.account_id,
        course=event.course,
        lesson=event.lesson,
        done=True,
        at=event.timestamp,
    )


@LESSONS_DONE.on(LessonReopened)
def reopened(rows: Rows, event: LessonReopened) -> None:
    rows.update({"id": _id(event)}, done=False, at=event.timestamp)


def _id(event: LessonCompleted | LessonReopened) -> UUID:
    return uuid5(event.originator_id, f"{event.course}/{event.lesson}")
