"""The web app's table of ad platforms: the fields of its forms, made of `rules` by `make docs`."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from infra.domain.ad_platforms.rules import PLATFORMS, Credential, PlatformRules
from infra.kernel.config.paths import ROOT

TABLE: Final = ROOT / "web" / "src" / "features" / "destinations" / "lib" / "platforms.json"


def table() -> str:
    """The text of the table."""
    return json.dumps([_entry(rules) for rules in PLATFORMS.values()], indent=1) + "\n"


DOCUMENTS: Final[Mapping[Path, Callable[[], str]]] = {TABLE: table}


def _entry(rules: PlatformRules) -> dict[str, object]:
    """Returns the entry without what has its usual value."""
    entry: dict[str, object] = {
        "id": rules.platform.value,
        "label": rules.name,
        "credentials": [_credential(name, credential) for name, credential in rules.credentials.items()],
    }
    if rules.has_files:
        entry["hasFiles"] = True
    if rules.name_form is not None:
        entry |= {"nameForm": rules.name_form.pattern, "nameHint": rules.name_hint}
    return entry


def _credential(name: str, credential: Credential) -> dict[str, object]:
    entry: dict[str, object] = {"name": name, "label": credential.label}
    return entry | {"isSecret": True} if credential.is_secret else entry
