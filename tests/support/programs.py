"""The programs that come with the product, as the query service sees them."""

from __future__ import annotations

from command_api.matching.programs.files import starter_programs
from infra.domain.program_matching.scoring import Listed
from schemas.identity import program_id


def starter_listed() -> list[Listed]:
    return [Listed(program_id(program.company_name), program, None) for program in starter_programs()]
