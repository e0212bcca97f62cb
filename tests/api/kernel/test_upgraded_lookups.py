"""Inline projections that an upgrade built, while services of the previous release still append events."""

from __future__ import annotations

from datetime import timedelta
from threading import Event
from typing import Final

from command_api.inline_projections import INLINE_PROJECTIONS
from command_api.kernel import inline_rebuild
from command_api.websites.lookups import WEBSITE_OWNERS
from infra.kernel.config.settings import Settings
from tests.support.command import World, world
from tests.support.people import member

AGE: Final = "UPDATE lookup.projection SET upgraded_at = upgraded_at - %(passed)s, rebuilt_at = rebuilt_at - %(passed)s"


def is_repeated(made: World, passed: timedelta) -> bool:
    """Whether a row that the previous release did not write is there, this long after the last rebuild."""
    made.postgres.execute("DELETE FROM lookup.website")
    made.postgres.execute(AGE, {"passed": passed})
    inline_rebuild.repeat_after_upgrade(made.settings, made.core.pool, INLINE_PROJECTIONS, Event())
    with inline_rebuild.open_connection(made.settings) as connection:
        return not inline_rebuild.verify(made.settings, connection, WEBSITE_OWNERS).differences


def test_what_an_upgrade_built_is_built_again_for_an_hour(embedded_postgres: Settings) -> None:
    with world(embedded_postgres) as made:
        member(made).call("POST", "/api/platform/websites", json={"domain": "upgraded.example"})
        assert not is_repeated(made, timedelta(hours=1)), "a new installation has no previous release"
        made.postgres.execute("UPDATE lookup.projection SET version = 0 WHERE name = 'website_owners'")
        inline_rebuild.create_tables(made.settings, INLINE_PROJECTIONS)
        assert not is_repeated(made, timedelta(0))
        assert is_repeated(made, timedelta(seconds=11))
        assert not is_repeated(made, timedelta(0))
        assert is_repeated(made, timedelta(seconds=12))
        assert is_repeated(made, timedelta(hours=1))
        assert not is_repeated(made, timedelta(days=1)), "every service is of the new release by now"
