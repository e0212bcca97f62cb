"""Business ideas over HTTP: a round is requested, ideas are saved and dismissed, a model words them as data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from schemas.identity import idea_board_id
from tests.api.matching.test_matching import command_world, directory, events_of, model, send, unhurried
from tests.support.command import Person, World

__all__ = ["command_world", "directory", "unhurried"]
IDEAS = "/api/platform/affiliate/ideas"
ANSWERS: dict[str, Any] = {
    "interests": ["dogs", "coffee at home"], "skills": ["photo"], "languages": ["en"], "hours": 6, "money": 200,
}  # fmt: skip
DOGS, CATS = "pets.city-dogs", "pets.indoor-cats"
PITCH = "A website on food, toys and training for dogs that live in the city."


def happened(world: World, person: Person) -> list[str]:
    return events_of(world, idea_board_id(person.account_id))


def requested(world: World) -> Person:
    person = world.person("member")
    send(world, "POST", IDEAS, person, 204, json=ANSWERS)
    return person


def worded(world: World, person: Person, status: int = 200) -> Any:
    return send(world, "POST", f"{IDEAS}/wording", person, status, json={"ideas": [DOGS, "pets.no-such-niche"]})


def test_answers_are_stored_encrypted(command_world: World) -> None:
    person = requested(command_world)
    assert happened(command_world, person) == ["ideas.requested"]
    stored = command_world.postgres.execute(
        "SELECT state FROM events.stored_events WHERE originator_id = %s", (idea_board_id(person.account_id),)
    ).fetchone()
    assert stored is not None and b"coffee at" not in bytes(stored[0])


@pytest.mark.parametrize(
    "wrong",
    [
        {"interests": []},
        {"interests": ["x" * 81]},
        {"skills": ["juggling"]},
        {"languages": ["xx"]},
        {"hours": 0},
        {"money": -1},
        {"more": 1},
    ],
)
def test_wrong_answers_are_refused_by_field(command_world: World, wrong: dict[str, Any]) -> None:
    refused = command_world.call("POST", IDEAS, command_world.owner, json={**ANSWERS, **wrong})
    assert refused.status_code == 400
    assert next(iter(wrong)) in refused.text


def test_ideas_are_saved_dismissed_and_released_by_their_owner_alone(command_world: World) -> None:
    person, other = requested(command_world), command_world.person("member")
    send(command_world, "POST", f"{IDEAS}/save", person, 204, json={"idea": DOGS})
    send(command_world, "POST", f"{IDEAS}/save", person, 204, json={"idea": DOGS})
    dismissal = {"idea": CATS, "reason": "other", "note": "I am allergic"}
    send(command_world, "POST", f"{IDEAS}/dismiss", person, 204, json=dismissal)
    send(command_world, "POST", f"{IDEAS}/release", other, 409, json={"idea": DOGS})
    assert happened(command_world, person) == ["ideas.requested", "idea.saved", "idea.dismissed"]
    assert happened(command_world, other) == []
    send(command_world, "POST", f"{IDEAS}/release", person, 204, json={"idea": CATS})
    assert happened(command_world, person)[-1] == "idea.released"


def test_unknown_ideas_and_reasons_are_refused(command_world: World) -> None:
    person = requested(command_world)
    send(command_world, "POST", f"{IDEAS}/save", person, 404, json={"idea": "pets.no-such-niche"})
    send(command_world, "POST", f"{IDEAS}/dismiss", person, 400, json={"idea": DOGS, "reason": "bored"})
    send(command_world, "POST", f"{IDEAS}/dismiss", person, 400, json={"idea": DOGS, "reason": "other"})
    assert happened(command_world, person) == ["ideas.requested"]


@pytest.mark.usefixtures("directory")
def test_a_model_words_a_round_once_without_the_member_s_answers(command_world: World) -> None:
    person = command_world.person("member")
    assert worded(command_world, person, 409)["code"] == "no_ideas"
    send(command_world, "POST", IDEAS, person, 204, json=ANSWERS)
    assert worded(command_world, person) == {"worded": 0, "silence": "not_configured"}
    with model(command_world) as server:
        server.says = lambda _: {"ideas": [{"idea": 1, "pitch": "Earn 900 USD.", "audience": "", "titles": []}]}
        assert worded(command_world, person) == {"worded": 0, "silence": "not_believed"}
        server.says = lambda _: {"ideas": [{"idea": 1, "pitch": PITCH, "audience": "", "titles": []}]}
        assert worded(command_world, person) == {"worded": 1, "silence": None}
        assert [one["idea"] for one in server.data()["ideas"]] == [1]
        assert "coffee at home" not in json.dumps(server.asked)
        asked = len(server.asked)
        assert worded(command_world, person) == {"worded": 0, "silence": None}
        assert len(server.asked) == asked, "heard once, it is not asked again"
    assert happened(command_world, person) == ["ideas.requested", *["ideas.worded"] * 2]


@pytest.mark.usefixtures("directory")
def test_words_of_an_earlier_round_are_dropped(command_world: World) -> None:
    person = requested(command_world)
    with model(command_world) as server:

        def meanwhile(_: Any) -> Any:
            send(command_world, "POST", IDEAS, person, 204, json=ANSWERS)
            return {"ideas": [{"idea": 1, "pitch": PITCH, "audience": "", "titles": []}]}

        server.says = meanwhile
        assert worded(command_world, person, 409)["code"] == "another_round"
    assert happened(command_world, person) == ["ideas.requested"] * 2
