"""Row isolation on a ClickHouse server of your own: `python -m infra.domain.sql_access.cluster` prints its SQL.

There the SQL page reads as the services' user, and analysts' clients would reach the server directly. So each analyst
gets a user of the server with the same limits as the validator sets: views in a separate database that run with their
owner's rights and show the websites of a row in `access`; a settings profile whose limits cannot be changed; a quota;
and no right to any source, table, dictionary or function that reads.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Final
from uuid import UUID

from infra.domain.sql_access import limits
from infra.domain.sql_access.literals import text
from infra.domain.sql_access.tables import SCHEMA

DATABASE: Final = "analysts"
ROLE: Final = "althing_analyst"
PROFILE: Final = "althing_analyst_limits"
QUOTA: Final = "althing_analyst_quota"
OWNER: Final = "althing"

_NAME: Final = re.compile(r"[^\s`\\'\"\x00-\x1f]{1,200}")
_OWN: Final = (
    f"website_id IN (SELECT website_id FROM {DATABASE}.access WHERE user = currentUser())"  # noqa: S608 - own text
    f" OR EXISTS (SELECT 1 FROM {DATABASE}.access WHERE user = currentUser() AND everything)"
)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m infra.domain.sql_access.cluster", description=__doc__)
    parser.add_argument("--user", help="also the statements for this analyst (an email address)")
    parser.add_argument("--website", type=UUID, action="append", default=[], help="a website that they may see")
    parser.add_argument("--everything", action="store_true", help="they may see all (admins)")
    options = parser.parse_args(arguments)
    statements = [
        *isolation_statements(),
        *(analyst_statements(options.user, options.website, everything=options.everything) if options.user else ()),
    ]
    sys.stdout.write("".join(f"{statement};\n\n" for statement in statements))
    return 0


def isolation_statements() -> Iterator[str]:
    """Yields the statements for what all analysts share. Run as an administrator of the server; may be run again."""
    yield f"CREATE DATABASE IF NOT EXISTS {DATABASE}"
    yield (
        f"CREATE TABLE IF NOT EXISTS {DATABASE}.access (user String, website_id UUID, everything Bool)"
        " ENGINE = MergeTree ORDER BY (user, website_id)"
    )
    views = [view for view in SCHEMA.values() if view.source]
    for view in views:
        select = view.source.replace("{own}", _OWN)
        head = f"CREATE OR REPLACE VIEW {DATABASE}.{view.name} DEFINER = {OWNER} SQL SECURITY DEFINER"
        yield " ".join((head, "AS", select, "COMMENT", text(view.comment)))
    constraints = ", ".join(f"{name} = {_value(value)} READONLY" for name, value in limits.settings().items())
    yield f"CREATE SETTINGS PROFILE OR REPLACE {PROFILE} SETTINGS {constraints}, readonly = 1 READONLY"
    yield f"CREATE ROLE IF NOT EXISTS {ROLE}"
    for view in views:
        yield f"GRANT SELECT ON {DATABASE}.{view.name} TO {ROLE}"
    yield (
        f"CREATE QUOTA OR REPLACE {QUOTA} KEYED BY user_name FOR INTERVAL 1 hour MAX queries = 3600,"
        f" read_rows = {limits.ROWS_READ * 20}, execution_time = 1800 TO {ROLE}"
    )


def analyst_statements(user: str, websites: Sequence[UUID], *, everything: bool = False) -> Iterator[str]:
    """Yields the statements for what one analyst needs besides. Set the password afterwards: it belongs in no file.
    Raises `ValueError`."""
    if not _NAME.fullmatch(user):
        raise ValueError("a user's name holds no blanks, quotes or backslashes")
    yield f"CREATE USER IF NOT EXISTS `{user}` DEFAULT ROLE {ROLE} SETTINGS PROFILE {PROFILE}"
    yield f"GRANT {ROLE} TO `{user}`"
    yield f"DELETE FROM {DATABASE}.access WHERE user = {text(user)}"  # noqa: S608 - a literal
    for website in websites or ([UUID(int=0)] if everything else []):
        row = f"{text(user)}, {text(str(website))}, {str(everything).lower()}"
        yield f"INSERT INTO {DATABASE}.access VALUES ({row})"  # noqa: S608 - literals


def _value(value: str) -> str:
    return value if value.isdecimal() else text(value)


if __name__ == "__main__":
    sys.exit(main())
