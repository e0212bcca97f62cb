"""`GET …/links/{id}/split`: what the clicks of each variant earned, and the verdict, for the link's owner alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from psycopg.types.json import Jsonb

from tests.support.query import Person, QueryService, conversion, event

TODAY = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)


class SplitWorld:
    """A website with a link whose variants lead to two partners."""

    def __init__(self, service: QueryService) -> None:
        self.service = service
        self.owner: Person = service.person()
        self.website = service.website(self.owner)
        self.partners = [service.partner(f"Partner {name}") for name in "ab"]
        self.link = uuid4()
        home = "https://partner.example"
        variants = [
            {"destination": f"{home}/a", "weight": 1, "number": 1, "name": "Old page", "partner_id": None},
            {"destination": f"{home}/b", "weight": 3, "number": 4, "name": "", "partner_id": str(self.partners[1])},
        ]
        routing = {"rules": [], "variants": variants, "expires_at": None, "fallback": None}
        row: dict[str, Any] = {"id": self.link, "slug": f"s-{self.link.hex}", "code": self.link.int % 2**47}
        row |= {"website_id": self.website, "partner_id": self.partners[0], "destination": home, "subs": Jsonb({})}
        row |= {"routing": Jsonb(routing), "is_active": True, "created_at": TODAY - timedelta(days=60)}
        service.insert("links", row)

    def click(self, variant: int, days_ago: int, visitor: int, **more: Any) -> str:
        click_id = f"c-{uuid4().hex}"
        values: dict[str, Any] = {
            "visitor": visitor,
            "link_id": self.link,
            "click_id": click_id,
            "props": route(variant),
        }
        self.service.events([event(self.website, TODAY - timedelta(days=days_ago), **{**values, **more})])
        return click_id

    def sale(self, click_id: str, variant: int, days_ago: int, cents: int, **more: Any) -> None:
        values: dict[str, Any] = {"link_id": self.link, "click_id": click_id, "props": route(variant), "visitor": 5}
        earned = {"d_pending": 1, "c_pending": cents}
        row = conversion(self.website, TODAY - timedelta(days=days_ago), **{**values, **earned, **more})
        self.service.events([row])

    def read(self, person: Person | None = None, link: UUID | None = None) -> Any:
        return self.service.get(f"/api/platform/links/{link or self.link}/split", person or self.owner)


def route(variant: int) -> str:
    return json.dumps({"route": f"variant {variant}"})


def test_a_variant_has_its_clicks_and_what_they_earned(query_service: QueryService) -> None:
    tested = SplitWorld(query_service)
    first = tested.click(1, days_ago=9, visitor=7)
    tested.click(1, days_ago=9, visitor=7)
    tested.click(4, days_ago=8, visitor=8)
    tested.click(4, days_ago=8, visitor=9, is_bot=True, bot_reason="crawler")
    tested.sale(first, 1, days_ago=2, cents=250)
    tested.sale(first, 1, days_ago=1, cents=50)
    answer = tested.read()
    assert answer.status_code == 200, answer.text
    split = answer.json()
    shown = [
        (one["number"], one["name"], one["clicks"], one["conversions"], one["revenue"], one["epc"], one["share"])
        for one in split["variants"]
    ]
    assert shown == [(1, "Old page", 2, 2, 300, 150.0, 25.0), (4, "", 1, 0, 0, 0.0, 75.0)]
    assert [one["partnerName"] for one in split["variants"]] == ["Partner a", "Partner b"]
    assert (split["verdict"], split["leader"], split["missingDays"]) == ("collecting", None, 7)
    assert split["missingBuyers"] == [{"number": 1, "buyers": 24}, {"number": 4, "buyers": 25}]


def test_a_certain_winner_is_named_with_its_difference(query_service: QueryService) -> None:
    tested = SplitWorld(query_service)
    rows = []
    for day in range(2, 22):
        for visitor in range(40):
            for variant in (1, 4):
                at = TODAY - timedelta(days=day)
                number = day * 1_000 + visitor * 10 + variant
                click_id = f"w-{tested.link.hex}-{number}"
                same: dict[str, Any] = {
                    "link_id": tested.link,
                    "click_id": click_id,
                    "props": route(variant),
                    "visitor": number,
                }
                rows.append(event(tested.website, at, **same))
                if visitor < (3 if variant == 1 else 9):
                    rows.append(conversion(tested.website, at, d_pending=1, c_pending=1_000 + visitor, **same))
    tested.service.events(rows)
    split = tested.read().json()
    assert (split["verdict"], split["leader"], split["settlingDays"]) == ("winner", 4, 1)
    [found] = split["comparisons"]
    assert (found["better"], found["other"], found["isCertain"]) == (4, 1, True)
    assert 0 < found["low"] < found["by"] < found["high"] and found["sureness"] > 0.99
    assert 190 < found["percent"] < 210
    by_number = {one["number"]: one for one in split["variants"]}
    assert (by_number[1]["clicks"], by_number[1]["conversions"], by_number[4]["conversions"]) == (800, 60, 180)
    assert by_number[4]["epcLow"] < by_number[4]["judgedEpc"] < by_number[4]["epcHigh"]


def test_the_log_of_shifts_is_the_newest_first_with_shares_reasons_and_undos(query_service: QueryService) -> None:
    tested = SplitWorld(query_service)
    assert tested.read().json()["shifting"] == {"isOn": False, "minShare": 10, "maxStep": 10}
    assert tested.read().json()["shifts"] == []

    def shift(outcome: str, *weights: tuple[int, int, bool]) -> Jsonb:
        variants = [
            {"number": number, "before": before, "after": after, "gets_traffic": live, "clicks": 10, "revenue": 500}
            for number, (before, after, live) in zip((1, 4, 5), weights, strict=True)
        ]
        told = {"day": "2026-11-29", "outcome": outcome, "leader": 4, "sureness": 0.99}
        return Jsonb({**told, "variants": variants})

    quiet = shift("collecting", (1, 1, True), (3, 3, True), (4, 4, False))
    shifted = shift("shifted", (1, 15, True), (3, 85, True), (4, 100, False))
    for version, more in (
        (2, {"shift": quiet, "is_redirected": False}),
        (3, {"shift": shifted}),
        (4, {"restores": 3}),
    ):
        row = {"link_id": tested.link, "version": version, "website_id": tested.website, "position": version}
        query_service.insert("link_changes", {**row, "at": TODAY - timedelta(days=9 - version), **more})
    query_service.postgres.execute(
        "UPDATE read.links__g1 SET shifting = %s WHERE id = %s",
        (Jsonb({"is_on": True, "min_share": 15, "max_step": 20}), tested.link),
    )
    split = tested.read().json()
    assert split["shifting"] == {"isOn": True, "minShare": 15, "maxStep": 20}
    newest, oldest = split["shifts"]
    assert (newest["version"], newest["outcome"], newest["leader"], newest["sureness"]) == (3, "shifted", 4, 0.99)
    assert newest["undoneAt"] is not None and (oldest["outcome"], oldest["undoneAt"]) == ("collecting", None)
    shares = [(each["number"], each["before"], each["after"], each["getsTraffic"]) for each in newest["variants"]]
    assert shares == [(1, 25.0, 15.0, True), (4, 75.0, 85.0, True), (5, 0.0, 0.0, False)]
    assert newest["variants"][0]["revenue"] == 500


def test_a_split_is_its_owners_alone(query_service: QueryService) -> None:
    tested = SplitWorld(query_service)
    assert tested.read(query_service.person()).status_code == 404
    assert tested.read(link=uuid4()).status_code == 404


def test_a_variant_whose_partner_is_off_is_shown_and_not_judged(query_service: QueryService) -> None:
    tested = SplitWorld(query_service)
    query_service.postgres.execute(
        "UPDATE read.partners__g1 SET is_active = false WHERE id = %s", (tested.partners[1],)
    )
    split = tested.read().json()
    assert [(one["getsTraffic"], one["share"]) for one in split["variants"]] == [(True, 100.0), (False, 0.0)]
    assert [one["number"] for one in split["missingBuyers"]] == [1]
