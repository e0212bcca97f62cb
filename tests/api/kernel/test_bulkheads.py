"""Requests that wait for a slow language model do not block other requests."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event
from typing import Any
from uuid import UUID

import pytest

from command_api.insights import routes as insights
from command_api.insights.history_reader import HistoryUnavailable
from command_api.insights.service import InsightService
from command_api.matching import routes as matching
from infra.kernel.llm import LanguageModel
from tests.support.command import Person, World, command_world
from tests.support.llm_server import model_server
from tests.support.stack import wait_for

__all__ = ["command_world"]
IDEA = {"businessIdea": "Food, toys and training for dogs in the city"}


def refusal(answer: Any) -> tuple[int, str, str]:
    return answer.status_code, answer.json()["code"], answer.headers["retry-after"]


def test_a_slow_model_is_waited_for_by_two_ideas_of_one_account(
    command_world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "MAX_WAIT_S", 0.0)
    app: Any = command_world.http.app
    ada, eve = command_world.person(), command_world.person()
    go_on = Event()

    def slowly(_: Any) -> dict[str, Any]:
        go_on.wait(60)
        return {}

    def analyze(person: Person) -> Any:
        return command_world.call("POST", "/api/platform/affiliate/analyze-business", person, json=IDEA)

    with model_server() as server, ThreadPoolExecutor(3) as several:
        server.says = slowly
        settings = replace(command_world.settings, openai_base_url=server.url, openai_model="small")
        monkeypatch.setattr(app.state, "matching", LanguageModel(settings, command_world.core.pool))
        try:
            waiting = [several.submit(analyze, ada) for _ in range(2)]
            wait_for(lambda: len(server.asked) == 2, "the model to be asked twice")
            assert refusal(analyze(ada)) == (429, "already_running", "5")
            waiting.append(several.submit(analyze, eve))
            wait_for(lambda: len(server.asked) == 3, "another request to the model")
        finally:
            go_on.set()
        assert {one.result(60).status_code for one in waiting} == {200}
        assert analyze(ada).status_code == 200


def test_one_look_at_a_time_is_generated_for_an_account(command_world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(insights, "MAX_WAIT_S", 0.0)
    ada, eve = command_world.person(), command_world.person()
    websites = {person.account_id: command_world.website(person)["id"] for person in (ada, eve)}
    go_on, looking = Event(), list[UUID]()

    def slowly(_: InsightService, website: Any, *__: Any) -> None:
        looking.append(website.id)
        go_on.wait(60)
        raise HistoryUnavailable("away")

    monkeypatch.setattr(InsightService, "analyze", slowly)

    def generate(person: Person) -> Any:
        return command_world.call("POST", f"/api/analytics/{websites[person.account_id]}/ai-insights", person)

    with ThreadPoolExecutor(2) as several:
        try:
            waiting = [several.submit(generate, ada)]
            wait_for(lambda: len(looking) == 1, "the first look")
            assert refusal(generate(ada)) == (429, "already_running", "5")
            waiting.append(several.submit(generate, eve))
            wait_for(lambda: len(looking) == 2, "the look of another")
        finally:
            go_on.set()
        assert {one.result(60).json()["code"] for one in waiting} == {"analytics_unavailable"}
