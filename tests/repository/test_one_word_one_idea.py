"""A word that meant several things means one (docs/decisions/0049): identifiers have it where that idea is, and nowhere
else."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Final

from infra.kernel.config.paths import ROOT
from infra.ops.retired_words import files, python_parts

OF_CLAIMS: Final = re.compile(
    r"(command_api|query_api)/(conversions|websites)/|infra/domain/report_merging|(schemas|command_api|projectors)/[\w/]*(claim_limits|conversions|websites)"
)
"""Where a claim is a conversion that the public site key alone reports."""
NAMES_OF_CLAIMS: Final = frozenset(
    {"EmailClaimed", "HostClaimed", "SlugClaimed"}  # names of stored events
    | {"ClaimsUnusual", "CLAIM_COUNTS", "claim_alarm", "claims_alarm_id"}  # of the idea, used elsewhere
)
CLAIMS_OF_ID_TOKENS: Final = "command_api/accounts/providers/protocol.py"
"""The term of OpenID Connect."""

BUILD: Final = re.compile(r"(?i)(?<!re)buil[dt](?!ers?$)")
OF_BUILDS: Final = re.compile(
    r"(infra/domain|projectors)/visits/|query_api/analytics/|infra/ops/audit/(built_visits|expired_events|command)"
    r"|query_api/operations/projection"  # the API speaks of builds of a projection
    r"|infra/(ops/(bootstrap|release/)|kernel/config/paths|services/gateway/)|ingest/script/"  # programs
    r"|infra/domain/sql_access/source_names"  # a method of sqlglot
)
NAMES_OF_BUILDS: Final = frozenset(
    {"ProjectionBuildCancelled"}  # a stored event
    | {"is_building", "_is_building"}  # a stored state of a generation
    | {"built_in", "_built_in", "build_request", "build_graph"}  # an English word; names of libraries
)

EVENTS: Final = "schemas/events/"
"""Fields of stored events keep their names."""


def paths() -> list[str]:
    return [path for path in files(ROOT) if path.endswith(".py") and not path.startswith("tests/")]


@cache
def identifiers() -> list[tuple[str, str]]:
    """The file and the name of each identifier of the product."""
    return sorted({(path, name) for path in paths() for name, _ in python_parts((ROOT / path).read_text())[1]})


def test_a_claim_is_a_conversion_of_the_public_site_key() -> None:
    named = [(path, name) for path, name in identifiers() if "claim" in name.lower() and name not in NAMES_OF_CLAIMS]
    wrong = [each for each in named if not OF_CLAIMS.match(each[0]) and each[0] != CLAIMS_OF_ID_TOKENS]
    assert not wrong, wrong


def test_a_build_is_one_of_visits_or_of_the_program() -> None:
    named = [(path, name) for path, name in identifiers() if BUILD.search(name) and name not in NAMES_OF_BUILDS]
    wrong = [each for each in named if not OF_BUILDS.match(each[0])]
    assert not wrong, wrong


def names_in(definition: ast.stmt) -> tuple[set[str], set[str]]:
    """The names that a function or class binds, and all that are in it."""
    bound, named = set[str](), set[str]()
    for node in ast.walk(definition):
        match node:
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                bound.add(name)
            case ast.Name(id=name) | ast.Attribute(attr=name):
                named.add(name)
    return bound, named | bound


def test_before_is_the_counterpart_of_an_after() -> None:
    wrong = []
    for path in paths():
        if not path.startswith(EVENTS):
            for definition in ast.parse((ROOT / path).read_text()).body:
                bound, named = names_in(definition)
                if "before" in bound and not any(name.startswith("after") for name in named):
                    wrong.append(f"{path}:{definition.lineno}")
    assert not wrong, wrong
