"""`althing setup-link`: prints the link that creates the first admin of an installation without accounts."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from datetime import timedelta

import psycopg

from command_api.accounts import setup_link
from infra.kernel.config.loading import load
from infra.kernel.postgres.pool import connect


def main(arguments: Sequence[str]) -> int:
    """Exit codes: 0 printed, 1 there is an account already, or Postgres does not answer."""
    parser = argparse.ArgumentParser(
        prog="althing setup-link",
        description=f"Prints a link that creates the first admin. It works for {setup_link.LIFE // timedelta(hours=1)} "
        "hours, and once.",
    )
    parser.parse_args(arguments)
    settings = load()
    try:
        with connect(settings) as connection:
            link = setup_link.issue(connection, settings)
    except psycopg.errors.UndefinedTable:
        return _failed("The tables do not exist yet: run `althing migrate` first.")
    except psycopg.Error as error:
        return _failed(f"Postgres does not answer: {' '.join(str(error).split())}")
    if link is None:
        return _failed(f"This installation is set up: sign in at {settings.app_url}/login.")
    sys.stdout.write(link + "\n")
    return 0


def _failed(why: str) -> int:
    sys.stderr.write(f"althing: {why}\n")
    return 1
