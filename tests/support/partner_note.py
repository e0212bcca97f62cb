"""Puts a note on a partner: `python -m tests.support.partner_note PARTNER NOTE`, in a tree that has CONTRIBUTING's
examples. Its event is one that no other version of the program knows."""

from __future__ import annotations

import sys
from contextlib import closing
from datetime import UTC, datetime
from uuid import UUID, uuid4

from command_api.kernel.decision import CommandContext
from command_api.partners import commands
from command_api.registry import open_container
from infra.kernel.config.loading import load

if __name__ == "__main__":
    with closing(open_container(load(env_file=None))) as container:
        note = vars(commands)["NotePartner"](UUID(sys.argv[1]), sys.argv[2])
        container.commands.dispatch(note, CommandContext(datetime.now(UTC), uuid4(), is_admin=True))
