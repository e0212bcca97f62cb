"""Business ideas of a member: given what it chose, when a command, then these events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from command_api.kernel.decision import CommandContext, CommandRejected
from command_api.matching.ideas import board as idea_board
from command_api.matching.ideas.board import Dismissed, IdeaBoard
from infra.domain.program_ideas.answers import MAX_INTERESTS, Answers
from schemas.base import DomainEvent
from schemas.events.matching import IdeaDismissed, IdeaReleased, IdeaSaved, IdeasRequested, IdeasWorded
from schemas.identity import idea_board_id
from tests.support.given_when_then import given, rejected

ACCOUNT = uuid4()
CONTEXT = CommandContext(datetime(2026, 11, 27, 12, tzinfo=UTC), ACCOUNT)
ANSWERS = Answers(("dogs",), ("photo",), ("en", "de"), 6, 200)
DOGS, CATS = "pets.city-dogs", "pets.indoor-cats"


def evolved(board: IdeaBoard | None, events: Sequence[DomainEvent]) -> IdeaBoard:
    for event in events:
        board = idea_board.evolve(board, event)
    assert board is not None
    return board


@pytest.fixture
def board() -> IdeaBoard:
    return evolved(None, [idea_board.request(None, ANSWERS, ACCOUNT, CONTEXT)])


def test_a_round_keeps_the_answers_without_repeats_and_control_characters(board: IdeaBoard) -> None:
    assert (board.version, board.requested, board.answers) == (1, 1, ANSWERS)
    given = replace(ANSWERS, interests=("  dogs\n and\x00cats ", "", "dogs and cats"), languages=("en", "en"))
    again = idea_board.request(board, given, ACCOUNT, CONTEXT)
    assert isinstance(again, IdeasRequested)
    assert (again.originator_id, again.originator_version) == (idea_board_id(ACCOUNT), 2)
    kept = evolved(board, [again])
    assert kept.answers == replace(ANSWERS, interests=("dogs and cats",), languages=("en",))
    assert kept.requested == 2


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"interests": (" ", "\x00")}, "interests"),
        ({"interests": tuple(f"interest {one}" for one in range(MAX_INTERESTS + 1))}, "interests"),
        ({"interests": ("x" * 81,)}, "interests"),
        ({"skills": ("juggling",)}, "skills"),
        ({"languages": ()}, "languages"),
        ({"languages": ("xx",)}, "languages"),
        ({"hours": 0}, "hours"),
        ({"hours": 81}, "hours"),
        ({"money": -1}, "money"),
        ({"money": 100_001}, "money"),
    ],
)
def test_answers_out_of_bounds_are_rejected(wrong: dict[str, Any], field: str) -> None:
    given().when(idea_board.request, None, replace(ANSWERS, **wrong), ACCOUNT, CONTEXT).then(rejected(field=field))


def test_an_idea_is_saved_once_dismissed_with_a_reason_and_released(board: IdeaBoard) -> None:
    [saved] = idea_board.save(board, DOGS, ACCOUNT, CONTEXT)
    assert isinstance(saved, IdeaSaved)
    board = evolved(board, [saved])
    given(board).when(idea_board.save, DOGS, ACCOUNT, CONTEXT).then()
    [dismissed] = idea_board.dismiss(board, DOGS, "no_time", "", ACCOUNT, CONTEXT)
    assert isinstance(dismissed, IdeaDismissed)
    board = evolved(board, [dismissed])
    assert board.chosen == {DOGS: Dismissed("no_time", "")}
    given(board).when(idea_board.dismiss, DOGS, "no_time", "", ACCOUNT, CONTEXT).then()
    [released] = idea_board.release(board, DOGS, ACCOUNT, CONTEXT)
    assert isinstance(released, IdeaReleased)
    board = evolved(board, [released])
    assert (board.chosen, board.version) == ({}, 4)
    given(board).when(idea_board.release, DOGS, ACCOUNT, CONTEXT).then()


def test_another_reason_needs_its_words(board: IdeaBoard) -> None:
    for note in ("", "x" * 501):
        given(board).when(idea_board.dismiss, CATS, "other", note, ACCOUNT, CONTEXT).then(rejected())
    [dismissed] = idea_board.dismiss(board, CATS, "other", " I am allergic ", ACCOUNT, CONTEXT)
    assert isinstance(dismissed, IdeaDismissed) and dismissed.note == "I am allergic"


def test_ideas_that_nobody_offered_are_rejected(board: IdeaBoard) -> None:
    with pytest.raises(CommandRejected) as found:
        idea_board.save(board, "pets.no-such-niche", ACCOUNT, CONTEXT)
    assert found.value.kind == "missing"
    given().when(idea_board.save, None, DOGS, ACCOUNT, CONTEXT).then(rejected("no_ideas"))


def test_a_round_is_worded_once_and_may_be_after_a_silence(board: IdeaBoard) -> None:
    silent = idea_board.word(board, "{}", "budget", ACCOUNT, CONTEXT)
    assert isinstance(silent, IdeasWorded)
    board = evolved(board, [silent])
    assert not board.is_worded
    board = evolved(board, [idea_board.word(board, "{}", "", ACCOUNT, CONTEXT)])
    assert board.is_worded
    assert not evolved(board, [idea_board.request(board, ANSWERS, ACCOUNT, CONTEXT)]).is_worded


def test_changes_are_limited(board: IdeaBoard) -> None:
    full = replace(board, version=idea_board.MAX_CHANGES)
    given(full).when(idea_board.save, DOGS, ACCOUNT, CONTEXT).then(rejected())
