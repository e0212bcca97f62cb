"""What the web app's forms ask is what the API accepts."""

from __future__ import annotations

import json
from typing import Any

from infra.domain.ad_platforms.docs import TABLE
from infra.domain.ad_platforms.rules import PLATFORMS


def test_the_table_of_the_web_app_names_every_credential_and_hides_secrets() -> None:
    rows: dict[str, Any] = {row["id"]: row for row in json.loads(TABLE.read_text())}
    assert set(rows) == {platform.value for platform in PLATFORMS}
    for platform, rules in PLATFORMS.items():
        shown = rows[platform]["credentials"]
        assert [field["name"] for field in shown] == list(rules.credentials)
        secrets = {field["name"] for field in shown if field.get("isSecret")}
        assert secrets == {name for name in rules.credentials if name.endswith(("Token", "Secret"))}
        assert rows[platform].get("hasFiles", False) == rules.has_files
