"""Who is a person and who a machine by the user agent: link previews, mail scanners and libraries are no people."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from ingest.bots import machine_agents
from ingest.bots.bot_detection import machine_reason, visit_reason
from ingest.bots.user_agents import parse_agent


def table() -> Iterator[tuple[str, str]]:
    for line in Path(__file__).with_name("user_agents.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            verdict, _, text = line.partition("\t")
            yield verdict, text


TABLE = list(table())


def test_the_table_has_enough_of_both() -> None:
    assert len(TABLE) == len(set(TABLE)) >= 180
    verdicts = [verdict for verdict, _ in TABLE]
    assert set(verdicts) == {"machine", "person"} and min(map(verdicts.count, set(verdicts))) >= 60


def test_who_follows_a_link() -> None:
    assert [(verdict, text) for verdict, text in TABLE if follower(text) != verdict] == []


def follower(text: str) -> str:
    """As the table says it, or what contradicts itself."""
    agent = parse_agent(text)
    if visit_reason(agent, True, {}, "GET", ""):
        return "machine"
    return "person" if machine_reason(agent, {}) == "" and agent.device != "bot" else "person who is a machine"


@pytest.mark.parametrize(
    "text", ["Dalvik/2.1.0 (Linux; U; Android 13; SM-S911B)", "MyApp/1 CFNetwork/1490.0.4 Darwin/23.2.0", "MyShop/2.0"]
)
def test_an_apps_own_requests_may_send_events(text: str) -> None:
    """The app of a website reports what its people do; only to follow a link is what nobody does with it."""
    agent = parse_agent(text)
    assert agent.tool and machine_reason(agent, {}) == "" and visit_reason(agent, True, {}, "GET", "") == "crawler"


def test_the_list_is_data_with_a_date_and_names_no_browser() -> None:
    listed = machine_agents.LIST
    assert date(2026, 1, 1) <= listed.day and len(listed.names) == len(set(listed.names)) >= 60
    people = [text for verdict, text in TABLE if verdict == "person"]
    assert [text for text in people if machine_agents.is_machine(text)] == []
    assert machine_agents.without_phones("CUBOT_NOTE_S") == "_NOTE_S"


def test_each_name_of_the_list_makes_a_machine_of_a_browser() -> None:
    browser = (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120 Safari/537.36"
    )
    assert not parse_agent(browser).crawler
    forms = [form for name in machine_agents.LIST.names for form in (name, name.upper())]
    assert [form for form in forms if not parse_agent(f"{browser} {form}").crawler] == []
