"""The kernels and the engine name no feature, neither in code nor in text: features come and go, mechanisms stay."""

from __future__ import annotations

import re
from typing import Final

from infra.kernel.config.paths import ROOT

PACKAGES: Final = ("infra/kernel", "command_api/kernel", "query_api/kernel", "projectors/engine")
SETTINGS: Final = "infra/kernel/config/"
"""All settings of an installation are one list, those of features too."""
WORDS_OF_MECHANISMS: Final = frozenset(
    {"accounts", "websites", "costs"}  # whose rows are whose; each route has a cost
    | {
        "analytics",
        "connections",
        "domains",
        "erasure",
        "export",
        "imports",
        "links",
        "live",
        "matching",
        "networks",
        "notifications",
        "operations",
        "platforms",
    }
    | {
        "leads",
        "programs",
        "providers",
        "reading",
        "reports",
        "search",
        "site",
        "sql",
        "statements",
        "subscriptions",
        "views",
    }
)
"""Names of contexts, and of folders in them, that mean something else in a kernel: Postgres has views and
notifications, the log a topic `domain`, modules have imports, and a path leads somewhere."""


def features() -> set[str]:
    """The names of the contexts of both APIs and of the folders in them."""
    folders = (path for api in ("command_api", "query_api") for path in (ROOT / api).glob("**/__init__.py"))
    parts = {part for path in folders for part in path.relative_to(ROOT).parts[1:-1] if "kernel" not in path.parts}
    return parts - WORDS_OF_MECHANISMS


def named_in(text: str, names: set[str]) -> list[str]:
    """The lines that have one of the names, in the plural or not, also as a part of `CamelCase` and `snake_case`."""
    either = "|".join(name.removesuffix("s").replace("_", "[ _]") + "s?" for name in sorted(names))
    word = re.compile(rf"(?<![a-z])(?:{either})(?![a-z])", re.IGNORECASE)
    return [line.strip() for line in text.splitlines() if word.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", line))]


def test_no_kernel_names_a_feature() -> None:
    names = features()
    assert {"partners", "conversions", "marketplace", "forum", "escrow", "payouts"} <= names
    files = [
        (path.relative_to(ROOT).as_posix(), path)
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
    ]
    assert len(files) > 150
    named = {
        name: lines
        for name, path in files
        if not name.startswith(SETTINGS) and (lines := named_in(path.read_text(), names))
    }
    assert named == {}


def test_a_name_is_found_as_people_write_it() -> None:
    text = "class SlugOfPartner:\n# of conversions\nPAYOUT_LIMIT = 1\nconvert\nin the forum\n'exchange rate'\n"
    names = {"partners", "conversions", "payouts", "forum", "exchange_rates"}
    assert len(named_in(text, names)) == 5
