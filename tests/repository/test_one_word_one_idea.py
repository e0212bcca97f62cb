"""A word that meant several things means one (docs/decisions/0049): identifiers have it where that idea is, and nowhere
else."""

from __future__ import annotations

import re
from typing import Final

from infra.kernel.config.paths import ROOT
from infra.ops.retired_words import files, python_parts

CLAIM: Final = re.compile(
    r"(command_api|query_api)/(conversions|websites)/|(schemas|command_api|projectors)/[\w/]*(claim_limits|conversions|websites)"
)
"""Where a claim is a conversion that the public site key alone reports."""
NAMES_OF_CLAIMS: Final = frozenset(
    {"EmailClaimed", "HostClaimed", "SlugClaimed"}  # names of stored events
    | {"ClaimsUnusual", "CLAIM_COUNTS", "claim_alarm", "claims_alarm_id"}  # of the idea, used elsewhere
)
CLAIMS_OF_ID_TOKENS: Final = "command_api/accounts/providers/protocol.py"
"""The term of OpenID Connect."""


def identifiers() -> list[tuple[str, str]]:
    """The file and the name of each identifier of the product."""
    paths = [path for path in files(ROOT) if path.endswith(".py") and not path.startswith("tests/")]
    return sorted({(path, name) for path in paths for name, _ in python_parts((ROOT / path).read_text())[1]})


def test_a_claim_is_a_conversion_of_the_public_site_key() -> None:
    wrong = [
        (path, name)
        for path, name in identifiers()
        if "claim" in name.lower()
        and not CLAIM.match(path)
        and name not in NAMES_OF_CLAIMS
        and path != CLAIMS_OF_ID_TOKENS
    ]
    assert not wrong, wrong
