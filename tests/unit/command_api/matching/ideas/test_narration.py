"""A model's words for ideas are taken as far as the catalogue bears them out."""

from __future__ import annotations

from typing import Any

from command_api.matching.ideas.narration import IdeasAnswer, validate_answer
from infra.domain.program_ideas.niches import niches
from infra.domain.program_ideas.wording import IdeaWords, fingerprint, from_json, to_json
from schemas.base import ERASED
from tests.unit.command_api.matching.test_profile import HOSTILE

DOGS = niches()["pets.city-dogs"]
COMPANIES = ("BarkBox", "Chewy")
PITCH = "A website on food, toys and training for dogs that live in the city."
AUDIENCE = "People with a dog in the city who look for food and quiet toys."
TITLES = ["How to find a quiet place for dogs in the city"]


def words(**changes: Any) -> IdeaWords | None:
    said = {"idea": 1, "pitch": PITCH, "audience": AUDIENCE, "titles": TITLES, **changes}
    return validate_answer(IdeasAnswer.model_validate({"ideas": [said]}), [DOGS], COMPANIES).words.get(DOGS.key)


def test_valid_texts_are_kept_with_the_fingerprint_of_the_niche() -> None:
    found = words()
    assert found == IdeaWords(fingerprint(DOGS), PITCH, AUDIENCE, tuple(TITLES))
    assert found is not None
    assert from_json(to_json({DOGS.key: found})) == {DOGS.key: found}
    assert from_json(ERASED) == from_json("") == {}


def test_a_text_that_adds_anything_is_discarded() -> None:
    wrong = [
        *HOSTILE,
        "A website that earns 500 USD a month with dogs in the city.",
        "The best food for dogs in the city.",
        "Food from Chewy for dogs in the city.",
        "Dogs in the city never need toys.",
        "Guaranteed income with dogs in the city.",
        "x" * 281,
    ]
    assert [text for text in wrong if not is_discarded(text)] == []


def is_discarded(text: str) -> bool:
    found = words(pitch=text[:1_000], titles=[text[:900]])
    return found is not None and (found.pitch, found.audience, found.titles) == ("", AUDIENCE, ())


def test_our_own_titles_and_repeats_are_no_further_titles() -> None:
    found = words(titles=[DOGS.informational[0].upper(), *TITLES, *TITLES])
    assert found is not None and found.titles == tuple(TITLES)


def test_an_answer_about_no_given_idea_says_nothing() -> None:
    unknown: dict[str, Any] = {"idea": 2, "pitch": PITCH, "audience": AUDIENCE, "titles": []}
    for said in ([], [unknown]):
        told = validate_answer(IdeasAnswer.model_validate({"ideas": said}), [DOGS], COMPANIES)
        assert (told.words, told.silence) == ({}, "not_believed")
