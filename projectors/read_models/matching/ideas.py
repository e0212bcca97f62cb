"""`read.idea_rounds` and `read.idea_choices`: what each account answered last, with a model's words for its ideas, and
which ideas it saved or dismissed. For that account alone."""

from __future__ import annotations

from typing import Final
from uuid import UUID, uuid5

from infra.kernel.postgres.rows import Rows
from projectors.engine.read_model import ReadModel
from projectors.read_models.row_policies import own_account
from schemas.base import ERASED
from schemas.events.accounts import AccountErased
from schemas.events.matching import IdeaDismissed, IdeaReleased, IdeaSaved, IdeasRequested, IdeasWorded

IDEA_ROUNDS: Final = ReadModel(
    name="idea_rounds",
    version=1,
    columns=(
        "account_id uuid",
        "answers text not null",
        "number int not null",
        "words text not null",
        "words_silent text not null",
        "requested_at timestamptz not null",
    ),
    key=("account_id",),
    readers=own_account("account_id"),
    personal=("answers", "words"),
)
"""`number`: a choice with a lower one was made before this round."""

IDEA_CHOICES: Final = ReadModel(
    name="idea_choices",
    version=1,
    columns=(
        "id uuid",
        "account_id uuid not null",
        "idea text not null",
        "choice text not null",
        "reason text",
        "note text not null",
        "number int not null",
        "at timestamptz not null",
    ),
    key=("id",),
    readers=own_account("account_id"),
    indexes=("account_id, at",),
    personal=("note",),
)
"""`choice`: saved, dismissed, or released: neither any more."""


IDEA_ROUNDS.begins(IdeasRequested, at="requested_at", takes={"number": "originator_version"}, words="", words_silent="")
IDEA_ROUNDS.follows(IdeasWorded, takes={"words_silent": "silent"}, of="account_id")
IDEA_ROUNDS.follows(AccountErased, answers=ERASED, words=ERASED)


@IDEA_CHOICES.on(IdeaSaved)
def saved(rows: Rows, event: IdeaSaved) -> None:
    _choice(rows, event, "saved", None, "")


@IDEA_CHOICES.on(IdeaDismissed)
def dismissed(rows: Rows, event: IdeaDismissed) -> None:
    _choice(rows, event, "dismissed", event.reason, event.note)


@IDEA_CHOICES.on(IdeaReleased)
def released(rows: Rows, event: IdeaReleased) -> None:
    _choice(rows, event, "released", None, "")


IDEA_CHOICES.follows(AccountErased, by="account_id", note=ERASED)


def _choice(
    rows: Rows, event: IdeaSaved | IdeaDismissed | IdeaReleased, choice: str, reason: str | None, note: str
) -> None:
    rows.put(
        id=_id(event.originator_id, event.idea),
        account_id=event.account_id,
        idea=event.idea,
        choice=choice,
        reason=reason,
        note=note,
        number=event.originator_version,
        at=event.timestamp,
    )


def _id(board: UUID, idea: str) -> UUID:
    return uuid5(board, idea)
