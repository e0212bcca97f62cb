"""Files of costs over HTTP: previewed, applied, cancelled, undone; each amount once, however many files have it."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from command_api.costs.imports import model, routes
from infra.kernel.config.settings import Settings
from projectors.rollups.cost_rows import rows_of
from schemas.base import DomainEvent
from tests.support.command import Person
from tests.support.policies import Policies, policies
from tests.support.stack import wait_for

IMPORTS = "/api/platform/costs/imports"


@pytest.fixture(scope="module")
def led(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    with policies(embedded_postgres, embedded_clickhouse) as made, pytest.MonkeyPatch.context() as patch:
        patch.setattr(routes, "READ_WAIT_S", 60.0)  # what begins to work beside is slower than a file
        yield made


def google(*lines: tuple[str, str, str]) -> bytes:
    """An export of Google Ads: day, campaign and cost of each line."""
    rows = "".join(f"{day},{campaign},EUR,{cost}\n" for day, campaign, cost in lines)
    return f"Campaign report\n\nDay,Campaign,Currency code,Cost\n{rows}Total: Account,,EUR,0.00\n".encode()


class CostImporter:
    """A website, and files of what its traffic cost."""

    def __init__(self, led: Policies, currency: str = "EUR") -> None:
        self.led, self.world = led, led.world
        site = self.world.website(domain=f"{uuid4().hex[:8]}.example", currency=currency)
        self.site_id = UUID(site["id"])
        self.import_ids: list[str] = []

    def upload(self, content: bytes, *, apply: bool = False, status: int = 201, **fields: Any) -> dict[str, Any]:
        person: Person = fields.pop("person", self.world.owner)
        dry_run = "false" if apply else "true"
        data = {"platform": "google_ads", "websiteId": str(self.site_id), "dryRun": dry_run, **fields}
        form = httpx2.Request("POST", "http://form", data=data, files={"file": ("costs.csv", content)})
        headers = {"Content-Type": form.headers["content-type"]}
        answer = self.world.call("POST", IMPORTS, person, content=form.read(), headers=headers)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        if status == 201:
            self.import_ids.append(found["importId"])
        if apply:
            self.until(found["importId"], "applied")
        return found

    def call(self, import_id: str, action: str, *, status: int = 200) -> dict[str, Any]:
        answer = self.world.call("POST", f"{IMPORTS}/{import_id}/{action}", self.world.owner)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def done(self, import_id: str, action: str, state: str) -> None:
        self.call(import_id, action)
        self.until(import_id, state)

    def until(self, import_id: str, state: str) -> None:
        def reached() -> bool:
            held = self.world.core.store.load(UUID(import_id), model.evolve)
            return held is not None and held.state.value == state

        wait_for(reached, f"import {import_id} to be {state}")

    def spent(self) -> dict[tuple[str, str], int]:
        """What reports would show, by day and campaign: the sums of what every event adds and takes."""
        sums: Counter[tuple[str, str]] = Counter()
        for import_id in self.import_ids:
            for event in self.events(import_id):
                for row in rows_of(event):
                    sums[str(row["first"]), row["campaign"]] += row["amount"]
        return {key: amount for key, amount in sums.items() if amount}

    def events(self, import_id: str) -> list[DomainEvent]:
        def collected(found: list[DomainEvent] | None, event: DomainEvent) -> list[DomainEvent]:
            return [*(found or []), event]

        return self.world.core.store.load(UUID(import_id), collected) or []


SPRING, AUTUMN = ("2026-11-03", "Spring"), ("2026-11-03", "Autumn")


def test_a_file_is_previewed_applied_once_and_undone_as_a_whole(led: Policies) -> None:
    importer = CostImporter(led)
    content = google((*SPRING, "12.40"), (*AUTUMN, "5.00"), ("2026-11-04", "Spring", "about 3"))
    preview = importer.upload(content)
    assert (preview["state"], preview["rows"], preview["new"], preview["changed"]) == ("ready", 3, 2, 0)
    assert (preview["rejectedCount"], preview["delta"]) == (1, [{"amount": 1740, "currency": "EUR"}])
    assert preview["rejected"] == [{"line": 6, "code": "bad_amount", "message": '"about 3" is not an amount.'}]
    assert importer.spent() == {}, "a preview changes nothing"

    importer.done(preview["importId"], "apply", "applied")
    assert importer.spent() == {SPRING: 1240, AUTUMN: 500}
    importer.done(preview["importId"], "undo", "undone")
    assert importer.spent() == {}


def test_the_same_file_again_changes_nothing(led: Policies) -> None:
    importer = CostImporter(led)
    content = google((*SPRING, "12.40"), (*AUTUMN, "5.00"))
    importer.upload(content, apply=True)
    again = importer.upload(content + b"\n")  # another request, not a repetition of the first
    assert (again["new"], again["changed"], again["unchanged"], again["delta"]) == (0, 0, 2, [])
    importer.done(again["importId"], "apply", "applied")
    assert [type(event).__name__ for event in importer.events(again["importId"])][-1] == "CostImportApplied"
    assert "CostImportBooked" not in {type(event).__name__ for event in importer.events(again["importId"])}
    assert importer.spent() == {SPRING: 1240, AUTUMN: 500}


def test_an_overlapping_export_replaces_the_days_amount_and_an_undo_gives_it_back(led: Policies) -> None:
    importer = CostImporter(led)
    first = importer.upload(google((*SPRING, "12.40"), (*AUTUMN, "5.00")), apply=True)
    second = importer.upload(google((*SPRING, "13.00"), ("2026-11-04", "Spring", "1.00")))
    assert (second["new"], second["changed"], second["delta"]) == (1, 1, [{"amount": 160, "currency": "EUR"}])
    importer.done(second["importId"], "apply", "applied")
    assert importer.spent() == {SPRING: 1300, AUTUMN: 500, ("2026-11-04", "Spring"): 100}
    importer.done(first["importId"], "undo", "undone")
    assert importer.spent() == {SPRING: 1300, ("2026-11-04", "Spring"): 100}
    importer.done(second["importId"], "undo", "undone")
    assert importer.spent() == {}


def test_lines_of_one_day_and_campaign_add_up_and_are_rounded_once(led: Policies) -> None:
    importer = CostImporter(led)
    found = importer.upload(google((*SPRING, "0.004"), (*SPRING, "0.004"), (*SPRING, "0.004")), apply=True)
    assert importer.spent() == {SPRING: 1}
    [read] = [event for event in importer.events(found["importId"]) if type(event).__name__ == "CostImportRead"]
    assert read.model_dump()["counts"]["new"] == 3


def test_any_order_of_files_and_undos_comes_to_the_newest_amount_of_each_day(led: Policies) -> None:
    """Independent books: of the files that are applied, the last uploaded one with a day and campaign counts."""
    chance = random.Random(11)
    importer = CostImporter(led)
    files: list[dict[tuple[str, str], int]] = []
    for _ in range(4):
        keys = [(f"2026-11-0{day}", name) for day in (1, 2) for name in ("Spring", "Autumn") if chance.random() < 0.7]
        files.append({key: chance.randrange(0, 500) for key in keys or [SPRING]})
        importer.upload(google(*((*key, f"{cents / 100:.2f}") for key, cents in files[-1].items())))
    applied: set[int] = set()
    for number in [*chance.sample(range(4), 4), *chance.sample(range(4), 4)]:
        is_applied = number in applied
        action, state = ("undo", "undone") if is_applied else ("apply", "applied")
        importer.done(importer.import_ids[number], action, state)
        applied ^= {number}
        expected: dict[tuple[str, str], int] = {}
        for index in sorted(applied):
            expected |= files[index]
        assert importer.spent() == {key: cents for key, cents in expected.items() if cents}


def test_two_files_applied_at_once_leave_one_amount(led: Policies) -> None:
    importer = CostImporter(led)
    found = [importer.upload(google((*SPRING, cost)))["importId"] for cost in ("1.00", "2.00")]
    for import_id in found:
        importer.call(import_id, "apply")
    for import_id in found:
        importer.until(import_id, "applied")
    assert importer.spent() == {SPRING: 200}


def test_what_the_file_leaves_open_is_asked_and_answered_by_the_mapping(led: Policies) -> None:
    importer = CostImporter(led)
    content = b"Datum;Kampagne;Kosten\n03/04/26;Spring;1,50\n"
    asked = importer.upload(content)
    assert (asked["state"], [one["field"] for one in asked["questions"]]) == ("asking", ["date_order"])
    assert importer.call(asked["importId"], "apply", status=409)["code"] == "not_ready"
    body = {"mapping": {"date_order": "dmy"}}
    read = led.world.call("PATCH", f"{IMPORTS}/{asked['importId']}", led.world.owner, json=body)
    assert (read.status_code, read.json()["state"], read.json()["new"]) == (200, "ready", 1), read.text
    importer.done(asked["importId"], "apply", "applied")
    assert importer.spent() == {("2026-04-03", "Spring"): 150}
    given = importer.upload(content + b"\n", mapping=json.dumps({"dateOrder": "mdy"}))
    assert (given["state"], given["new"]) == ("ready", 1)


def test_another_currency_needs_a_rate_of_its_day(led: Policies) -> None:
    importer = CostImporter(led, currency="ISK")
    found = importer.upload(google((*SPRING, "1.00")))
    assert [one["code"] for one in found["rejected"]] == ["currency_unknown"]


@pytest.mark.parametrize(
    ("content", "code"), [(b"<html>Sign in</html>", "not_a_report"), (b"\x00\x01\x02", "not_a_report")]
)
def test_what_is_no_file_of_costs_fails_with_a_reason(led: Policies, content: bytes, code: str) -> None:
    found = CostImporter(led).upload(content)
    assert (found["state"], found["code"]) == ("failed", code), found


def test_bad_fields_are_refused_by_name(led: Policies) -> None:
    importer = CostImporter(led)
    content = google((*SPRING, "1.00"))
    assert importer.upload(b"", status=400)["code"] == "empty_file"
    assert importer.upload(content, status=400, platform="nobody")["code"] == "unknown_platform"
    assert importer.upload(content, status=400, mapping="{")["code"] == "bad_mapping"
    assert importer.upload(content, status=400, mapping='{"nothing": 1}')["code"] == "bad_mapping"


def test_nobody_imports_or_touches_imports_for_others(led: Policies) -> None:
    importer, stranger = CostImporter(led), led.world.person()
    found = importer.upload(google((*SPRING, "1.00")))
    importer.upload(google((*AUTUMN, "1.00")), status=404, person=stranger)
    for action in ("apply", "cancel", "undo"):
        answer = led.world.call("POST", f"{IMPORTS}/{found['importId']}/{action}", stranger)
        assert answer.status_code == 404, answer.text
    answer = led.world.call("PATCH", f"{IMPORTS}/{found['importId']}", stranger, json={"mapping": {}})
    assert answer.status_code == 404, answer.text


def test_files_are_deleted_once_they_are_not_read_again(led: Policies) -> None:
    importer = CostImporter(led)
    stored = "SELECT count(*) FROM costs.import_file WHERE import_id = %s"
    cancelled, applied = (importer.upload(google((*SPRING, cost)))["importId"] for cost in ("1.00", "2.00"))
    assert (led.world.count(stored, cancelled), led.world.count(stored, applied)) == (1, 1)
    assert importer.call(cancelled, "cancel")["state"] == "cancelled"
    importer.done(applied, "apply", "applied")
    assert (led.world.count(stored, cancelled), led.world.count(stored, applied)) == (0, 0)
    lines = "SELECT count(*) FROM costs.import_row WHERE import_id = %s"
    assert (led.world.count(lines, cancelled), led.world.count(lines, applied)) == (0, 1)
