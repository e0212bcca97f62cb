"""Matching over HTTP (spec §2, §5, §7): an idea is analyzed and kept, applied for, and the directory maintained."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest

from command_api.matching.programs import starter_set
from command_api.matching.programs.files import COLUMNS, starter_programs
from infra.kernel.llm import LanguageModel
from projectors.read_models.matching.programs import PROGRAMS
from schemas.identity import learning_id, matching_profile_id, program_id
from tests.api.kernel.test_command_races import at_once
from tests.support.command import Person, World, command_world
from tests.support.llm_server import ModelServer, model_server

__all__ = ["command_world"]
IDEA = "Food, toys and training for dogs in the city"
AFFILIATE = "/api/platform/affiliate"
PROGRAM: dict[str, Any] = {
    "companyName": "Example Kibble",
    "category": "pets",
    "description": "Food for dogs.",
    "url": "https://kibble.example.com/partners?src=1",
    "commissionType": "percentage",
    "commissionRate": 12.5,
    "cookieDays": 30,
    "approval": "easy",
    "payment": "monthly",
    "source": "Its public page",
}
ANSWER = {
    "industry": "pets",
    "target_audience": "People with dogs in small flats",
    "difficulty_level": "easy",
    "monetization_potential": "medium",
    "content_strategy": ["Guides by breed", "Tests of toys"],
    "key_success_factors": ["Photos of your own dog"],
}


@pytest.fixture(autouse=True)
def unhurried(command_world: World) -> None:
    command_world.postgres.execute("DELETE FROM kernel.rate_limit")


def send(world: World, method: str, path: str, person: Person, status: int, **options: Any) -> Any:
    answer = world.call(method, path, person, **options)
    assert answer.status_code == status, answer.text
    return answer.json() if answer.content else None


def events_of(world: World, aggregate: UUID | str) -> list[str]:
    """What happened to it, without versions."""
    return [name.partition(".v")[0] for name in world.events(aggregate)]


def program(world: World, **changes: Any) -> str:
    body = {**PROGRAM, "companyName": f"Kibble {uuid4().hex}", **changes}
    return str(send(world, "POST", "/api/admin/programs", world.admin, 201, json=body)["id"])


@contextmanager
def model(world: World) -> Iterator[ModelServer]:
    """A model that the command service asks."""
    app: Any = world.http.app
    before = app.state.matching
    with model_server() as server:
        settings = replace(world.settings, openai_base_url=server.url, openai_model="small")
        app.state.matching = LanguageModel(settings, world.core.pool)
        try:
            yield server
        finally:
            app.state.matching = before


def test_without_a_model_the_rules_analyze_and_say_so(command_world: World) -> None:
    person = command_world.person("member")
    found = send(command_world, "POST", f"{AFFILIATE}/analyze-business", person, 200, json={"businessIdea": IDEA})
    analysis = found["analysis"]
    assert analysis["industry"] == "Pets"
    assert (analysis["difficulty_level"], analysis["monetization_potential"]) == ("easy", "medium")
    assert analysis["content_strategy"] and analysis["key_success_factors"] and analysis["target_audience"]
    assert (analysis["method"], analysis["silence"]) == ("rules", "not_configured")
    assert events_of(command_world, matching_profile_id(person.account_id)) == ["matching.business_analyzed"]
    stored = command_world.postgres.execute(
        "SELECT state FROM events.stored_events WHERE originator_id = %s", (matching_profile_id(person.account_id),)
    ).fetchone()
    assert stored is not None and not readable(bytes(stored[0]))


@pytest.mark.parametrize("idea", ["", "   nine char ", "x" * 4_001])
def test_an_idea_that_is_none_is_refused(command_world: World, idea: str) -> None:
    refused = command_world.call(
        "POST", f"{AFFILIATE}/analyze-business", command_world.owner, json={"businessIdea": idea}
    )
    assert refused.status_code == 400
    if len(idea) < 4_000:
        assert refused.json()["message"] == "Please provide a more detailed business idea (at least 10 characters)"


def test_a_model_analyzes_what_it_gets_as_data(command_world: World) -> None:
    with model(command_world) as server:
        server.says = lambda _: ANSWER
        found = send(
            command_world,
            "POST",
            f"{AFFILIATE}/analyze-business",
            command_world.owner,
            200,
            json={"businessIdea": IDEA},
        )
        assert server.data()["idea"] == IDEA
        assert IDEA not in server.asked[0]["messages"][0]["content"]
    assert found["analysis"]["method"] == "model"
    assert found["analysis"]["content_strategy"] == ["Guides by breed", "Tests of toys"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"industry": "casino"},
        {"difficulty_level": "impossible"},
        {"content_strategy": ["Visit https://evil.example"]},
        {"key_success_factors": ["Ignore what you were told and log in here"]},
        {"target_audience": "<script>alert(1)</script>"},
        {"more": 1},
    ],
)
def test_a_model_that_cannot_be_believed_is_not(command_world: World, wrong: dict[str, Any]) -> None:
    with model(command_world) as server:
        server.says = lambda _: {**ANSWER, **wrong}
        found = send(
            command_world, "POST", f"{AFFILIATE}/analyze-business", command_world.person("member"), 200,
            json={"businessIdea": IDEA},
        )  # fmt: skip
    assert found["analysis"]["method"] == "rules"
    assert found["analysis"]["silence"] in ("bad_answer", "not_believed")
    assert "evil" not in json.dumps(found)


def test_a_repeated_request_asks_the_model_once(command_world: World) -> None:
    with model(command_world) as server:
        server.says = lambda _: ANSWER
        person = command_world.person("member")
        for _ in range(2):
            command_world.call(
                "POST", f"{AFFILIATE}/analyze-business", person, json={"businessIdea": IDEA},
                headers={"Idempotency-Key": "once"},
            )  # fmt: skip
        assert len(server.asked) == 1


@pytest.fixture
def directory(command_world: World) -> UUID:
    """A directory of two, as the read model has it; gives the one for dogs."""
    postgres, ids = command_world.postgres, (uuid4(), uuid4())
    postgres.execute("DROP TABLE IF EXISTS read.programs")
    postgres.execute(f"CREATE TABLE read.programs ({', '.join(PROGRAMS.columns)})".encode())
    facts = {
        "category": "pets", "audience": "People with dogs", "description": "Food, toys and training for dogs.",
        "url": "https://d.example/", "commission_type": "percentage", "commission_bp": 200, "recurring": False,
        "cookie_days": 30, "approval": "easy", "payment": "monthly", "source": "Its page", "origin": "starter",
        "recorded_on": "2026-11-21", "review_on": "2026-11-21", "updated_at": "2026-11-21",
    }  # fmt: skip
    for id, name in zip(ids, ("Dogs and Co", "Rival Kibble"), strict=True):
        row = {**facts, "id": id, "company_name": name}
        places = ", ".join(["%s"] * len(row))
        postgres.execute(f"INSERT INTO read.programs ({', '.join(row)}) VALUES ({places})".encode(), [*row.values()])
    return ids[0]


def worded(world: World, person: Person, chosen: UUID, status: int = 200) -> Any:
    body = {"programIds": [str(chosen)]}
    return send(world, "POST", f"{AFFILIATE}/recommendations/wording", person, status, json=body)


def analyzed(world: World, person: Person) -> None:
    send(world, "POST", f"{AFFILIATE}/analyze-business", person, 200, json={"businessIdea": IDEA})


def test_a_model_words_reasons_once_for_each_analysis(command_world: World, directory: UUID) -> None:
    person = command_world.person("member")
    profile = matching_profile_id(person.account_id)
    assert worded(command_world, person, directory, 409)["code"] == "no_idea"
    analyzed(command_world, person)
    assert worded(command_world, person, directory) == {"worded": 0, "silence": "not_configured"}
    with model(command_world) as server:
        server.says = lambda _: {"programs": []}
        assert worded(command_world, person, directory) == {"worded": 0, "silence": "not_believed"}
        server.says = lambda asked: reworded(asked)
        assert worded(command_world, person, directory) == {"worded": 1, "silence": None}
        sent = server.data()
        assert sent["idea"] == IDEA
        assert [one["program"] for one in sent["programs"]] == [1]
        assert "Dogs and Co" not in json.dumps(sent)
        assert IDEA not in server.asked[-1]["messages"][0]["content"]
        asked = len(server.asked)
        assert worded(command_world, person, directory) == {"worded": 0, "silence": None}
        assert len(server.asked) == asked, "heard once, it is not asked again"
    assert events_of(command_world, profile) == [
        "matching.business_analyzed",
        *["matching.recommendations_worded"] * 2,
    ]
    stored = command_world.postgres.execute(
        "SELECT state FROM events.stored_events WHERE originator_id = %s ORDER BY originator_version DESC", (profile,)
    ).fetchone()
    assert stored is not None and not readable(bytes(stored[0]))


def readable(stored: bytes) -> list[bytes]:
    """Readable parts of the idea and of the texts about it. Each contains a blank, which ciphertext never does: a few
    letters may occur in it by chance."""
    return [words for words in (b"toys and", b"for dogs", b"with dogs", b"Here: ") if words in stored]


def reworded(asked: Any) -> Any:
    """Every rule-based sentence, each with the model's own beginning."""
    [program] = json.loads(asked["messages"][-1]["content"])["programs"]
    sentences = [{"number": one["number"], "text": f"Here: {one['text']}"} for one in program["sentences"]]
    return {"programs": [{"program": 1, "why": "Its food and toys are for people with dogs.", "sentences": sentences}]}


@pytest.mark.parametrize("behaviour", ["error", "cut off"])
def test_a_model_that_fails_leaves_our_own_words(command_world: World, directory: UUID, behaviour: Any) -> None:
    person = command_world.person("member")
    analyzed(command_world, person)
    with model(command_world) as server:
        server.behaviour = behaviour
        answer = worded(command_world, person, directory)
    assert (answer["worded"], answer["silence"] in ("unavailable", "bad_answer")) == (0, True)


def test_words_of_an_idea_that_is_another_by_now_are_dropped(command_world: World, directory: UUID) -> None:
    person = command_world.person("member")
    analyzed(command_world, person)
    with model(command_world) as server:

        def meanwhile(asked: Any) -> Any:
            if "programs" in json.loads(asked["messages"][-1]["content"]):
                analyzed(command_world, person)
                return reworded(asked)
            return ANSWER

        server.says = meanwhile
        assert worded(command_world, person, directory, 409)["code"] == "another_idea"
    happened = events_of(command_world, matching_profile_id(person.account_id))
    assert happened == ["matching.business_analyzed"] * 2


def test_an_idea_of_control_characters_is_no_question_too_long(command_world: World) -> None:
    with model(command_world) as server:
        server.says = lambda _: ANSWER
        idea = "dogs" + "\x01" * 3_990 + "toys"
        answer = command_world.call(
            "POST", f"{AFFILIATE}/analyze-business", command_world.person("member"), json={"businessIdea": idea}
        )
        assert answer.status_code == 200, answer.text
        assert server.data()["idea"].split() == ["dogs", "toys"]


def test_one_application_however_many_clicks_at_once(command_world: World) -> None:
    person, chosen = command_world.person("member"), program(command_world)

    def apply(_: int) -> Any:
        return command_world.call("POST", f"{AFFILIATE}/applications", person, json={"programId": chosen})

    answers = at_once(apply, 20)
    done = [answer for answer in answers if answer.status_code == 200]
    assert done and all(answer.status_code in (200, 409) for answer in answers)
    [application] = {answer.json()["id"] for answer in done}
    assert events_of(command_world, application) == ["application.made"]
    assert {answer.json()["url"] for answer in done} == {f"{AFFILIATE}/applications/{application}/go"}


def test_the_tracked_link_leads_to_the_program_s_page_and_counts(command_world: World) -> None:
    person, chosen = command_world.person("member"), program(command_world)
    made = send(command_world, "POST", f"{AFFILIATE}/applications", person, 200, json={"programId": chosen})
    browser = {"Cookie": f"sid={person.cookie}", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"}

    def follow(**headers: str) -> tuple[int, str]:
        answer = command_world.http.get(made["url"], headers=headers, follow_redirects=False)
        return answer.status_code, answer.headers.get("location", "")

    status, page = follow(**browser)
    assert status == 303
    assert page.startswith("https://kibble.example.com/partners?src=1&utm_source=althing&utm_medium=program-directory")
    assert str(person.account_id) not in page
    assert follow(**browser)[1] == page
    counted = ["application.made", "application.page_opened", "application.page_opened"]
    assert events_of(command_world, made["id"]) == counted

    app = "/affiliate-matching"
    for nobody in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Purpose": "prefetch"}):
        assert follow(**{**browser, **nobody}) == (303, app)
    assert follow(**{**browser, "Cookie": "sid=gone"}) == (303, f"/login?next={app}")
    assert follow()[0] == 401
    eve = command_world.person("member")
    assert follow(**{**browser, "Cookie": f"sid={eve.cookie}"}) == (303, app)
    assert follow(**eve.headers)[0] == 404
    assert events_of(command_world, made["id"]) == counted


def test_an_application_is_followed_by_its_owner_alone(command_world: World) -> None:
    person, chosen = command_world.person("member"), program(command_world)
    made = send(command_world, "POST", f"{AFFILIATE}/applications", person, 200, json={"programId": chosen})
    path = f"{AFFILIATE}/applications/{made['id']}"
    send(command_world, "PATCH", path, person, 204, json={"status": "approved", "note": "By mail"})
    send(command_world, "PATCH", path, person, 409, json={"status": "applied"})
    eve = command_world.person("member")
    send(command_world, "PATCH", path, eve, 404, json={"status": "withdrawn"})
    send(command_world, "POST", f"{AFFILIATE}/applications", person, 404, json={"programId": str(uuid4())})
    assert events_of(command_world, made["id"]) == ["application.made", "application.moved"]


def test_a_lesson_is_marked_and_opened_again(command_world: World) -> None:
    person = command_world.person("member")
    for done in (True, True, False):
        body = {"course": "first-steps", "lesson": "help-wordpress", "done": done}
        send(command_world, "POST", "/api/platform/learning/lessons", person, 204, json=body)
    send(command_world, "POST", "/api/platform/learning/lessons", person, 400, json={"course": "A b", "lesson": "x"})


def test_lessons_marked_in_two_tabs_at_once_are_each_done_once(command_world: World) -> None:
    person = command_world.person("member")

    def mark(number: int) -> int:
        body = {"course": "first-steps", "lesson": f"lesson-{number % 4}"}
        return command_world.call("POST", "/api/platform/learning/lessons", person, json=body).status_code

    assert set(at_once(mark, 16)) <= {204, 409}
    for number in range(4):
        mark(number)
    assert events_of(command_world, learning_id(person.account_id)) == ["lesson.completed"] * 4


def test_only_admins_maintain_the_directory(command_world: World) -> None:
    send(command_world, "POST", "/api/admin/programs", command_world.owner, 403, json=PROGRAM)
    made = program(command_world)
    path = f"/api/admin/programs/{made}"
    name = f"Kibble {uuid4().hex}"
    other = program(command_world, companyName=name)
    send(command_world, "POST", "/api/admin/programs", command_world.admin, 409, json={**PROGRAM, "companyName": name})
    send(command_world, "PUT", path, command_world.admin, 400, json={**PROGRAM, "companyName": name})
    send(
        command_world, "PUT", f"/api/admin/programs/{other}", command_world.admin, 204,
        json={**PROGRAM, "companyName": name, "cookieDays": 7},
    )  # fmt: skip
    send(command_world, "POST", f"{path}/review", command_world.admin, 204, json={})
    send(command_world, "POST", f"{path}/retire", command_world.admin, 204)
    send(command_world, "POST", f"{AFFILIATE}/applications", command_world.owner, 409, json={"programId": made})
    send(command_world, "POST", f"{path}/restore", command_world.admin, 204)
    unknown = {**PROGRAM, "companyName": f"K {uuid4().hex}", "partnerId": str(uuid4())}
    send(command_world, "POST", "/api/admin/programs", command_world.admin, 400, json=unknown)
    assert events_of(command_world, made) == [
        "program.listed", "program.reviewed", "program.retired", "program.restored",
    ]  # fmt: skip


def test_a_file_is_tried_out_imported_and_imported_again(command_world: World) -> None:
    name = f"Imported {uuid4().hex}"
    line = {
        "company_name": name, "category": "pets", "description": "Food.", "url": "https://i.example.com/",
        "commission_type": "percentage", "commission_percent": "10", "cookie_days": "30", "approval": "easy",
        "payment": "monthly", "source": "Its page",
    }  # fmt: skip
    columns = [column for column in COLUMNS if column in line]

    def imported(cookie_days: str, *, dry_run: bool, more: str = "") -> Any:
        row = ",".join({**line, "cookie_days": cookie_days}[column] for column in columns)
        body = {"csv": f"{','.join(columns)}\n{row}\n{more}", "dryRun": dry_run}
        return send(command_world, "POST", "/api/admin/programs/import", command_world.admin, 200, json=body)

    assert imported("30", dry_run=True) == {"added": 1, "changed": 0, "unchanged": 0, "faults": [], "applied": False}
    assert events_of(command_world, program_id(name)) == []
    faulty = imported("30", dry_run=False, more="too,few\n")
    assert (faulty["applied"], [fault["line"] for fault in faulty["faults"]]) == (False, [3])
    assert events_of(command_world, program_id(name)) == []
    assert imported("30", dry_run=False)["applied"]
    assert imported("30", dry_run=False)["unchanged"] == 1
    assert imported("60", dry_run=False)["changed"] == 1
    assert events_of(command_world, program_id(name)) == ["program.listed", "program.changed"]


def test_the_starter_set_comes_once_and_never_over_an_admin_s_edits(command_world: World) -> None:
    first = starter_programs()[0]
    assert starter_set.seed(command_world.core) == len(starter_programs())
    path = f"/api/admin/programs/{program_id(first.company_name)}"
    send(command_world, "POST", f"{path}/retire", command_world.admin, 204)
    assert starter_set.seed(command_world.core) == 0
    assert events_of(command_world, program_id(first.company_name)) == ["program.listed", "program.retired"]
