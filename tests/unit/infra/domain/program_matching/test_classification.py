"""Which words lead to which industry: forms, misspellings, compounds, related words, and whom an offer is for."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any, Final

import pytest

from infra.domain.program_matching.classification import CERTAIN, MIN_FIT, fits
from infra.domain.program_matching.resemblance import COMPOUND, MIN_LIKENESS, KnownWords
from infra.domain.program_matching.taxonomy import taxonomy
from infra.domain.program_matching.words import Word, stem, stems, words

DATA: Final = files("infra.domain.program_matching")
RELATED: Final[dict[str, Any]] = json.loads((DATA / "related_words.json").read_text("utf-8"))
TAXONOMY: Final[dict[str, Any]] = json.loads((DATA / "taxonomy.json").read_text("utf-8"))
SECTIONS: Final = ("related", "other_languages")


def like(known: str, text: str) -> dict[str, float]:
    [word] = words(text)
    return dict(KnownWords(stems(known)).like(word))


@pytest.mark.parametrize("section", SECTIONS)
def test_related_words_are_sorted_and_of_known_industries(section: str) -> None:
    assert list(RELATED[section]) == sorted(RELATED[section])
    assert set(RELATED[section]) <= set(taxonomy())
    for listed in RELATED[section].values():
        plain = [word.partition("*")[0] for word in listed]
        assert plain == sorted(set(plain))
        assert all(word.partition("*")[2] in ("", "2", "3") for word in listed)


def test_shared_words_have_several_industries_and_a_reason() -> None:
    firsts = [shared["words"][0] for shared in RELATED["shared"]]
    assert firsts == sorted(firsts)
    for shared in RELATED["shared"]:
        assert shared["words"] == sorted(set(shared["words"]))
        assert len(shared["industries"]) > 1
        assert list(shared["industries"]) == sorted(shared["industries"])
        assert set(shared["industries"]) <= set(taxonomy())
        assert set(shared["industries"].values()) <= {1, 2, 3}
        assert shared["reason"].endswith(".")


def test_a_related_word_is_in_one_place_and_says_all_that_it_should() -> None:
    """In no other industry, nor in the taxonomy: a word of several is `shared`. No word of a phrase is a stop word,
    which would leave a phrase that means something else."""
    of_taxonomy = {
        stems(keyword.partition("*")[0]): key for key, entry in TAXONOMY.items() for keyword in entry["keywords"]
    }
    places: dict[tuple[str, ...], str] = {}
    for section in SECTIONS:
        for key, listed in RELATED[section].items():
            for keyword in listed:
                word = keyword.partition("*")[0]
                assert len(stems(word)) == len(word.split()), word
                assert stems(word) not in of_taxonomy, word
                assert places.setdefault(stems(word), f"{section} {key} {word}") == f"{section} {key} {word}"
    for shared in RELATED["shared"]:
        for word in shared["words"]:
            assert stems(word), word
            assert stems(word) not in places, word
            places[stems(word)] = "shared"


@pytest.mark.parametrize(
    ("forms", "same"),
    [
        ("baking bake baked bakes", "bake"),
        ("hiking hike", "hike"),
        ("running run", "run"),
        ("jogging jog", "jog"),
        ("bakeries bakery", "baker"),
        ("wine wines", "wine"),
    ],
)
def test_forms_of_a_word_have_its_stem(forms: str, same: str) -> None:
    assert {stem(form) for form in forms.split()} == {same}


@pytest.mark.parametrize(
    "different", ["wine win", "hate hat", "accounting account", "earring ear", "training train", "wedding wed"]
)
def test_other_words_are_no_forms_of_one(different: str) -> None:
    assert len({stem(word) for word in different.split()}) == 2


def test_misspelled_words_are_recognized_by_their_trigrams() -> None:
    assert like("photography wordpress", "photografy") == pytest.approx({"photograph": 14 / 19})
    assert like("photography wordpress", "Wordpres") == pytest.approx({"wordpress": 14 / 17})
    assert like("dropshipping", "dropshippping")["dropship"] > MIN_LIKENESS
    assert like("photography", "fotograph") == {}, "it does not begin alike"


@pytest.mark.parametrize(("known", "common"), [("organic", "organ"), ("leather", "weather"), ("parent", "transparent")])
def test_a_common_word_resembles_nothing(known: str, common: str) -> None:
    assert like(known, common) == {}


def test_compounds_are_recognized_by_their_parts() -> None:
    assert like("hund training", "Hundetraining") == {"hund": COMPOUND, "training": COMPOUND}
    assert like("fahrrad", "Fahrradzubeh\u00f6r") == {"fahrrad": COMPOUND}
    assert like("hund", "Hundxyz") == {}, "four letters of an unknown rest are chance"


def test_whom_an_offer_is_for_counts_half_once_the_subject_is_certain() -> None:
    assert [(fit.industry.key, fit.score) for fit in fits("Accounting for bakers")] == [
        ("software", 3.0), ("finance", 1.0), ("food", 1.0),
    ]  # fmt: skip
    assert fits("Toys for dogs")[0].score == 4.0, "a toy alone makes no industry certain"
    scores = {fit.industry.key: fit.score for fit in fits("Accounting for shops. Bakers")}
    assert scores["food"] == 2.0, "the audience ends with its sentence"


def test_an_industry_names_the_words_that_led_to_it_as_they_were_written() -> None:
    [best, *_] = fits("Caf\u00e9s: photografy of caf\u00e9s, cake and a coffee machine")
    assert best.industry.key == "food"
    assert best.words == ("caf\u00e9s", "cake", "coffee", "coffee machine")


def test_a_single_vague_word_is_no_industry() -> None:
    assert fits("something about money") == []
    assert fits("mortgages")[0].score == CERTAIN > MIN_FIT


def test_many_unknown_words_are_no_obstacle() -> None:
    assert fits(" ".join(f"qzx{number}wvut" for number in range(3_000))) == []


def test_words_keep_their_letters_and_stems_do_not() -> None:
    [first, second] = words("F\u00fcr Anf\u00e4nger: G\u00e4rten")
    assert first == Word("anf\u00e4nger", "anfanger", "anfanger", is_audience=True)
    assert second == Word("g\u00e4rten", "garten", "garten")
