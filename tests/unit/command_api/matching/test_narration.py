"""A model's words for programs are taken as far as ours bear them out; nothing that it adds, denies or judges."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import pytest

from command_api.matching.narration import ProgramsAnswer, _data, _within_limit, validate_answer
from infra.domain.program_matching import wording
from infra.domain.program_matching.scoring import TO_BE_CHECKED, Idea, Listed, Match, Results, cons, pros, ranked
from schemas.events.matching import Program
from tests.unit.command_api.matching.test_profile import HOSTILE

IDEA = Idea("WordPress hosting tutorials for small businesses", "hosting")
COMPANIES = ("Good Hosting", "Rival", "A.Rival (Inc.)")


def listed(**changes: Any) -> Listed:
    program = Program(
        company_name="Good Hosting", category="hosting", audience="Small businesses",
        description="Web hosting with WordPress for small businesses, with backups.", url="https://h.example/",
        commission_type="percentage", commission_bp=200, cookie_days=30, approval="hard", payment="monthly",
        source="Its page",
    )  # fmt: skip
    return Listed(uuid4(), program.model_copy(update=changes), None)


def matches(*programs: Listed) -> list[Match]:
    return ranked(IDEA, programs or (listed(),), {})


def said(found: Sequence[Match], why: str = "", *sentences: tuple[str, str]) -> ProgramsAnswer:
    """What a model says of the first program: `sentences` in place of the rule-based ones."""
    match = found[0]
    ours = [*pros(match), *(text for text in cons(match) if text != TO_BE_CHECKED)]
    numbered = [{"number": ours.index(our) + 1, "text": text} for our, text in sentences]
    return ProgramsAnswer.model_validate({"programs": [{"program": 1, "why": why, "sentences": numbered}]})


def words(found: Sequence[Match], answer: ProgramsAnswer) -> wording.ModelWords | None:
    return validate_answer(answer, found, COMPANIES).words.get(found[0].listed.id)


COOKIE, LITTLE, HARD, ABOUT = (
    "30-day cookie",
    "Low commission: Pays 2% of each sale",
    "Approval is hard: show some traffic first",
    "Matches your niche: Web Hosting",
)


def test_valid_model_texts_replace_the_standard_texts() -> None:
    found = matches()
    why = "Its hosting for small businesses is what your tutorials lead to."
    answer = said(found, why, (COOKIE, "A sale within 30 days of the click is yours"), (HARD, "It lets few sites in"))
    told = wording.narrative(found[0], words(found, answer))
    assert (told.why, told.by_model) == (why, True)
    assert "A sale within 30 days of the click is yours" in told.pros
    assert COOKIE not in told.pros
    assert {"It lets few sites in", LITTLE, TO_BE_CHECKED} <= set(told.cons)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_never_shown(text: str) -> None:
    found = matches()
    answer = said(found, text, (COOKIE, text), (HARD, text))
    assert validate_answer(answer, found, COMPANIES).silence == "not_believed"
    told = wording.narrative(found[0], words(found, answer))
    assert (told.why, told.pros, told.cons, told.by_model) == (None, pros(found[0]), cons(found[0]), False)


@pytest.mark.parametrize(
    ("ours", "text"),
    [
        (COOKIE, "60-day cookie"),
        (COOKIE, "Ninety-day cookie"),
        (COOKIE, "Never a cookie"),
        (COOKIE, "Doesn't set a cookie"),
        (COOKIE, "A short 30-day cookie"),
        (COOKIE, "Rival counts sales for 30 days"),
        (COOKIE, "A.Rival (Inc.) counts sales for 30 days"),
        (COOKIE, "The best terms of all: 30 days"),
        (LITTLE, "Low commission: Pays 20% of each sale"),
        (LITTLE, "Pays a generous 2% of each sale"),
        (LITTLE, "Pays 2 EUR of each sale"),
        (LITTLE, "Pays 2 %, and more with a guaranteed bonus"),
        (HARD, "Approval is easy: show some traffic first"),
        (HARD, "Approval is not hard: show some traffic first"),
    ],
)
def test_what_ours_do_not_say_is_dropped(ours: str, text: str) -> None:
    found = matches()
    answer = said(found, "", (ours, text), (ABOUT, "It fits your idea"))
    assert words(found, answer) == wording.ModelWords(wording.fingerprint(found[0]), "", {ABOUT: "It fits your idea"})


@pytest.mark.parametrize(
    "why", ["It earned 40.00 USD for others", "It pays 50 %", "The leading host", "Better than Rival", "x" * 281, "no"]
)
def test_why_uses_only_stored_data(why: str) -> None:
    found = matches()
    assert words(found, said(found, why)) is None
    known = words(found, said(found, "It pays 2 % and has backups for small businesses"))
    assert known is not None
    assert known.why


def test_numbers_of_nothing_and_repeats_change_nothing() -> None:
    found = matches()
    sentences = [{"number": number, "text": "It fits your idea"} for number in (-1, 0, 99, 2**70)]
    odd = [{"program": number, "why": "It fits your idea", "sentences": sentences} for number in (0, -1, 7, 1, 1)]
    told = validate_answer(ProgramsAnswer.model_validate({"programs": odd}), found, COMPANIES).words
    assert {id: one.why for id, one in told.items()} == {found[0].listed.id: "It fits your idea"}
    assert not told[found[0].listed.id].said


def test_the_member_s_own_figures_are_sent_to_nobody_and_stay_in_our_words() -> None:
    one = listed()
    own = ranked(IDEA, [one], {one.id: Results(500, 9, 20_000, 1_000, 10_000, "USD")})
    without = ranked(IDEA, [one], {})
    assert wording.fingerprint(own[0]) == wording.fingerprint(without[0])
    assert "40.00" in " ".join(pros(own[0]))
    assert "40.00" not in json.dumps(_data(IDEA.text, own)["programs"][0]["known"])


def test_a_question_is_as_long_as_may_be_sent() -> None:
    many = [listed(company_name=f"H{number}", description="hosting " * 240, audience="\n" * 500) for number in range(8)]
    found = matches(*many)
    sent = _within_limit("\u0001" * 4_000, found)
    assert 1 <= len(sent) < len(found)
    assert len(json.dumps(_data("\u0001" * 4_000, sent), ensure_ascii=False)) <= 20_000


def test_stored_texts_are_read_again_and_erased_texts_are_empty() -> None:
    found = matches()
    kept = validate_answer(said(found, "It fits your idea"), found, COMPANIES).words
    assert wording.from_json(wording.to_json(kept)) == kept
    assert wording.from_json("") == wording.from_json("[erased]") == {}
