"""What matching shows: profile, recommendations with own results, applications, progress; to their owner alone."""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg.types.json import Jsonb

from infra.domain.program_ideas.answers import Answers
from infra.domain.program_matching import wording
from infra.domain.program_matching.scoring import Idea, ranked
from schemas.base import ERASED
from schemas.identity import program_id
from tests.support.full_api import Api, SampleData
from tests.support.programs import starter_listed
from tests.support.query import Person, conversion, event, this_moment

NOW = datetime.now(UTC)
AFFILIATE = "/api/platform/affiliate"


@pytest.fixture(scope="module")
def sample(full_api: Api) -> SampleData:
    """Ada, with an idea about dogs and the starter set in the directory."""
    made = SampleData(full_api)
    for listed in starter_listed():
        facts = listed.program.model_dump(exclude={"commission_amount"})
        amount = listed.program.commission_amount
        full_api.query.postgres.execute("DELETE FROM read.programs WHERE id = %s", (listed.id,))
        full_api.query.insert("programs", {
            **facts, "id": listed.id, "commission_amount": Jsonb(amount.model_dump()) if amount else None,
            "origin": "starter", "recorded_on": date(2026, 11, 21), "review_on": date(2026, 11, 21),
            "retired": False, "updated_at": NOW,
        })  # fmt: skip
    wording = {"target_audience": "Owners", "content_strategy": ["Guides"], "key_success_factors": ["Photos"]}
    full_api.query.insert("matching_profiles", {
        "account_id": made.owner.account_id, "business_idea": "Food, toys and training for dogs in the city",
        "industry": "pets", "difficulty": "easy", "monetization": "medium", "wording": json.dumps(wording),
        "method": "rules", "silent": "not_configured", "analyzed_at": NOW,
    })  # fmt: skip
    return made


def get(api: Api, path: str, person: Person, status: int = 200) -> Any:
    answer = api.call("GET", path, person)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_a_profile_is_its_owner_s(full_api: Api, sample: SampleData) -> None:
    profile = get(full_api, f"{AFFILIATE}/profile", sample.owner)["profile"]
    assert (profile["industry"], profile["content_strategy"]) == ("Pets", ["Guides"])
    for other in (full_api.query.person("member"), sample.admin):
        assert get(full_api, f"{AFFILIATE}/profile", other)["profile"] is None
        assert get(full_api, f"{AFFILIATE}/recommendations", other)["recommendations"] == []


def test_recommendations_are_sums_of_their_parts(full_api: Api, sample: SampleData) -> None:
    found = get(full_api, f"{AFFILIATE}/recommendations", sample.owner)
    assert found["results_known"] is True
    assert (found["min_score"], found["empty_reason"]) == (0.4, None)
    programs = found["recommendations"]
    assert 3 <= len(programs) <= 20
    assert {one["primaryCategory"] for one in programs[:3]} == {"Pets"}
    for one in programs:
        assert math.isclose(one["match_score"], sum(part["points"] for part in one["parts"]), abs_tol=0.001)
        assert one["checkedOn"] is None and one["source"]
        assert (one["toBeChecked"], one["reviewOn"]) == (True, "2026-11-21")
        assert "Terms not verified yet" in one["cons"]
    assert [one["match_score"] for one in programs] == sorted((one["match_score"] for one in programs), reverse=True)


def test_own_results_change_the_score(full_api: Api, sample: SampleData) -> None:
    partner = full_api.query.partner(f"Chewy {uuid4().hex[:8]}")
    chewy = program_id("Chewy")
    before = recommended(full_api, sample, chewy)
    assert before["results"] is None
    full_api.query.postgres.execute("UPDATE read.programs SET partner_id = %s WHERE id = %s", (partner, chewy))
    clicks = [event(sample.website, this_moment(), partner_id=partner, visitor=one) for one in range(60)]
    earned = conversion(sample.website, this_moment(), partner_id=partner, d_approved=3, c_approved=9_000)
    full_api.query.events([*clicks, earned])
    after = recommended(full_api, sample, chewy)
    assert after["results"] == {"clicks": 60, "conversions": 3, "epc": 1.5, "currency": "USD"}
    assert after["match_score"] > before["match_score"]
    suggestions = get(full_api, "/api/platform/learning/suggestions", sample.owner)
    assert suggestions["fromOwnResults"] is True
    assert suggestions["suggestions"][0]["industry"] == "Pets"


def test_results_are_of_the_asking_account_alone(full_api: Api, sample: SampleData) -> None:
    """The figures that changed Ada's score change nobody else's: not a member's, and not those of an admin."""
    for other in (full_api.query.person("member"), sample.admin):
        full_api.query.postgres.execute(
            "INSERT INTO read.matching_profiles SELECT %s, business_idea, industry, difficulty, monetization, wording,"
            " method, silent, words, words_silent, analyzed_at FROM read.matching_profiles WHERE account_id = %s",
            (other.account_id, sample.owner.account_id),
        )
        found = get(full_api, f"{AFFILIATE}/recommendations", other)["recommendations"]
        assert found and all(one["results"] is None for one in found)
        assert get(full_api, "/api/platform/learning/suggestions", other)["fromOwnResults"] is False


def test_a_model_s_words_are_shown_as_long_as_ours_would_say_the_same(full_api: Api, sample: SampleData) -> None:
    before = get(full_api, f"{AFFILIATE}/recommendations", sample.owner)
    assert before["wording"] == {
        "narratedBy": "rules", "toldBy": "rules", "silence": "not_configured", "mayBeAsked": False,
    }  # fmt: skip
    chosen = program_id("BarkBox")
    first = recommended(full_api, sample, chosen)
    assert (first["why"], first["narratedBy"]) == (None, "rules")
    ours = first["pros"][0]
    match = next(
        one
        for one in ranked(Idea("Food, toys and training for dogs in the city", "pets"), starter_listed(), {})
        if one.listed.id == chosen
    )
    said = {ours: "A model's words", "What we said last year": "Never shown"}
    words = {chosen: wording.ModelWords(wording.fingerprint(match), "Why it fits", said)}
    sql = "UPDATE read.matching_profiles SET words = %s, words_silent = '' WHERE account_id = %s"
    full_api.query.postgres.execute(sql, (wording.to_json(words), sample.owner.account_id))
    told = recommended(full_api, sample, chosen)
    assert (told["why"], told["pros"][0], told["narratedBy"]) == ("Why it fits", "A model's words", "model")
    assert (told["pros"][1:], told["cons"], told["match_score"]) == (
        first["pros"][1:], first["cons"], first["match_score"],
    )  # fmt: skip
    assert get(full_api, f"{AFFILIATE}/recommendations", sample.owner)["wording"]["narratedBy"] == "model"
    full_api.query.postgres.execute("UPDATE read.programs SET description = 'Other' WHERE id = %s", (chosen,))
    changed = recommended(full_api, sample, chosen)
    assert changed["why"] is None, "it was said of other facts"
    full_api.query.postgres.execute(sql, (ERASED, sample.owner.account_id))
    assert recommended(full_api, sample, chosen)["narratedBy"] == "rules"


def test_retired_programs_are_not_recommended(full_api: Api, sample: SampleData) -> None:
    embark = program_id("Embark")
    assert recommended(full_api, sample, embark)
    full_api.query.postgres.execute("UPDATE read.programs SET retired = true WHERE id = %s", (embark,))
    found = get(full_api, f"{AFFILIATE}/recommendations", sample.owner)["recommendations"]
    assert str(embark) not in {one["id"] for one in found}


def test_applications_with_their_steps_and_nobody_else_s(full_api: Api, sample: SampleData) -> None:
    application, account = uuid4(), sample.owner.account_id
    full_api.query.insert("applications", {
        "id": application, "account_id": account, "program_id": program_id("BarkBox"), "status": "in_review",
        "visits": 2, "applied_at": NOW, "updated_at": NOW,
    })  # fmt: skip
    for number, status in ((1, "applied"), (2, "in_review")):
        full_api.query.insert("application_steps", {
            "id": uuid4(), "application_id": application, "account_id": account, "number": number, "status": status,
            "note": "", "at": NOW,
        })  # fmt: skip
    [found] = get(full_api, f"{AFFILIATE}/applications", sample.owner)
    assert (found["companyName"], found["visits"]) == ("BarkBox", 2)
    assert [step["status"] for step in found["history"]] == ["applied", "in_review"]
    for number in range(3, 31):
        full_api.query.insert("application_steps", {
            "id": uuid4(), "application_id": application, "account_id": account, "number": number, "status": "applied",
            "note": str(number), "at": NOW,
        })  # fmt: skip
    [long] = get(full_api, f"{AFFILIATE}/applications", sample.owner)
    assert (long["steps"], [step["note"] for step in long["history"]]) == (30, [str(one) for one in range(11, 31)])
    assert recommended(full_api, sample, program_id("BarkBox"))["applicationStatus"] == "in_review"
    for other in (full_api.query.person("member"), sample.admin):
        assert get(full_api, f"{AFFILIATE}/applications", other) == []


def test_progress_is_what_is_done(full_api: Api, sample: SampleData) -> None:
    for lesson, done in (("one", True), ("two", False)):
        full_api.query.insert("lessons_done", {
            "id": uuid4(), "account_id": sample.owner.account_id, "course": "first", "lesson": lesson, "done": done,
            "at": NOW,
        })  # fmt: skip
    found = get(full_api, "/api/platform/learning/progress", sample.owner)["lessons"]
    assert [(one["course"], one["lesson"]) for one in found] == [("first", "one")]
    assert get(full_api, "/api/platform/learning/progress", sample.admin)["lessons"] == []


def test_the_directory_is_paged_and_searched_by_admins(full_api: Api, sample: SampleData) -> None:
    first = full_api.call("GET", "/api/admin/programs?limit=50", sample.admin)
    assert len(first.json()) == 50
    path = first.headers["Link"].split(">")[0].removeprefix("<")
    second = get(full_api, path, sample.admin)
    assert not {one["id"] for one in first.json()} & {one["id"] for one in second}
    found = get(full_api, "/api/admin/programs?search=chew&due=true", sample.admin)
    assert [one["companyName"] for one in found] == ["Chewy"]
    assert get(full_api, "/api/admin/program-categories", sample.admin)[0]["key"]
    get(full_api, "/api/admin/programs", sample.owner, 403)


def ask(api: Api, person: Person, interests: list[str], number: int = 1) -> None:
    """The person's round of ideas, as the projection keeps it."""
    answers = Answers(tuple(interests), ("photo",), ("en", "de"), 6, 200)
    api.query.postgres.execute("DELETE FROM read.idea_rounds WHERE account_id = %s", (person.account_id,))
    api.query.insert("idea_rounds", {
        "account_id": person.account_id, "answers": answers.to_json(), "number": number, "words": "",
        "words_silent": "", "requested_at": NOW,
    })  # fmt: skip


def choose(api: Api, person: Person, idea: str, choice: str, number: int, reason: str | None = None) -> None:
    api.query.insert("idea_choices", {
        "id": uuid4(), "account_id": person.account_id, "idea": idea, "choice": choice, "reason": reason, "note": "",
        "number": number, "at": NOW,
    })  # fmt: skip


def test_before_the_first_questions_there_are_no_ideas(full_api: Api, sample: SampleData) -> None:
    found = get(full_api, f"{AFFILIATE}/ideas", sample.admin)
    assert (found["answers"], found["ideas"], found["emptyReason"]) == (None, [], None)


@pytest.mark.usefixtures("sample")
def test_ideas_are_sums_of_their_parts_with_programs_and_ten_articles(full_api: Api) -> None:
    person = full_api.query.person("member")
    ask(full_api, person, ["dogs", "coffee"])
    found = get(full_api, f"{AFFILIATE}/ideas", person)
    assert found["answers"] == {
        "interests": ["dogs", "coffee"], "skills": ["photo"], "languages": ["en", "de"], "hours": 6, "money": 200,
    }  # fmt: skip
    assert {idea["industry"] for idea in found["ideas"]} == {"Pets", "Food & Drink"}
    for idea in found["ideas"]:
        assert math.isclose(idea["score"], sum(part["points"] for part in idea["parts"]), abs_tol=0.001)
        assert idea["score"] >= found["minScore"]
        assert 1 <= len(idea["programs"]) <= 3 and len(idea["plan"]) == 10
        assert all(one["earnings"]["basis"] == "terms" for one in idea["programs"])
        assert "not measured" in idea["estimateSource"]
        assert sum(idea["intent"][kind] for kind in ("informational", "commercial", "transactional")) == 10


@pytest.mark.usefixtures("sample")
def test_choices_are_listed_and_their_reasons_heeded_by_the_next_round(full_api: Api) -> None:
    person = full_api.query.person("member")
    ask(full_api, person, ["dogs", "cats", "coffee"])
    before = {idea["id"]: idea["score"] for idea in get(full_api, f"{AFFILIATE}/ideas", person)["ideas"]}
    choose(full_api, person, "pets.indoor-cats", "dismissed", 2, "no_time")
    choose(full_api, person, "food.coffee-at-home", "saved", 3)
    choose(full_api, person, "food.meal-kits-compared", "released", 4)
    same = get(full_api, f"{AFFILIATE}/ideas", person)
    assert {idea["id"]: idea["score"] for idea in same["ideas"]} == {
        key: score for key, score in before.items() if key not in ("pets.indoor-cats", "food.coffee-at-home")
    }
    assert [(one["id"], one["reason"], one["heeded"]) for one in same["dismissed"]] == [
        ("pets.indoor-cats", "no_time", False)
    ]
    ask(full_api, person, ["dogs", "cats", "coffee"], number=5)
    after = get(full_api, f"{AFFILIATE}/ideas", person)
    assert after["dismissed"][0]["heeded"] is True
    dogs = next(idea for idea in after["ideas"] if idea["id"] == "pets.city-dogs")
    assert dogs["score"] == pytest.approx(before["pets.city-dogs"] - 0.1)
    assert [idea["id"] for idea in after["saved"]] == ["food.coffee-at-home"]


@pytest.mark.usefixtures("sample")
def test_nothing_is_found_for_interests_that_nobody_understands(full_api: Api) -> None:
    person = full_api.query.person("member")
    ask(full_api, person, ["qwertz"])
    found = get(full_api, f"{AFFILIATE}/ideas", person)
    assert (found["ideas"], found["emptyReason"]) == ([], "interests_unclear")


def test_own_results_are_the_earnings_of_the_asking_account_alone(full_api: Api, sample: SampleData) -> None:
    """Ada measured Chewy (`test_own_results_change_the_score`); a stranger who saves the same idea sees terms."""
    stranger = full_api.query.person("member")
    for person in (sample.owner, stranger):
        ask(full_api, person, ["dogs"])
    basis = {}
    for person in (sample.owner, stranger):
        found = get(full_api, f"{AFFILIATE}/ideas", person)
        dogs = next(idea for idea in found["ideas"] if idea["id"] == "pets.city-dogs")
        basis[person.account_id] = {one["companyName"]: one["earnings"]["basis"] for one in dogs["programs"]}["Chewy"]
    assert basis == {sample.owner.account_id: "results", stranger.account_id: "terms"}
    choose(full_api, sample.owner, "pets.city-dogs", "saved", 2)
    assert get(full_api, f"{AFFILIATE}/ideas", stranger)["saved"] == []


@pytest.mark.usefixtures("sample")
def test_erased_answers_are_no_answers(full_api: Api) -> None:
    person = full_api.query.person("member")
    ask(full_api, person, ["dogs"])
    full_api.query.postgres.execute(
        "UPDATE read.idea_rounds SET answers = %s WHERE account_id = %s", (ERASED, person.account_id)
    )
    assert get(full_api, f"{AFFILIATE}/ideas", person)["answers"] is None


def recommended(api: Api, sample: SampleData, program: UUID) -> dict[str, Any]:
    found = get(api, f"{AFFILIATE}/recommendations", sample.owner)["recommendations"]
    one: dict[str, Any] = next(item for item in found if item["id"] == str(program))
    return one
