"""`/api/marketplace/questions/*` and `/saved-searches/*`, and the link that ends a saved search's mails."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from fastapi import APIRouter, Request, Response
from psycopg import Cursor

from command_api.accounts.limits import Limit, charge
from command_api.commands import Decided
from command_api.core import Core
from command_api.decision import Asked, conflict, missing
from command_api.http import Answer, Id, Nothing, Run, Runs, core_of
from command_api.marketplace import asking
from command_api.marketplace.asking import Question
from command_api.marketplace.desk import Desk, lock
from command_api.marketplace.shapes import Flag, QuestionState, SavedSearchState, SaveSearch, Write
from infra.sealing import derived_key, keyed_hash
from infra.settings import Settings
from schemas.base import DomainEvent
from schemas.events.marketplace import SearchCriteria
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/marketplace", tags=["marketplace"])
public_router = APIRouter(prefix="/api/public/marketplace", tags=["public"])

STOP_PATH: Final = "/api/public/marketplace/searches/stop/"
MOST_SEARCHES: Final = 20
FIRST_MAIL_AFTER: Final = timedelta(days=1)
FLAGS: Final = Limit("listing-flag", timedelta(minutes=5), 20)
ANSWERS: Final = Limit("listing-answer", timedelta(seconds=30), 30)
SEARCHES: Final = Limit("saved-search", timedelta(minutes=2), 40)


class Stopped(Answer):
    ok: bool
    message: str


@router.post("/questions/{id}/answer", response_model=QuestionState)
def answer_question(id_: Id, body: Write, run: Runs) -> Response:
    """The seller's answer; a later one replaces it."""
    charge(run.core.pool, ANSWERS, str(run.person.account_id))

    def decide() -> Decided[QuestionState]:
        question = run.core.store.load(id_, asking.evolve_question)
        events = asking.answer(question, body.text, run.asked)
        found = Desk(run.core).answer(asking.there(question), events)
        return Decided(found.events, QuestionState(id=id_), found.also)

    return run(decide, body, seen_by=("listing_questions",))


@router.post("/questions/{id}/flag", response_model=QuestionState)
def flag_question(id_: Id, body: Flag, run: Runs) -> Response:
    """Tells the admins that it should not be here; once per member."""
    charge(run.core.pool, FLAGS, str(run.person.account_id))
    return change_question(run, id_, lambda question: asking.flag(question, body.reason, run.asked), body)


@router.post("/saved-searches", status_code=201, response_model=SavedSearchState)
def save_search(body: SaveSearch, run: Runs) -> Response:
    """Once a day a mail tells of new listings like this, if there are any."""
    search_id, account_id = uuid7(), run.person.account_id
    charge(run.core.pool, SEARCHES, str(account_id))

    def decide() -> Decided[SavedSearchState]:
        criteria = SearchCriteria(
            niche=body.niche, min_price=body.min_price, max_price=body.max_price, verified=body.verified
        )
        saved = asking.save(search_id, body.search.strip(), criteria, run.asked)

        def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
            lock(cursor, account_id)
            row = cursor.execute(
                "SELECT count(*) AS n FROM policy.saved_search WHERE account_id = %s", (account_id,)
            ).fetchone()
            if row is not None and row["n"] >= MOST_SEARCHES:
                raise conflict("too_many_searches", f"At most {MOST_SEARCHES} searches can be saved.")
            at = run.asked.at
            cursor.execute(
                "INSERT INTO policy.saved_search (search_id, account_id, looked_at, next_at) VALUES (%s, %s, %s, %s)",
                (search_id, account_id, at, at + FIRST_MAIL_AFTER),
            )

        return Decided([saved], SavedSearchState(id=search_id), also)

    return run(decide, body, status=201, seen_by=("saved_searches",))


@router.delete("/saved-searches/{id}", status_code=204)
def end_saved_search(id_: Id, run: Runs) -> Response:
    def decide() -> Decided[Nothing]:
        found = run.core.store.load(id_, asking.evolve_search)
        if found is not None and found.account_id != run.person.account_id:
            raise missing("saved search")
        return Decided(asking.end_search(found, "page", run.asked), Nothing(), _drop(id_))

    return run(decide, status=204, seen_by=("saved_searches",))


@public_router.post("/searches/stop/{token}", response_model=Stopped)
def stop_saved_search(token: str, request: Request) -> Stopped:
    """One click in a mail program (RFC 8058); the token speaks for itself."""
    core: Core = core_of(request)
    search_id = stopped_by(core.settings, token)
    found = core.store.load(search_id, asking.evolve_search) if search_id is not None else None
    if search_id is None or found is None:
        raise missing("saved search")
    core.commands.run(
        lambda: Decided(
            asking.end_search(core.store.load(search_id, asking.evolve_search), "one_click", Asked(datetime.now(UTC))),
            Nothing(),
            _drop(search_id),
        ),
        status=200,
    )
    return Stopped(ok=True, message="You will get no more mails about this search.")


def stop_token(settings: Settings, search_id: UUID) -> str:
    """What ends a saved search, from every mail of it."""
    return f"{search_id.hex}.{keyed_hash(derived_key(settings, 'saved-search'), search_id.hex)[:32]}"


def stopped_by(settings: Settings, token: str) -> UUID | None:
    text, _, proof = token.partition(".")
    try:
        search_id = UUID(hex=text)
    except ValueError:
        return None
    given = f"{search_id.hex}.{proof}"
    return search_id if secrets.compare_digest(stop_token(settings, search_id).encode(), given.encode()) else None


def change_question(
    run: Run, question_id: UUID, decision: Callable[[Question | None], list[DomainEvent]], body: Any = None
) -> Response:
    """Runs one decision about a question."""

    def decide() -> Decided[QuestionState]:
        events = decision(run.core.store.load(question_id, asking.evolve_question))
        return Decided(events, QuestionState(id=question_id))

    return run(decide, body, seen_by=("listing_questions",))


def _drop(search_id: UUID) -> Callable[[Cursor[dict[str, Any]], int | None], None]:
    def also(cursor: Cursor[dict[str, Any]], _: int | None) -> None:
        cursor.execute("DELETE FROM policy.saved_search WHERE search_id = %s", (search_id,))

    return also
