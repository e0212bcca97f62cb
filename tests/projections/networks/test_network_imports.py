"""`read.network_imports`: questions, numbers and differences of an import are in its row."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from schemas.base import DomainEvent, MoneySum
from schemas.events import networks
from schemas.events.networks import ImportCounts, ReportMapping
from schemas.report_imports import OpenQuestion, ReportFile
from tests.support.projection_bench import WEBSITE, ProjectionBench, moment

IMPORT = UUID("0190a1b2-0000-7000-8000-0000000000d1")
FILE = ReportFile(name="november.csv", size=812, sha256="ab" * 32)
QUESTION = OpenQuestion(field="date_order", message="03/04/26 can be 3 April or March 4.", choices=("dmy", "mdy"))


def of(version: int, event_class: Any, **values: Any) -> DomainEvent:
    event: DomainEvent = event_class(
        originator_id=IMPORT, originator_version=version, timestamp=moment(), website_id=WEBSITE, **values
    )
    return event


def test_an_import_is_shown_with_its_questions_and_then_with_its_numbers(projecting: ProjectionBench) -> None:
    with projecting.running("network_imports"):
        projecting.decide(
            of(1, networks.NetworkImportUploaded, network="awin", file=FILE),
            of(2, networks.NetworkImportQuestioned, questions=(QUESTION,)),
        )
        projecting.wait("network_imports")
        [(state, questions)] = projecting.sql("SELECT state, questions FROM read.network_imports")
        assert (state, questions) == ("asking", [QUESTION.model_dump(mode="json")])

        projecting.decide(
            of(3, networks.NetworkImportRemapped, mapping=ReportMapping(date_order="dmy")),
            of(
                4,
                networks.NetworkImportRead,
                counts=ImportCounts(rows=3, new=2, rejected=1),
                delta=(MoneySum(amount=-1240, currency="EUR"),),
            ),
        )
        projecting.wait("network_imports")
        [(state, questions, counts, delta)] = projecting.sql(
            "SELECT state, questions, counts, delta FROM read.network_imports"
        )
        assert (state, questions) == ("ready", None)
        assert (counts["new"], counts["rejected"]) == (2, 1)
        assert delta == [{"amount": -1240, "currency": "EUR"}]


def test_an_import_that_changes_no_commission_has_no_difference(projecting: ProjectionBench) -> None:
    projecting.decide(
        of(1, networks.NetworkImportUploaded, network="awin", file=FILE),
        of(2, networks.NetworkImportRead, counts=ImportCounts(rows=3, unchanged=3)),
    )
    with projecting.running("network_imports"):
        projecting.wait("network_imports")
    assert projecting.sql("SELECT state, delta FROM read.network_imports") == [("ready", None)]
