"""`/api/marketplace/*`: questions about listings, the watchlist, saved searches and the link that ends their mails."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Request, Response

from command_api.kernel.decision import not_found, system_context
from command_api.kernel.http import Confirmation, Id, Runs, container_of
from command_api.kernel.rate_limits import Limit, consume
from command_api.marketplace import commands
from command_api.marketplace.schemas import FlagQuestion, QuestionState, SavedSearchState, SaveSearch, Write
from infra.domain.unsubscribe import verify_unsubscribe_token
from infra.kernel.http.route_costs import PUBLIC, costs
from schemas.uuid7 import uuid7

router = APIRouter(prefix="/api/marketplace", tags=["marketplace"])
public_router = APIRouter(prefix="/api/public/marketplace", tags=["public"])

FLAGS: Final = Limit("listing-flag", timedelta(minutes=5), 20)
ANSWERS: Final = Limit("listing-answer", timedelta(seconds=30), 30)
SEARCHES: Final = Limit("saved-search", timedelta(minutes=2), 40)
QUESTIONS: Final = Limit("listing-question", timedelta(minutes=2), 10)
WATCHES: Final = Limit("listing-watch", timedelta(seconds=5), 200)


@router.post("/listings/{id}/questions", status_code=201, response_model=QuestionState)
def ask_question(id_: Id, body: Write, run: Runs) -> Response:
    """Asks the seller a public question."""
    consume(run.container.pool, QUESTIONS, str(run.person.account_id))
    command = commands.AskQuestion(uuid7(), id_, body.text)
    return run(command, body, status=201, is_consistent=True)


@router.put("/listings/{id}/watch", status_code=204)
def watch_listing(id_: Id, run: Runs) -> Response:
    """Adds the listing to the watchlist."""
    consume(run.container.pool, WATCHES, str(run.person.account_id))
    return run(commands.WatchListing(id_), status=204, is_consistent=True)


@router.delete("/listings/{id}/watch", status_code=204)
def unwatch_listing(id_: Id, run: Runs) -> Response:
    """Removes the listing from the watchlist, also after it has ended."""
    consume(run.container.pool, WATCHES, str(run.person.account_id))
    return run(commands.UnwatchListing(id_), status=204, is_consistent=True)


@router.post("/questions/{id}/answer", response_model=QuestionState)
def answer_question(id_: Id, body: Write, run: Runs) -> Response:
    """The seller's answer; a later one replaces it."""
    consume(run.container.pool, ANSWERS, str(run.person.account_id))
    return run(commands.AnswerQuestion(id_, body.text), body, is_consistent=True)


@router.post("/questions/{id}/flag", response_model=QuestionState)
def flag_question(id_: Id, body: FlagQuestion, run: Runs) -> Response:
    """Reports the question to the admins; once per member."""
    consume(run.container.pool, FLAGS, str(run.person.account_id))
    return run(commands.FlagQuestion(id_, body.reason), body, is_consistent=True)


@router.post("/saved-searches", status_code=201, response_model=SavedSearchState)
def save_search(body: SaveSearch, run: Runs) -> Response:
    """Saves a search; a daily email lists new matches, if there are any."""
    consume(run.container.pool, SEARCHES, str(run.person.account_id))
    return run(commands.SaveSearch(uuid7(), body), body, status=201, is_consistent=True)


@router.delete("/saved-searches/{id}", status_code=204)
def end_saved_search(id_: Id, run: Runs) -> Response:
    return run(commands.EndSavedSearch(id_), status=204, is_consistent=True)


@public_router.post("/searches/stop/{token}", response_model=Confirmation, openapi_extra=costs(PUBLIC))
def stop_saved_search(token: str, request: Request) -> Confirmation:
    """One click in a mail program (RFC 8058); authorized by the token."""
    container = container_of(request)
    search_id = verify_unsubscribe_token(container.settings, "saved_search", token)
    if search_id is None:
        raise not_found("saved search")
    container.commands.dispatch(commands.StopSavedSearch(search_id), system_context())
    return Confirmation(message="You will no longer receive emails about this search.")
