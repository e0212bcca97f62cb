"""`/api/platform/affiliate/ideas*`: request business ideas, save and dismiss them, have a language model word them."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from fastapi import APIRouter, Request, Response
from psycopg.rows import dict_row

from command_api.kernel.http import CommandRunner, Runs
from command_api.kernel.rate_limits import Limit, consume
from command_api.matching import schemas
from command_api.matching.ideas import board as idea_board
from command_api.matching.ideas import commands, narration
from command_api.matching.ideas import schemas as idea_schemas
from command_api.matching.routes import BULKHEAD, MAX_WAIT_S
from infra.domain.program_ideas.niches import niches
from infra.domain.program_matching.directory import ACTIVE
from infra.kernel.llm import LanguageModel
from schemas.identity import idea_board_id

router = APIRouter(prefix="/api/platform/affiliate/ideas", tags=["matching"])

ROUNDS: Final = Limit("business-ideas", timedelta(seconds=20), 20)
CHOICES: Final = Limit("idea-choices", timedelta(seconds=2), 100)
WORDINGS: Final = Limit("idea-wording", timedelta(seconds=20), 10)


@router.post("", status_code=204)
def request_ideas(body: idea_schemas.RequestIdeas, run: Runs) -> Response:
    """Stores the answers and begins a new round of ideas, which heeds the reasons of all dismissals so far."""
    consume(run.container.pool, ROUNDS, str(run.person.account_id))
    return run(commands.RequestIdeas(body.answers()), body, status=204, is_consistent=True)


@router.post("/save", status_code=204)
def save_idea(body: idea_schemas.ChooseIdea, run: Runs) -> Response:
    """Keeps an idea (idempotent), also one that was dismissed."""
    return _choose(run, commands.SaveIdea(body.idea), body)


@router.post("/dismiss", status_code=204)
def dismiss_idea(body: idea_schemas.DismissIdea, run: Runs) -> Response:
    """Hides an idea; the next round heeds the reason."""
    return _choose(run, commands.DismissIdea(body.idea, body.reason, body.note), body)


@router.post("/release", status_code=204)
def release_idea(body: idea_schemas.ChooseIdea, run: Runs) -> Response:
    """Takes back that an idea was saved or dismissed."""
    return _choose(run, commands.ReleaseIdea(body.idea), body)


@router.post("/wording", response_model=schemas.Worded)
def word_ideas(body: idea_schemas.WordIdeas, request: Request, run: Runs) -> Response:
    """Has a language model reword these ideas and add article titles. Once for each round: a repeat does nothing."""
    model: LanguageModel = request.app.state.matching
    account_id = run.person.account_id

    def worded() -> commands.RecordIdeaWording:
        board = idea_board.require_round(run.container.store.load(idea_board_id(account_id), idea_board.evolve))
        if board.is_worded:
            return commands.RecordIdeaWording(board.requested, None)
        if not model.is_configured:
            return commands.RecordIdeaWording(board.requested, None, model.unavailable_reason)
        consume(run.container.pool, WORDINGS, str(account_id))
        chosen = [niches()[key] for key in dict.fromkeys(body.ideas) if key in niches()]
        companies = _companies(run)
        with BULKHEAD.acquire(account_id, MAX_WAIT_S):
            wording = narration.narrate(model, account_id, chosen, companies)
        return commands.RecordIdeaWording(board.requested, wording)

    return run.prepared(worded, body, is_consistent=True)


def _choose(
    run: CommandRunner, command: commands.IdeaCommand, body: idea_schemas.ChooseIdea | idea_schemas.DismissIdea
) -> Response:
    consume(run.container.pool, CHOICES, str(run.person.account_id))
    return run(command, body, status=204, is_consistent=True)


def _companies(run: CommandRunner) -> list[str]:
    with run.container.pool.connection() as connection, connection.cursor(row_factory=dict_row) as cursor:
        return [row["company_name"] for row in cursor.execute(ACTIVE.encode())]
