"""`althing import network FILE`: the same import as over HTTP, of a file of any size."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from infra.kernel.config.settings import Settings
from infra.ops.network_imports import ReportNotImported, import_report, parser
from schemas.events.networks import ReportMapping
from tests.api.networks.test_imports import Importer, sale
from tests.support.policies import Policies, policies


@pytest.fixture(scope="module")
def led(embedded_postgres: Settings, embedded_clickhouse: Settings) -> Iterator[Policies]:
    with policies(embedded_postgres, embedded_clickhouse) as made:
        yield made


def test_a_file_is_previewed_and_then_applied(led: Policies, tmp_path: Path) -> None:
    importer = Importer(led)
    file = tmp_path / "november.json.gz"
    file.write_bytes(gzip.compress(json.dumps([sale(importer.txid(), 3.5, "approved")]).encode()))
    asked = [str(file), "--network", "awin", "--website", importer.shop.site["domain"], "--json"]
    preview = import_report(led.world.core, parser().parse_args([*asked, "--dry-run"]), ReportMapping())
    assert preview["state"] == "ready", (preview["code"], preview["message"])
    assert (preview["state"], preview["new"], preview["delta"]) == ("ready", 1, [{"amount": 350, "currency": "EUR"}])
    assert importer.earned() == 0
    applied = import_report(led.world.core, parser().parse_args(asked), ReportMapping())
    assert (applied["state"], applied["new"], importer.earned()) == ("applied", 1, 350)


def test_a_website_that_is_not_there_is_named(led: Policies, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text("[]")
    options = parser().parse_args([str(file), "--network", "awin", "--website", "nowhere.example"])
    with pytest.raises(ReportNotImported, match=r"there is no website nowhere\.example"):
        import_report(led.world.core, options, ReportMapping())
