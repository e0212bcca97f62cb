"""`/api/platform/learning/*`: finish lessons."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Response

from command_api.kernel.http import Runs
from command_api.kernel.rate_limits import Limit, consume
from command_api.matching import commands, schemas

router = APIRouter(prefix="/api/platform/learning", tags=["matching"])

LESSONS: Final = Limit("lessons", timedelta(seconds=2), 100)


@router.post("/lessons", status_code=204)
def mark_lesson(body: schemas.MarkLesson, run: Runs) -> Response:
    """Marks a lesson as done, or as not done."""
    consume(run.container.pool, LESSONS, str(run.person.account_id))
    command = commands.MarkLesson(body.course, body.lesson, body.done)
    return run(command, body, status=204, is_consistent=True)
